"""Preparing a database for lookups."""

from __future__ import annotations

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests import workshop
from tools.stores.caller import prepare
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore


def test_preparing_twice_changes_nothing(database_url: str) -> None:
    """The reader role cannot log in, and the second time is harmless."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        for _ in range(2):
            prepare(connection, "twice_reader")
        row = connection.execute(
            "SELECT rolcanlogin, rolsuper, rolbypassrls FROM pg_roles WHERE rolname = 'twice_reader'"
        ).fetchone()
    assert row == (False, False, False)


def test_a_superuser_is_not_needed(database_url: str) -> None:
    """A role that may create roles and schemas can prepare a database of its own, and again later."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS own_records")
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = 'maker'").fetchone():
            connection.execute("CREATE ROLE maker LOGIN CREATEROLE")
        connection.execute("CREATE DATABASE own_records OWNER maker")
    own = make_conninfo(database_url, user="maker", dbname="own_records")
    with psycopg.connect(own, autocommit=True) as connection:
        for _ in range(2):
            prepare(connection, "made_reader")
        connection.execute("SELECT citedesk.bind('A')")


def test_a_login_without_any_other_right_is_enough(database_url: str) -> None:
    """The desk can log in as a role that is not a superuser and owns nothing."""
    workshop.open_workshop(database_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        if not connection.execute("SELECT FROM pg_roles WHERE rolname = 'plain_login'").fetchone():
            connection.execute("CREATE ROLE plain_login LOGIN NOINHERIT")
        prepare(connection, workshop.ROLE, login="plain_login")
    store = RecordStore(
        open_pool(make_conninfo(database_url, user="plain_login")), schema=workshop.SCHEMA, role=workshop.ROLE
    )
    assert store.lookup("SELECT name FROM bikes WHERE bike_id < 3", customer_id="A").total == 2
    assert store.known_customer("B")
    store.close()


def test_the_customer_is_bound_once(database_url: str) -> None:
    """A second binding in the same transaction fails, even for the login."""
    with psycopg.connect(database_url) as connection:
        prepare(connection, "once_reader")
        connection.execute("SELECT citedesk.bind('A')")
        assert connection.execute("SELECT citedesk.customer()").fetchone() == ("A",)
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("SELECT citedesk.bind('B')")


def test_nobody_is_bound_by_default(database_url: str) -> None:
    """Without a binding the customer is unknown, so that policies let nothing through."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        prepare(connection, "once_reader")
        assert connection.execute("SELECT citedesk.customer()").fetchone() == (None,)
