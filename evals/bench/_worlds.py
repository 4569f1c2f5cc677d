"""A database three times: as it is, and twice without anybody else's rows.

Whatever a customer is told, rows, errors and all, must be the same, or it tells about the others. One of the
copies keeps the planner's statistics of the original, so that it plans alike: in which order PostgreSQL tries
conditions on one's own rows follows from these. The other has its own, for what asks after statistics.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from evals.bench._attacks import Attack, Target
from tools.errors import DeskError
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

_TRIES = 3
_OUT_OF_TIME = "took longer"


@dataclass(frozen=True)
class Worlds:
    """A database and its copies, in which nobody but one customer has rows.

    Attributes:
        target: What is attacked, in all of them.
        urls: The superuser's URLs: as it is, the same statistics, its own statistics.
        stores: The lookups of each.
    """

    target: Target
    urls: tuple[str, ...]
    stores: tuple[RecordStore, ...]

    def leak(self, attack: Attack, *, parser: bool) -> str:
        """What differs between what the customer is told in each world; empty when nothing does.

        Args:
            parser: Whether the parser's lock is closed; without it the database has to hold alone.
        """
        copies = self.stores[1:2] if attack.honest else self.stores[1:]
        for copy in copies:
            for _ in range(_TRIES):
                told = [self._told(store, attack.sql, parser) for store in (self.stores[0], copy)]
                if sum(_OUT_OF_TIME in one for one in told) != 1:
                    break  # else a busy machine may be why
            if told[0] != told[1]:
                return f"{attack.kind}: {attack.sql}: {told[0][:100]} and {told[1][:100]}"
        return ""

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


def open_worlds(url: str, leave: dict[str, str], target: Target, **options: Any) -> Worlds:
    """Copy a prepared database twice and delete from the copies.

    Args:
        url: The superuser's URL; nobody else may be connected to the database.
        leave: For each table of customers' rows the condition of those that stay.
        target: What is attacked.
        options: Those of `RecordStore`.
    """
    with psycopg.connect(url, autocommit=True) as connection:
        for table in leave:  # nothing shall measure the tables anew meanwhile
            off = "ALTER TABLE {} SET (autovacuum_enabled = off)"
            connection.execute(sql.SQL(off).format(sql.Identifier(target.schema, table)))
        connection.execute("VACUUM ANALYZE")
    urls = [url]
    for name, measured in (("alone", False), ("measured", True)):
        urls.append(_copy(url, name, leave, target.schema))
        if measured:
            with psycopg.connect(urls[-1], autocommit=True) as connection:
                connection.execute("VACUUM ANALYZE")
    stores = [RecordStore(open_pool(one), schema=target.schema, role=target.role, **options) for one in urls]
    return Worlds(target, tuple(urls), tuple(stores))


def _copy(url: str, name: str, leave: dict[str, str], schema: str) -> str:
    original = str(conninfo_to_dict(url)["dbname"])
    copy = f"{original}_{name}"
    with psycopg.connect(make_conninfo(url, dbname="postgres"), autocommit=True) as connection:
        make = "CREATE DATABASE {} TEMPLATE {}"
        connection.execute(sql.SQL(make).format(sql.Identifier(copy), sql.Identifier(original)))
    with psycopg.connect(make_conninfo(url, dbname=copy), autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")  # whatever refers to what is deleted
        for table, condition in leave.items():
            place, stays = sql.Identifier(schema, table), sql.SQL(condition)
            connection.execute(sql.SQL("DELETE FROM {} WHERE NOT ({})").format(place, stays))
    return make_conninfo(url, dbname=copy)


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
