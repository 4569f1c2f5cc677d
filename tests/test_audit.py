# ruff: noqa: S608 - statements are put together from the tests' own names
"""Every lookup leaves a line, and no value is in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import workshop
from tools.errors import DeskError
from tools.stores.audit import without_values
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore


@pytest.fixture
def store(database_url: str) -> Iterator[RecordStore]:
    """The workshop's records, with an empty audit."""
    workshop.open_workshop(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("TRUNCATE citedesk.lookups")
    options: dict[str, Any] = {"statement_timeout": 0.2, "cost_ceiling": float("inf")}
    opened = RecordStore(open_pool(database_url), schema=workshop.SCHEMA, role=workshop.ROLE, **options)
    yield opened
    opened.close()


def _lines(url: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        query = "SELECT role, customer, statement, outcome, rows FROM citedesk.lookups ORDER BY at"
        return connection.execute(query).fetchall()


def test_who_asked_what_and_how_it_went(store: RecordStore, database_url: str) -> None:
    """Answered, refused by the parser, refused by the database, out of time: one line each."""
    many = ", ".join(f"prices p{number}" for number in range(6))
    for statement, customer in [
        ("SELECT name FROM bikes WHERE name <> 'Amber'", "A"),
        ("DELETE FROM bikes WHERE name = 'Amber'", "A"),
        ("SELECT name::int AS n FROM bikes", "A"),
        (f"SELECT sum(p0.minutes) AS total FROM {many}", None),
    ]:
        try:
            store.lookup(statement, customer_id=customer)
        except DeskError:
            continue
    assert _lines(database_url) == [
        (workshop.ROLE, "A", "SELECT name FROM bikes WHERE name <> ?", "answered", 1),
        (workshop.ROLE, "A", "DELETE FROM bikes WHERE name = ?", "refused", 0),
        (workshop.ROLE, "A", "SELECT name::int AS n FROM bikes", "refused", 0),
        (workshop.ROLE, None, f"SELECT sum(p0.minutes) AS total FROM {many}", "failed", 0),
    ]


def test_what_cannot_be_written_down_is_not_answered(store: RecordStore, database_url: str) -> None:
    """A lookup whose line cannot be kept fails, rather than going unrecorded."""
    assert store.lookup("SELECT name FROM bikes", customer_id="A").total == 2
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("ALTER TABLE citedesk.lookups ADD CONSTRAINT full_disk CHECK (false) NOT VALID")
        try:
            with pytest.raises(DeskError, match="could not be written down"):
                store.lookup("SELECT name FROM bikes", customer_id="A")
        finally:
            connection.execute("ALTER TABLE citedesk.lookups DROP CONSTRAINT full_disk")


@pytest.mark.parametrize(
    ("statement", "kept"),
    [
        ("SELECT 'it''s' AS a, 42, 1.5e3 FROM t1", "SELECT ? AS a, ?, ? FROM t1"),
        ("SELECT E'a\\'b' , $$secret$$, $x$ a $$ b $x$", "SELECT ? , ?, ?"),
        ("SELECT a -- secret\nFROM b /* secret */", "SELECT a FROM b"),
        ("SELECT \"it's\", 'secret'", 'SELECT "it\'s", ?'),
        ("SELECT 'secret", "SELECT ?"),
        ("SELECT a FROM b WHERE c = date '2026-01-01'", "SELECT a FROM b WHERE c = date ?"),
    ],
)
def test_values_are_left_out(statement: str, kept: str) -> None:
    """Texts in all their quotes, numbers and comments go; names stay."""
    assert without_values(statement) == kept


@given(st.text(alphabet="xyz '\\$-/*\"\n", max_size=30))
def test_no_text_brings_its_value_along(text: str) -> None:
    """Whatever stands in a text, once it is quoted as PostgreSQL wants it, none of it is kept."""
    quoted = text.replace("'", "''")
    assert without_values(f"SELECT a FROM b WHERE c = '{quoted}'") == "SELECT a FROM b WHERE c = ?"
