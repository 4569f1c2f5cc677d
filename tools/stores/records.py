"""The records: one SELECT at a time, as the reader role, for one customer, within limits."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import errors, sql
from psycopg_pool import ConnectionPool, PoolTimeout

from tools.errors import ConfigurationError, QueryRejected, SourceUnavailable
from tools.stores.caller import runner
from tools.stores.catalogue import Argument, Column, Relation, read_catalogue

COUNT_LIMIT = 10_000
"""How far rows are counted when there are more than the cap."""

KNOWN_CUSTOMER = "known_customer"
"""The schema's function without arguments that says whether the bound customer exists. Not for the model."""

_CATALOGUE_SECONDS = 60.0

_ROLE_CHECK = """
SELECT r.rolsuper OR r.rolbypassrls,
       EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.relnamespace = to_regnamespace(%(schema)s)
               AND pg_has_role(r.oid, c.relowner, 'MEMBER')),
       to_regnamespace(%(schema)s) IS NOT NULL,
       EXISTS (SELECT FROM pg_catalog.pg_proc WHERE pronamespace = to_regnamespace('citedesk')
               AND proname = 'run_as_' || r.rolname AND proowner = r.oid)
FROM pg_catalog.pg_roles r WHERE r.rolname = %(role)s
"""

_TYPES = "SELECT format_type(o, m) FROM unnest(%s::oid[], %s::int[]) WITH ORDINALITY AS t(o, m, n) ORDER BY n"


@dataclass(frozen=True)
class RowSet:
    """What one SELECT returned.

    Attributes:
        sql: The statement that ran.
        columns: The columns' names, in order; a name may occur twice.
        rows: At most `row_cap` rows of Python values.
        capped: Whether there were more rows than these.
        seconds: Wall time.
        relations: The functions, views and tables that it names.
        total: How many rows there are; None when there are too many to be counted.
        at_least: How many there are at the least, which is `total` when that is known.
        literals: The texts in quotes that it names, such as an id.
    """

    sql: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    capped: bool
    seconds: float
    relations: tuple[str, ...]
    total: int | None = None
    at_least: int = 0
    literals: tuple[str, ...] = ()


class RecordStore:
    """Lookups in one schema of a PostgreSQL that `tools.stores.caller.prepare` has prepared.

    Args:
        pool: Connections whose login may `SET ROLE` to `role` and call `citedesk.bind`.
        schema: The schema that can be read.
        role: The reader role. It must not be a superuser, bypass row-level security, or own what it reads.
        statement_timeout: Seconds for each statement; locks are waited for half as long.
        row_cap: The most rows that are returned.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        *,
        schema: str,
        role: str,
        statement_timeout: float = 3.0,
        row_cap: int = 50,
    ) -> None:
        self.schema = schema
        self.role = role
        self.row_cap = row_cap
        self._pool = pool
        self._milliseconds = max(1, round(statement_timeout * 1000))
        self._catalogue: tuple[float, list[Relation]] | None = None
        self._role_is_safe = False

    def lookup(self, statement: str, *, customer_id: str | None) -> RowSet:
        """Run one SELECT and return what this customer may see of it; None sees only what has no owner.

        Raises:
            QueryRejected: The statement was refused; the message says what to write instead.
            SourceUnavailable: The database is down, or the statement took too long.
            ConfigurationError: The database is not prepared for lookups.
        """
        from tools.sql_guard import check  # its parser takes a while to import

        checked = check(statement, self._known(), self.schema)
        return self._read(checked.sql, customer_id, checked.relations, checked.literals)

    def catalogue(self) -> list[Relation]:
        """What the reader role may read, live: functions, views, tables.

        Raises:
            SourceUnavailable: The database is down.
            ConfigurationError: The database is not prepared for lookups.
        """
        with self._connection() as connection:
            found = read_catalogue(connection, self.schema, self.role)
        visible = [relation for relation in found if relation.name != KNOWN_CUSTOMER]
        self._catalogue = (time.monotonic(), visible)
        return visible

    def known_customer(self, customer_id: str) -> bool:
        """Whether there is such a customer: what `known_customer()` of the schema says for them.

        Raises:
            SourceUnavailable: The database is down.
            ConfigurationError: The schema has no such function, or is not prepared for lookups.
        """
        if not customer_id.strip() or not customer_id.isprintable():
            return False
        call = sql.SQL("SELECT {}()").format(sql.Identifier(self.schema, KNOWN_CUSTOMER))
        try:
            with self._as_reader(customer_id) as connection:
                row = connection.execute(call).fetchone()
        except (errors.UndefinedFunction, errors.InsufficientPrivilege):
            need = f"{self.schema}.{KNOWN_CUSTOMER}() returning boolean, executable by {self.role}"
            raise ConfigurationError(f"DESK_RECORDS_SCHEMA: the database needs a function {need}") from None
        return bool(row and row[0])

    def close(self) -> None:
        """Close the pool."""
        self._pool.close()

    def _known(self) -> list[Relation]:
        if self._catalogue is None or time.monotonic() - self._catalogue[0] > _CATALOGUE_SECONDS:
            return self.catalogue()
        return self._catalogue[1]

    def _read(
        self,
        statement: str,
        customer_id: str | None,
        relations: Sequence[str] = (),
        literals: Sequence[str] = (),
    ) -> RowSet:
        """The database's side alone: safe for any text, whatever the parser thought of it."""
        started = time.perf_counter()
        try:
            with self._as_reader(customer_id) as connection:
                columns = _describe(connection, statement)
                rows = self._run(connection, statement, columns, self.row_cap + 1)
                capped = len(rows) > self.row_cap
                total, at_least = self._count(connection, statement) if capped else (len(rows), len(rows))
        except psycopg.Error as error:
            raise self._rejected(error, relations) from None
        return RowSet(
            sql=statement,
            columns=tuple(name for name, _ in columns),
            rows=tuple(rows[: self.row_cap]),
            capped=capped,
            seconds=time.perf_counter() - started,
            relations=tuple(relations),
            total=total,
            at_least=at_least,
            literals=tuple(literals),
        )

    def _run(
        self,
        connection: psycopg.Connection[Any],
        statement: str,
        columns: Sequence[tuple[str, str]],
        at_most: int,
    ) -> list[tuple[Any, ...]]:
        # Columns get names of our own: a statement may use one twice, which a column list may not.
        names = [
            sql.SQL("c{} {}").format(sql.SQL(str(n)), sql.SQL(kind)) for n, (_, kind) in enumerate(columns)
        ]
        call = sql.SQL("SELECT * FROM {}(%s, %s) AS rows({})").format(
            runner(self.role), sql.SQL(", ").join(names)
        )
        return connection.execute(call, [statement, at_most]).fetchall()

    def _count(self, connection: psycopg.Connection[Any], statement: str) -> tuple[int | None, int]:
        """How many rows there are, and how many at the least."""
        # Nothing is gained by smuggling here: the whole text is what the caller may run anyway.
        counted = (
            f"SELECT count(*) FROM (SELECT FROM ({statement}\n) AS asked LIMIT {COUNT_LIMIT + 1}) AS counted"  # noqa: S608
        )
        try:
            with connection.transaction():
                number = int(self._run(connection, counted, [("count", "bigint")], 1)[0][0])
        except psycopg.errors.QueryCanceled:
            return None, self.row_cap + 1
        return (number, number) if number <= COUNT_LIMIT else (None, number)

    @contextmanager
    def _as_reader(self, customer_id: str | None) -> Iterator[psycopg.Connection[Any]]:
        """A read-only transaction as the reader role with the customer bound; always rolled back."""
        with self._connection() as connection, connection.transaction(force_rollback=True):
            connection.execute(
                "SELECT set_config('search_path', quote_ident(%s) || ', pg_temp', true),"
                " set_config('statement_timeout', %s, true), set_config('lock_timeout', %s, true),"
                " citedesk.bind(%s)",
                [self.schema, str(self._milliseconds), str(max(1, self._milliseconds // 2)), customer_id],
            )
            connection.execute("SET TRANSACTION READ ONLY")
            connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(self.role)))
            yield connection

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        try:
            with self._pool.connection() as connection:
                self._check_role(connection)
                yield connection
        except PoolTimeout:
            raise SourceUnavailable(
                "records", "the database cannot be reached; check DESK_DATABASE_URL"
            ) from None
        except errors.QueryCanceled:
            limit = f"{self._milliseconds / 1000:g} s"
            reason = (
                f"the statement took longer than {limit}; ask for less, with a WHERE or a narrower function"
            )
            raise SourceUnavailable("records", reason) from None
        except errors.LockNotAvailable:
            raise SourceUnavailable(
                "records", "what was asked for is locked just now; try again later"
            ) from None
        except psycopg.OperationalError as error:
            kind = error.sqlstate or "no connection"
            raise SourceUnavailable("records", f"the database failed ({kind}); try again later") from None

    def _check_role(self, connection: psycopg.Connection[Any]) -> None:
        if self._role_is_safe:
            return
        with connection.transaction():
            row = connection.execute(
                _ROLE_CHECK, {"schema": f'"{self.schema}"', "role": self.role}
            ).fetchone()
        if row is None:
            raise ConfigurationError(
                f"DESK_READER_ROLE: the database has no role {self.role!r}; prepare it first"
            )
        powerful, owner, schema, prepared = row
        if powerful or owner:
            raise ConfigurationError(
                f"DESK_READER_ROLE: {self.role!r} is above row-level security (superuser, BYPASSRLS or owner"
                " of what it reads); use a role that may only read"
            )
        if not schema:
            raise ConfigurationError(f"DESK_RECORDS_SCHEMA: the database has no schema {self.schema!r}")
        if not prepared:
            raise ConfigurationError(
                f"DESK_DATABASE_URL: the database is not prepared for lookups by {self.role!r};"
                " run `desk prepare` on it once"
            )
        self._role_is_safe = True

    def _rejected(self, error: psycopg.Error, relations: Sequence[str]) -> QueryRejected:
        """The database's message, made safe.

        Messages of class 42 (syntax, unknown names, missing rights) quote the statement alone. Those of other
        classes can quote data, so that only their kind is told.
        """
        if not (error.sqlstate or "").startswith("42"):
            kind = _KINDS.get((error.sqlstate or "")[:2], "it could not be run")
            return QueryRejected(f"the database refused the statement: {kind}")
        message = f"the database refused the statement: {error.diag.message_primary or 'it is not valid'}"
        if isinstance(error, errors.UndefinedColumn | errors.InsufficientPrivilege):
            for relation in self._known():
                if relation.name in relations:
                    readable = ", ".join(column.name for column in relation.columns)
                    message += f"; of {relation.name} these can be read: {readable}"
        elif error.diag.message_hint:
            message += f"; {error.diag.message_hint}"
        return QueryRejected(message)


_KINDS = {
    "22": "a value does not fit its type, or a division by zero; check casts and formats",
    "25": "only reading is allowed; write a plain SELECT",
    "21": "a subquery gave more than one row where one is needed; add LIMIT 1 or use IN",
    "0A": "it uses something that is not supported here; write a plainer SELECT",
}


def _describe(connection: psycopg.Connection[Any], statement: str) -> list[tuple[str, str]]:
    """The names and types of the columns of a statement, which is analysed and not run.

    Raises:
        psycopg.Error: It is not one statement that PostgreSQL can analyse.
        QueryRejected: It returns no rows.
    """
    pgconn, encoding = connection.pgconn, connection.info.encoding
    result = pgconn.prepare(b"", statement.encode(encoding))
    if result.status == psycopg.pq.ExecStatus.FATAL_ERROR:
        raise errors.error_from_result(result, encoding=encoding)
    described = pgconn.describe_prepared(b"")
    if not described.nfields:
        raise QueryRejected("only SELECT is allowed: nothing can be changed here, write a SELECT")
    fields = range(described.nfields)
    names = [(described.fname(n) or b"").decode(encoding) for n in fields]
    oids, modifiers = [described.ftype(n) for n in fields], [described.fmod(n) for n in fields]
    types = [row[0] for row in connection.execute(_TYPES, [oids, modifiers])]
    return list(zip(names, types, strict=True))


__all__ = ["Argument", "Column", "RecordStore", "Relation", "RowSet"]
