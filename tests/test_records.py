"""Lookups in a real PostgreSQL: whose rows come out, what is refused, and when it is slow or gone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import workshop
from tools.errors import ConfigurationError, DeskError, QueryRejected
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore


def test_a_customer_sees_own_rows(workshop_store: RecordStore) -> None:
    """A lookup returns typed values in the order of the columns, and says what it read."""
    found = workshop_store.lookup("SELECT name, bought FROM bikes ORDER BY bike_id;", customer_id="A")
    assert found.columns == ("name", "bought")
    assert found.rows == (("Amber", date(2026, 3, 3)), ("Azure", None))
    assert found.relations == ("bikes",)
    assert found.sql == "SELECT name, bought FROM bikes ORDER BY bike_id"
    assert (found.capped, found.total) == (False, 2)
    assert found.seconds > 0


@pytest.mark.parametrize(
    "statement", ["SELECT name FROM bikes", "SELECT * FROM bike('%')", "SELECT * FROM my_bikes"]
)
def test_every_way_leads_to_own_rows_only(workshop_store: RecordStore, statement: str) -> None:
    """Row-level security holds through tables, functions and views alike."""
    for customer, count in (("A", 2), ("B", 1), ("C", 0), (None, 0)):
        assert workshop_store.lookup(statement, customer_id=customer).total == count


def test_an_anonymous_caller_sees_what_has_no_owner(workshop_store: RecordStore) -> None:
    """Without a customer there are prices and no bicycles."""
    assert workshop_store.lookup("SELECT count(*) FROM prices", customer_id=None).rows == ((120,),)
    assert workshop_store.lookup("SELECT count(*) FROM bikes", customer_id=None).rows == ((0,),)


@pytest.mark.parametrize("statement", workshop.ATTACKS)
def test_the_database_holds_with_the_parser_open(
    workshop_store: RecordStore, workshop_url: str, statement: str
) -> None:
    """Without the parser in front, nothing of others comes out and nothing is written."""
    before = workshop.bikes(workshop_url)
    try:
        said = repr(workshop_store._read(statement, "A").rows)
    except DeskError as error:
        said = str(error)
    assert workshop.OF_OTHERS not in said
    assert workshop.bikes(workshop_url) == before
    assert workshop_store.lookup("SELECT count(*) FROM bikes", customer_id="A").rows == ((2,),)


@pytest.mark.parametrize("setting", ["role", "session_authorization"])
def test_a_statement_cannot_climb_back_to_the_login(
    workshop_store: RecordStore, workshop_url: str, setting: str
) -> None:
    """Changing the role inside a SELECT is refused by the database, though the login is a superuser."""
    with psycopg.connect(workshop_url, autocommit=True) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION workshop.climb(setting text) RETURNS text LANGUAGE plpgsql"
            " AS $$ BEGIN RETURN set_config(setting, 'postgres', true); END $$"
        )
    with pytest.raises(QueryRejected, match="cannot set parameter"):
        workshop_store._read(f"SELECT climb('{setting}')", "A")


def test_a_write_is_refused_by_both_locks(workshop_store: RecordStore) -> None:
    """The parser says so in its words, and PostgreSQL in others when it is asked directly."""
    with pytest.raises(QueryRejected, match="only SELECT"):
        workshop_store.lookup("DELETE FROM bikes", customer_id="A")
    with pytest.raises(QueryRejected):
        workshop_store._read("DELETE FROM bikes RETURNING name", "A")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(customer=st.text(max_size=20).filter(lambda text: text not in ("A", "B")))
def test_no_customer_id_opens_a_door(workshop_store: RecordStore, customer: str) -> None:
    """Whatever is given as the id, quotes included, is compared and never interpreted."""
    try:
        assert workshop_store.lookup("SELECT name FROM bikes", customer_id=customer).rows == ()
    except QueryRejected:
        assert "\0" in customer  # PostgreSQL's text cannot hold it
    assert workshop_store.known_customer(customer) is False


def test_customers_at_the_same_time_do_not_mix(workshop_store: RecordStore) -> None:
    """Many threads over two connections: each lookup sees its own customer's rows and no other."""

    def names(customer: str) -> set[str]:
        return {row[0] for row in workshop_store.lookup("SELECT name FROM bikes", customer_id=customer).rows}

    with ThreadPoolExecutor(8) as threads:
        seen = list(threads.map(names, ["A", "B"] * 20))
    assert seen == [{"Amber", "Azure"}, {"Zephyr"}] * 20


def test_nothing_of_a_lookup_stays(workshop_store: RecordStore, workshop_url: str) -> None:
    """The binding is gone after the lookup, also after one that failed."""
    workshop_store.lookup("SELECT name FROM bikes", customer_id="B")
    with pytest.raises(QueryRejected):
        workshop_store.lookup("SELECT 1 / (minutes - minutes) AS n FROM prices", customer_id="B")
    with psycopg.connect(workshop_url) as connection:
        assert connection.execute("SELECT count(*) FROM citedesk.caller").fetchone() == (0,)


def test_errors_quote_no_data(workshop_store: RecordStore) -> None:
    """A value that breaks a cast is the customer's: the refusal names the kind of mistake alone."""
    with pytest.raises(QueryRejected) as caught:
        workshop_store.lookup("SELECT name::integer AS number FROM bikes", customer_id="A")
    assert "Amber" not in str(caught.value)
    assert "does not fit its type" in str(caught.value)


def test_errors_help_to_write_it_better(workshop_store: RecordStore) -> None:
    """A wrong or unreadable column is answered with the readable ones."""
    for statement in ("SELECT nmae FROM bikes", "SELECT frame_key FROM bikes", "SELECT * FROM bikes"):
        with pytest.raises(QueryRejected, match=r"bikes these can be read: bike_id, owner, name, bought$"):
            workshop_store.lookup(statement, customer_id="A")


def test_who_is_a_customer(workshop_store: RecordStore) -> None:
    """The schema's own function says so."""
    assert [workshop_store.known_customer(name) for name in ("A", "B", "Z", "", "A\0", "A\udcff")] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def test_a_schema_must_say_who_is_a_customer(workshop_url: str) -> None:
    """Without that function the error says what is needed."""
    with psycopg.connect(workshop_url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS bare; GRANT USAGE ON SCHEMA bare TO workshop_reader")
    store = RecordStore(open_pool(workshop_url), schema="bare", role=workshop.ROLE)
    with pytest.raises(ConfigurationError, match=r"bare\.known_customer\(\) returning boolean"):
        store.known_customer("A")
    store.close()


@pytest.mark.parametrize(
    ("schema", "role", "says"),
    [
        ("workshop", "nobody_here", "no role 'nobody_here'"),
        ("nowhere", workshop.ROLE, "no schema 'nowhere'"),
        ("workshop", "postgres", "postgres is a superuser"),
        ("workshop", "unprepared_reader", "not prepared"),
    ],
)
def test_an_unsafe_or_missing_role_is_refused(workshop_url: str, schema: str, role: str, says: str) -> None:
    """Nothing is read before role, schema and preparation are as they must be."""
    with psycopg.connect(workshop_url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS unprepared_reader; CREATE ROLE unprepared_reader")
    store = RecordStore(open_pool(workshop_url), schema=schema, role=role)
    with pytest.raises(ConfigurationError, match=says):
        store.lookup("SELECT work FROM prices", customer_id=None)
    store.close()
