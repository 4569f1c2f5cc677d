"""The documents store on LanceDB."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tools.errors import ConfigurationError, SourceUnavailable
from tools.stores import documents, lance
from tools.stores.documents import DocumentStore
from tools.stores.embedder import OnnxEmbedder
from tools.stores.passage import Collection, Passage
from tools.stores.versions import Edition, superseded


def passage(text: str, doc_id: str = "a.md", number: int = 0, **other: Any) -> Passage:
    """A passage with plain metadata; `other` sets what matters."""
    plain = Passage(
        id=f"{doc_id}#{number}",
        doc_id=doc_id,
        title="Handbook",
        heading="",
        text=text,
        start=0,
        end=len(text),
        category="guides",
        version=None,
        audience="public",
        updated=None,
        path=f"/docs/{doc_id}",
        doc_hash="h1",
        number=number,
    )
    return replace(plain, **other)


@pytest.fixture
def store(tmp_path: Path, embedder: OnnxEmbedder) -> DocumentStore:
    """An empty store."""
    return DocumentStore.open(str(tmp_path / "documents"), embedder)


def _texts(store: DocumentStore, query: str, **filters: Any) -> list[str]:
    return [hit.passage.text for hit in store.search(query, **filters)]


def test_empty_store_finds_nothing(store: DocumentStore, tmp_path: Path) -> None:
    """Before anything was put in, everything is empty and nothing is written."""
    assert store.search("anything") == []
    assert (store.count(), store.known(), store.collections()) == (0, {}, [])
    store.remove("nothing.md")
    store.optimise()
    assert not list((tmp_path / "documents").iterdir())


def test_passage_comes_back_as_it_was(store: DocumentStore) -> None:
    """Every field survives, and the hit tells both scores and the vector."""
    put = passage("Tents are made of cotton.", heading="Materials", version="2", updated=date(2026, 3, 1))
    store.replace("a.md", [put])
    (hit,) = store.search("cotton tents")
    assert hit.passage == put
    assert hit.dense == pytest.approx(float(hit.vector @ store.embedder.embed(["cotton tents"])[0]), abs=1e-5)
    assert hit.sparse > 0
    assert hit.passage.place == "Handbook > Materials"


def test_meaning_and_words_both_find(store: DocumentStore) -> None:
    """Other words for the same thing are found by meaning, an exact code by words, both by hybrid."""
    store.replace(
        "a.md",
        [
            passage("The bicycle's tyre has a puncture.", number=0),
            passage("Fault XJ-41 needs a new fuse.", number=1),
            passage("Fault XJ-14 needs a new lamp.", number=2),
            passage("Our office is closed on Sunday.", number=3),
        ],
    )
    assert "puncture" in _texts(store, "flat wheel", mode="dense")[0]
    assert _texts(store, "flat wheel", mode="sparse") == []
    for code in ("XJ-41", "xj41", "What is XJ-41?"):
        assert "fuse" in _texts(store, code, mode="sparse")[0]
        assert "fuse" in _texts(store, code)[0]
    assert "puncture" in _texts(store, "flat wheel")[0]


def test_scores_go_down_and_k_is_kept(store: DocumentStore) -> None:
    """Hits come best first, at most k of them, in every mode."""
    store.replace("a.md", [passage(f"Lamp number {n} shines.", number=n) for n in range(9)])
    for mode in ("hybrid", "dense", "sparse"):
        hits = store.search("lamp 3", k=4, mode=mode)  # type: ignore[arg-type]
        assert len(hits) == 4
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_customers_never_see_what_is_for_staff(store: DocumentStore) -> None:
    """Public callers find public passages only, even where internal ones rank before; staff find both."""
    inside = [passage("The vault code is 99.", "in.md", number, audience="internal") for number in range(80)]
    store.replace("in.md", inside)
    store.replace("out.md", [passage("The vault is shown on tours.", "out.md")])
    for mode in ("hybrid", "dense", "sparse"):
        for audience in ("public", "", "INTERNAL", "' OR true --"):
            hits = store.search("vault code", audience=audience, mode=mode)  # type: ignore[arg-type]
            assert [hit.passage.audience for hit in hits] == ["public"]
    assert "The vault code is 99." in _texts(store, "vault code", audience="internal")
    assert store.collections() == [Collection("guides", 1, ("Handbook",))]
    assert store.collections("internal") == [Collection("guides", 2, ("Handbook", "Handbook"))]


def test_filters_are_kept_to(store: DocumentStore) -> None:
    """Category (in any case) and version restrict the search."""
    store.replace("a.md", [passage("Sleeping bags.", category="Camping", version="1.10")])
    store.replace("b.md", [passage("Sleeping bags.", "b.md", category="home", version="1.1")])
    assert [hit.passage.doc_id for hit in store.search("bags", category="camping")] == ["a.md"]
    assert [hit.passage.doc_id for hit in store.search("bags", version="1.1")] == ["b.md"]
    assert store.search("bags", category="home", version="1.10") == []


@given(value=st.text(max_size=40) | st.text("'\"\\ OR1=-", max_size=12))
@example(value="\\' OR true --")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_breaks_out_of_a_filter(store: DocumentStore, value: str) -> None:
    """Whatever stands in a query or filter, it is a value and never a part of the condition."""
    store.replace("a.md", [passage("Secret.", audience="internal", category="x")])
    store.replace("b.md", [passage("Open.", "b.md", category="x")])
    assert store.search("secret", category=value) == [] or value.strip().lower() == "x"
    assert store.search("secret", version=value) == []
    assert {hit.passage.doc_id for hit in store.search(value)} <= {"b.md"}


@pytest.mark.parametrize("doc_id", ["it's.md", 'a"b.md', "a\\'b.md", "x' OR 'a'='a", "ünï çode.md"])
def test_documents_of_any_name_can_be_replaced_and_removed(store: DocumentStore, doc_id: str) -> None:
    """A name is only ever a name: its document goes, and no other."""
    store.replace("other.md", [passage("Stays.", "other.md")])
    store.replace(doc_id, [passage("One.", doc_id), passage("Two.", doc_id, 1)])
    store.replace(doc_id, [passage("Three.", doc_id)])
    assert sorted(_texts(store, "one two three stays")) == ["Stays.", "Three."]
    store.remove(doc_id)
    assert _texts(store, "one two three stays") == ["Stays."]


def test_replacing_with_nothing_removes(store: DocumentStore) -> None:
    """A document without passages is gone."""
    store.replace("a.md", [passage("One.")])
    store.replace("a.md", [])
    assert store.count() == 0


def test_other_handle_sees_the_change(store: DocumentStore, tmp_path: Path, embedder: OnnxEmbedder) -> None:
    """What one process writes, another that had the store open reads at once."""
    other = DocumentStore.open(str(tmp_path / "documents"), embedder)
    assert other.search("rope") == []
    store.replace("a.md", [passage("A rope.")])
    assert _texts(other, "rope") == ["A rope."]
    store.replace("a.md", [passage("A longer rope.")])
    assert _texts(other, "rope") == ["A longer rope."]


def test_reader_never_sees_half_a_document(store: DocumentStore) -> None:
    """While a document is replaced again and again, a reader always finds one whole version of it."""
    versions = [[passage(f"rope {v}", number=n, doc_hash=str(v)) for n in range(6)] for v in range(6)]
    store.replace("a.md", versions[0])
    seen = []
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            seen.append(sorted(hit.passage.doc_hash for hit in store.search("rope", k=20, mode="dense")))

    reader = threading.Thread(target=read)
    reader.start()
    for version in versions:
        store.replace("a.md", version)
    done.set()
    reader.join()
    assert seen
    assert all(len(hashes) == 6 and len(set(hashes)) == 1 for hashes in seen)


def test_writers_at_the_same_time_lose_nothing(
    store: DocumentStore, tmp_path: Path, embedder: OnnxEmbedder
) -> None:
    """Two handles that write different and equal documents leave each of them once."""
    store.replace("start.md", [passage("start", "start.md")])
    other = DocumentStore.open(str(tmp_path / "documents"), embedder)

    def write(handle: DocumentStore, own: str) -> None:
        for number in range(4):
            handle.replace(f"{own}{number}", [passage("own", f"{own}{number}")])
            handle.replace("both", [passage("same", "both")])

    threads = [threading.Thread(target=write, args=(h, n)) for h, n in ((store, "s"), (other, "o"))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(store.known()) == {"start.md", "both", *(f"{n}{i}" for n in "so" for i in range(4))}
    assert store.count() == 10


def test_newer_version_comes_first(store: DocumentStore) -> None:
    """A superseded version stands behind all that is in force, unless it is asked for."""
    store.replace(
        "old.md", [passage("Loans last 14 days.", "old.md", title="Loans 2024 (old)", version="2024")]
    )
    store.replace("new.md", [passage("Borrow for a month.", "new.md", title="Loans 2026", version="2026")])
    store.replace("far.md", [passage("The cellar is damp.", "far.md")])
    hits = store.search("loans last 14 days")
    assert [hit.passage.doc_id for hit in hits] == ["new.md", "far.md", "old.md"]
    assert [hit.superseded for hit in hits] == [False, False, True]
    assert store.search("loans last 14 days in 2024?")[0].passage.doc_id == "old.md"
    assert [hit.passage.doc_id for hit in store.search("loans", version="2024")] == ["old.md"]


def test_unseen_newer_version_supersedes_nothing(store: DocumentStore) -> None:
    """A draft for staff does not push back what customers are told."""
    store.replace("old.md", [passage("Loans: 14 days.", "old.md", title="Loans", version="1")])
    store.replace("new.md", [passage("x", "new.md", title="Loans", version="2", audience="internal")])
    assert [hit.superseded for hit in store.search("loans")] == [False]
    assert [hit.superseded for hit in store.search("loans days", audience="internal")] == [False, True]


def _edition(doc_id: str, title: str, version: str | None, updated: date | None = None) -> Edition:
    return Edition(doc_id, title, "guides", version, updated)


def test_versions_are_of_one_document_only() -> None:
    """Only the same title counts as the same document; equal or absent versions supersede nothing."""
    old = superseded(
        [
            _edition("a1", "Lease v1.9", "1.9"),
            _edition("a2", "Lease v1.10", "1.10"),
            _edition("b", "Lease for cars", "1"),
            _edition("c1", "Form 7", "2025"),
            _edition("c2", "Form 8", "2026"),
            _edition("d1", "Rules", None, date(2020, 1, 1)),
            _edition("d2", "Rules", None, date(2026, 1, 1)),
            _edition("e1", "Fees", "3", date(2020, 1, 1)),
            _edition("e2", "Fees", "3", date(2026, 1, 1)),
            _edition("f1", "Tariff (archived)", "spring", date(2020, 1, 1)),
            _edition("f2", "Tariff", "autumn", date(2026, 1, 1)),
        ]
    )
    assert old == {"a1", "f1"}


class _Other:
    name = "another-model"
    dimensions = 3

    def embed(self, texts: Any) -> Any:
        """Unit vectors of no meaning."""
        return np.tile(np.array([1, 0, 0], np.float32), (len(texts), 1))


def test_store_of_another_embedder_is_refused(store: DocumentStore, tmp_path: Path) -> None:
    """One clear line names the setting and both models, whether found on opening or on writing."""
    late = DocumentStore.open(str(tmp_path / "documents"), _Other())
    store.replace("a.md", [passage("One.")])
    for attempt in (
        lambda: DocumentStore.open(str(tmp_path / "documents"), _Other()),
        lambda: late.replace("a.md", [passage("Two.")]),
        lambda: late.search("one"),
    ):
        with pytest.raises(ConfigurationError, match=r"DESK_EMBEDDER.*MiniLM.*another-model"):
            attempt()


def test_reranker_has_the_last_word(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    """A reranker sees the query and the texts, and its scores are the order."""

    def shortest_first(query: str, texts: Any) -> list[float]:
        assert query == "rope"
        return [-float(len(text)) for text in texts]

    store = DocumentStore.open(str(tmp_path / "documents"), embedder, reranker=shortest_first)
    store.replace("a.md", [passage("rope rope rope rope"), passage("a saw", number=1)])
    assert _texts(store, "rope") == ["a saw", "rope rope rope rope"]


def test_broken_store_is_unavailable(store: DocumentStore, tmp_path: Path) -> None:
    """A store whose files are gone is unavailable, which is not the same as empty; the query is not told."""
    store.replace("a.md", [passage("One.")])
    for file in (tmp_path / "documents").rglob("*.lance"):
        if file.is_file():
            file.unlink()
    with pytest.raises(SourceUnavailable) as caught:
        store.search("my private question")
    assert "private" not in str(caught.value)


def test_place_that_is_no_folder_is_unavailable(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    """A file where the store should be is one clear line."""
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceUnavailable):
        DocumentStore.open(str(tmp_path / "file" / "store"), embedder)


def test_large_store_is_indexed_and_still_right(
    tmp_path: Path, embedder: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beyond the size at which scanning is good enough, the vectors are indexed, and searches still find."""
    monkeypatch.setattr("tools.stores.lance._FLAT_LIMIT", 300)
    store = DocumentStore.open(str(tmp_path / "documents"), embedder)
    words = ["red", "green", "blue", "small", "large", "old", "new", "wet"]
    texts = [
        f"{words[n % 8]} {words[n // 8 % 8]} {thing}"
        for n in range(64)
        for thing in ("boat", "house", "dog", "tree", "ship")
    ]
    store.replace_all({"a.md": [passage(text, number=n) for n, text in enumerate(texts)]})
    store.optimise()
    assert {index.columns[0] for index in store._table().list_indices()} >= {"search", "vector", "id"}
    assert "wet blue dog" in _texts(store, "wet blue dog", mode="dense")
    store.replace("b.md", [passage("The lighthouse keeper.", "b.md")])
    assert _texts(store, "lighthouse keeper", k=1) == ["The lighthouse keeper."]


def test_documents_are_read_once_until_something_changes(
    store: DocumentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Catalogue and searches, by customers and staff in turn, read all documents once, until a change."""
    store.replace("a.md", [passage("Loans last 28 days.", version="2026")])
    reads = []
    real = lance.first_passages

    def counted(*arguments: Any) -> Any:
        reads.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(lance, "first_passages", counted)
    for audience in ("public", "internal", "public", "internal"):
        store.search("loans", audience=audience)
        store.collections(audience)
    assert len(reads) == 1
    store.replace("b.md", [passage("Films last 7 days.", "b.md", version="2026")])
    store.search("loans")
    assert len(reads) == 2


def test_store_whose_maker_was_cut_off_is_finished(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    """A table that was made and not yet given its key and index is given them by the next writer."""
    half = DocumentStore.open(str(tmp_path / "documents"), embedder)
    half._connection.create_table(documents.TABLE, schema=documents._schema(embedder))
    store = DocumentStore.open(str(tmp_path / "documents"), embedder)
    store.replace("a.md", [passage("A rope.")])
    assert _texts(store, "rope", mode="sparse") == ["A rope."]


def test_date_of_update_is_a_filter(store: DocumentStore) -> None:
    """Only documents that say that they are as new as asked; those that say nothing are left out."""
    for doc_id, day in (("old.md", date(2024, 1, 1)), ("new.md", date(2026, 3, 1)), ("none.md", None)):
        store.replace(doc_id, [passage("A rope.", doc_id, updated=day)])
    for mode in ("hybrid", "dense", "sparse"):
        hits = store.search("rope", updated_since=date(2026, 3, 1), mode=mode)  # type: ignore[arg-type]
        assert [hit.passage.doc_id for hit in hits] == ["new.md"]
