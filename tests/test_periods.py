"""The year or month that a question is about."""

from __future__ import annotations

from calendar import month_name
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.periods import period_asked

TODAY = date(2026, 1, 20)


@pytest.mark.parametrize(
    ("question", "year", "month"),
    [
        ("How much did I spend in 2024?", "2024", None),
        ("what did I spend this year", "2026", None),
        ("What did I spend last year?", "2025", None),
        ("what did shipping cost me last month", "2025", "12"),
        ("What did shipping cost me this month?", "2026", "1"),
        ("shipping in october 2024", "2024", "10"),
        ("What did I pay in May?", "2025", "5"),
        ("May I pay later?", None, None),
        ("may i pay later, in march", None, None),
        ("where is order 20017", None, None),
    ],
)
def test_a_period_is_a_number_for_an_argument_of_its_name(
    question: str, year: str | None, month: str | None
) -> None:
    """A year or month is read as written or from today; a month alone is the last of its name."""
    assert period_asked("in_year", question, TODAY) == year
    assert period_asked("month", question, TODAY) == month
    assert period_asked("quantity", question, TODAY) is None


@given(st.dates(), st.sampled_from(list(month_name)[1:]))
def test_a_month_is_never_one_to_come(today: date, name: str) -> None:
    """The month that a question names alone is the latest that has begun."""
    asked = f"What did I pay in {name}?"
    year, month = (int(period_asked(of, asked, today) or 0) for of in ("year", "month"))
    assert date(today.year - 1, today.month, 1) < date(year, month, 1) <= today if today.year > 1 else True
