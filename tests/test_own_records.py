"""The example of records of one's own is true."""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest

from tools.errors import DeskError
from tools.stores.caller import prepare
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

_EXAMPLE = Path(__file__).parent.parent / "examples" / "own_records.sql"


@pytest.fixture
def own_url(database_url: str) -> str:
    """A database that has been prepared, and then filled as the example says."""
    with psycopg.connect(database_url, autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS own_records")
        server.execute("CREATE DATABASE own_records")
    url = database_url.replace("/postgres?", "/own_records?")
    with psycopg.connect(url, autocommit=True) as connection:
        prepare(connection, "desk_reader")
        connection.execute(_EXAMPLE.read_text(encoding="utf-8"))  # type: ignore[call-overload]
        connection.execute(
            "INSERT INTO desk.bookings VALUES"
            " ('B-1', 'F-1', 'Cargo L', '2026-12-05', 60), ('B-2', 'F-2', 'City S', '2026-12-06', 20)"
        )
    return url


def test_each_customer_sees_their_own_booking_in_a_sentence(own_url: str) -> None:
    """The view, the policy, the summary and the check of the customer work together."""
    store = RecordStore(open_pool(own_url), schema="desk", role="desk_reader")
    try:
        assert store.known_customer("F-1")
        assert not store.known_customer("F-9")
        rows = store.lookup("SELECT * FROM my_bookings", customer_id="F-1")
        assert [row[0] for row in rows.rows] == ["Your booking B-1 of the Cargo L starts on 5 December 2026."]
        assert store.lookup("SELECT * FROM my_bookings", customer_id=None).rows == ()
        with pytest.raises(DeskError):
            store.lookup("SELECT * FROM public.anything", customer_id="F-1")
    finally:
        store.close()
