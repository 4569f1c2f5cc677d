"""A database of one's own is made ready by its owner, who is no superuser."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.shop import LOGIN, OTHER_APP, READER, SCHEMA, open_shop
from tools.errors import ConfigurationError, QueryRejected
from tools.stores.postgres import open_pool
from tools.stores.preparation import Preparation, prepare_database
from tools.stores.readable import parse_readable
from tools.stores.records import RecordStore

LISTED = parse_readable("customers(customer_id, name), orders, lines, products, my_orders", SCHEMA)
WANTED = Preparation(SCHEMA, READER, LOGIN, LISTED, ("customer_id",), staff=True)


@pytest.fixture(scope="module")
def owner(database_url: str) -> str:
    """The owner's URL of a shop that has been made ready."""
    url = open_shop(database_url, "prepared_shop")
    with psycopg.connect(url, autocommit=True) as connection:
        prepare_database(connection, WANTED)
    return url


@pytest.fixture(scope="module")
def store(owner: str) -> Iterator[RecordStore]:
    """The shop as the desk reads it, logged in as a role that owns nothing."""
    pool = open_pool(make_conninfo(owner, user=LOGIN))
    opened = RecordStore(pool, schema=SCHEMA, role=READER, customer_columns=("customer_id",), staff=True)
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("statement", "ada", "bob"),
    [
        ("SELECT name FROM customers", [("Ada",)], [("Bob",)]),
        ("SELECT order_id FROM orders ORDER BY 1", [("O-1",), ("O-2",)], [("O-3",)]),
        ("SELECT order_id FROM my_orders ORDER BY 1", [("O-1",), ("O-2",)], [("O-3",)]),
        ("SELECT order_id FROM lines ORDER BY 1", [("O-1",), ("O-2",)], [("O-3",)]),
        ("SELECT product FROM products ORDER BY 1", [("cup",), ("pot",)], [("cup",), ("pot",)]),
    ],
)
def test_each_customer_sees_own_rows(
    store: RecordStore, statement: str, ada: list[tuple[str]], bob: list[tuple[str]]
) -> None:
    """By a column, through a view, and along a foreign key; what belongs to nobody is for all."""
    assert list(store.lookup(statement, customer_id="1").rows) == ada
    assert list(store.lookup(statement, customer_id="2").rows) == bob


def test_nobody_else_sees_any(store: RecordStore) -> None:
    """Neither whoever is not signed in, nor somebody who does not exist, nor an id that is no number."""
    assert store.lookup("SELECT order_id FROM orders", customer_id=None).rows == ()
    assert store.lookup("SELECT order_id FROM orders", customer_id="3").rows == ()
    with pytest.raises(QueryRejected, match="does not fit its type"):
        store.lookup("SELECT order_id FROM orders", customer_id="one")
    assert [store.known_customer(one) for one in ("1", "2", "3", "one")] == [True, True, False, False]


def test_staff_see_all_where_that_is_allowed(store: RecordStore, owner: str) -> None:
    """Under a role of its own; a store that was not opened for it refuses."""
    assert store.lookup("SELECT count(*) FROM orders", customer_id=None, staff=True).rows == ((3,),)
    assert store.lookup("SELECT count(*) FROM lines", customer_id=None, staff=True).rows == ((3,),)
    closed = RecordStore(open_pool(make_conninfo(owner, user=LOGIN)), schema=SCHEMA, role=READER)
    with pytest.raises(ConfigurationError, match="DESK_STAFF_RECORDS"):
        closed.lookup("SELECT count(*) FROM orders", customer_id=None, staff=True)
    closed.close()


def test_a_column_that_is_not_listed_stays_closed(store: RecordStore) -> None:
    """The list may name some columns of a table."""
    with pytest.raises(QueryRejected, match="permission denied"):
        store.lookup("SELECT secret FROM customers", customer_id="1")


def test_other_applications_go_on_as_before(owner: str) -> None:
    """They see and change every row, although the tables have policies now."""
    with psycopg.connect(make_conninfo(owner, user=OTHER_APP)) as connection:
        assert connection.execute("SELECT count(*) FROM shop.orders").fetchone() == (3,)
        connection.execute("INSERT INTO shop.orders VALUES ('O-9', 2, 1)")
        assert connection.execute("UPDATE shop.lines SET product = 'mug'").rowcount == 3
        connection.rollback()


def test_a_second_time_changes_nothing(owner: str) -> None:
    """It can be run as often as one likes."""
    with psycopg.connect(owner, autocommit=True) as connection:
        assert prepare_database(connection, WANTED) == []


def test_what_is_taken_off_the_list_is_closed_again(database_url: str) -> None:
    """The list is all that may be read, and each change is told."""
    url = open_shop(database_url, "changed_shop")
    with psycopg.connect(url, autocommit=True) as connection:
        for text in ("products, orders", "products"):
            listed = parse_readable(text, SCHEMA)
            told = prepare_database(connection, Preparation(SCHEMA, READER, None, listed, ("customer_id",)))
    assert told == [f"{READER} may no longer read shop.orders"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing_here", "shop.nothing_here cannot be granted"),
        ("orders(nothing)", "shop.orders cannot be granted"),
        ("elsewhere.orders", "elsewhere.orders cannot be granted"),
        ("missing()", "shop.missing cannot be granted"),
    ],
)
def test_what_is_not_there_is_named(owner: str, text: str, says: str) -> None:
    """And nothing is changed."""
    wanted = Preparation(SCHEMA, READER, LOGIN, parse_readable(text, SCHEMA), ("customer_id",))
    with psycopg.connect(owner, autocommit=True) as connection:
        with pytest.raises(ConfigurationError, match=says):
            prepare_database(connection, wanted)
        assert prepare_database(connection, WANTED) == []
