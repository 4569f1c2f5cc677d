"""From a question to the passages that bear on it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.filled import filled
from tools.relevance import RELEVANT, missing
from tools.retrieval import CANDIDATES, KEPT, Graded, Retrieved, _few, rank, retrieve, rewrite
from tools.stores.documents import DocumentStore
from tools.stores.embedder import OnnxEmbedder
from tools.stores.fusion import Mode
from tools.stores.passage import Passage, PassageHit

_WORDS = ("paddle", "Blue Heron", "canoe", "E-404", "hull", "the", "Lake Vale", "weir", "boat")

texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join)


def hit(number: int, text: str, score: float = 0.5, *, superseded: bool = False) -> PassageHit:
    """A passage found; four follow each other in one document."""
    found = Passage(
        f"{number}",
        f"d{number // 4}",
        "Boats",
        "",
        text,
        0,
        len(text),
        "a",
        "2023",
        "public",
        None,
        "/a",
        "h",
    )
    return PassageHit(found, score, score, 1.0, superseded)


found = st.lists(
    st.builds(hit, st.integers(0, 12), texts, st.floats(0, 1), superseded=st.booleans()),
    max_size=8,
    unique_by=lambda one: one.passage.id,
).map(lambda hits: sorted(hits, key=lambda one: -one.score))


@given(texts, st.lists(found, min_size=3, max_size=3))
def test_the_loop_is_bounded_and_nothing_is_twice(query: str, answers: list[list[PassageHit]]) -> None:
    """At most two rewrites, none of them asked before; each passage once; what is in force stands first."""
    asked: list[tuple[str, Mode]] = []

    def search(words: str, mode: Mode) -> Sequence[PassageHit]:
        asked.append((words, mode))
        return answers[len(asked) - 1]

    ranked, rewrites = rank(search, query, "dense")
    assert asked[0] == (query, "dense")
    assert [words for words, _ in asked[1:]] == list(rewrites)
    assert len(rewrites) <= 2
    assert len({words.lower() for words, _ in asked}) == len(asked)
    ids = [one.hit.passage.id for one in ranked]
    assert len(set(ids)) == len(ids)
    assert {one.passage.id for one in answers[0]} <= set(ids)
    assert [one.hit.superseded for one in ranked] == sorted(one.hit.superseded for one in ranked)


@given(texts, texts)
def test_a_rewrite_is_aimed_at_what_is_missing(query: str, text: str) -> None:
    """It has the words that the passage lacks and names that are new; without a lack there is none."""
    words, lacking = rewrite(query, hit(0, text)), missing(query, [f"Boats\n{text}"])
    if not lacking:
        assert words is None
    elif words is not None:
        assert words.startswith(" ".join(lacking))
        assert words.lower() != query.lower()
        named = words.removeprefix(" ".join(lacking)).strip()
        assert not named or all(name in text for name in re.findall(r"Blue Heron|Lake Vale|E-404", named))


@pytest.mark.parametrize(
    ("texts", "rewrites"), [(("a hull", "a weir", "a boat", "Lake Vale"), 2), (("a", "a"), 1)]
)
def test_what_brings_nothing_ends_the_search(texts: tuple[str, ...], rewrites: int) -> None:
    """Where no rewrite brings anything there are two of them, and one where the second would be the same."""
    asked: list[str] = []

    def search(words: str, _: Mode) -> Sequence[PassageHit]:
        asked.append(words)
        leads = [hit(4 * number, text) for number, text in enumerate(texts)]
        return leads if len(asked) == 1 else []

    ranked, told = rank(search, "Which paddle fits the hull of a canoe at the weir?", "hybrid")
    assert len(told) == len(asked) - 1 == rewrites
    assert len(ranked) == len(texts)


def test_a_rewrite_for_codes_alone_goes_by_words() -> None:
    """What codes mean no embedder knows; where words are missing too both are asked."""
    modes: list[Mode] = []

    def search(words: str, mode: Mode) -> Sequence[PassageHit]:
        modes.append(mode)
        return [hit(len(modes) * 2, "nothing of the kind")]

    rank(search, "What is E-404?", "hybrid")
    assert modes == ["hybrid", "sparse"]
    modes.clear()
    rank(search, "What is E-404 of a canoe?", "hybrid")
    assert modes == ["hybrid", "hybrid"]


@given(st.lists(st.integers(0, 30), max_size=20, unique=True))
def test_few_are_kept_and_not_all_of_one_document(numbers: list[int]) -> None:
    """At most five, at most two of a document, in the order given, and none is passed over without need."""
    few = [int(one.hit.passage.id) for one in _few([Graded(hit(n, "a"), 0.5) for n in numbers])]
    two = {n for document in range(8) for n in [n for n in numbers if n // 4 == document][:2]}
    assert few == [n for n in numbers if n in two][:KEPT]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, embedder: OnnxEmbedder) -> DocumentStore:
    """The documents of a boat yard."""
    folder: Path = tmp_path_factory.mktemp("yard")
    documents = {
        "rules/returns.md": "---\ntitle: Returns 2026\nversion: '2026'\n---\n"
        "Boats that were never in the water can be returned within 30 days.\n",
        "rules/returns-old.md": "---\ntitle: Returns 2024\nversion: '2024'\n---\n"
        "Boats that were never in the water can be returned within 14 days.\n",
        "boats/heron.md": "# Blue Heron\n\nThe Blue Heron is a canoe that is built by Marta Vale.\n",
        "people/vale.md": "# Marta Vale\n\nMarta Vale was born in the town of Elmford.\n",
        "help/lock.md": "# The lock\n\n"
        + "\n\n".join(f"## E-40{n}\n\nE-40{n} means that bolt {n} of the lock is jammed." for n in range(6)),
    }
    return filled(folder, documents, embedder)


def ask(store: DocumentStore, question: str, query: str | None = None) -> Retrieved:
    """What is retrieved for a question."""

    def search(words: str, mode: Mode) -> Sequence[PassageHit]:
        return store.search(words, k=CANDIDATES, mode=mode)

    return retrieve(store, search, question, question if query is None else query, "hybrid")


def documents(graded: Sequence[Graded]) -> list[str]:
    """Which documents they are of, each once."""
    return list(dict.fromkeys(one.hit.passage.doc_id for one in graded))


def test_what_one_passage_lacks_is_looked_for_behind_it(store: DocumentStore) -> None:
    """A question over two documents brings both, the second by a rewrite with the name in the first."""
    found = ask(store, "In which town was the builder of the Blue Heron born?")
    assert {"boats/heron.md", "people/vale.md"} <= {*documents(found.kept)}
    assert 1 <= len(found.rewrites) <= 2
    assert any("Marta Vale" in words for words in found.rewrites)


def test_every_passage_is_graded_and_few_are_kept(store: DocumentStore) -> None:
    """Scores come best first, one for each that was found; what is kept reaches the threshold."""
    found = ask(store, "What does E-404 of the lock mean?")
    assert found.kept[0].hit.passage.heading == "E-404"
    assert len(found.kept) <= KEPT
    assert documents(found.kept).count("help/lock.md") == 1
    assert sum(one.hit.passage.doc_id == "help/lock.md" for one in found.kept) <= 2
    assert all(one.relevance >= RELEVANT for one in found.kept)
    assert len(found.scores) == found.found
    assert list(found.scores) == sorted(found.scores, reverse=True)
    assert found.best == pytest.approx(found.scores[0], abs=1e-4)


def test_an_old_version_is_named_and_not_kept(store: DocumentStore) -> None:
    """The newer one answers and the other stands apart, unless the question names its version."""
    found = ask(store, "Within how many days can boats be returned?")
    assert "rules/returns.md" in documents(found.kept)
    assert documents(found.outdated) == ["rules/returns-old.md"]
    named = ask(store, "Within how many days could boats be returned in 2024?")
    assert "rules/returns-old.md" in documents(named.kept)


def test_passages_are_graded_against_the_customers_question(store: DocumentStore) -> None:
    """A query that leads elsewhere keeps nothing of what it finds there."""
    found = ask(store, "Do you sell espresso machines?", "lock jammed bolt")
    assert found.found > 0
    assert not found.kept


def test_nothing_stored_is_nothing_found(tmp_path: Path, embedder: OnnxEmbedder) -> None:
    """An empty store gives no passage, no score and no rewrite."""
    found = ask(DocumentStore.open(str(tmp_path / "empty"), embedder), "Where is the lock?")
    assert (found.kept, found.found, found.best, found.rewrites, found.scores) == ((), 0, None, (), ())
