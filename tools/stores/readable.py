"""What a reader role may read: the list in the settings, and the grants that follow from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import errors, sql

from tools.errors import ConfigurationError

_NAME = r'(?:"[^"]+"|[\w$]+)'
_ENTRY = re.compile(rf"\s*(?:({_NAME})\s*\.\s*)?({_NAME})\s*(\([^)]*\))?\s*(?:,|\Z)")

# Schema, name and columns of what a role may read some of.
_MAY_READ = """
SELECT n.nspname, c.relname, array_agg(a.attname::text ORDER BY a.attnum)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('information_schema', 'citedesk')
  AND n.nspname !~ '^pg_' AND has_column_privilege(%(role)s, c.oid, a.attnum, 'SELECT')
GROUP BY 1, 2 ORDER BY 1, 2
"""

# What the role itself was granted, and not PUBLIC.
_GRANTED = """
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_roles r ON r.rolname = %(role)s
WHERE n.nspname NOT IN ('information_schema', 'citedesk') AND n.nspname !~ '^pg_' AND c.relkind <> 'S'
  AND (EXISTS (SELECT FROM aclexplode(c.relacl) AS acl WHERE acl.grantee = r.oid)
       OR EXISTS (SELECT FROM pg_catalog.pg_attribute a, aclexplode(a.attacl) AS acl
                  WHERE a.attrelid = c.oid AND acl.grantee = r.oid))
"""


@dataclass(frozen=True)
class Readable:
    """One entry of the list: a table or view, some columns of one, or a function."""

    schema: str
    name: str
    columns: tuple[str, ...] = ()
    is_function: bool = False

    @property
    def place(self) -> str:
        """Schema and name."""
        return f"{self.schema}.{self.name}"


def parse_readable(text: str, schema: str) -> tuple[Readable, ...]:
    """Read a list such as `orders(order_id, status), shop.products, order_status()`.

    Args:
        schema: Where a name without a schema is.

    Raises:
        ConfigurationError: It is written otherwise; the line shows where.
    """
    found, place, text = [], 0, text.strip().rstrip(",")
    while place < len(text):
        entry = _ENTRY.match(text, place)
        if entry is None:
            raise ConfigurationError(
                f"DESK_READABLE: it cannot be read at {text[place : place + 30].strip()!r};"
                " write names such as: products, orders(order_id, status), order_status()"
            )
        columns = tuple(_plain(one) for one in (entry[3] or "")[1:-1].split(",") if one.strip())
        is_function = entry[3] is not None and not columns
        found.append(Readable(_plain(entry[1] or schema), _plain(entry[2]), columns, is_function))
        place = entry.end()
    return tuple(found)


def _plain(name: str) -> str:
    """The name as PostgreSQL keeps it."""
    name = name.strip()
    return name[1:-1] if name.startswith('"') else name.lower()


def may_read(connection: psycopg.Connection[Any], role: str) -> dict[tuple[str, str], tuple[str, ...]]:
    """The columns that a role may read, by schema and name of their table or view."""
    rows = connection.execute(_MAY_READ, {"role": role})
    return {(schema, name): tuple(columns) for schema, name, columns in rows}


def grant(connection: psycopg.Connection[Any], role: str, readable: Sequence[Readable]) -> list[str]:
    """Let a role read what is on the list and nothing else; returns a line for each thing that changed.

    What PUBLIC may read stays as it is.

    Raises:
        ConfigurationError: Something is not there, or is not this login's to give.
    """
    before = may_read(connection, role)
    reader = sql.Identifier(role)
    for schema, name in connection.execute(_GRANTED, {"role": role}).fetchall():
        connection.execute(sql.SQL("REVOKE ALL ON {} FROM {}").format(sql.Identifier(schema, name), reader))
    for one in readable:
        _grant_one(connection, reader, one)
    after = may_read(connection, role)
    for one in readable:
        # PostgreSQL only warns when a login gives what is not its own.
        if not (one.is_function or set(one.columns) <= set(after.get((one.schema, one.name), ("",)))):
            raise _not_yours(one)
        if not (one.is_function or (one.schema, one.name) in after):
            raise _not_yours(one)
    changed = [
        f"{role} may now read {schema}.{name} ({', '.join(columns)})"
        for (schema, name), columns in after.items()
        if before.get((schema, name)) != columns
    ]
    return changed + [f"{role} may no longer read {'.'.join(one)}" for one in before if one not in after]


def _grant_one(connection: psycopg.Connection[Any], reader: sql.Identifier, one: Readable) -> None:
    place = sql.Identifier(one.schema, one.name)
    if one.is_function:
        right = sql.SQL("EXECUTE ON ROUTINE {}").format(place)
    elif one.columns:
        columns = sql.SQL(", ").join(map(sql.Identifier, one.columns))
        right = sql.SQL("SELECT ({}) ON {}").format(columns, place)
    else:
        right = sql.SQL("SELECT ON {}").format(place)
    usage = sql.SQL("USAGE ON SCHEMA {}").format(sql.Identifier(one.schema))
    try:
        for what in (usage, right):
            connection.execute(sql.SQL("GRANT {} TO {}").format(what, reader))
    except errors.InsufficientPrivilege:
        raise _not_yours(one) from None
    except psycopg.ProgrammingError as error:  # no such schema, table, column or function, or several
        reason = error.diag.message_primary or "it is not there"
        raise ConfigurationError(f"DESK_READABLE: {one.place} cannot be granted ({reason})") from None


def _not_yours(one: Readable) -> ConfigurationError:
    return ConfigurationError(
        f"DESK_READABLE: {one.place} is not this login's to give; prepare with a login of its owner"
    )
