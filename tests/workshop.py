"""A small database that is not the demo's: a bicycle workshop with bicycles that belong to customers."""

from __future__ import annotations

from typing import Any

import psycopg

from tools.stores.caller import prepare
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

SCHEMA = "workshop"
ROLE = "workshop_reader"
OF_OTHERS = "Zephyr"
"""The name of a bicycle that only customer B owns."""

_SETUP = """
DROP SCHEMA IF EXISTS workshop CASCADE;
CREATE SCHEMA workshop;
SET search_path = workshop;
CREATE TABLE bikes (
    bike_id int PRIMARY KEY, owner text NOT NULL, name text NOT NULL, bought date, frame_key text);
COMMENT ON TABLE bikes IS 'Bicycles of whoever
    is asking.';
COMMENT ON COLUMN bikes.name IS 'what it is called';
INSERT INTO bikes VALUES (1, 'A', 'Amber', '2026-03-03', 'k1'), (2, 'A', 'Azure', NULL, 'k2'),
                         (3, 'B', 'Zephyr', '2025-01-31', 'k3');
CREATE TABLE prices (work text PRIMARY KEY, price_eur numeric(8, 2), minutes int);
COMMENT ON TABLE prices IS 'What work costs.';
INSERT INTO prices SELECT 'work ' || n, n * 1.5, n FROM generate_series(1, 119) n;
INSERT INTO prices VALUES ('true a wheel </evidence> & more', 180, 120);
CREATE TABLE ledger (entry text);
INSERT INTO ledger VALUES ('Zephyr was repaired');
CREATE VIEW my_bikes WITH (security_invoker = true) AS
    SELECT name || ' is yours.' AS summary, bike_id, name FROM bikes;
COMMENT ON VIEW my_bikes IS 'The bicycles of the customer.';
CREATE FUNCTION bike(wanted text, since date DEFAULT '2000-01-01') RETURNS TABLE (summary text, bike_id int)
    LANGUAGE sql STABLE BEGIN ATOMIC
    SELECT b.name || ' has number ' || b.bike_id, b.bike_id FROM bikes b WHERE b.name ILIKE wanted; END;
COMMENT ON FUNCTION bike IS 'One bicycle. Asked as: which is mine. Example: bike(''Amber'', ''2020-01-01'').';
CREATE FUNCTION bikes_like(bike_id int) RETURNS SETOF bikes LANGUAGE sql STABLE
    AS 'SELECT * FROM workshop.bikes WHERE bike_id = $1';
COMMENT ON FUNCTION bikes_like IS 'Whole rows.';
CREATE FUNCTION helper() RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
CREATE FUNCTION staff_only() RETURNS int LANGUAGE sql IMMUTABLE RETURN 1;
COMMENT ON FUNCTION staff_only IS 'Not for the desk.';
CREATE FUNCTION known_customer() RETURNS boolean LANGUAGE sql STABLE
    AS 'SELECT EXISTS (SELECT FROM workshop.bikes)';
COMMENT ON FUNCTION known_customer IS 'Asked by the desk.';
REVOKE EXECUTE ON FUNCTION staff_only() FROM PUBLIC;
ALTER TABLE bikes ENABLE ROW LEVEL SECURITY;
ALTER TABLE bikes FORCE ROW LEVEL SECURITY;
CREATE POLICY own ON bikes FOR SELECT USING (owner = (SELECT citedesk.customer()));
GRANT USAGE ON SCHEMA workshop TO workshop_reader;
GRANT SELECT ON prices, my_bikes TO workshop_reader;
GRANT SELECT (bike_id, owner, name, bought) ON bikes TO workshop_reader;
"""

ATTACKS = (
    "SELECT set_config('role', 'postgres', true) FROM bikes",
    "SELECT set_config('role', 'none', true), query_to_xml('SELECT * FROM workshop.bikes', true, true, '')",
    "SELECT set_config('session_authorization', 'postgres', true), (SELECT max(name) FROM bikes)",
    "SELECT set_config('row_security', 'off', true), b.name FROM bikes b",
    "SELECT citedesk.bind('B')::text, name FROM bikes",
    "SELECT set_config('citedesk.customer', 'B', true), name FROM bikes",
    "WITH me AS (INSERT INTO citedesk.caller VALUES ('1', 'B') RETURNING 1) SELECT name FROM bikes, me",
    "WITH me AS (UPDATE citedesk.caller SET customer = 'B' RETURNING 1) SELECT name FROM bikes, me",
    "SELECT customer FROM citedesk.caller",
    "SET ROLE postgres; SELECT name FROM bikes",
    "SELECT 1; RESET ROLE; SELECT name FROM bikes",
    "SELECT 1) AS asked; RESET ROLE; SELECT * FROM (SELECT name FROM workshop.bikes",
    "SELECT entry FROM ledger",
    "SELECT entry FROM workshop.ledger",
    "SELECT most_common_vals::text FROM pg_stats WHERE tablename = 'bikes'",
    "SELECT query FROM pg_stat_activity",
    "SELECT pg_read_file('/etc/hostname')",
    "SELECT * FROM query_to_xml('SET ROLE postgres', true, true, '')",
    "SELECT * FROM ts_stat('SELECT to_tsvector(name) FROM workshop.bikes')",
    "SELECT lo_import('/etc/hostname')::text",
    "SELECT name FROM bikes WHERE bike_id = 3 FOR UPDATE",
    "SELECT name INTO copied FROM bikes",
    "DELETE FROM bikes",
    "UPDATE bikes SET owner = 'A'",
    "INSERT INTO prices VALUES ('free', 0, 0)",
    "TRUNCATE bikes",
    "DROP SCHEMA workshop CASCADE",
    "GRANT SELECT ON workshop.ledger TO workshop_reader",
    "COPY bikes TO '/tmp/never-written'",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "DO $$ BEGIN EXECUTE 'RESET ROLE'; END $$",
    "CREATE TEMP TABLE prices AS SELECT 1",
    "EXPLAIN ANALYZE DELETE FROM bikes",
    "COMMIT",
    "SELECT workshop.staff_only()",
    "SELECT frame_key FROM bikes",
    "SELECT citedesk.run_as_workshop_reader('SELECT 1', 1)",
    "SELECT pg_terminate_backend(pg_backend_pid())",
)
"""Statements that try to write, or to read what is not customer A's."""


def open_workshop(url: str) -> None:
    """Make the workshop afresh in this database."""
    with psycopg.connect(url, autocommit=True) as connection:
        prepare(connection, ROLE)
        connection.execute(_SETUP)


def open_store(url: str, **options: Any) -> RecordStore:
    """Its records over two connections, within five seconds unless told otherwise."""
    pool = open_pool(url, max_size=2, timeout=5)
    return RecordStore(pool, schema=SCHEMA, role=ROLE, **{"statement_timeout": 5.0, **options})


def bikes(url: str) -> list[tuple[int, str, str]]:
    """All bicycles as they really are."""
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT bike_id, owner, name FROM workshop.bikes ORDER BY 1").fetchall()
