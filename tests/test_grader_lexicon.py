"""The lexicon: kinds of words, and irregular forms, in the grader's keys."""

import pytest

from agent.grader.lexicon import base_form, words_of
from agent.grader.meaning import key_of


@pytest.mark.parametrize(("form", "base"), [("knew", "know"), ("geese", "goose"), ("library", "library")])
def test_irregular_forms_have_the_key_of_their_word(form: str, base: str) -> None:
    """A form that no rule of inflection reaches is read as its word; other words stay as they are."""
    assert base_form(key_of(form)) == key_of(base)


@pytest.mark.parametrize(
    ("word", "kind"), [("lawyer", "person"), ("teachers", "person"), ("considered", "thought")]
)
def test_words_have_the_kind_they_are_mostly_used_in(word: str, kind: str) -> None:
    """Inflected or not, a word is in the list of its kind and in no other."""
    assert {name for name in ("person", "thought") if key_of(word) in words_of(name)} == {kind}


def test_an_unknown_kind_has_no_words() -> None:
    """A kind that the lexicon does not tell apart is empty."""
    assert not words_of("colour")
