"""What a claim reckons from values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader.files import grade_claim

PRICES = "The pot costs €39. The pan costs €59."
RETURNS = "Unused goods can be returned within 30 days of delivery."
ASKED = "Can I return unused goods I got 5 days ago?"


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        ("The pot costs €39 and the pan costs €59, together €98.", PRICES, ""),
        ("The pot costs €39 and the pan costs €59, so together they cost €98.", PRICES, ""),
        ("The pot costs €39 and the pan costs €59, a difference of €20.", PRICES, ""),
        (f"{RETURNS[:-1]}, and 5 days is within 30 days.", RETURNS, ASKED),
    ],
)
def test_what_is_reckoned_rightly_passes(claim: str, evidence: str, question: str) -> None:
    """A sum, a difference, and a span within another, of values that the evidence or the question states."""
    graded = grade_claim(claim, [evidence], question)
    assert (graded.verdict, graded.stage) == ("supported", "gate"), graded


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        ("The pot costs €39 and the pan costs €59, together €99.", PRICES, ""),
        ("The pot costs €39 and the pan costs €59, a difference of €98.", PRICES, ""),
        ("The pot costs €39 and the pan costs €58, together €97.", PRICES, ""),
        ("The pot costs €39, together €98.", PRICES, ""),
        ("The pot costs €39 and the pan costs €59, together €98 for members.", PRICES, ""),
        ("The pot costs €39 and the pan costs €59, not together €98.", PRICES, ""),
        (f"{RETURNS[:-1]}, and 45 days is within 30 days.", RETURNS, "I got it 45 days ago."),
        (f"{RETURNS[:-1]}, and 5 days is within 60 days.", RETURNS, ASKED),
        (f"{RETURNS[:-1]}, and 6 days is within 30 days.", RETURNS, ASKED),
    ],
)
def test_what_is_reckoned_wrongly_or_says_more_does_not_pass(
    claim: str, evidence: str, question: str
) -> None:
    """A wrong result, a value that nobody stated, or another word in the clause."""
    assert grade_claim(claim, [evidence], question).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        (
            "The Basic plan costs €10 a month and the Team plan costs €49 a year, together €59.",
            "The Basic plan costs €10 a month. The Team plan costs €49 a year.",
        ),
        ("The K1 costs €39 and the discount is €5, together €44.", "The K1 costs €39. The discount is €5."),
        (
            "The K1 costs from €39 and the K2 costs from €59, together €98.",
            "The K1 costs from €39. The K2 costs from €59.",
        ),
        (
            "The first step takes up to 3 days and the second takes up to 2 days, together 5 days.",
            "The first step takes up to 3 days. The second takes up to 2 days.",
        ),
        (
            "The K1 has 10% off and the K2 has 20% off, together 30%.",
            "The K1 has 10% off. The K2 has 20% off.",
        ),
        (
            "The K1 costs €39 without tax and €47 with tax, together €86.",
            "The K1 costs €39 without tax and €47 with tax.",
        ),
    ],
)
def test_what_cannot_be_added_up_is_not(claim: str, evidence: str) -> None:
    """Prices per month and per year, a discount, bounds, percentages, the same thing without and with tax."""
    assert grade_claim(claim, [evidence]).verdict != "supported"


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 1200))
def test_only_the_right_sum_passes(one: int, other: int, told: int) -> None:
    """Whatever the amounts, a sum passes exactly when it is right."""
    evidence = f"The pot costs €{one}. The pan costs €{other}."
    claim = f"The pot costs €{one} and the pan costs €{other}, together €{told}."
    assert (grade_claim(claim, [evidence]).verdict == "supported") == (told == one + other)
