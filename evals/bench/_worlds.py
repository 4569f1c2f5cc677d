"""A database twice, once without anybody else's rows.

Whatever a customer is told, rows, errors and all, must be the same in both, or it tells about the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from evals.bench._attacks import Target
from tools.errors import DeskError
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

_TRIES = 3
_OUT_OF_TIME = "took longer"


@dataclass(frozen=True)
class Worlds:
    """A database and its twin, in which nobody but one customer has rows.

    Attributes:
        target: What is attacked, in both.
        urls: The superuser's URLs.
        stores: The lookups of each.
    """

    target: Target
    urls: tuple[str, str]
    stores: tuple[RecordStore, RecordStore]

    def told(self, statement: str, *, parser: bool) -> tuple[str, str]:
        """What the customer is told in each world: the rows, or the error.

        Args:
            parser: Whether the parser's lock is closed; without it the database has to hold alone.
        """
        for _ in range(_TRIES):
            told = (
                self._told(self.stores[0], statement, parser),
                self._told(self.stores[1], statement, parser),
            )
            if len([one for one in told if _OUT_OF_TIME in one]) != 1:
                break  # else a busy machine may be why
        return told

    def _told(self, store: RecordStore, statement: str, parser: bool) -> str:
        try:
            if parser:
                found = store.lookup(statement, customer_id=self.target.me)
            else:
                found = store._read(statement, self.target.me)
        except DeskError as error:
            return f"{type(error).__name__}: {error}"
        return repr((found.columns, found.rows, found.total))

    def fingerprints(self) -> tuple[str, ...]:
        """What is stored in each world: every row, role, large object, relation and policy."""
        return tuple(_fingerprint(url) for url in self.urls)

    def close(self) -> None:
        """Close the connections."""
        for store in self.stores:
            store.close()


def open_worlds(url: str, twin: str, target: Target, **options: Any) -> Worlds:
    """The worlds over a prepared database and its twin; `options` are those of `RecordStore`."""
    stores = [
        RecordStore(open_pool(one), schema=target.schema, role=target.role, **options) for one in (url, twin)
    ]
    return Worlds(target, (url, twin), (stores[0], stores[1]))


def make_twin(url: str, name: str, leave: dict[str, str], schema: str) -> str:
    """Copy a database and delete from the copy; returns its URL.

    Args:
        url: The superuser's URL; nobody else may be connected to the database.
        name: What to call the copy.
        leave: For each table of the schema the condition of the rows that stay.
    """
    original = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as connection:
        copy = "CREATE DATABASE {} TEMPLATE {}"
        connection.execute(sql.SQL(copy).format(sql.Identifier(name), sql.Identifier(original)))
    twin = make_conninfo(url, dbname=name)
    with psycopg.connect(twin, autocommit=True) as connection:
        for table, condition in leave.items():
            place = sql.Identifier(schema, table)
            stays = sql.SQL(condition)
            connection.execute(sql.SQL("DELETE FROM {} WHERE NOT ({})").format(place, stays))
    for one in (url, twin):
        with psycopg.connect(one, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
    return twin


_STORED = """
SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'citedesk')
  AND n.nspname !~ '^pg_'
ORDER BY 1, 2
"""
_KEPT = """
SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_proc), (SELECT count(*) FROM pg_roles),
       (SELECT count(*) FROM pg_policy), (SELECT count(*) FROM pg_largeobject_metadata),
       (SELECT count(*) FROM pg_auth_members), (SELECT count(*) FROM citedesk.caller),
       (SELECT md5(string_agg(relacl::text, ',' ORDER BY oid)) FROM pg_class),
       (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')
"""


def _fingerprint(url: str) -> str:
    with psycopg.connect(url) as connection:
        tables = connection.execute(_STORED).fetchall()
        rows = [
            connection.execute(
                sql.SQL(
                    "SELECT md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) FROM {} t"
                ).format(sql.Identifier(*table))
            ).fetchone()
            for table in tables
        ]
        return repr((tables, rows, connection.execute(_KEPT).fetchone()))
