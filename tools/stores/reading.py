"""One statement in one transaction: as the reader role, read-only, for one customer, within limits."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import errors, sql

from tools.errors import QueryRejected
from tools.stores.audit import Lookup, recorded
from tools.stores.caller import NOT_RECORDS, TOO_COSTLY, TOO_LARGE, runner

COUNT_LIMIT = 10_000
"""How far rows are counted when there are more than the cap."""

_LIMITS = (
    "SELECT set_config('search_path', {path}, true), set_config('statement_timeout', {statement}, true),"
    " set_config('lock_timeout', {lock}, true),"
    " set_config('TimeZone', coalesce({zone}, current_setting('TimeZone')), true)"
)
# In one message each, since a lookup otherwise goes back and forth more often than it computes.
_BEGIN = "BEGIN; " + _LIMITS + ", citedesk.bind({customer}); SET TRANSACTION READ ONLY; SET LOCAL ROLE {role}"
_TYPE = "SELECT format_type(%s, %s)"


@dataclass(frozen=True)
class Limits:
    """What one statement may take.

    Attributes:
        seconds: How long it may run.
        lock_seconds: How long it may wait for a lock.
        rows: How many rows come back.
        bytes: How large these may be together, as text.
        cost: The highest cost that PostgreSQL's planner may expect, in its own units.
        time_zone: In which times are given and days begin; None for the database's own.
    """

    seconds: float = 3.0
    lock_seconds: float = 1.0
    rows: int = 50
    bytes: int = 1_000_000
    cost: float = 1_000_000.0
    time_zone: str | None = None


@dataclass(frozen=True)
class Rows:
    """The columns' names, at most so many rows as the limit says, and how many there are.

    Attributes:
        total: How many rows there are; None when there are too many to be counted.
        at_least: How many there are at the least, which is `total` when that is known.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    total: int | None
    at_least: int


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
        own: The columns that are the statement's own words and no record.
        key: The columns that name the rows which it read, as far as they are among its own.
        needs_sign_in: Whether nobody is signed in and rows of customers were asked for, so that what is
            missing or counted says nothing.
        of_one: Whether it reads rows of customers, of which it saw those of one, so that what is missing may
            well be somebody else's.
        more: Whether it was held to more than `literals` tell, so that "none" is only none of those.
        shown: What evidence calls the columns that the statement has given another name.
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
    own: frozenset[str] = frozenset()
    key: tuple[str, ...] = ()
    needs_sign_in: bool = False
    of_one: bool = False
    more: bool = False
    shown: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Reader:
    """A role that reads one schema within limits."""

    schema: str
    role: str
    limits: Limits
    _types: dict[tuple[int, int], str] = field(default_factory=dict, compare=False, repr=False)

    @contextmanager
    def bound(
        self, connection: psycopg.Connection[Any], customer_id: str | None
    ) -> Iterator[psycopg.Connection[Any]]:
        """What `begin` and `end` enclose."""
        try:
            self.begin(connection, customer_id)
            yield connection
        finally:
            if not connection.closed:
                self.end(connection)

    def begin(self, connection: psycopg.Connection[Any], customer_id: str | None) -> None:
        """Begin a read-only transaction as the role with the customer bound, to be ended whatever happens."""
        customer = sql.Literal(customer_id)
        begin = sql.SQL(_BEGIN).format(**self._settings(), customer=customer, role=sql.Identifier(self.role))
        connection.execute(begin)

    def end(self, connection: psycopg.Connection[Any], lookup: Lookup | None = None) -> None:
        """Roll back, and write down what was looked up."""
        ended = sql.SQL("ROLLBACK")
        connection.execute(ended if lookup is None else sql.SQL("; ").join([ended, recorded(lookup)]))

    def read(self, connection: psycopg.Connection[Any], statement: str) -> Rows:
        """Run one statement in a transaction of `bound`. Safe for any text, whatever a parser thought of it.

        Raises:
            psycopg.Error: The database refused it.
            QueryRejected: It returns no rows.
        """
        columns = self._describe(connection, statement)
        cap = self.limits.rows
        rows = self._run(connection, statement, [kind for _, kind in columns], cap + 1)
        total, at_least = self._count(connection, statement) if len(rows) > cap else (len(rows), len(rows))
        return Rows(tuple(name for name, _ in columns), tuple(rows[:cap]), total, at_least)

    def _settings(self) -> dict[str, sql.Composable]:
        def milliseconds(seconds: float) -> sql.Literal:
            return sql.Literal(str(max(1, round(seconds * 1000))))

        return {
            "path": sql.Literal(sql.Identifier(self.schema).as_string() + ", pg_temp"),
            "statement": milliseconds(self.limits.seconds),
            "lock": milliseconds(self.limits.lock_seconds),
            "zone": sql.Literal(self.limits.time_zone),
        }

    def _describe(self, connection: psycopg.Connection[Any], statement: str) -> list[tuple[str, str]]:
        """The names and types of the columns of a statement, which is analysed and not run."""
        pgconn, encoding = connection.pgconn, connection.info.encoding
        result = pgconn.prepare(b"", statement.encode(encoding))
        if result.status == psycopg.pq.ExecStatus.FATAL_ERROR:
            raise errors.error_from_result(result, encoding=encoding)
        described = pgconn.describe_prepared(b"")
        if not described.nfields:
            raise QueryRejected("only SELECT is allowed: nothing can be changed here, write a SELECT")
        return [
            (
                (described.fname(n) or b"").decode(encoding),
                self._type(connection, described.ftype(n), described.fmod(n)),
            )
            for n in range(described.nfields)
        ]

    def _type(self, connection: psycopg.Connection[Any], oid: int, modifier: int) -> str:
        if (oid, modifier) not in self._types:
            row = connection.execute(_TYPE, [oid, modifier]).fetchone()
            self._types[oid, modifier] = str(row[0]) if row else "text"
        return self._types[oid, modifier]

    def _run(
        self, connection: psycopg.Connection[Any], statement: str, types: Sequence[str], at_most: int
    ) -> list[tuple[Any, ...]]:
        # Columns get names of our own: a statement may use one twice, which a column list may not.
        columns = sql.SQL(", ").join(sql.SQL(f"c{n} {kind}") for n, kind in enumerate(types))
        call = sql.SQL("SELECT * FROM {}(%s, %s, %s, %s) AS rows({})").format(runner(self.role), columns)
        given = [statement, at_most, self.limits.cost, self.limits.bytes]
        return connection.execute(call, given).fetchall()

    def _count(self, connection: psycopg.Connection[Any], statement: str) -> tuple[int | None, int]:
        """How many rows there are, and how many at the least."""
        # Nothing is gained by smuggling here: the whole text is what the caller may run anyway.
        counted = (
            f"SELECT count(*) FROM (SELECT FROM ({statement}\n) AS asked LIMIT {COUNT_LIMIT + 1}) AS counted"  # noqa: S608
        )
        try:
            with connection.transaction():
                # The statement may have set its own.
                connection.execute(sql.SQL(_LIMITS).format(**self._settings()))
                number = int(self._run(connection, counted, ["bigint"], 1)[0][0])
        except (errors.QueryCanceled, psycopg.DatabaseError) as error:
            if isinstance(error, errors.QueryCanceled) or error.sqlstate == TOO_COSTLY:
                return None, self.limits.rows + 1
            raise
        return (number, number) if number <= COUNT_LIMIT else (None, number)


def told(error: psycopg.Error, readable: str) -> str:
    """Why the database refused a statement, in words that can be shown to anybody.

    Messages of class 42 (syntax, unknown names, missing rights) quote the statement alone. Those of other
    classes can quote data, so that only their kind is told.

    Args:
        readable: What to add when a column is not there or may not be read.
    """
    state = error.sqlstate or ""
    if not state.startswith("42"):
        return _KINDS.get(state) or _KINDS.get(state[:2], "it could not be run")
    message = error.diag.message_primary or "it is not valid"
    if isinstance(error, errors.UndefinedColumn | errors.InsufficientPrivilege):
        return f"{message}{readable}"
    hint = re.sub(r"\.$", "", error.diag.message_hint or "")
    return f"{message}; {hint}" if hint else message


_KINDS = {
    TOO_COSTLY: "it would take too much work; narrow it with WHERE, or use a narrower function or view",
    TOO_LARGE: "its rows are too large; select fewer columns or fewer rows",
    NOT_RECORDS: "it asks the database about itself; read the listed relations alone",
    "22": "a value does not fit its type, or a division by zero; check casts and formats",
    "25": "only reading is allowed; write a plain SELECT",
    "21": "a subquery gave more than one row where one is needed; add LIMIT 1 or use IN",
    "0A": "it uses something that is not supported here; write a plainer SELECT",
}
