"""Makes a database of one's own ready for lookups: the roles, what they may read, and whose rows they see.

What other roles may do stays as it is. A table gets row-level security together with a policy that lets
everybody go on as before, and another that holds back the reader role alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from tools.stores.caller import prepare, staff_role
from tools.stores.ownership import ForeignKey, Ownership, Table, read_ownership
from tools.stores.readable import Readable, grant, may_read
from tools.stores.safety import KNOWN_CUSTOMER

_OWN, _OTHERS, _STAFF_SEES = "citedesk_own", "citedesk_others", "citedesk_staff"

_TYPE = "SELECT format_type(atttypid, NULL) FROM pg_catalog.pg_attribute WHERE attrelid = %s AND attname = %s"
_TEXTS = ("text", "character varying")


@dataclass(frozen=True)
class Preparation:
    """How a database is to be made ready.

    Attributes:
        schema: The schema that the desk reads.
        role: The reader role.
        login: The role that the desk logs in as, when it is another than the connection's.
        readable: What the reader may read, and nothing else; None leaves the grants as they are.
        customer_columns: The names of columns that say whose a row is; of several in a table the first of
            this list counts.
        staff: Whether there is to be a role that sees the rows of all customers.
    """

    schema: str
    role: str
    login: str | None = None
    readable: tuple[Readable, ...] | None = None
    customer_columns: tuple[str, ...] = ()
    staff: bool = False

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles under which lookups run."""
        return (self.role, staff_role(self.role)) if self.staff else (self.role,)


def prepare_database(connection: psycopg.Connection[Any], wanted: Preparation) -> list[str]:
    """Do all of it in one transaction; returns a line for each thing that changed. Idempotent.

    Raises:
        ConfigurationError: Something that shall be read is not there, or is not this login's to give.
        psycopg.Error: The database refused.
    """
    changes: list[str] = []
    with connection.transaction():
        for role in wanted.roles:
            known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
            prepare(connection, role, login=wanted.login)
            changes += [] if known else [f"made the role {role}"]
        for role in wanted.roles:
            listed = wanted.readable
            if listed is None and role != wanted.role:  # staff read what the reader reads
                listed = tuple(Readable(*place, c) for place, c in may_read(connection, wanted.role).items())
            changes += [] if listed is None else grant(connection, role, listed)
        changes += _guard(connection, wanted)
        changes += _know_customers(connection, wanted)
    return changes


def _ownership(connection: psycopg.Connection[Any], wanted: Preparation) -> Ownership:
    return read_ownership(connection, wanted.schema, wanted.role, wanted.customer_columns)


def _guard(connection: psycopg.Connection[Any], wanted: Preparation) -> list[str]:
    """Give each readable table of customers' rows its policies: their own first, then what refers to them."""
    changes: list[str] = []
    owned = _ownership(connection, wanted)
    for table in owned.readable:
        if table.is_stored and table.customer_columns and not table.policies:
            condition, told = _by_column(connection, table, wanted)
            changes += _hold_back(connection, table, condition, told, wanted)
    while True:
        owned = _ownership(connection, wanted)
        found = [(table, links) for table in owned.readable if (links := _links_to_owned(table, owned))]
        if not found:
            break
        for table, links in found:
            condition, told = _by_links(links, owned)
            changes += _hold_back(connection, table, condition, told, wanted)
    for table in owned.readable if wanted.staff else ():
        changes += _let_staff_see(connection, table, wanted)
    return changes


def _by_column(
    connection: psycopg.Connection[Any], table: Table, wanted: Preparation
) -> tuple[sql.Composable, str]:
    """The customer's own rows, by a column that says whose they are."""
    column = next(one for one in wanted.customer_columns if one in table.customer_columns)
    row = connection.execute(_TYPE, [table.oid, column]).fetchone()
    kind = str(row[0]) if row else "text"
    # Cast the customer and not the column, so that an index on it can be used.
    cast = sql.SQL("") if kind in _TEXTS else sql.SQL("::" + kind)
    condition = sql.SQL("{} = (SELECT citedesk.customer()){}").format(sql.Identifier(column), cast)
    return condition, f"own rows by {column}"


def _links_to_owned(table: Table, owned: Ownership) -> list[ForeignKey]:
    """The foreign keys by which a table without policies follows rows of customers that can be read."""
    if not table.is_stored or table.secured or table.policies or table.customer_columns:
        return []
    links = [
        key
        for key in owned.foreign_keys
        if key.table == table.oid and key.parent != table.oid and owned.tables[key.parent].is_owned
    ]
    followed = all(owned.tables[key.parent].secured and owned.tables[key.parent].readable for key in links)
    return links if followed else []


def _by_links(links: Sequence[ForeignKey], owned: Ownership) -> tuple[sql.Composable, str]:
    """The rows whose parents the customer can see; all of them, where there are several."""
    conditions = []
    for link in links:
        parent = owned.tables[link.parent]
        theirs = sql.SQL(", ").join(sql.Identifier("parent", one) for one in link.parent_columns)
        conditions.append(
            sql.SQL("({}) IN (SELECT {} FROM {} AS parent)").format(
                sql.SQL(", ").join(map(sql.Identifier, link.columns)),
                theirs,
                sql.Identifier(parent.schema, parent.name),
            )
        )
    told = " and ".join(f"{', '.join(link.columns)} of {owned.tables[link.parent].name}" for link in links)
    return sql.SQL(" AND ").join(conditions), f"own rows by {told}"


def _hold_back(
    connection: psycopg.Connection[Any],
    table: Table,
    condition: sql.Composable,
    told: str,
    wanted: Preparation,
) -> list[str]:
    place, reader = sql.Identifier(table.schema, table.name), sql.Identifier(wanted.role)
    if table.secured:  # nobody sees anything yet, so that the reader's own policy is all there is to be
        make = "CREATE POLICY {own} ON {table} FOR SELECT TO {reader} USING ({condition})"
    else:
        make = (
            "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;"
            "CREATE POLICY {others} ON {table} USING (true) WITH CHECK (true);"
            "CREATE POLICY {own} ON {table} AS RESTRICTIVE FOR SELECT TO {reader} USING ({condition})"
        )
    connection.execute(
        sql.SQL(make).format(
            table=place,
            reader=reader,
            condition=condition,
            own=sql.Identifier(_OWN),
            others=sql.Identifier(_OTHERS),
        )
    )
    return [f"{table.place}: {wanted.role} sees {told}; nothing changes for other roles"]


def _let_staff_see(connection: psycopg.Connection[Any], table: Table, wanted: Preparation) -> list[str]:
    names = {
        name
        for (name,) in connection.execute("SELECT polname FROM pg_policy WHERE polrelid = %s", [table.oid])
    }
    if not (table.is_stored and table.secured) or names & {_OTHERS, _STAFF_SEES}:
        return []
    make = sql.SQL("CREATE POLICY {} ON {} FOR SELECT TO {} USING (true)").format(
        sql.Identifier(_STAFF_SEES),
        sql.Identifier(table.schema, table.name),
        sql.Identifier(staff_role(wanted.role)),
    )
    connection.execute(make)
    return [f"{table.place}: {staff_role(wanted.role)} sees every row"]


def _know_customers(connection: psycopg.Connection[Any], wanted: Preparation) -> list[str]:
    """The function that says whether a customer exists, where one table is plainly that of the customers."""
    place = sql.Identifier(wanted.schema, KNOWN_CUSTOMER)
    exists = connection.execute(
        "SELECT to_regprocedure(%s)", [f'"{wanted.schema}".{KNOWN_CUSTOMER}()']
    ).fetchone()
    changes = []
    if exists is None or exists[0] is None:
        owned = _ownership(connection, wanted)
        tables = [
            (wanted.customer_columns.index(table.key[0]), table.place, table)
            for table in owned.tables.values()
            if table.is_stored and len(table.key) == 1 and table.key[0] in wanted.customer_columns
        ]
        if not tables:
            return []
        table = min(tables)[2]
        condition, _ = _by_column(connection, table, wanted)
        # With its owner's rights: the reader need not be able to read the table of all customers.
        body = sql.SQL("SELECT EXISTS (SELECT FROM {} WHERE {})").format(
            sql.Identifier(table.schema, table.name), condition
        )
        make = sql.SQL(
            "CREATE FUNCTION {}() RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER"
            " SET search_path = pg_catalog, pg_temp AS {}; REVOKE ALL ON FUNCTION {}() FROM PUBLIC"
        )
        connection.execute(make.format(place, sql.Literal(body.as_string(connection)), place))
        changes.append(
            f"made {wanted.schema}.{KNOWN_CUSTOMER}(), which looks for the customer in {table.place}"
        )
    for role in wanted.roles:
        connection.execute(
            sql.SQL("GRANT USAGE ON SCHEMA {} TO {role}; GRANT EXECUTE ON FUNCTION {}() TO {role}").format(
                sql.Identifier(wanted.schema), place, role=sql.Identifier(role)
            )
        )
    return changes
