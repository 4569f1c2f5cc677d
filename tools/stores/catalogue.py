"""What the reader role may read: tables, views and functions with their comments, from pg_catalog."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import psycopg

from tools.stores.ownership import Ownership

Kind = Literal["function", "view", "table"]


@dataclass(frozen=True)
class Column:
    """A readable column, or an output column of a function. `type` is PostgreSQL's name for it."""

    name: str
    type: str
    comment: str = ""


@dataclass(frozen=True)
class Argument:
    """An argument of a function; `optional` when it has a default."""

    name: str
    type: str
    optional: bool = False


@dataclass(frozen=True)
class Relation:
    """Something that a SELECT may read from.

    Attributes:
        arguments: Empty unless it is a function.
        owned: Whether rows of customers are in it, so that it is empty for whoever is not signed in.
        key: The columns that name a row: the primary key of a table, or those of the tables behind it.
        references: Foreign keys to what can be read as well, as `column -> table.column`.
    """

    schema: str
    name: str
    kind: Kind
    columns: tuple[Column, ...]
    arguments: tuple[Argument, ...] = ()
    comment: str = ""
    owned: bool = False
    key: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


_TABLES = """
SELECT c.oid::bigint, c.relname, CASE WHEN c.relkind IN ('v', 'm') THEN 'view' ELSE 'table' END,
       coalesce(obj_description(c.oid, 'pg_class'), ''),
       array_agg(a.attname::text ORDER BY a.attnum),
       array_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum),
       array_agg(coalesce(col_description(c.oid, a.attnum), '') ORDER BY a.attnum)
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE c.relnamespace = %(schema)s::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
  AND has_column_privilege(%(role)s, c.oid, a.attnum, 'SELECT')
GROUP BY c.oid, c.relname, c.relkind
ORDER BY 3 DESC, 2
"""

# A function's output columns are its OUT and TABLE arguments, or the columns of the row type that it returns,
# or one value under the function's own name.
_FUNCTIONS = """
SELECT p.oid::bigint, p.proname, obj_description(p.oid, 'pg_proc'),
       p.proargnames::text[], p.proargmodes::text[],
       ARRAY(SELECT format_type(t, NULL)
             FROM unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY AS u(t, n)
             ORDER BY n),
       p.pronargdefaults::int, format_type(p.prorettype, NULL),
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = r.typrelid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum),
       ARRAY(SELECT format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = r.typrelid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
FROM pg_catalog.pg_proc p
JOIN pg_catalog.pg_type r ON r.oid = p.prorettype
WHERE p.pronamespace = %(schema)s::regnamespace AND p.prokind = 'f'
  AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
  AND has_function_privilege(%(role)s, p.oid, 'EXECUTE') AND obj_description(p.oid, 'pg_proc') IS NOT NULL
ORDER BY p.proname, p.oid
"""


def read_catalogue(
    connection: psycopg.Connection[Any], schema: str, role: str, ownership: Ownership
) -> list[Relation]:
    """Functions first, then views, then tables, each by name; only what `role` may read.

    A function without a comment is taken for a helper of the others and left out.

    Raises:
        psycopg.Error: The schema or the role does not exist, or the database failed.
    """
    where = {"schema": f'"{schema}"', "role": role}
    found = []
    for oid, *row in connection.execute(_FUNCTIONS, where):
        function = _function(schema, row)
        found.append(replace(function, owned=ownership.is_owned(oid), key=ownership.key(oid)))
    for oid, name, kind, comment, names, types, comments in connection.execute(_TABLES, where):
        columns = tuple(map(Column, names, types, map(_line, comments)))
        links = tuple(_references(oid, frozenset(names), ownership))
        owned, key = ownership.is_owned(oid), ownership.key(oid)
        found.append(Relation(schema, name, kind, columns, (), _line(comment), owned, key, links))
    return found


def _references(oid: int, readable: frozenset[str], ownership: Ownership) -> Iterator[str]:
    for link in ownership.foreign_keys:
        parent = ownership.tables.get(link.parent)
        if link.table == oid and parent and parent.readable and readable.issuperset(link.columns):
            for column, parent_column in zip(link.columns, link.parent_columns, strict=True):
                yield f"{column} -> {parent.name}.{parent_column}"


def _function(schema: str, row: Sequence[Any]) -> Relation:
    name, comment, names, modes, types, defaults, returns, row_names, row_types = row
    names = names or [f"argument_{number}" for number in range(1, len(types) + 1)]
    modes = modes or ["i"] * len(types)
    inputs = [(n, t) for n, t, m in zip(names, types, modes, strict=True) if m in "ibv"]
    required = len(inputs) - defaults
    arguments = tuple(Argument(n, t, position >= required) for position, (n, t) in enumerate(inputs))
    outputs = [Column(n, t) for n, t, m in zip(names, types, modes, strict=True) if m in "obt"]
    if not outputs:
        outputs = [Column(*pair) for pair in zip(row_names, row_types, strict=True)] or [
            Column(name, returns)
        ]
    return Relation(schema, name, "function", tuple(outputs), arguments, _line(comment))


def _line(comment: str) -> str:
    return " ".join(comment.split())
