# ruff: noqa: S608 - statements are put together from the tests' own names
"""Attacks on the demo's records: whatever a customer asks, the answer knows nothing of anybody else."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from psycopg.conninfo import make_conninfo

from demo.database.load import load
from evals.bench._attacks import Attack, Target, attacks
from evals.bench._worlds import Worlds, open_worlds
from tools.errors import QueryRejected
from tools.sql_guard import check

SCHEMA, ROLE, ME = "attacked", "attacked_reader", "C-1042"

TICKETS = Target(
    schema=SCHEMA,
    role=ROLE,
    table="tickets",
    owner="customer_id",
    key="ticket_id",
    column="subject",
    nullable="solved_on",
    public="products",
    number="warranty_years",
    hidden="notes_of_staff",
    me=ME,
    other="C-1001",
    other_key="T-0000",
)

_LEAVE = {
    "tickets": f"customer_id = '{ME}'",
    "refunds": f"customer_id = '{ME}'",
    "shipments": f"order_id IN (SELECT order_id FROM {SCHEMA}.orders WHERE customer_id = '{ME}')",
    "order_lines": f"order_id IN (SELECT order_id FROM {SCHEMA}.orders WHERE customer_id = '{ME}')",
    "orders": f"customer_id = '{ME}'",
    "customers": f"customer_id = '{ME}'",
}


@pytest.fixture(scope="module")
def worlds(database_url: str) -> Iterator[Worlds]:
    """The demo's records with all their customers, and with the attacker alone."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE attacked")
    url = make_conninfo(database_url, dbname="attacked")
    load(url, schema=SCHEMA, role=ROLE)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE TABLE {SCHEMA}.{TICKETS.hidden} AS SELECT 'nobody reads this' AS note")
        other = connection.execute(
            f"SELECT customer_id, ticket_id FROM {SCHEMA}.tickets WHERE customer_id <> %s ORDER BY 2 LIMIT 1",
            [ME],
        ).fetchone()
    assert other is not None
    target = Target(**{**vars(TICKETS), "other": other[0], "other_key": other[1]})
    opened = open_worlds(url, _LEAVE, target, statement_timeout=0.5, row_cap=20, cost_ceiling=10_000)
    yield opened
    opened.close()


def _shown(attack: Attack) -> str:
    return f"{attack.kind}-{attack.sql[:60]}"


ALL = attacks(TICKETS)


def test_there_are_many_attacks() -> None:
    """They are no fewer than 150, all different."""
    assert len({attack.sql for attack in ALL}) == len(ALL) >= 150


def test_both_locks_tell_nothing_of_others(worlds: Worlds) -> None:
    """Through parser and database, a customer is told the same whether others have rows or not."""
    stored = worlds.fingerprints()
    for attack in attacks(worlds.target):
        assert worlds.leak(attack, parser=True) == ""
    assert worlds.fingerprints() == stored


def test_the_database_alone_tells_nothing_of_others(worlds: Worlds) -> None:
    """With the parser open, the same holds for every attack, and nothing is written."""
    stored = worlds.fingerprints()
    for attack in attacks(worlds.target):
        assert worlds.leak(attack, parser=False) == ""
    assert worlds.fingerprints() == stored


@pytest.mark.parametrize("attack", [one for one in ALL if not one.honest], ids=_shown)
def test_the_parser_alone_refuses(worlds: Worlds, attack: Attack) -> None:
    """With the database open, whatever is no ordinary SELECT over the records does not reach it."""
    with pytest.raises(QueryRejected):
        check(attack.sql, worlds.stores[0].catalogue(), SCHEMA)


# Conditions on a row that only somebody else has, ways to notice that one held, and places to put them.
_SEEN = st.sampled_from(
    [
        "t.customer_id = '{other}'",
        "t.customer_id <> '{me}'",
        "t.ticket_id = '{other_key}'",
        "t.ticket_id IN ('{other_key}', 'T-1')",
        "t.solved_on IS NULL",
        "t.product_id IS NOT NULL",
        "t.subject > 'M'",
        "t.subject LIKE '%e%'",
        "t.opened_on < current_date",
    ]
)
_NOTICED = st.sampled_from(
    [
        "(SELECT 1 / (count(*) - count(*)) = 1 FROM products)",
        "(SELECT max(name)::int = 1 FROM products)",
        "1 / (t.warranty - t.warranty) = 1",
        "t.subject::int = 1",
        "t.opened_on::text::jsonb IS NULL",
        "(SELECT name FROM products) = 'x'",
        "pg_sleep(9) IS NULL",
        "set_config('role', 'postgres', true) = 'x'",
        "query_to_xml('SELECT 1 / 0', true, true, '') IS NULL",
        "t.ctid = '(0,1)'",
        "true",
    ]
)
_CONDITION = st.recursive(
    _SEEN,
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("NOT ({})".format, inner),
        st.builds("CASE WHEN {} THEN {} END".format, inner, _NOTICED),
        st.builds("coalesce({}, {})".format, inner, _NOTICED),
        st.builds("({} AND {})".format, inner, _NOTICED),
        st.builds("({} OR {})".format, inner, _NOTICED),
    ),
    max_leaves=4,
)
_ROWS = "(SELECT *, 1 AS warranty FROM tickets)"
_PLACE = st.sampled_from(
    [
        "SELECT t.subject FROM {rows} t WHERE {it}",
        "SELECT t.subject FROM tickets t WHERE {it}",
        "SELECT count(*) FROM tickets t WHERE {it}",
        "SELECT count(*) FILTER (WHERE {it}) AS n FROM tickets t",
        "SELECT max(CASE WHEN {it} THEN t.subject END) AS m FROM tickets t",
        "SELECT p.name FROM products p LEFT JOIN tickets t ON {it} ORDER BY 1",
        "SELECT p.name FROM products p JOIN {rows} t ON t.product_id = p.product_id AND {it} ORDER BY 1",
        "SELECT p.name FROM products p WHERE EXISTS (SELECT 1 FROM tickets t WHERE {it}) ORDER BY 1",
        "SELECT p.name FROM products p WHERE product_id NOT IN (SELECT product_id FROM tickets t WHERE {it})",
        "SELECT p.name, x.n FROM products p, LATERAL (SELECT count(*) AS n FROM tickets t WHERE {it}) x",
        "SELECT t.subject, rank() OVER (ORDER BY {it}) AS r FROM tickets t",
        "SELECT {it} AS b, count(*) FROM tickets t GROUP BY 1",
        "SELECT t.subject FROM tickets t ORDER BY {it}, t.ticket_id",
        "SELECT t.subject FROM tickets t UNION SELECT t.status FROM tickets t WHERE {it}",
        "WITH t AS (SELECT * FROM tickets) SELECT t.subject FROM t WHERE {it}",
        "WITH t AS MATERIALIZED (SELECT * FROM tickets) SELECT count(*) FROM t WHERE {it}",
        "SELECT p.name FROM products p LIMIT (SELECT count(*) FROM tickets t WHERE {it})",
        "SELECT s.carrier FROM shipments s JOIN tickets t ON t.order_id = s.order_id WHERE {it}",
        "SELECT t.subject FROM my_tickets m JOIN tickets t USING (ticket_id) WHERE {it}",
    ]
)


@settings(max_examples=60, deadline=None)
@given(place=_PLACE, it=_CONDITION)
def test_no_statement_of_the_grammar_tells_of_others(worlds: Worlds, place: str, it: str) -> None:
    """Conditions, failures and places put together at random tell the same in both worlds, by either way."""
    target = worlds.target
    where = it.replace("{other}", target.other).replace("{other_key}", target.other_key).replace("{me}", ME)
    statement = place.replace("{it}", where).replace("{rows}", _ROWS)
    for parser in (True, False):
        assert worlds.leak(Attack("grammar", statement, honest=True), parser=parser) == ""
