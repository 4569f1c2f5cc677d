"""Which relations a question asks to follow, by the words of a graph that no code knows."""

from __future__ import annotations

import pytest

from tools.graph_reading import Reading, readings
from tools.stores.embedder import Embedder
from tools.stores.graph_types import Entity, Hop, Kind, Mention, Relation, Vocabulary

WORDS = Vocabulary(
    (
        Relation("wrote", "wrote", "was written by", source_kinds=("author",), target_kinds=("book",)),
        Relation("owns", "owns", "is owned by", source_kinds=("reader",), target_kinds=("book",)),
        Relation(
            "lives_in", "lives in", "is home to", source_kinds=("author", "reader"), target_kinds=("town",)
        ),
        Relation("banned_by", "is banned by", "bans", source_kinds=("book",), target_kinds=("decree",)),
        Relation("praised_in", "is praised in", "praises", source_kinds=("author",), target_kinds=("paper",)),
    ),
    (
        Kind("author", ("who",)),
        Kind("reader"),
        Kind("book"),
        Kind("town", ("where",)),
        Kind("decree"),
        Kind("paper"),
    ),
)
HOPS = {
    "reader": [Hop("owns", "out"), Hop("lives_in", "out")],
    "author": [Hop("wrote", "out"), Hop("lives_in", "out"), Hop("praised_in", "out")],
    "book": [Hop("wrote", "in"), Hop("owns", "in"), Hop("banned_by", "out")],
    "town": [Hop("lives_in", "in")],
    "decree": [Hop("banned_by", "in")],
}


def best(text: str, name: str, kind: str, embedder: Embedder | None = None) -> Reading:
    """The best way to understand a question about one thing."""
    start = text.index(name)
    mention = Mention(Entity(1, name, kind), name, start, start + len(name), "exact", 1.0)
    found = readings(text, [mention], WORDS, lambda one: HOPS[one.kind], embedder)
    return next((one for one in found if one.said), found[0])


def told(reading: Reading) -> str:
    """`-wrote-> <-owns-`."""
    ways = {"out": "-{}->", "in": "<-{}-"}
    return " ".join(ways[hop.direction].format(hop.relation) for hop in reading.hops)


@pytest.mark.parametrize(
    ("text", "name", "kind", "chain"),
    [
        ("which books were written by Kim", "Kim", "author", "-wrote->"),
        ("who wrote Dune", "Dune", "book", "<-wrote-"),
        ("which books does Kim own", "Kim", "reader", "-owns->"),
        ("who wrote the books that Kim owns", "Kim", "reader", "-owns-> <-wrote-"),
        (
            "which town is home to who wrote the books that Kim owns",
            "Kim",
            "reader",
            "-owns-> <-wrote- -lives_in->",
        ),
        ("which other books were written by the author who wrote Dune", "Dune", "book", "<-wrote- -wrote->"),
        ("which readers own books banned by R-17", "R-17", "decree", "<-banned_by- <-owns-"),
    ],
)
def test_chains_are_read_from_the_phrases(text: str, name: str, kind: str, chain: str) -> None:
    """Each phrase is one step, in its direction, the nearest to the name first; `other` goes back."""
    reading = best(text, name, kind)
    assert told(reading) == chain
    assert reading.said
    assert reading.explained > 0.5


def test_a_word_for_a_relation_that_the_thing_has_not(embedder: Embedder) -> None:
    """ "Books praised by R-17": no book is praised, but R-17 bans some; a step on from there is said."""
    reading = best("which readers own the books praised by R-17", "R-17", "decree", embedder)
    assert told(reading) == "<-banned_by- <-owns-"
    start = Mention(Entity(1, "R-17", "decree"), "R-17", 16, 20, "exact", 1.0)
    alone = readings("what is praised R-17", [start], WORDS, lambda one: HOPS[one.kind])
    assert not [one for one in alone if one.said]


def test_a_kind_that_is_named_is_a_step() -> None:
    """In "the books of Kim" no phrase stands, but books are what Kim has: what is said goes on from them."""
    reading = best("what bans the books of Kim", "Kim", "reader")
    assert told(reading) == "-owns-> -banned_by->"
    assert reading.said


def test_kinds_alone_say_no_chain() -> None:
    """Names of kinds need a phrase beside them, or a word such as `same`, which goes there and back."""
    assert told(best("who has the same town as Kim", "Kim", "reader")) == "-lives_in-> <-lives_in-"
    name = Mention(Entity(1, "R-17", "decree"), "R-17", 0, 4, "exact", 1.0)
    found = readings("R-17 and the readers of books too", [name], WORDS, lambda one: HOPS[one.kind])
    assert not any(one.said for one in found)


def test_the_kind_asked_for_ends_the_chain() -> None:
    """What the question asks for is remembered, and whether the chain ends there."""
    reading = best("who wrote the books that Kim owns", "Kim", "reader")
    assert (reading.wanted, reading.at_wanted) == (frozenset(["author"]), True)


def test_meaning_decides_where_words_do_not(embedder: Embedder) -> None:
    """Of readings that words hardly tell apart the one that means what the question does comes first."""
    text = "in which town is Kim at home"
    assert told(best(text, "Kim", "author", embedder)) == "-lives_in->"
