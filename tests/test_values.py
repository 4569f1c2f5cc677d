"""What PostgreSQL knows and Python does not, through a real connection."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

import pytest

from tools.stores.postgres import ConnectionPool, open_pool


@pytest.fixture(scope="module")
def pool(database_url: str) -> Iterator[ConnectionPool]:
    """Connections as every store has them."""
    with open_pool(database_url) as opened:
        yield opened


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("date 'infinity'", "without end"),
        ("timestamptz '-infinity'", "without beginning"),
        ("timestamp 'infinity'", "without end"),
        ("date '0044-03-15 BC'", "0044-03-15 BC"),
        ("time '24:00'", "24:00:00"),
        ("interval '1 year 2 months 3 days'", "1 year 2 months 3 days"),
        ("interval '1 month'", "1 month"),
        ("interval '-2 years 04:05'", "-2 years +04:05:00"),
        ("interval '400 days'", timedelta(days=400)),
        ("interval '1 day 2 hours'", timedelta(days=1, hours=2)),
        ("date '2026-01-01'", date(2026, 1, 1)),
        ("ARRAY[date 'infinity', '2026-01-01']", ["without end", date(2026, 1, 1)]),
    ],
)
def test_values(pool: ConnectionPool, value: str, told: Any) -> None:
    """A month stays a month, and a date without an end does not fail the whole lookup."""
    with pool.connection() as connection:
        row = connection.execute(f"SELECT {value}").fetchone()  # type: ignore[arg-type]
    assert row == (told,)
