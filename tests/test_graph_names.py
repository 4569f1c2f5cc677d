"""How names are recognised, as pure logic."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.stores.graph_names import fold, key, likeness, spelling_keys, words


@given(st.text(max_size=60))
def test_words_point_into_the_text(text: str) -> None:
    """Every word's span cuts out text that folds to its form, in order and without overlap."""
    end = 0
    for word in words(text):
        assert end <= word.start < word.end <= len(text)
        assert fold(text[word.start : word.end]) == word.form
        end = word.end


@given(st.from_regex(r"[a-z]{4,10}[aeortlnmk]", fullmatch=True).filter(lambda word: word[-2:] != "ie"))
def test_singular_and_plural_share_a_key(word: str) -> None:
    """A regular plural folds to the same form as its singular."""
    assert fold(word) == fold(word + "s")


@pytest.mark.parametrize(
    ("one", "many"),
    [("battery", "batteries"), ("box", "boxes"), ("cache", "caches"), ("watch", "watches"), ("base", "bases"),
     ("glass", "glasses"), ("K2", "K2s"), ("service", "Services")],
)  # fmt: skip
def test_other_plurals_share_a_key(one: str, many: str) -> None:
    """So do plurals in -ies and -es, and those of codes."""
    assert fold(one) == fold(many)


@given(st.from_regex(r"[a-z]{5,12}", fullmatch=True), st.data())
def test_one_mistake_meets_its_word(word: str, data: st.DataObject) -> None:
    """A word and the same with a letter left out, added, changed, or two swapped share a spelling key."""
    place = data.draw(st.integers(0, len(word) - 2))
    letter = data.draw(st.sampled_from("abcxyz"))
    typed = data.draw(
        st.sampled_from(
            [
                word[:place] + word[place + 1 :],
                word[:place] + letter + word[place:],
                word[:place] + letter + word[place + 1 :],
                word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            ]
        )
    )
    if len(typed) >= 5 and likeness(typed, word):
        assert set(spelling_keys(typed)) & set(spelling_keys(word))


def test_a_key_ignores_how_words_are_joined() -> None:
    """Dashes, spaces and joined writing come to the same."""
    assert len({key(word.form for word in words(text)) for text in ("L-20", "l 20", "L20", "(L.20)")}) == 1
