"""The relevance of a text to a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.relevance import RELEVANT, codes, content_words, missing, parts, relevance


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Model AB-12, also ab12", {"ab12"}),
        ("error E4.", {"e4"}),
        ("serial XK2-2403 or order 20017", {"xk22403", "20017"}),
        ("30-day trial, 5kg, 1st, 230V, in 2026, 14 days", set()),
    ],
)
def test_codes_are_told_from_quantities(text: str, expected: set[str]) -> None:
    """Codes and ids are found in one form; quantities, ordinals and years are not codes."""
    assert codes(text) == expected


def test_words_of_asking_do_not_count() -> None:
    """What only says how something is asked is no content, and inflected words are the same word."""
    assert content_words("Could you please tell me how long?") == {}
    assert content_words("refunds").keys() == content_words("refund").keys()


def test_question_of_several_parts_is_taken_apart() -> None:
    """Sentences and joined questions are parts; a joined pair of things is not."""
    assert parts("Where is my parcel and how much is express delivery? Thanks!") == (
        "Where is my parcel",
        "how much is express delivery",
    )
    assert parts("Do you sell cups and saucers?") == ("Do you sell cups and saucers?",)


def test_text_on_the_subject_is_relevant_and_another_is_not() -> None:
    """A text that shares meaning and words passes, one that shares neither does not."""
    question = "How do I change the filter of my vacuum cleaner?"
    assert relevance(question, "Changing the filter: open the vacuum cleaner's lid.", cosine=0.7) >= RELEVANT
    assert relevance(question, "Our offices are closed on public holidays.", cosine=0.05) < RELEVANT


def test_one_part_is_enough() -> None:
    """A text that answers one part of a question is relevant to the question."""
    question = "When does my tent arrive, what does it weigh, and do you repair broken zips?"
    assert relevance(question, "We repair broken zips free of charge.", cosine=0.4) >= RELEVANT


def test_sibling_is_marked_down() -> None:
    """Where a code is asked for, a text about another one like it is worth less than one about neither."""
    question = "What does error F7 mean?"
    wanted = relevance(question, "Error F7: the door is open.", cosine=0.3)
    sibling = relevance(question, "Error F8: the door is open.", cosine=0.3)
    general = relevance(question, "Error: the door is open.", cosine=0.3)
    assert wanted > general > sibling
    assert sibling < RELEVANT <= wanted


def test_sibling_stays_when_what_was_asked_is_there_too() -> None:
    """A text that compares the model asked for with its sibling is not marked down."""
    question = "How heavy is the Z5?"
    alone = relevance(question, "The Z5 is heavy.", cosine=0.5)
    assert relevance(question, "The Z5 is heavy, the Z6 is not.", cosine=0.5) == alone


def test_slip_of_the_finger_is_forgiven() -> None:
    """One wrong letter in a longer word does not hide it."""
    assert missing("my pasword is lost", ["Reset a lost password"]) == ()


def test_missing_words_are_told_as_written() -> None:
    """What no text has is told in the question's own spelling and order."""
    texts = ["The blue bicycle comes with a bell."]
    assert missing("Does the blue bicycle fit Schwalbe tyres QX-9?", texts) == (
        "fit",
        "Schwalbe",
        "tyres",
        "QX-9",
    )


@given(st.text(max_size=200), st.text(max_size=200), st.none() | st.floats(-1, 1))
def test_any_texts_can_be_compared(question: str, text: str, cosine: float | None) -> None:
    """Whatever is put in, the relevance is in [0, 1], and a text misses nothing of itself."""
    assert 0 <= relevance(question, text, cosine=cosine) <= 1
    assert missing(question, [question]) == ()
