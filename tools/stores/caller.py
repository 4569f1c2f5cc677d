"""Who is asking, told to PostgreSQL in a way that the statement itself cannot change.

These live in the schema `citedesk` of the database that holds the records:

- `bind(customer)` writes one row into an unlogged table that nobody but its owner may touch, under the
  number of the transaction. The lookup calls it first, then makes the transaction read-only for good
  (PostgreSQL refuses to go back once a query has run), and always rolls back: the row is never seen by any
  other transaction.
- `customer()` reads that row. Row-level security policies compare against it. A session setting would be
  shorter, but whoever may run a SELECT may call `set_config` and become somebody else.
- `run_as_ROLE(statement, rows, cost, bytes)` belongs to the reader role and runs with its rights. Inside such
  a function PostgreSQL refuses to change `role` and `session_authorization`, so that a statement cannot climb
  back to the login, however powerful that is. It runs one statement that returns rows and nothing else, after
  a look at PostgreSQL's own plan of it: what costs too much, reads a system catalogue or calls a function
  that only an administrator needs is refused.
- `lookups` holds who asked what, how many rows that gave and how long it took; `record(…)` writes it. Values
  never come in, neither of the statement nor of its rows.

The cost: each lookup takes a transaction number, and the records cannot be a read-only replica.

With `cpu_operator_cost` at 0 the planner puts no condition of a statement before a policy, even one that it
takes for harmless. Otherwise a cheap condition is tried on other customers' rows first, and whether it then
reaches a subquery that fails, or takes long, tells that such a row exists. See "Rules and Privileges" in
PostgreSQL's manual, and `order_qual_clauses` in its planner, which compares against ten times that cost.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

GUARD_SCHEMA = "citedesk"

TOO_COSTLY = "CD001"
TOO_LARGE = "CD002"
NOT_RECORDS = "CD003"
"""What the runner refuses with, as SQLSTATE: by cost, by bytes, and for what is no record."""

_SETUP = """
CREATE SCHEMA IF NOT EXISTS citedesk;
CREATE UNLOGGED TABLE IF NOT EXISTS citedesk.caller (transaction xid8 PRIMARY KEY, customer text);
CREATE OR REPLACE FUNCTION citedesk.bind(customer text) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'INSERT INTO citedesk.caller VALUES (pg_current_xact_id(), $1)';
CREATE OR REPLACE FUNCTION citedesk.customer() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT customer FROM citedesk.caller WHERE transaction = pg_current_xact_id_if_assigned()';
CREATE TABLE IF NOT EXISTS citedesk.lookups (
    at timestamptz NOT NULL DEFAULT clock_timestamp(), role text NOT NULL, customer text,
    statement text NOT NULL, outcome text NOT NULL, rows bigint NOT NULL, milliseconds real NOT NULL);
CREATE INDEX IF NOT EXISTS lookups_at ON citedesk.lookups USING brin (at);
CREATE OR REPLACE FUNCTION citedesk.record(
        role text, customer text, statement text, outcome text, rows bigint, milliseconds double precision)
    RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS 'INSERT INTO citedesk.lookups VALUES (DEFAULT, $1, $2, $3, $4, $5, $6)';
REVOKE ALL ON citedesk.caller, citedesk.lookups FROM PUBLIC;
REVOKE ALL ON FUNCTION citedesk.bind(text), citedesk.customer(),
    citedesk.record(text, text, text, text, bigint, float8) FROM PUBLIC;
GRANT USAGE ON SCHEMA citedesk TO {role};
GRANT EXECUTE ON FUNCTION citedesk.customer() TO {role};
"""

# A cursor holds one statement that returns rows: nothing can be stacked behind it. The plan is PostgreSQL's
# own reading of the statement, views and all, whatever comments and quotes it was written with.
_RUNNER = r"""
CREATE OR REPLACE FUNCTION {runner}(statement text, at_most bigint, cost double precision, bytes bigint)
    RETURNS SETOF record LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET cpu_operator_cost = 0 AS $run$
DECLARE
    asked text := 'SELECT * FROM (' || statement || E'\n) AS asked LIMIT ' || at_most;
    plan record;
    answer record;
    size bigint := 0;
BEGIN
    FOR plan IN EXECUTE 'EXPLAIN (VERBOSE, FORMAT JSON) ' || asked LOOP
        IF plan."QUERY PLAN"::jsonb @? {system_relations} OR plan."QUERY PLAN"::text ~ {system_calls} THEN
            RAISE EXCEPTION USING ERRCODE = {not_records};
        END IF;
        IF (plan."QUERY PLAN" #>> '{{0,Plan,Total Cost}}')::double precision > cost THEN
            RAISE EXCEPTION USING ERRCODE = {too_costly};
        END IF;
    END LOOP;
    FOR answer IN EXECUTE asked LOOP
        size := size + octet_length(answer::text);
        IF size > bytes THEN
            RAISE EXCEPTION USING ERRCODE = {too_large};
        END IF;
        RETURN NEXT answer;
    END LOOP;
END $run$;
DROP FUNCTION IF EXISTS {runner}(text, bigint);
REVOKE ALL ON FUNCTION {runner}(text, bigint, double precision, bigint) FROM PUBLIC;
GRANT CREATE ON SCHEMA citedesk TO {role};
ALTER FUNCTION {runner}(text, bigint, double precision, bigint) OWNER TO {role};
REVOKE CREATE ON SCHEMA citedesk FROM {role};
"""

_SYSTEM_RELATIONS = (
    '$.** ? (exists(@."Relation Name") && (@."Schema" == "pg_catalog" || @."Schema" == "information_schema"'
    ' || @."Schema" == "citedesk"))'
)
# Where a table lies on the disk (ctid) tells of the rows around it. Policies of your own may well read a
# setting or ask for a role, so that these are not among them; the parser refuses them in a statement.
_SYSTEM_CALLS = (
    r"\m(ctid\M|citedesk\.(?!customer\()|(pg_(?!(typeof|has_role|size_pretty)\()\w+|set_config|ts_stat|ts_rewrite"
    r"|(query|cursor|table|schema|database)_to_xml\w*|lo_\w+|loread|lowrite|txid_\w+|dblink\w*"
    r"|(next|set|curr|last)val)\()"
)

_LOGIN_GRANTS = """
GRANT USAGE ON SCHEMA citedesk TO {0};
GRANT EXECUTE ON FUNCTION citedesk.bind(text), citedesk.record(text, text, text, text, bigint, float8) TO {0};
"""


def runner(role: str) -> sql.Identifier:
    """The name of the function that runs statements as `role`."""
    return sql.Identifier(GUARD_SCHEMA, f"run_as_{role}")


def staff_role(role: str) -> str:
    """The name of the role that sees the rows of all customers, beside a reader role."""
    return f"{role}_staff"


def prepare(connection: psycopg.Connection[Any], role: str, *, login: str | None = None) -> None:
    """Create the reader role (without login) and the guard, in one transaction. Idempotent.

    Args:
        connection: Logged in as a superuser, or as a role that may create roles and schemas.
        role: The role under which every lookup runs. It may read nothing yet: grant it what the desk may see.
        login: The role that the desk logs in as, when it is another than this connection's.
    """
    name = sql.Identifier(role)
    with connection.transaction():
        # Two processes that prepare at once would otherwise collide in the catalogue.
        connection.execute("SELECT pg_advisory_xact_lock(hashtext('citedesk.prepare'))")
        # What is there already is said by the server as notices, which are of no use here.
        connection.execute("SET LOCAL client_min_messages = warning")
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(name))
        # A login that is no superuser must be a member to give a function to the role.
        connection.execute(sql.SQL("GRANT {} TO CURRENT_USER").format(name))
        connection.execute(sql.SQL(_SETUP).format(role=name))
        connection.execute(
            sql.SQL(_RUNNER).format(
                runner=runner(role),
                role=name,
                system_relations=sql.Literal(_SYSTEM_RELATIONS),
                system_calls=sql.Literal(_SYSTEM_CALLS),
                not_records=sql.Literal(NOT_RECORDS),
                too_costly=sql.Literal(TOO_COSTLY),
                too_large=sql.Literal(TOO_LARGE),
            )
        )
        if login:
            member = sql.Identifier(login)
            connection.execute(sql.SQL("GRANT {} TO {}").format(name, member))
            connection.execute(sql.SQL(_LOGIN_GRANTS).format(member))
