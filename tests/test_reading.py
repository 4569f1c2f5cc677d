# ruff: noqa: S608 - statements are put together from the tests' own names
"""What one statement may take: rows, bytes, time, locks and work; and what a lost connection does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from zoneinfo import ZoneInfo

import psycopg
import pytest

from tests import workshop
from tools.errors import QueryRejected, SourceUnavailable
from tools.stores.postgres import open_pool
from tools.stores.reading import COUNT_LIMIT
from tools.stores.records import RecordStore


def test_more_rows_than_the_cap_are_counted(workshop_url: str) -> None:
    """The first rows are returned, with the number of all."""
    store = workshop.open_store(workshop_url, row_cap=7)
    found = store.lookup("SELECT work FROM prices ORDER BY minutes", customer_id=None)
    assert [len(found.rows), found.capped, found.total, found.at_least] == [7, True, 120, 120]
    assert found.rows[0] == ("work 1",)
    exact = store.lookup("SELECT work FROM prices LIMIT 7", customer_id=None)
    assert [len(exact.rows), exact.capped, exact.total] == [7, False, 7]
    store.close()


def test_counting_stops_at_its_limit(workshop_store: RecordStore) -> None:
    """A statement with a million rows is not counted to its end, and no total is claimed."""
    found = workshop_store.lookup("SELECT a.work FROM prices a, prices b, prices c", customer_id=None)
    assert (found.total, found.at_least) == (None, COUNT_LIMIT + 1)


def test_one_name_for_two_columns(workshop_store: RecordStore) -> None:
    """A join may return two columns of one name."""
    found = workshop_store.lookup("SELECT a.work, b.work FROM prices a, prices b LIMIT 1", customer_id=None)
    assert found.columns == ("work", "work")


def test_a_slow_statement_is_stopped(workshop_url: str) -> None:
    """The time limit is the database's, and running into it is never the same as finding nothing."""
    store = workshop.open_store(workshop_url, statement_timeout=0.1, cost_ceiling=float("inf"))
    many = ", ".join(f"prices p{number}" for number in range(6))
    with pytest.raises(SourceUnavailable, match=r"longer than 0\.1 s"):
        store.lookup(f"SELECT sum(p0.minutes) AS total FROM {many}", customer_id=None)
    assert store.lookup("SELECT count(*) FROM prices", customer_id=None).total == 1
    store.close()


def test_a_statement_cannot_lift_the_limits_of_its_own_count(workshop_url: str) -> None:
    """What it set while it ran is put back before its rows are counted, and a slow count is given up."""
    with psycopg.connect(workshop_url, autocommit=True) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION workshop.unlimited() RETURNS text LANGUAGE plpgsql"
            " AS $$ BEGIN RETURN set_config('statement_timeout', '0', true); END $$"
        )
    store = workshop.open_store(workshop_url, statement_timeout=0.2, row_cap=7, cost_ceiling=float("inf"))
    slow = (
        "SELECT NULL FROM prices a, prices b, prices c, prices d"
        " WHERE a.minutes + b.minutes + c.minutes + d.minutes < 0"
    )
    found = store._read(f"SELECT unlimited() FROM prices UNION ALL ({slow})", None)
    assert (len(found.rows), found.total, found.at_least) == (7, None, 8)
    store.close()


def test_a_locked_table_is_not_waited_for(workshop_url: str) -> None:
    """When somebody else holds the table, the lookup gives up and says so."""
    store = workshop.open_store(workshop_url, statement_timeout=1)
    store.catalogue()
    with psycopg.connect(workshop_url) as other:
        other.execute("LOCK TABLE workshop.prices IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(SourceUnavailable, match="locked"):
            store.lookup("SELECT work FROM prices", customer_id=None)
    store.close()


def test_a_database_that_is_down(tmp_path_factory: pytest.TempPathFactory) -> None:
    """No server: every call says that the source is unavailable, without the address or a password."""
    gone = f"postgresql://desk:hidden-word@/postgres?host={tmp_path_factory.mktemp('gone')}"
    pool = open_pool(gone, timeout=0.3)
    store = RecordStore(pool, schema="s", role="r")
    for call in (
        store.catalogue,
        lambda: store.known_customer("A"),
        lambda: store.lookup("SELECT 1", customer_id=None),
    ):
        with pytest.raises(SourceUnavailable) as caught:
            call()
        assert "hidden-word" not in str(caught.value)
    store.close()


def test_connections_that_the_server_ended_are_replaced(workshop_url: str) -> None:
    """After a restart all of them are gone; whoever asks next does not notice."""
    store = workshop.open_store(workshop_url)
    with ThreadPoolExecutor(2) as threads:
        asked = [threads.submit(store.lookup, "SELECT name FROM bikes", customer_id="A") for _ in range(20)]
        assert {one.result().total for one in asked} == {2}
    with psycopg.connect(workshop_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'citedesk'"
        )
    assert store.lookup("SELECT name FROM bikes", customer_id="A").total == 2
    store.close()


def test_large_rows_are_refused(workshop_url: str) -> None:
    """Beyond the byte cap nothing comes back, and the refusal says what to ask for instead."""
    store = workshop.open_store(workshop_url, byte_cap=1000)
    assert store.lookup("SELECT work FROM prices LIMIT 40", customer_id=None).total == 40
    with pytest.raises(QueryRejected, match="select fewer columns"):
        store.lookup("SELECT string_agg(work, work) AS long FROM prices", customer_id=None)
    store.close()


def test_costly_statements_are_refused_before_they_run(workshop_url: str) -> None:
    """What the planner expects to be too much work is refused at once, in words without numbers."""
    store = workshop.open_store(workshop_url, cost_ceiling=100)
    assert store.lookup("SELECT count(*) FROM prices", customer_id=None).total == 1
    with pytest.raises(QueryRejected, match="too much work") as caught:
        store.lookup("SELECT count(*) FROM prices a, prices b, prices c", customer_id=None)
    assert not any(sign.isdigit() for sign in str(caught.value))
    store.close()


@pytest.mark.parametrize("zone", ["Europe/Amsterdam", "America/New_York"])
def test_times_are_told_in_the_zone_of_the_settings(workshop_url: str, zone: str) -> None:
    """A moment comes back in that zone, and a day begins at its midnight."""
    store = workshop.open_store(workshop_url, time_zone=zone)
    given = "SELECT timestamptz '2026-07-01 23:30:00+00' AS at, work FROM prices LIMIT 1"
    found = store._read(given, None)
    assert found.rows[0][0] == datetime.fromisoformat("2026-07-01T23:30:00+00:00")
    assert found.rows[0][0].utcoffset() == datetime(2026, 7, 1, tzinfo=ZoneInfo(zone)).utcoffset()
    store.close()
