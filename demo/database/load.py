"""Puts the demo company's records into a PostgreSQL."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from demo.database.generate import PRODUCTS, Rows, generate
from tools.errors import BadInput
from tools.stores.caller import prepare

_HERE = Path(__file__).parent
_TABLES = "schema.sql"
_AFTER_ROWS = ("views.sql", "products.sql", "security.sql")
_MARK = "Records of the demo company, made by desk demo; fingerprint "

_COLUMN_GRANTS = {
    "customers": "customer_id, name, email, phone, street, city, country, joined, newsletter, points",
    "tickets": "ticket_id, customer_id, product_id, order_id, subject, status, opened_on, last_reply_on,"
    " solved_on",
}
"""What the reader may see of the tables that hold something for staff alone; other tables it reads whole."""


def load(url: str, *, schema: str, role: str) -> None:
    """Create the reader role and the schema with all rows; nothing happens when they stand already.

    Args:
        url: PostgreSQL, logged in as somebody who may create roles and schemas.
        schema: Where the records go. It is replaced when an older demo is in it.
        role: The reader role; see `tools.stores.caller.prepare`.

    Raises:
        BadInput: The schema exists and holds something else than the demo.
        psycopg.Error: The database failed.
    """
    mark = _MARK + _fingerprint(role)
    with psycopg.connect(url, autocommit=True) as connection, connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [schema])
        prepare(connection, role)
        standing = _comment(connection, schema)
        if standing == mark:
            return
        if standing is not None and not standing.startswith(_MARK):
            raise BadInput(f"the schema {schema!r} holds other data: set DESK_RECORDS_SCHEMA to another name")
        name = sql.Identifier(schema)
        connection.execute(sql.SQL("DROP SCHEMA IF EXISTS {0} CASCADE; CREATE SCHEMA {0}").format(name))
        connection.execute(sql.SQL("SET LOCAL search_path = {}, pg_temp").format(name))
        _run(connection, _TABLES)
        _copy(connection, generate())
        for file in _AFTER_ROWS:
            _run(connection, file)
        _grant(connection, schema, role)
        connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(name, sql.Literal(mark)))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(schema, "orders")))


def _fingerprint(role: str) -> str:
    digest = hashlib.sha256(role.encode())
    for path in (*sorted(_HERE.glob("*.sql")), *sorted(_HERE.glob("*.py")), PRODUCTS):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _comment(connection: psycopg.Connection[Any], schema: str) -> str | None:
    """The schema's comment, empty when it has none, None when there is no such schema."""
    row = connection.execute(
        "SELECT coalesce(obj_description(oid, 'pg_namespace'), '') FROM pg_namespace WHERE nspname = %s",
        [schema],
    ).fetchone()
    return None if row is None else str(row[0])


def _run(connection: psycopg.Connection[Any], file: str) -> None:
    connection.execute((_HERE / file).read_bytes())


def _copy(connection: psycopg.Connection[Any], rows: Rows) -> None:
    with connection.cursor() as cursor:
        for table in fields(Rows):  # parents before children, columns in the order of the table
            with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(sql.Identifier(table.name))) as copy:
                for row in getattr(rows, table.name):
                    copy.write_row(row)


def _grant(connection: psycopg.Connection[Any], schema: str, role: str) -> None:
    reader, name = sql.Identifier(role), sql.Identifier(schema)
    connection.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(name, reader))
    connection.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(name, reader))
    for table, columns in _COLUMN_GRANTS.items():
        where = sql.Identifier(schema, table)
        connection.execute(sql.SQL("REVOKE SELECT ON {} FROM {}").format(where, reader))
        listed = sql.SQL(", ").join(map(sql.Identifier, columns.split(", ")))
        connection.execute(sql.SQL("GRANT SELECT ({}) ON {} TO {}").format(listed, where, reader))
