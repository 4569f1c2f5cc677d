"""What is said where nothing was found."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.grader import grade
from agent.models.gaps import not_found

_LETTERS = "aeinost BK127 .,;:?!'\"“”[]()-–\n€%"


@pytest.mark.parametrize(
    ("question", "gap"),
    [
        ("What does code L7 mean?", 'I could not find an answer to "What does code L7 mean".'),
        ("Do you sell train tickets to Paris?", "I could not find whether we sell train tickets to Paris."),
        ("Can I take my bike abroad?", "I could not find whether you can take your bike abroad."),
        ("Is the boat free?", "I could not find anything about boat free."),
        (
            "My bell rang. Does it float unless I paint it?",
            "I could not find anything about bell rang float paint.",
        ),
        ("The B2 and the B9", "I could not find anything about B2 B9."),
        ("Why?", 'I could not find an answer to "Why".'),
    ],
)
def test_a_gap_is_told_in_one_sentence(question: str, gap: str) -> None:
    """A gap names what was asked, and the grader takes it for what it is."""
    assert not_found(question) == gap
    graded = grade(gap, {}, question)
    assert graded.passed
    assert graded.not_found


def test_a_gap_is_told_in_the_customers_words() -> None:
    """A part that says more than what it asks is quoted where the customer wrote it so."""
    question = "It came broken, so who pays if I send it back and how long does it take?"
    assert not_found("who pays if I send it back", question) == (
        'I could not find an answer to "who pays if I send it back".'
    )
    assert '"' not in not_found("who pays, if not me, for the broken lamp", question)


@given(st.text(alphabet=st.sampled_from(_LETTERS), max_size=60))
@example("Our school wants 12 bikes of the same kind. Any discount?")
@example("Can I clean the B3 with plain vinegar from the kitchen instead of your kit?")
def test_a_gap_is_always_one(question: str) -> None:
    """Whatever a customer writes, what says that nothing was found passes as such and states nothing."""
    graded = grade(not_found(question, question), {}, question)
    assert graded.passed
    assert graded.not_found
