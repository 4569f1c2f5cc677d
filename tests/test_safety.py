"""What keeps the desk from serving a database."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.shop import READER, SCHEMA, open_shop
from tools.errors import ConfigurationError
from tools.stores.ownership import read_ownership
from tools.stores.postgres import open_pool
from tools.stores.preparation import Preparation, prepare_database
from tools.stores.readable import parse_readable
from tools.stores.reading import Limits, Reader
from tools.stores.records import RecordStore
from tools.stores.safety import strangers_see

COLUMNS = ("customer_id",)


@pytest.fixture(scope="module")
def superuser(database_url: str) -> str:
    """The superuser's URL of a shop that has been made ready."""
    owner = open_shop(database_url, "safe_shop")
    listed = parse_readable("customers(customer_id, name), orders, lines, products, my_orders", SCHEMA)
    with psycopg.connect(owner, autocommit=True) as connection:
        prepare_database(connection, Preparation(SCHEMA, READER, None, listed, COLUMNS))
    return make_conninfo(database_url, dbname="safe_shop")


@contextmanager
def changed(url: str, change: str, back: str) -> Iterator[None]:
    """The database with a change that is taken back."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(change)  # type: ignore[call-overload]
        try:
            yield
        finally:
            connection.execute(back)  # type: ignore[call-overload]


def refusal(url: str) -> str:
    """Why the desk does not serve this database; empty when it does."""
    store = RecordStore(open_pool(url), schema=SCHEMA, role=READER, customer_columns=COLUMNS)
    try:
        store.lookup("SELECT product FROM products", customer_id="1")
    except ConfigurationError as error:
        return str(error)
    finally:
        store.close()
    return ""


def test_a_prepared_database_is_served(superuser: str) -> None:
    """Nothing speaks against it."""
    assert refusal(superuser) == ""


@pytest.mark.parametrize(
    ("change", "back", "says"),
    [
        (
            "ALTER TABLE shop.orders DISABLE ROW LEVEL SECURITY",
            "ALTER TABLE shop.orders ENABLE ROW LEVEL SECURITY",
            r"shop\.orders says whose its rows are \(customer_id\) and has no row-level security",
        ),
        (
            "ALTER TABLE shop.lines DISABLE ROW LEVEL SECURITY",
            "ALTER TABLE shop.lines ENABLE ROW LEVEL SECURITY",
            r"shop\.lines refers to rows of customers in shop\.orders",
        ),
        (
            "ALTER VIEW shop.my_orders RESET (security_invoker)",
            "ALTER VIEW shop.my_orders SET (security_invoker = true)",
            r"view shop\.my_orders reads rows of customers with its owner's rights",
        ),
        (
            "CREATE MATERIALIZED VIEW shop.kept AS SELECT * FROM shop.orders;"
            " GRANT SELECT ON shop.kept TO shop_reader",
            "DROP MATERIALIZED VIEW shop.kept",
            "materialized view",
        ),
        (
            "CREATE TABLE public.notes (customer_id int); GRANT SELECT ON public.notes TO PUBLIC",
            "DROP TABLE public.notes",
            r"public\.notes says whose",
        ),
        (
            "GRANT INSERT ON shop.orders TO shop_reader",
            "REVOKE INSERT ON shop.orders FROM shop_reader",
            "may write",
        ),
        (
            "GRANT UPDATE (total_eur) ON shop.orders TO PUBLIC",
            "REVOKE UPDATE (total_eur) ON shop.orders FROM PUBLIC",
            r"may write shop\.orders",
        ),
        (
            "CREATE SEQUENCE shop.numbers; GRANT USAGE ON SEQUENCE shop.numbers TO shop_reader",
            "DROP SEQUENCE shop.numbers",
            r"may write shop\.numbers",
        ),
        (
            "GRANT CREATE ON SCHEMA shop TO shop_reader",
            "REVOKE CREATE ON SCHEMA shop FROM shop_reader",
            "may create",
        ),
        ("GRANT shop_app TO shop_reader", "REVOKE shop_app FROM shop_reader", "member of shop_app"),
        (
            "GRANT pg_read_all_data TO shop_reader",
            "REVOKE pg_read_all_data FROM shop_reader",
            "member of pg_read_all",
        ),
        (
            "ALTER ROLE shop_reader BYPASSRLS",
            "ALTER ROLE shop_reader NOBYPASSRLS",
            "bypasses row-level security",
        ),
        ("ALTER ROLE shop_reader SUPERUSER", "ALTER ROLE shop_reader NOSUPERUSER", "is a superuser"),
        ("ALTER ROLE shop_reader CREATEROLE", "ALTER ROLE shop_reader NOCREATEROLE", "may create roles"),
        (
            "CREATE TABLE shop.mine (); ALTER TABLE shop.mine OWNER TO shop_reader",
            "DROP TABLE shop.mine",
            "owns",
        ),
        (
            "GRANT SELECT ON pg_authid TO shop_reader",
            "REVOKE SELECT ON pg_authid FROM shop_reader",
            "pg_authid",
        ),
        (
            "GRANT SELECT ON citedesk.lookups TO shop_reader",
            "REVOKE SELECT ON citedesk.lookups FROM shop_reader",
            "desk's own lookups",
        ),
        (
            "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO shop_reader",
            "REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM shop_reader",
            "pg_read_file, which reaches outside",
        ),
        (
            "CREATE FUNCTION shop.peek() RETURNS bigint LANGUAGE sql SECURITY DEFINER"
            " AS 'SELECT count(*) FROM shop.orders'",
            "DROP FUNCTION shop.peek()",
            r"shop\.peek, which runs with its owner's rights",
        ),
    ],
)
def test_what_is_unsafe_is_refused(superuser: str, change: str, back: str, says: str) -> None:
    """One line says what is wrong and what to do; with it taken back, the desk serves again."""
    with changed(superuser, change, back):
        line = refusal(superuser)
        assert line.startswith("DESK_DATABASE_URL: this database is not safe to serve")
        assert re.search(says, line), line
    assert refusal(superuser) == ""


def _strangers(url: str) -> list[str]:
    reader = Reader(SCHEMA, READER, Limits())
    with psycopg.connect(url, autocommit=True) as connection:
        owned = read_ownership(connection, SCHEMA, READER, COLUMNS)
        return [finding.text for finding in strangers_see(connection, reader, owned)]


def test_policies_are_tried_and_not_only_read(superuser: str) -> None:
    """A policy that does not compare with the customer who asks shows itself when nobody asks."""
    assert _strangers(superuser) == []
    with changed(
        superuser,
        "ALTER POLICY citedesk_own ON shop.orders USING (total_eur > 0)",
        "ALTER POLICY citedesk_own ON shop.orders USING (customer_id = (SELECT citedesk.customer())::int)",
    ):
        assert _strangers(superuser)[0].startswith("whoever is not signed in sees rows of shop.orders")


def test_what_was_opened_on_purpose_is_served(superuser: str) -> None:
    """A policy that lets everybody read everything is a decision, and the rows belong to nobody."""
    with changed(
        superuser,
        "DROP POLICY citedesk_own ON shop.lines; DROP POLICY citedesk_own ON shop.orders",
        "CREATE POLICY citedesk_own ON shop.orders AS RESTRICTIVE FOR SELECT TO shop_reader"
        " USING (customer_id = (SELECT citedesk.customer())::integer)",
    ):
        assert refusal(superuser) == ""
        with psycopg.connect(superuser) as connection:
            owned = read_ownership(connection, SCHEMA, READER, COLUMNS)
        assert {table.name for table in owned.readable if table.opened_by} == {"orders", "lines"}
