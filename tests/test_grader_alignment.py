"""A claim beside the evidence: what is there, what is near, and what is denied."""

from hypothesis import given
from hypothesis import strategies as st

from agent.grader.alignment import Aligned, align, read_source
from agent.grader.meaning import read
from agent.grader.text import sentences


def _align(claim: str, evidence: str) -> dict[str, Aligned]:
    source = read_source(tuple(read(evidence[start:end]) for start, end in sentences(evidence)))
    return {word.key: word for word in align(read(claim), source)}


def test_words_are_found_in_other_forms() -> None:
    """An irregular form is its word; a derived word is there, but not as well as the same."""
    words = _align("She knew a careful owner.", "Owners know how to work carefully.")
    assert words["know"].anywhere == words["owner"].anywhere == 1
    assert 0 < words["careful"].anywhere < 1


def test_parts_of_a_date_may_stand_in_different_sentences() -> None:
    """The whole of a date is there when its year and its day are, and a part when only one is."""
    split = "It was printed in 2018. The fair opened on 2 November."
    assert _align("The fair opened on 2 November 2018.", split)["date=2018-11-02"].anywhere == 1
    assert 0 < _align("The fair opened on 2 November 2017.", split)["date=2017-11-02"].anywhere < 1


def test_a_denial_is_looked_for_where_the_words_stand() -> None:
    """A word is denied alone when the place that has its surroundings does not deny it."""
    evidence = "The office opens on Monday. The workshop does not open on Sunday."
    assert _align("The office does not open on Monday.", evidence)["monday"].denied
    assert not any(word.denied for word in _align("The workshop does not open.", evidence).values())


@given(st.text(max_size=200), st.text(max_size=200))
def test_shares_are_shares(claim: str, evidence: str) -> None:
    """Whatever is laid beside whatever, a word is there and near to between none and all of it."""
    for word in _align(claim, evidence).values():
        assert 0 <= word.near <= 1 + 1e-9
        assert 0 <= word.anywhere <= 1 + 1e-9
