"""The records: one SELECT at a time, as the reader role, for one customer, within limits."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import errors, sql

from tools.errors import ConfigurationError, QueryRejected, SourceUnavailable
from tools.stores.audit import Lookup, Outcome
from tools.stores.caller import staff_role
from tools.stores.catalogue import Argument, Column, Relation, read_catalogue
from tools.stores.ownership import read_ownership
from tools.stores.postgres import ConnectionPool, NoAnswer, PoolTimeout
from tools.stores.reading import COUNT_LIMIT, Limits, Reader, RowSet, told
from tools.stores.safety import KNOWN_CUSTOMER, require_guarded_rows, require_safe_role

if TYPE_CHECKING:
    from tools.sql_guard import Checked

_CATALOGUE_SECONDS = 60.0
_STATEMENTS_KEPT = 1000
Result = TypeVar("Result")


class RecordStore:
    """Lookups in one schema of a PostgreSQL that `tools.stores.caller.prepare` has prepared.

    Args:
        pool: Connections whose login may `SET ROLE` to `role` and call `citedesk.bind`.
        schema: The schema that can be read.
        role: The reader role. It must be able to read what it was granted, and nothing else.
        statement_timeout: Seconds for each statement.
        row_cap: The most rows that are returned.
        lock_timeout: Seconds that a statement may wait for a lock; half of `statement_timeout` when None.
        byte_cap: The most bytes that the rows may have as text.
        cost_ceiling: The highest cost that PostgreSQL's planner may expect.
        time_zone: In which times are given, such as `Europe/Amsterdam`; None for the database's own.
        customer_columns: The names of columns that say whose a row is; a table with one must have a policy.
        staff: Whether `staff=True` is allowed, for whoever may see the rows of all customers.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        *,
        schema: str,
        role: str,
        statement_timeout: float = 3.0,
        row_cap: int = 50,
        lock_timeout: float | None = None,
        byte_cap: int = 1_000_000,
        cost_ceiling: float = 1_000_000.0,
        time_zone: str | None = None,
        customer_columns: Sequence[str] = (),
        staff: bool = False,
    ) -> None:
        self.schema = schema
        self.role = role
        self.row_cap = row_cap
        self.staff = staff
        self._pool = pool
        waits = statement_timeout / 2 if lock_timeout is None else lock_timeout
        limits = Limits(statement_timeout, waits, row_cap, byte_cap, cost_ceiling, time_zone)
        self._reader = Reader(schema, role, limits)
        self._staff_reader = Reader(schema, staff_role(role), limits)
        self._customer_columns = tuple(customer_columns)
        self._catalogue: tuple[float, list[Relation]] | None = None
        self._checked: dict[str, Checked] = {}
        self._reading = threading.Lock()

    def lookup(self, statement: str, *, customer_id: str | None, staff: bool = False) -> RowSet:
        """Run one SELECT and return what this customer may see of it; None sees only what has no owner.

        Args:
            staff: See the rows of all customers. Only where the store was opened for that.

        Raises:
            QueryRejected: The statement was refused; the message says what to write instead.
            SourceUnavailable: The database is down, or the statement took too long.
            ConfigurationError: The database is not prepared for lookups, or not safe to serve.
        """
        from tools.sql_guard import check  # its parser takes a while to import

        reader, catalogue = self._as(staff), self._known()
        checked = self._checked.get(statement)
        try:
            if checked is None:
                checked = check(statement, catalogue, self.schema)
                if len(self._checked) < _STATEMENTS_KEPT:
                    self._checked[statement] = checked
        except QueryRejected:
            with self._connection() as connection:
                refused = Lookup(reader.role, customer_id, statement, "refused", 0, 0.0)
                _write_down(reader, connection, refused)
            raise
        found = self._read(checked.sql, customer_id, checked.relations, staff=staff)
        named = [relation for relation in catalogue if relation.name in checked.relations]
        stranger = customer_id is None and not staff
        # A row of a table is there whoever asks; a count of it, or what a view makes of it, may not be.
        unsure = [
            one for one in named if one.owned and not (checked.plain and found.rows and one.kind == "table")
        ]
        key = {column for relation in named for column in relation.key}
        return replace(
            found,
            literals=checked.literals,
            more=checked.more,
            own=checked.own & frozenset(found.columns),
            key=tuple(column for column in found.columns if column in key and column not in checked.own),
            needs_sign_in=stranger and bool(unsure),
            shown={name: one for name, one in checked.shown.items() if name in found.columns},
            of_one=customer_id is not None and not staff and any(one.owned for one in named),
        )

    def catalogue(self) -> list[Relation]:
        """What the reader role may read, live: functions, views, tables.

        Raises:
            SourceUnavailable: The database is down.
            ConfigurationError: The database is not prepared for lookups, or not safe to serve.
        """
        visible = self._again(self._read_catalogue)
        self._catalogue, self._checked = (time.monotonic(), visible), {}
        return visible

    def _read_catalogue(self) -> list[Relation]:
        with self._connection() as connection, connection.transaction():
            for reader in (self._reader, self._staff_reader) if self.staff else (self._reader,):
                require_safe_role(connection, self.schema, reader.role)
            ownership = read_ownership(connection, self.schema, self.role, self._customer_columns)
            require_guarded_rows(ownership)
            found = read_catalogue(connection, self.schema, self.role, ownership)
        return [relation for relation in found if relation.name != KNOWN_CUSTOMER]

    def known_customer(self, customer_id: str) -> bool:
        """Whether there is such a customer: what `known_customer()` of the schema says for them.

        Raises:
            SourceUnavailable: The database is down.
            ConfigurationError: The schema has no such function, or is not prepared for lookups.
        """
        if not customer_id.strip() or not customer_id.isprintable():
            return False
        self._known()
        try:
            return self._again(lambda: self._is_known(customer_id))
        except errors.DataError:  # the id does not fit the type of the column, so that nobody has it
            return False
        except (errors.UndefinedFunction, errors.InsufficientPrivilege):
            need = f"{self.schema}.{KNOWN_CUSTOMER}() returning boolean, executable by {self.role}"
            raise ConfigurationError(f"DESK_RECORDS_SCHEMA: the database needs a function {need}") from None

    def _is_known(self, customer_id: str) -> bool:
        call = sql.SQL("SELECT {}()").format(sql.Identifier(self.schema, KNOWN_CUSTOMER))
        with self._connection() as connection, self._reader.bound(connection, customer_id) as connection:
            row = connection.execute(call).fetchone()
        return bool(row and row[0])

    def close(self) -> None:
        """Close the pool."""
        self._pool.close()

    def _known(self) -> list[Relation]:
        with self._reading:  # one of many lookups at once reads it, and the others wait
            if self._catalogue is None or time.monotonic() - self._catalogue[0] > _CATALOGUE_SECONDS:
                return self.catalogue()
            return self._catalogue[1]

    def _as(self, staff: bool) -> Reader:
        if staff and not self.staff:
            raise ConfigurationError(
                "DESK_STAFF_RECORDS: staff may not see the records of all customers; set it to allow that"
            )
        return self._staff_reader if staff else self._reader

    def _read(
        self,
        statement: str,
        customer_id: str | None,
        relations: Sequence[str] = (),
        *,
        staff: bool = False,
    ) -> RowSet:
        """The database's side alone: safe for any text, whatever the parser thought of it."""
        return self._again(lambda: self._read_once(statement, customer_id, relations, staff))

    def _again(self, once: Callable[[], Result]) -> Result:
        """Do it, and once more where the server has been restarted: nothing is ever changed by it."""
        try:
            return once()
        except _ConnectionLost:
            self._pool.check()
        try:
            return once()
        except _ConnectionLost:
            raise SourceUnavailable("records", "the database ended the connection; try again later") from None

    def _read_once(
        self, statement: str, customer_id: str | None, relations: Sequence[str], staff: bool
    ) -> RowSet:
        started = time.perf_counter()
        reader = self._as(staff)

        def done(outcome: Outcome, rows: int = 0) -> Lookup:
            return Lookup(reader.role, customer_id, statement, outcome, rows, time.perf_counter() - started)

        with self._connection() as connection:
            try:
                reader.begin(connection, customer_id)
                found = reader.read(connection, statement)
            except psycopg.OperationalError:
                with suppress(psycopg.Error):  # what went wrong comes first
                    reader.end(connection, done("failed"))
                raise
            except (psycopg.Error, QueryRejected) as error:
                _write_down(reader, connection, done("refused"))
                raise self._rejected(error, relations) from None
            _write_down(reader, connection, done("answered", found.at_least))
        return RowSet(
            sql=statement,
            columns=found.columns,
            rows=found.rows,
            capped=found.at_least > len(found.rows),
            seconds=time.perf_counter() - started,
            relations=tuple(relations),
            total=found.total,
            at_least=found.at_least,
        )

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        used: psycopg.Connection[Any] | None = None
        try:
            with self._pool.connection() as connection:
                used = connection
                connection.autocommit = True  # transactions are begun and ended where they are meant
                yield connection
        except PoolTimeout:
            raise SourceUnavailable(
                "records", "the database cannot be reached; check DESK_DATABASE_URL"
            ) from None
        except errors.QueryCanceled:
            limit = f"{self._reader.limits.seconds:g} s"
            reason = (
                f"the statement took longer than {limit}; ask for less, with a WHERE or a narrower function"
            )
            raise SourceUnavailable("records", reason) from None
        except errors.LockNotAvailable:
            raise SourceUnavailable(
                "records", "what was asked for is locked just now; try again later"
            ) from None
        except NoAnswer:
            raise SourceUnavailable("records", "the database gives no answer; try again later") from None
        except psycopg.OperationalError as error:
            if used is not None and used.closed:
                raise _ConnectionLost from None
            kind = error.sqlstate or "no connection"
            raise SourceUnavailable("records", f"the database failed ({kind}); try again later") from None

    def _rejected(self, error: psycopg.Error | QueryRejected, relations: Sequence[str]) -> QueryRejected:
        if isinstance(error, QueryRejected):
            return error
        readable = ""
        for relation in self._catalogue[1] if self._catalogue else ():
            if relation.name in relations:
                columns = ", ".join(column.name for column in relation.columns)
                readable += f"; of {relation.name} these can be read: {columns}"
        return QueryRejected(f"the database refused the statement: {told(error, readable)}")


def _write_down(reader: Reader, connection: psycopg.Connection[Any], lookup: Lookup) -> None:
    """End the lookup, and let none go unrecorded."""
    try:
        reader.end(connection, lookup)
    except psycopg.OperationalError:
        raise
    except psycopg.Error as error:  # its message can quote the line
        kind = error.sqlstate or "no reason given"
        reason = f"the lookup could not be written down in citedesk.lookups ({kind})"
        raise SourceUnavailable("records", reason) from None


class _ConnectionLost(Exception):
    """The server ended the connection."""


__all__ = ["COUNT_LIMIT", "Argument", "Column", "RecordStore", "Relation", "RowSet"]
