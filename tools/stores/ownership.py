"""Whose rows a table, view or function shows: read from PostgreSQL's own catalogue.

A table is *owned* when its rows belong to customers: it has a column that says whose they are, or row-level
security. A table with a policy that lets everybody read everything was opened on purpose and is not. A view
or a function is owned when something that it reads is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import psycopg

SYSTEM = ("pg_catalog", "information_schema", "citedesk")
"""Schemas that hold no records."""

_RELATIONS = """
SELECT c.oid::bigint, n.nspname, c.relname, c.relkind::text, c.relrowsecurity,
       coalesce(c.reloptions && ARRAY['security_invoker=true', 'security_invoker=on', 'security_invoker=yes',
                                      'security_invoker=1'], false),
       has_any_column_privilege(%(role)s, c.oid, 'SELECT') AND has_schema_privilege(%(role)s, n.oid, 'USAGE'),
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
             AND NOT a.attisdropped AND a.attname = ANY (%(columns)s) ORDER BY a.attnum),
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_constraint k
             JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
             WHERE k.conrelid = c.oid AND k.contype = 'p' ORDER BY array_position(k.conkey, a.attnum))
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> ALL (%(system)s) AND n.nspname !~ '^pg_'
"""

_FOREIGN_KEYS = """
SELECT k.conrelid::bigint, k.confrelid::bigint,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u(number, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = number ORDER BY place),
       ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u(number, place)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = number ORDER BY place)
FROM pg_catalog.pg_constraint k WHERE k.contype = 'f' ORDER BY k.conrelid, k.conkey
"""

_POLICIES = """
SELECT p.polrelid::bigint, p.polname, p.polpermissive, coalesce(pg_get_expr(p.polqual, p.polrelid), 'true')
FROM pg_catalog.pg_policy p
WHERE p.polcmd IN ('*', 'r') AND EXISTS (SELECT FROM unnest(p.polroles) AS r(oid)
    WHERE r.oid = 0 OR pg_has_role(%(role)s, r.oid, 'MEMBER'))
ORDER BY p.polname
"""

# What views are defined over, and what functions read: by their parsed body, or by the words of their text.
# PostgreSQL's own things have numbers below 16384 (FirstNormalObjectId).
_READS = """
SELECT r.ev_class::bigint, d.refobjid::bigint FROM pg_catalog.pg_rewrite r
JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
WHERE r.ev_class >= 16384 AND d.refobjid >= 16384 AND d.refobjid <> r.ev_class
  AND d.refclassid IN ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_proc'::regclass)
UNION
SELECT d.objid::bigint, d.refobjid::bigint FROM pg_catalog.pg_depend d
WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid >= 16384 AND d.refobjid >= 16384
  AND d.refclassid IN ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_proc'::regclass)
UNION
SELECT p.oid::bigint, c.oid::bigint FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_language l ON l.oid = p.prolang AND l.lanname NOT IN ('c', 'internal')
JOIN pg_catalog.pg_class c ON c.relkind IN ('r', 'p', 'v', 'm', 'f')
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace AND n.nspname <> ALL (%(system)s)
  AND n.nspname !~ '^pg_'
WHERE p.pronamespace = to_regnamespace(%(schema)s) AND p.prosqlbody IS NULL
  AND strpos(lower(p.prosrc), lower(c.relname)) > 0
"""


@dataclass(frozen=True)
class Policy:
    """A row-level security policy for reading that applies to the reader role."""

    name: str
    permissive: bool
    condition: str


@dataclass(frozen=True)
class Table:
    """A table, view, materialized view or foreign table.

    Attributes:
        kind: `pg_class.relkind`: r, p, v, m or f.
        secured: Whether row-level security is on.
        as_invoker: Whether a view reads with the rights of whoever asks.
        readable: Whether the reader role may read some of it.
        customer_columns: Its columns that say whose a row is.
        key: Its primary key.
        policies: What decides which rows the reader sees.
    """

    oid: int
    schema: str
    name: str
    kind: str
    secured: bool
    as_invoker: bool
    readable: bool
    customer_columns: tuple[str, ...]
    key: tuple[str, ...]
    policies: tuple[Policy, ...] = ()

    @property
    def place(self) -> str:
        """Schema and name."""
        return f"{self.schema}.{self.name}"

    @property
    def is_stored(self) -> bool:
        """Whether it is a table of this database, which row-level security can guard."""
        return self.kind in "rp"

    @property
    def opened_by(self) -> str | None:
        """The policy that lets the reader see every row, when nothing restricts it."""
        if not self.secured or any(not policy.permissive for policy in self.policies):
            return None
        return next((policy.name for policy in self.policies if policy.condition == "true"), None)

    @property
    def is_owned(self) -> bool:
        """Whether its rows belong to customers, by itself."""
        return bool(self.customer_columns or self.secured) and self.opened_by is None


@dataclass(frozen=True)
class ForeignKey:
    """Columns of one table that name a row of another."""

    table: int
    parent: int
    columns: tuple[str, ...]
    parent_columns: tuple[str, ...]


@dataclass(frozen=True)
class Ownership:
    """Every relation of the database's own schemas, and what reads what; by object id."""

    tables: dict[int, Table]
    foreign_keys: tuple[ForeignKey, ...]
    reads: dict[int, set[int]] = field(repr=False)

    def stored(self, oid: int) -> list[Table]:
        """The tables that a table, view or function comes down to, itself among them; by name."""
        seen, waiting = {oid}, [oid]
        while waiting:
            for other in self.reads.get(waiting.pop(), ()):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        found = [self.tables[one] for one in seen if one in self.tables and self.tables[one].kind != "v"]
        return sorted(found, key=lambda table: (table.oid != oid, table.place))

    def is_owned(self, oid: int) -> bool:
        """Whether rows of customers are in what it shows."""
        return any(table.is_owned for table in self.stored(oid))

    def key(self, oid: int) -> tuple[str, ...]:
        """The columns that name a row in the tables that it comes down to."""
        return tuple(dict.fromkeys(column for table in self.stored(oid) for column in table.key))

    @cached_property
    def readable(self) -> list[Table]:
        """What the reader may read some of, by name."""
        found = [table for table in self.tables.values() if table.readable]
        return sorted(found, key=lambda table: table.place)


def _table(row: Sequence[Any], policies: Sequence[Policy]) -> Table:
    oid, schema, name, kind, secured, as_invoker, readable, customer_columns, key = row
    return Table(
        oid,
        schema,
        name,
        kind,
        secured,
        as_invoker,
        readable,
        tuple(customer_columns),
        tuple(key),
        tuple(policies),
    )


def read_ownership(
    connection: psycopg.Connection[Any], schema: str, role: str, customer_columns: Sequence[str]
) -> Ownership:
    """Read it for one reader role.

    Args:
        schema: Where the functions are that the desk may call.
        customer_columns: The names of columns that say whose a row is.

    Raises:
        psycopg.Error: There is no such role, or the database failed.
    """
    given = {
        "role": role,
        "schema": f'"{schema}"',
        "columns": list(customer_columns),
        "system": list(SYSTEM),
    }
    policies: dict[int, list[Policy]] = {}
    for table, name, permissive, condition in connection.execute(_POLICIES, given):
        policies.setdefault(table, []).append(Policy(name, permissive, condition))
    tables = {row[0]: _table(row, policies.get(row[0], ())) for row in connection.execute(_RELATIONS, given)}
    keys = [
        ForeignKey(table, parent, tuple(columns), tuple(parent_columns))
        for table, parent, columns, parent_columns in connection.execute(_FOREIGN_KEYS)
    ]
    reads: dict[int, set[int]] = {}
    for reader, read in connection.execute(_READS, given):
        reads.setdefault(reader, set()).add(read)
    return Ownership(tables, tuple(keys), reads)
