"""What follows from a stated limit."""

from __future__ import annotations

import pytest

from agent.grader.files import grade_claim

HOURS = "The workshop is open Monday to Friday. Members also have a weekend line."
APP = "The app requires Sailor 16 or Harbour 11. It needs a screen."
LATER = "The pump works with firmware 4.2 and later."
BIN = "Deleted notes are kept in the bin for 14 days. They cannot be recovered after that."
WINDOW = "A booking can be cancelled within 30 days of purchase."


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        (
            "No, guests cannot visit the workshop on Sunday.",
            HOURS,
            "Can guests visit the workshop on Sunday?",
        ),
        ("The app does not run on Harbour 10.", APP, "Does the app run on Harbour 10?"),
        ("Yes, the pump works with firmware 4.10.", LATER, "Does the pump work with firmware 4.10?"),
        ("No, the pump does not work with firmware 4.1.", LATER, "Does the pump work with firmware 4.1?"),
        (
            "No, a note deleted three weeks ago cannot be restored.",
            BIN,
            "Can a note deleted three weeks ago be restored?",
        ),
    ],
)
def test_a_limit_settles_the_question(claim: str, evidence: str, question: str) -> None:
    """A day outside the opening days, a version below the one needed, a term that has run out."""
    graded = grade_claim(claim, [evidence], question)
    assert (graded.verdict, graded.stage) == ("supported", "gate"), graded


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        ("Yes, guests can visit the workshop on Sunday.", HOURS, "Can guests visit the workshop on Sunday?"),
        (
            "No, members cannot visit the workshop on Sunday.",
            HOURS,
            "Can members visit the workshop on Sunday?",
        ),
        (
            "No, guests cannot visit the workshop on Friday.",
            HOURS,
            "Can guests visit the workshop on Friday?",
        ),
        ("Yes, the app runs on Harbour 10.", APP, "Does the app run on Harbour 10?"),
        ("The app runs on Harbour 12.", APP, "Does the app run on Harbour 12?"),
        ("The app does not run on Sailor 17.", APP, "Does the app run on Sailor 17?"),
        ("No, the pump works with firmware 4.10.", LATER, "Does the pump work with firmware 4.10?"),
        (
            "Yes, a note deleted three weeks ago can be restored.",
            BIN,
            "Can a note deleted three weeks ago be restored?",
        ),
        (
            "No, a note deleted three days ago cannot be restored.",
            BIN,
            "Can a note deleted three days ago be restored?",
        ),
        (
            "No, a booking cannot be cancelled after 45 days.",
            WINDOW,
            "Can a booking be cancelled after 45 days?",
        ),
        ("Zebras cannot visit the workshop on Sunday.", HOURS, "Can guests visit the workshop on Sunday?"),
        (
            "No, guests cannot visit the workshop on Sunday if it rains.",
            HOURS,
            "Can guests visit the workshop on Sunday?",
        ),
    ],
)
def test_what_a_limit_does_not_settle_does_not_pass(claim: str, evidence: str, question: str) -> None:
    """The other polarity, a stated exception, a limit that only suggests, or another statement."""
    assert grade_claim(claim, [evidence], question).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        (
            "No, the Antwerp shop is not open on Sunday.",
            "The Ghent shop is open Monday to Friday.",
            "Is the Antwerp shop open on Sunday?",
        ),
        (
            "No, support is not available on Sunday.",
            "Support is available Monday to Friday by phone and daily by chat.",
            "Is support available on Sunday?",
        ),
        (
            "No, support is not available on Sunday.",
            "Support is available Monday to Friday in winter.",
            "Is support available on Sunday?",
        ),
        (
            "No, the phone app does not run on Android 10.",
            "The tablet app requires Android 11 and the phone app requires Android 9.",
            "Does the phone app run on Android 10?",
        ),
        (
            "No, files cannot be recovered after 3 weeks.",
            "Files are kept for 14 days on Basic and 60 days on Team. They cannot be recovered after that.",
            "Can I recover files after 3 weeks on Team?",
        ),
        (
            "No, the camera does not run on Android 10.",
            "The app requires Android 11.",
            "Does the camera run on Android 10?",
        ),
        (
            "No, photos cannot be recovered after 3 weeks.",
            "Mails are kept for 14 days. They cannot be recovered after that.",
            "Can photos be recovered after 3 weeks?",
        ),
        (
            "Yes, the app runs on Android 12.",
            "The beta requires Android 11 or later.",
            "Does the app run on Android 12?",
        ),
    ],
)
def test_a_limit_of_another_thing_or_one_of_several_settles_nothing(
    claim: str, evidence: str, question: str
) -> None:
    """Another shop's days, a season's, one of two versions or terms, and a thing the source does not name."""
    assert grade_claim(claim, [evidence], question).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        (
            "No, a Basic customer cannot call support on Sunday.",
            "Support is available Monday to Friday, 08:00 to 18:00 CET. Large customers have a line.",
            "Can a Basic customer call support on Sunday?",
        ),
        (
            "The P5 pump does not need firmware 3.2.",
            "The P5 pump supports firmware 4.2 and later.",
            "Which firmware does the P5 pump need?",
        ),
    ],
)
def test_a_limit_settles_what_its_clock_and_its_verb_do_not_change(
    claim: str, evidence: str, question: str
) -> None:
    """A time zone is no case of its own, and who needs a version is no other thing than what supports it."""
    assert grade_claim(claim, [evidence], question).verdict == "supported"
