"""Values compared as values."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader.values import find_values

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def _keys(text: str, now: datetime | None = None) -> list[str]:
    return [value.key for value in find_values(text, now)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("seven days", "7 days"),
        ("a week", "7-day"),
        ("two weeks", "fourteen days"),
        ("24 hours", "1 day"),
        ("12 months", "one year"),
        ("2-year", "24 months"),
        ("five working days", "5 business days"),
        ("1 to 3 working days", "1–3 working days"),
        ("€39.00", "39 euros"),
        ("EUR 39", "39 €"),
        ("€4,95", "4.95 euro"),
        ("€1.200,50", "€1,200.50"),
        ("$3.5 billion", "3,500,000,000 dollars"),
        ("10%", "ten percent"),
        ("10 per cent", "10 %"),
        ("3 March 2026", "2026-03-03"),
        ("March 3, 2026", "3rd of March 2026"),
        ("31/12/2026", "31 December 2026"),
        ("May 2025", "2025-05"),
        ("8 am", "08:00"),
        ("4:30 pm", "16:30"),
        ("noon", "12:00"),
        ("1.5 litres", "1500 ml"),
        ("2200 W", "2.2 kW"),
        ("50,000", "50000"),
        ("first", "1st"),
        ("v2.4.1", "2.4.1"),
        ("o-20017", "O-20017"),
        ("€49 a month", "€49 per month"),
        ("in 2026 €5", "in 2026 5 euros"),
    ],
)
def test_same_value_in_other_clothes(one: str, other: str) -> None:
    """Two ways to write a value give the same key."""
    assert _keys(one) == _keys(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7 days", "7 working days"),
        ("7 days", "7 weeks"),
        ("1 month", "30 days"),
        ("€39", "$39"),
        ("€39", "€39.90"),
        ("€5 to €10", "€5"),
        ("3 March 2026", "4 March 2026"),
        ("8 am", "8 pm"),
        ("10%", "10"),
        ("K2", "K3"),
        ("O-20017", "O-20071"),
        ("version 4.1", "version 4.10"),
        ("1.5 l", "1.5 kg"),
        ("between one and three days", "four days"),
        ("-5 °C", "5 °C"),
        ("once a day", "1 day"),
    ],
)
def test_different_values(one: str, other: str) -> None:
    """Values that differ in amount, unit, currency or code have different keys."""
    assert _keys(one) != _keys(other)


def test_relative_days_need_a_clock() -> None:
    """With a clock, "today" and "3 days ago" are dates; without one they are not."""
    assert _keys("shipped 3 days ago", NOW) == ["date=2026-03-07"]
    assert _keys("it arrives today", NOW) == ["date=2026-03-10"]
    assert not any(key.startswith("date=") for key in _keys("shipped 3 days ago, it arrives today"))


def test_impossible_values_are_words() -> None:
    """A day that does not exist and a number too long to be one do not become values."""
    assert not any(key.startswith("date=") for key in _keys("31 February 2026"))
    assert _keys("9" * 400 + " days") == []


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_amounts_are_equal_only_when_they_are(one: int, other: int) -> None:
    """A sum of money equals another only when the amounts are equal, however the thousands are written."""
    assert (_keys(f"€{one:,}") == _keys(f"{other} euros")) == (one == other)


@given(st.dates(min_value=date(1000, 1, 1)))
def test_dates_agree_across_formats(day: date) -> None:
    """A date is the same in its ISO and its written form."""
    assert _keys(f"{day:%Y-%m-%d}") == _keys(f"{day.day} {day:%B} {day.year:04}")


@given(st.text(max_size=300))
def test_never_raises_and_spans_are_in_order(text: str) -> None:
    """Any text gives values with spans that lie in it and do not overlap."""
    position = 0
    for value in find_values(text, NOW):
        assert position <= value.start < value.end <= len(text)
        position = value.end
