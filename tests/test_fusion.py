"""Two rankings to one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.stores.documents import DocumentStore
from tools.stores.embedder import Vectors
from tools.stores.fusion import MEANING, Mode, exact, fuse, searchable
from tools.stores.passage import Passage, PassageHit

_WORDS = ("paddle", "canoe", "E-404", "open_lock", "hull", "the", "4.10.2")
_QUERY = np.array([1.0, 0.0], np.float32)

texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6).map(" ".join)
scores = st.floats(0.1, 50)
angles = st.floats(0, np.pi)
rankings = st.dictionaries(st.integers(0, 9), st.tuples(texts, angles, scores), max_size=8)


def passage(number: int, text: str) -> Passage:
    """A passage of a document of its own."""
    return Passage(
        f"{number}#0", f"{number}", "Boats", "", text, 0, len(text), "a", None, "public", None, "/a", "h"
    )


def table(rows: Sequence[tuple[Passage, float, float]]) -> pa.Table:
    """What a search gives: passages with the angle of their vector to the query's, and BM25."""
    columns = {item.name: [getattr(one, item.name) for one, _, _ in rows] for item in fields(Passage)}
    vectors = [[np.cos(angle), np.sin(angle)] for _, angle, _ in rows]
    return pa.table(
        {
            **columns,
            "vector": pa.array(vectors, pa.list_(pa.float32(), 2)),
            "_score": pa.array([score for _, _, score in rows], pa.float32()),
        }
    )


@given(
    rankings,
    st.sets(st.integers(0, 9)),
    st.sets(st.integers(0, 9)),
    texts,
    st.sampled_from(("hybrid", "dense", "sparse")),
)
def test_each_passage_once_with_scores_that_compare(
    found: dict[int, tuple[str, float, float]], dense: set[int], sparse: set[int], query: str, mode: Mode
) -> None:
    """All that either ranking has comes once, and its score is at most 1 whatever the mode."""
    rows = {number: (passage(number, text), angle, bm25) for number, (text, angle, bm25) in found.items()}
    by_meaning, by_words = (
        table([row for number, row in rows.items() if number in chosen]) for chosen in (dense, sparse)
    )
    hits = fuse((by_meaning, by_words), query, _QUERY, mode, {"3"})
    assert sorted(hit.passage.id for hit in hits) == sorted(f"{n}#0" for n in found if n in dense | sparse)
    for hit in hits:
        assert -1.001 <= hit.score <= 1.001
        assert hit.superseded == (hit.passage.doc_id == "3")
        assert (hit.sparse > 0) == (int(hit.passage.doc_id) in sparse)
        if mode == "dense":
            assert hit.score == hit.dense
    if mode == "sparse" and sparse & found.keys():
        assert max(hit.score for hit in hits) == pytest.approx(1)


@given(angles, angles, scores)
def test_words_that_say_nothing_of_the_query_do_not_count(one: float, other: float, bm25: float) -> None:
    """Where what words found has no content word of the query, meaning alone orders the passages."""
    rows = [(passage(1, "the hull"), one, bm25), (passage(2, "a hull"), other, bm25 + 1)]
    hits = fuse((table(rows), table(rows)), "What about the mast?", _QUERY, "hybrid", ())
    for hit in hits:
        assert hit.score == pytest.approx(MEANING * hit.dense, abs=1e-6)


def test_what_was_not_asked_is_no_ranking() -> None:
    """Either ranking may be missing or empty."""
    rows = table([(passage(1, "hull"), 0.5, 3.0)])
    assert fuse((None, None), "hull", _QUERY, "hybrid", ()) == []
    assert [hit.sparse for hit in fuse((rows, table([])), "hull", _QUERY, "hybrid", ())] == [0.0]
    assert len(fuse((None, rows), "hull", _QUERY, "sparse", ())) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("error E-404, part PX-7731", {"e404", "px7731"}),
        ("call open_lock() or Loader.read_all, then parse()", {"openlock", "loaderreadall", "parse"}),
        ("4.10.2 of config.yaml", {"4102", "configyaml"}),
        ("std::vector and AB/12", {"stdvector", "ab12"}),
        ("A left-handed paddle, 2 m long. It floats", set()),
    ],
)
def test_exact_names(text: str, names: set[str]) -> None:
    """Codes, names of code and dotted numbers, whatever marks they are written with; prose has none."""
    assert exact(text) >= names
    assert bool(exact(text)) == bool(names)
    assert {*searchable(text).split("\n")[1].split()} >= names - {"parse"}


class _Contrary:
    """An embedder that puts every query as far from what has a star as it can, and near to the rest."""

    name = "contrary"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> Vectors:
        return np.array([[-1, 0] if "*" in text else [1, 0] for text in texts], np.float32)


@pytest.fixture(scope="module")
def misled(tmp_path_factory: pytest.TempPathFactory) -> DocumentStore:
    """Eighty passages, a few with an exact name, in a store whose embedder misleads."""
    store = DocumentStore.open(str(tmp_path_factory.mktemp("misled")), _Contrary())
    others = {f"{n}": [passage(n, f"Page {n} tells of open canoes and lock {n}, E-{n}.")] for n in range(80)}
    names = ("E-404", "PX-7731", "open_lock", "Loader.read_all", "4.10.2", "config.yaml")
    named = {f"{n}": [passage(n, f"* {name} stands here.")] for n, name in enumerate(names, 100)}
    store.replace_all(others | named)
    return store


@pytest.mark.parametrize("query", ["{}", "What does {} mean?", "the page about {} and open canoes"])
@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("E-404", 100),
        ("px7731", 101),
        ("open_lock", 102),
        ("Loader.read_all()", 103),
        ("4.10.2", 104),
        ("config.yaml", 105),
    ],
)
def test_exact_names_are_found_whatever_the_embedder_thinks(
    misled: DocumentStore, query: str, name: str, number: int
) -> None:
    """Asked for by its name, a passage comes first, though all others are nearer in meaning."""
    for mode in ("hybrid", "sparse"):
        hits: list[PassageHit] = misled.search(query.format(name), k=3, mode=mode)
        assert hits[0].passage.doc_id == str(number)
