"""Whether a database is safe to serve: what a reader role may do, and whose rows it could see.

Each finding is one line that says what is wrong and what to do. Nothing is changed here.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import psycopg
from psycopg import errors, sql

from tools.errors import ConfigurationError
from tools.stores.ownership import Ownership, Table
from tools.stores.reading import Reader

KNOWN_CUSTOMER = "known_customer"
"""The schema's function without arguments that says whether the bound customer exists. Not for the model."""


@dataclass(frozen=True)
class Finding:
    """Something about a database: `fail` keeps the desk from serving it, `warn` is worth a look."""

    status: Literal["fail", "warn"]
    text: str


_ATTRIBUTES = """
SELECT unnest(array_remove(ARRAY[
    CASE WHEN rolsuper THEN 'is a superuser' END,
    CASE WHEN rolbypassrls THEN 'bypasses row-level security' END,
    CASE WHEN rolcreaterole THEN 'may create roles' END,
    CASE WHEN rolcreatedb THEN 'may create databases' END,
    CASE WHEN rolreplication THEN 'may replicate' END], NULL))
FROM pg_catalog.pg_roles WHERE rolname = %(role)s
"""

_MEMBER = """
SELECT 'is a member of ' || quote_ident(r.rolname) || ' and could become it'
FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles r ON r.oid = m.roleid
JOIN pg_catalog.pg_roles reader ON reader.oid = m.member AND reader.rolname = %(role)s
"""

_OWNER = """
SELECT 'owns ' || pg_describe_object(d.classid, d.objid, d.objsubid) || ', which no policy holds back'
FROM pg_catalog.pg_shdepend d JOIN pg_catalog.pg_roles r ON r.oid = d.refobjid AND r.rolname = %(role)s
WHERE d.refclassid = 'pg_catalog.pg_authid'::regclass AND d.deptype = 'o'
  AND d.dbid IN (0, (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database()))
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc p WHERE d.classid = 'pg_catalog.pg_proc'::regclass
    AND p.oid = d.objid AND p.proname = 'run_as_' || %(role)s
    AND p.pronamespace = to_regnamespace('citedesk'))
"""

_WRITES = """
SELECT 'may write ' || n.nspname || '.' || c.relname
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
  AND has_schema_privilege(%(role)s, n.oid, 'USAGE')
  AND CASE WHEN c.relkind IN ('r', 'p', 'v', 'm', 'f')
           THEN has_table_privilege(%(role)s, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
                OR has_any_column_privilege(%(role)s, c.oid, 'INSERT, UPDATE, REFERENCES')
           WHEN c.relkind = 'S' THEN has_sequence_privilege(%(role)s, c.oid, 'USAGE, UPDATE') END
UNION ALL
SELECT 'may create things in the schema ' || nspname FROM pg_catalog.pg_namespace
WHERE nspname !~ '^pg_' AND has_schema_privilege(%(role)s, oid, 'CREATE')
UNION ALL
SELECT 'may create schemas' WHERE has_database_privilege(%(role)s, current_database(), 'CREATE')
"""

_CATALOGUES = """
SELECT 'may read the catalogue ' || c.relname FROM pg_catalog.pg_class c
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND has_table_privilege(%(role)s, c.oid, 'SELECT')
  AND c.relname IN ('pg_authid', 'pg_shadow', 'pg_statistic', 'pg_statistic_ext_data', 'pg_largeobject',
                    'pg_user_mapping', 'pg_hba_file_rules', 'pg_ident_file_mappings', 'pg_file_settings')
UNION ALL
SELECT DISTINCT 'may read the desk''s own ' || relname FROM pg_catalog.pg_class
WHERE relnamespace = to_regnamespace('citedesk') AND relkind = 'r'
  AND has_table_privilege(%(role)s, oid, 'SELECT')
"""

# Functions that leave the database, or its roles: of PostgreSQL itself, of extensions, in languages that
# may do anything, and of your own with their owner's rights, which no policy holds back.
# PostgreSQL's own things have numbers below 16384 (FirstNormalObjectId).
_FUNCTIONS = """
SELECT DISTINCT 'may call ' || n.nspname || '.' || p.proname || CASE
    WHEN p.prosecdef THEN ', which runs with its owner''s rights past the policies'
    ELSE ', which reaches outside of the database' END
FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
JOIN pg_catalog.pg_language l ON l.oid = p.prolang
LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid
     AND d.deptype = 'e' AND d.refclassid = 'pg_catalog.pg_extension'::regclass
LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
WHERE p.oid >= 16384 AND n.nspname <> 'citedesk'
  AND p.prorettype NOT IN ('trigger'::regtype, 'event_trigger'::regtype)
  AND has_function_privilege(%(role)s, p.oid, 'EXECUTE') AND has_schema_privilege(%(role)s, n.oid, 'USAGE')
  AND (p.prosecdef AND NOT (p.proname = %(known)s AND p.pronargs = 0 AND n.nspname = %(schema)s)
       OR NOT l.lanpltrusted AND l.lanname NOT IN ('c', 'internal')
       OR e.extname IN ('dblink', 'http', 'pg_net', 'adminpack', 'aws_s3', 'aws_lambda', 'pg_cron',
                        'pg_background', 'orafce', 'plproxy', 'pg_curl'))
UNION ALL
SELECT DISTINCT 'may call pg_catalog.' || proname || ', which reaches outside of the database'
FROM pg_catalog.pg_proc
WHERE proname IN ('pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import',
        'lo_export', 'pg_reload_conf', 'pg_rotate_logfile', 'pg_promote', 'pg_create_restore_point',
        'pg_switch_wal')
  AND pronamespace = 'pg_catalog'::regnamespace AND has_function_privilege(%(role)s, oid, 'EXECUTE')
"""


_READY = """
SELECT to_regnamespace(%(schema)s) IS NOT NULL,
       EXISTS (SELECT FROM pg_catalog.pg_proc WHERE pronamespace = to_regnamespace('citedesk')
               AND proname = 'run_as_' || r.rolname AND proowner = r.oid AND pronargs = 4)
FROM pg_catalog.pg_roles r WHERE r.rolname = %(role)s
"""


def require_safe_role(connection: psycopg.Connection[Any], schema: str, role: str) -> None:
    """Let only a role pass that is prepared and may do nothing but read.

    Raises:
        ConfigurationError: It is not; the line says what to do.
    """
    row = connection.execute(_READY, {"schema": f'"{schema}"', "role": role}).fetchone()
    if row is None:
        raise ConfigurationError(f"DESK_READER_ROLE: the database has no role {role!r}; prepare it first")
    for finding in unsafe_role(connection, schema, role):
        raise _unsafe(finding)
    has_schema, prepared = row
    if not has_schema:
        raise ConfigurationError(f"DESK_RECORDS_SCHEMA: the database has no schema {schema!r}")
    if not prepared:
        raise ConfigurationError(
            f"DESK_DATABASE_URL: the database is not prepared for lookups by {role!r};"
            " run `desk database prepare` on it once"
        )


def require_guarded_rows(owned: Ownership) -> None:
    """Let only a database pass in which nobody sees another customer's rows.

    Raises:
        ConfigurationError: Somebody could; the line says where.
    """
    for finding in unguarded_rows(owned):
        if finding.status == "fail":
            raise _unsafe(finding)


def _unsafe(finding: Finding) -> ConfigurationError:
    return ConfigurationError(
        f"DESK_DATABASE_URL: this database is not safe to serve; {finding.text}."
        " `desk database prepare --check` lists everything"
    )


def unsafe_role(connection: psycopg.Connection[Any], schema: str, role: str) -> Iterator[Finding]:
    """What the role may do beyond reading what it was granted."""
    given = {"role": role, "schema": schema, "known": KNOWN_CUSTOMER}
    advice = {
        _ATTRIBUTES: "take that from it with ALTER ROLE, or name another role",
        _MEMBER: "REVOKE it",
        _OWNER: "let another role own it",
        _WRITES: "REVOKE that, from PUBLIC where PUBLIC has it",
        _CATALOGUES: "REVOKE that",
        _FUNCTIONS: "REVOKE EXECUTE on it from the role, and from PUBLIC where PUBLIC has it",
    }
    for query, what in advice.items():
        for (text,) in connection.execute(query, given).fetchall():
            yield Finding("fail", f"{role} {text}: {what}")


def unguarded_rows(owned: Ownership) -> Iterator[Finding]:
    """Rows of customers that the reader could see whoever is asking."""
    for table in owned.readable:
        if table.kind == "v":
            if not table.as_invoker and owned.is_owned(table.oid):
                yield Finding(
                    "fail",
                    f"the view {table.place} reads rows of customers with its owner's rights, past the"
                    f" policies: ALTER VIEW {table.place} SET (security_invoker = true)",
                )
        elif not table.is_stored:
            if owned.is_owned(table.oid):
                yield Finding(
                    "fail",
                    f"{table.place} holds rows of customers and cannot have row-level security, being"
                    f" {'a materialized view' if table.kind == 'm' else 'a foreign table'}: REVOKE it",
                )
        elif not table.secured:
            yield from _unsecured(table, owned)
        elif table.customer_columns and table.opened_by:
            yield Finding(
                "warn", f"everybody sees every row of {table.place}, by its policy {table.opened_by}"
            )


def _unsecured(table: Table, owned: Ownership) -> Iterator[Finding]:
    advice = (
        "`desk database prepare` gives it a policy; or write one, USING (true) where everybody may see it"
    )
    if table.customer_columns:
        columns = " and ".join(table.customer_columns)
        yield Finding(
            "fail",
            f"the table {table.place} says whose its rows are ({columns}) and has no row-level"
            f" security: {advice}",
        )
        return
    for key in owned.foreign_keys:
        parent = owned.tables.get(key.parent)
        if key.table == table.oid and parent and parent.oid != table.oid and parent.is_owned:
            yield Finding(
                "fail",
                f"the table {table.place} refers to rows of customers in {parent.place} and has no row-level"
                f" security: {advice}",
            )
            return


def strangers_see(connection: psycopg.Connection[Any], reader: Reader, owned: Ownership) -> Iterator[Finding]:
    """Rows with an owner that come out although nobody is signed in, or somebody who does not exist.

    This tries the policies themselves, whatever they are written like.
    """
    for table in owned.readable:
        if not (table.is_stored and table.secured and table.customer_columns) or table.opened_by:
            continue
        where = sql.SQL(" OR ").join(
            sql.SQL("{} IS NOT NULL").format(sql.Identifier(column)) for column in table.customer_columns
        )
        place = sql.Identifier(table.schema, table.name)
        for customer in (None, secrets.token_hex(8)):
            try:
                with reader.bound(connection, customer):
                    found = connection.execute(
                        sql.SQL("SELECT FROM {} WHERE {} LIMIT 1").format(place, where)
                    )
                    seen = found.fetchone() is not None
            except (
                errors.DataError,
                errors.InsufficientPrivilege,
            ):  # no such id, or that column is not granted
                continue
            except errors.QueryCanceled:
                yield Finding("warn", f"whether strangers see rows of {table.place} took too long to try")
                break
            if seen:
                who = "whoever is not signed in" if customer is None else "a customer who does not exist"
                yield Finding(
                    "fail",
                    f"{who} sees rows of {table.place} that belong to somebody: its policies must compare"
                    " with citedesk.customer()",
                )
                break
