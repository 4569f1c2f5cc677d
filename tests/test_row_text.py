"""Rows in words."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.row_text import plain_row, row_text, sentence_list, value_text


def test_the_summary_stands_first_as_a_sentence() -> None:
    """Wherever the column is, the sentence leads and the other columns follow by name."""
    columns = ("order_id", "summary", "shipped_on", "note")
    row = ("O-1", "Order O-1 was shipped on 3 March 2026.", date(2026, 3, 3), None)
    told = "Order O-1 was shipped on 3 March 2026.\n\norder id: O-1; shipped on: 3 March 2026"
    assert row_text(columns, row) == told


def test_a_summary_alone_ends_like_a_sentence() -> None:
    """A summary without a full stop gets one, so that it can be quoted as a sentence."""
    assert row_text(("summary",), ("It is open",)) == "It is open."
    assert row_text(("summary",), ("Is it open?",)) == "Is it open?"


@pytest.mark.parametrize(
    ("column", "value", "text"),
    [
        ("price_eur", Decimal("39.00"), "€39.00"),
        ("price_eur", 1234, "€1,234.00"),
        ("price_usd", Decimal("-5"), "-$5.00"),
        ("price_chf", 2.5, "CHF 2.50"),
        ("eur", Decimal("39.00"), "39"),
        ("capacity_l", Decimal("1.50"), "1.5 l"),
        ("power_w", 2200, "2200 W"),
        ("discount_percent", 12.5, "12.5%"),
        ("orders_last_30_days", 4, "4"),
        ("lengths_cm", [1, None, 2], "1 cm, 2 cm"),
        ("fee_usd_cents", 1250, "$12.50"),
        ("price_jpy", 1200, "JPY 1,200"),
        ("price_eur", Decimal("0.2345"), "€0.2345"),
        ("price_eur", Decimal("12.333333333"), "€12.33"),
        ("price_eur", Decimal("NaN"), "NaN"),
        ("price_eur", Decimal("1E+3"), "€1,000.00"),
        ("share_eur", "half", "half"),
        ("quantity", 1200, "1200"),
        ("share", 0.1 + 0.2, "0.3"),
        ("active", True, "yes"),
        ("active", False, "no"),
        ("day", date(2026, 12, 1), "1 December 2026"),
        ("at", datetime(2026, 12, 1, 9, 5, tzinfo=UTC), "1 December 2026, 09:05 UTC"),
        ("at", datetime(2026, 12, 1, 9, 5), "1 December 2026, 09:05"),
        ("at", time(17, 30), "17:30"),
        ("took", timedelta(days=1, hours=2), "1 day 2 hours"),
        ("took", timedelta(0), "0 minutes"),
        ("took", timedelta(seconds=30), "30 seconds"),
        ("took", timedelta(minutes=-5), "-5 minutes"),
        ("at", time(9, 5, tzinfo=timezone(timedelta(hours=2))), "09:05 UTC+02:00"),
        ("at", datetime(2026, 7, 1, 9, 5, tzinfo=ZoneInfo("Europe/Amsterdam")), "1 July 2026, 09:05 CEST"),
        ("at", datetime(2026, 7, 1, 9, 5, tzinfo=ZoneInfo("America/Sao_Paulo")), "1 July 2026, 09:05 UTC-03"),
        ("tags", ["a", None, "b"], "a, b"),
        ("more", {"é": 1}, '{"é": 1}'),
        ("photo", b"1234", "4 bytes"),
        ("note", " two\n  lines ", "two lines"),
    ],
)
def test_values_are_written_for_people(column: str, value: Any, text: str) -> None:
    """Money by its column's currency, dates in full, no zeros that say nothing."""
    assert value_text(column, value) == text


def test_a_name_does_not_repeat_what_the_value_says() -> None:
    """Currency and unit stand once, behind the number; in a text the ending is part of the name."""
    columns = ("capacity_l", "price_eur", "price_eur_cents", "size_l", "share_eur")
    row = (Decimal("1.5"), 39, 3900, "large", None)
    assert row_text(columns, row) == "capacity: 1.5 l; price: €39.00; price: €39.00; size l: large"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"amount": Decimal("12.5"), "currency": "GBP"}, "amount: £12.50; currency: GBP"),
        ({"currency": "sek", "total_paid": Decimal("5")}, "currency: sek; total paid: SEK 5.00"),
        ({"currency": "GBP", "total": 5}, "currency: GBP; total: 5"),
        ({"currency": "GBP", "weight": Decimal("5.0")}, "currency: GBP; weight: 5"),
        ({"currency": "points", "amount": Decimal("5.0")}, "currency: points; amount: 5"),
        (
            {"old_currency": "GBP", "new_currency": "EUR", "amount": Decimal("5")},
            "old currency: GBP; new currency: EUR; amount: 5",
        ),
    ],
)
def test_a_currency_in_a_column_of_its_own(row: dict[str, Any], told: str) -> None:
    """It counts for amounts with decimals, and not for counts, other measures or when there are two."""
    assert row_text(list(row), list(row.values())) == told


def test_a_very_long_value_is_cut() -> None:
    """One value cannot drown everything else."""
    assert len(value_text("note", "x" * 100_000)) == 2001


def test_a_plain_row_keeps_both_columns_of_one_name() -> None:
    """The row of the locator is JSON and loses no column."""
    row = plain_row(("id", "id", "id_2", "day"), (1, 2, 3, date(2026, 1, 2)))
    assert row == {"id": 1, "id_2": 2, "id_2_2": 3, "day": "2026-01-02"}
    json.dumps(row)


@given(st.lists(st.text(min_size=1, max_size=5), min_size=1, max_size=5))
def test_a_list_reads_like_a_sentence(names: list[str]) -> None:
    """The last two are joined by "and", the others by commas, and nothing is lost."""
    told = sentence_list(names)
    assert all(name in told for name in names)
    assert told.endswith(f" and {names[-1]}" if len(names) > 1 else names[0])
