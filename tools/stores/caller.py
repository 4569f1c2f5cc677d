"""Who is asking, told to PostgreSQL in a way that the statement itself cannot change.

Three things live in the schema `citedesk` of the database that holds the records:

- `bind(customer)` writes one row into an unlogged table that nobody but its owner may touch, under the
  number of the transaction. The lookup calls it first, then makes the transaction read-only for good
  (PostgreSQL refuses to go back once a query has run), and always rolls back: the row is never seen by any
  other transaction.
- `customer()` reads that row. Row-level security policies compare against it. A session setting would be
  shorter, but whoever may run a SELECT may call `set_config` and become somebody else.
- `run_as_ROLE(statement, at_most)` belongs to the reader role and runs with its rights. Inside such a
  function PostgreSQL refuses to change `role` and `session_authorization`, so that a statement cannot climb
  back to the login, however powerful that is. It runs one statement that returns rows and nothing else.

The cost: each lookup takes a transaction number, and the records cannot be a read-only replica.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

GUARD_SCHEMA = "citedesk"

_SETUP = """
CREATE SCHEMA IF NOT EXISTS citedesk;
CREATE UNLOGGED TABLE IF NOT EXISTS citedesk.caller (transaction xid8 PRIMARY KEY, customer text);
CREATE OR REPLACE FUNCTION citedesk.bind(customer text) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'INSERT INTO citedesk.caller VALUES (pg_current_xact_id(), $1)';
CREATE OR REPLACE FUNCTION citedesk.customer() RETURNS text
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
    AS 'SELECT customer FROM citedesk.caller WHERE transaction = pg_current_xact_id_if_assigned()';
REVOKE ALL ON citedesk.caller FROM PUBLIC;
REVOKE ALL ON FUNCTION citedesk.bind(text), citedesk.customer() FROM PUBLIC;
GRANT USAGE ON SCHEMA citedesk TO {role};
GRANT EXECUTE ON FUNCTION citedesk.customer() TO {role};
"""

_RUNNER = """
CREATE OR REPLACE FUNCTION {runner}(statement text, at_most bigint) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER AS $run$
BEGIN
    RETURN QUERY EXECUTE 'SELECT * FROM (' || statement || E'\\n) AS asked LIMIT ' || at_most;
END $run$;
REVOKE ALL ON FUNCTION {runner}(text, bigint) FROM PUBLIC;
GRANT CREATE ON SCHEMA citedesk TO {role};
ALTER FUNCTION {runner}(text, bigint) OWNER TO {role};
REVOKE CREATE ON SCHEMA citedesk FROM {role};
"""


def runner(role: str) -> sql.Identifier:
    """The name of the function that runs statements as `role`."""
    return sql.Identifier(GUARD_SCHEMA, f"run_as_{role}")


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
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {} NOLOGIN").format(name))
        member = sql.Identifier(login) if login else sql.SQL("CURRENT_USER")
        connection.execute(sql.SQL("GRANT {} TO {}").format(name, member))
        connection.execute(sql.SQL(_SETUP).format(role=name))
        connection.execute(sql.SQL(_RUNNER).format(runner=runner(role), role=name))
        if login:
            grant = (
                "GRANT USAGE ON SCHEMA citedesk TO {0}; GRANT EXECUTE ON FUNCTION citedesk.bind(text) TO {0}"
            )
            connection.execute(sql.SQL(grant).format(member))
