"""The words of a question and of a graph's own language."""

from __future__ import annotations

import pytest

from tools.graph_words import is_plain, kind_words, phrases, read_around, words_beside
from tools.stores.graph_types import Entity, Kind, Mention, Relation, Vocabulary

DIRECTED = Relation("directed_by", "was directed by", "directed", also_inverse=("the director of",))
WORDS = Vocabulary((DIRECTED,), (Kind("film", ("movie",)), Kind("spare part"), Kind("person", ("who",))))
QUESTION = "which movies did Ann Lee direct"


def mention(text: str, name: str, match: str = "exact") -> Mention:
    """A name as it stands in a text."""
    start = text.index(name)
    return Mention(Entity(1, "Ann Lee", "person"), name, start, start + len(name), "exact", 1.0)


def test_a_phrase_keeps_its_direction_and_its_stems() -> None:
    """Each way to say a relation is read once, the words that carry meaning apart."""
    said = phrases(DIRECTED)
    assert [(one.inverse, one.content) for one in said][:1] == [(False, frozenset(["direct"]))]
    assert {one.inverse for one in said} == {False, True}
    assert len(said) == len(set(said))


def test_kinds_go_by_their_last_word_and_their_other_words() -> None:
    """`spare part` is asked for as `part`, a film as a movie."""
    assert kind_words(WORDS)["part"] == ("spare part",)
    assert kind_words(WORDS)["movi"] == ("film",)


def test_a_question_is_read_around_the_name() -> None:
    """What is asked for is the kind after the question word; the name's own words are outside of it."""
    asked = read_around(QUESTION, mention(QUESTION, "Ann Lee"), WORDS)
    assert asked.wanted == frozenset(["film"])
    assert (asked.first, asked.last) == (3, 4)
    assert "ann" not in asked.outside
    assert {asked.stems[place] for place in asked.content} == {"movi", "direct"}
    text = "who directed Ann Lee"
    assert read_around(text, mention(text, "Ann Lee"), WORDS).wanted == frozenset(["person"])
    text = "Ann Lee movies"
    assert read_around(text, mention(text, "Ann Lee"), WORDS).wanted == frozenset()


@pytest.mark.parametrize(
    ("text", "name", "plain"),
    [("which film is long", "film", True), ("about Film", "Film", True), (QUESTION, "Ann Lee", False)],
)
def test_ordinary_words_are_no_names(text: str, name: str, plain: bool) -> None:
    """What something happens to be called stays a word where it is one of the question's own."""
    assert is_plain(mention(text, name), WORDS) is plain


@pytest.mark.parametrize(
    ("text", "beside"),
    [("Ann Lee", False), ("the Ann Lee", False), ("what is Ann Lee", True), (QUESTION, True)],
)
def test_a_question_says_more_than_a_name(text: str, beside: bool) -> None:
    """A name alone, also with an article, is no question."""
    assert words_beside(text, mention(text, "Ann Lee")) is beside
