"""A JSON dump of tables to a schema that the desk can read, each customer's rows for that customer alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tools.stores.caller import prepare

_CUSTOMERS = "users"
_OWNER = "user_id"
_KEYS = {"account_id": "accounts"}
"""By which column a row belongs to somebody whose table it names, where it has no owner of its own."""

Rows = Sequence[Mapping[str, Any]]


def load_records(file: Path, url: str, *, schema: str, role: str) -> list[str]:
    """Fill `schema` from `file` ({table: {"data": {key: row}}}); returns the tables that customers may read.

    A table whose rows belong to nobody that its columns name is loaded and not granted.

    Raises:
        psycopg.Error: The database failed.
    """
    tables = {name: list(of_one["data"].values()) for name, of_one in json.loads(file.read_text()).items()}
    tables = {name: rows for name, rows in tables.items() if rows}
    with psycopg.connect(url, autocommit=True) as connection, connection.transaction():
        prepare(connection, role)
        connection.execute(
            sql.SQL("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}").format(_id(schema))
        )
        connection.execute(sql.SQL("SET LOCAL search_path = {}").format(_id(schema)))
        for name, rows in tables.items():
            _fill(connection, name, rows)
        open_to = [name for name, rows in tables.items() if _secure(connection, name, rows)]
        connection.execute(
            sql.SQL(
                "CREATE FUNCTION known_customer() RETURNS boolean LANGUAGE sql STABLE"
                " RETURN EXISTS (SELECT FROM {} WHERE {} = citedesk.customer())"
            ).format(_id(_CUSTOMERS), _id(_OWNER))
        )
        connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(_id(schema), _id(role)))
        for name in open_to:
            connection.execute(sql.SQL("GRANT SELECT ON {} TO {}").format(_id(name), _id(role)))
    return open_to


def _fill(connection: psycopg.Connection[Any], name: str, rows: Rows) -> None:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    kinds = {column: _kind([row.get(column) for row in rows]) for column in columns}
    defined = [sql.SQL("{} {}").format(_id(column), sql.SQL(kinds[column])) for column in columns]
    connection.execute(sql.SQL("CREATE TABLE {} ({})").format(_id(name), sql.SQL(", ").join(defined)))
    copy = sql.SQL("COPY {} ({}) FROM STDIN").format(_id(name), sql.SQL(", ").join(map(_id, columns)))
    with connection.cursor() as cursor, cursor.copy(copy) as out:
        for row in rows:
            out.write_row([_value(row.get(column), kinds[column]) for column in columns])
    words = name.replace("_", " ")
    told = f"The {words} of the customer who is asking. Asked as: what do my {words} say."
    connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(_id(name), sql.Literal(told)))


def _kind(values: Sequence[Any]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "boolean"
    return "numeric" if kinds and kinds <= {int, float} else "text"


def _value(value: Any, kind: str) -> Any:
    if value is None or kind != "text" or isinstance(value, str):
        return value
    return json.dumps(value)


def _secure(connection: psycopg.Connection[Any], name: str, rows: Rows) -> bool:
    """Give each row to its customer; False where nothing says whose it is."""
    for column, condition in _owned(name):
        if any(column in row for row in rows):
            connection.execute(sql.SQL("ALTER TABLE {} ENABLE ROW LEVEL SECURITY").format(_id(name)))
            connection.execute(
                sql.SQL("CREATE POLICY own ON {} FOR SELECT USING ({})").format(_id(name), condition)
            )
            return True
    return False


def _owned(name: str) -> Iterator[tuple[str, sql.Composable]]:
    yield _OWNER, sql.SQL("{} = citedesk.customer()").format(_id(_OWNER))
    for column, table in _KEYS.items():
        if table != name:
            yield (
                column,
                sql.SQL("{0} IN (SELECT {0} FROM {1} WHERE {2} = citedesk.customer())").format(
                    _id(column), _id(table), _id(_OWNER)
                ),
            )


def _id(name: str) -> sql.Identifier:
    return sql.Identifier(name)
