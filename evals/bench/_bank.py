"""Loads a bank's tables, `{table: {"data": {key: row}}}`, into PostgreSQL, with the keys that they show."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tools.stores.preparation import Preparation, prepare_database
from tools.stores.readable import Readable

OWNER = "user_id"
_OF_CUSTOMERS = frozenset({OWNER, "account_id"})

Rows = list[Mapping[str, Any]]


def prepare_bank(
    url: str, tables: Mapping[str, Rows], *, schema: str, role: str, also: Sequence[str] = ()
) -> None:
    """Let the desk read `also`, and what says whose or of which account it is, to each customer their own."""
    of_customers = [name for name, rows in tables.items() if any(_OF_CUSTOMERS & row.keys() for row in rows)]
    readable = tuple(Readable(schema, name) for name in (*of_customers, *also))
    with psycopg.connect(url, autocommit=True) as connection:
        prepare_database(connection, Preparation(schema, role, None, readable, (OWNER,)))


def load_bank(file: Path, url: str, schema: str) -> dict[str, Rows]:
    """Fill `schema` afresh and return the rows by table; tables without rows are left out.

    Values stay as they are in the file. A column that holds the rows' keys becomes the primary key, and one
    whose values are all keys of one other table a foreign key.
    """
    dump = json.loads(file.read_text(encoding="utf-8"))
    tables = {name: of_one["data"] for name, of_one in dump.items() if of_one["data"]}
    keys = {name: _primary_key(rows) for name, rows in tables.items()}
    with psycopg.connect(url) as connection:
        afresh = "DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}"
        connection.execute(sql.SQL(afresh).format(sql.Identifier(schema)))
        connection.execute(sql.SQL("SET LOCAL search_path = {}").format(sql.Identifier(schema)))
        for name, rows in tables.items():
            _fill(connection, name, list(rows.values()), keys[name])
        for name, rows in tables.items():
            for column, parent in _foreign_keys(name, rows, tables, keys):
                make = sql.SQL("ALTER TABLE {} ADD FOREIGN KEY ({}) REFERENCES {}")
                connection.execute(make.format(*map(sql.Identifier, (name, column, parent))))
    return {name: list(rows.values()) for name, rows in tables.items()}


def _primary_key(rows: Mapping[str, Mapping[str, Any]]) -> str | None:
    columns = next(iter(rows.values()))
    return next((one for one in columns if all(row.get(one) == key for key, row in rows.items())), None)


def _foreign_keys(
    name: str,
    rows: Mapping[str, Mapping[str, Any]],
    tables: Mapping[str, Mapping[str, Any]],
    keys: Mapping[str, str | None],
) -> list[tuple[str, str]]:
    found = []
    for column in _columns(list(rows.values())):
        values = {row.get(column) for row in rows.values()} - {None}
        parents = [
            parent
            for parent, of_parent in tables.items()
            if keys[parent] and parent != name and values and values <= of_parent.keys()
        ]
        if column != keys[name] and len(parents) == 1:
            found.append((column, parents[0]))
    return found


def _columns(rows: Rows) -> list[str]:
    return list(dict.fromkeys(column for row in rows for column in row))


def _fill(connection: psycopg.Connection[Any], name: str, rows: Rows, key: str | None) -> None:
    columns = _columns(rows)
    kinds = {column: _kind([row.get(column) for row in rows]) for column in columns}
    defined = [
        sql.SQL("{} " + kinds[one] + (" PRIMARY KEY" if one == key else "")).format(sql.Identifier(one))
        for one in columns
    ]
    table = sql.Identifier(name)
    connection.execute(sql.SQL("CREATE TABLE {} ({})").format(table, sql.SQL(", ").join(defined)))
    with connection.cursor() as cursor, cursor.copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
        for row in rows:
            copy.write_row([_value(row.get(column)) for column in columns])
    words = name.replace("_", " ")
    told = f"The {words} of the customer who is asking. Asked as: what do my {words} say."
    connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(table, sql.Literal(told)))


def _kind(values: list[Any]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "boolean"
    return "numeric" if kinds and kinds <= {int, float} else "text"


def _value(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value
