"""The parser's lock: what a statement may be, read and bring along."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import workshop
from tools.errors import QueryRejected
from tools.sql_guard import MAX_LENGTH, check
from tools.stores.catalogue import Argument, Column, Relation

_CATALOGUE = (
    Relation("shop", "order_status", "function", (Column("summary", "text"),), (Argument("number", "text"),)),
    Relation("shop", "my_orders", "view", (Column("summary", "text"), Column("order_id", "text"))),
    Relation("shop", "orders", "table", (Column("order_id", "text"), Column("total_eur", "numeric"))),
    Relation("shop", "Order Lines", "table", (Column("line", "integer"),)),
)


def _relations(statement: str) -> tuple[str, ...]:
    return check(statement, _CATALOGUE, "shop").relations


@pytest.mark.parametrize(
    ("statement", "relations"),
    [
        ("SELECT * FROM order_status('O-1');", ("order_status",)),
        ("SELECT summary FROM shop.order_status('O-1') AS s(summary)", ("order_status",)),
        ("SELECT (order_status('O-1')).summary", ("order_status",)),
        ("select * from MY_ORDERS -- newest first", ("my_orders",)),
        ('SELECT line FROM "Order Lines"', ("Order Lines",)),
        (
            "SELECT o.*, s.summary FROM orders o, LATERAL order_status(o.order_id) s",
            ("order_status", "orders"),
        ),
        (
            "SELECT o.* FROM orders o JOIN LATERAL order_status(o.order_id) s ON true",
            ("order_status", "orders"),
        ),
        ("WITH big AS (SELECT * FROM orders WHERE total_eur > 9) SELECT count(*) FROM big", ("orders",)),
        (
            "WITH RECURSIVE r AS (SELECT total_eur n FROM orders UNION SELECT n + 1 FROM r) SELECT n FROM r",
            ("orders",),
        ),
        ("SELECT order_id FROM orders UNION ALL SELECT order_id FROM my_orders", ("orders", "my_orders")),
        ("(SELECT order_id FROM orders) EXCEPT (SELECT order_id FROM my_orders)", ("orders", "my_orders")),
        ("SELECT sum(total_eur) OVER (PARTITION BY order_id ORDER BY 1) AS running FROM orders", ("orders",)),
        ("SELECT count(*) FILTER (WHERE order_id LIKE 'O-2%') AS n FROM orders", ("orders",)),
        ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total_eur) AS middle FROM orders", ("orders",)),
        ("SELECT to_jsonb(o) ->> 'order_id' AS id FROM orders o", ("orders",)),
        ("SELECT DISTINCT ON (order_id) order_id FROM orders GROUP BY ROLLUP (order_id)", ("orders",)),
        ("SELECT order_id FROM orders WHERE now() - interval '3 days' < date '2026-01-01'", ("orders",)),
        (
            "SELECT to_char(now(), 'Month YYYY') AS m, coalesce(sum(total_eur), 0) AS total FROM orders",
            ("orders",),
        ),
        (
            "SELECT string_agg(order_id, ', ') AS ids FROM orders WHERE NOT EXISTS (SELECT 1 FROM my_orders)",
            None,
        ),
        ("SELECT pg_catalog.lower(order_id) AS low FROM orders", ("orders",)),
        ("SELECT json_agg(o ORDER BY order_id) AS list FROM orders o", ("orders",)),
        ("SELECT json_objectagg(order_id: total_eur) AS list FROM orders", ("orders",)),
        ("SELECT order_id FROM orders WHERE total_eur = (SELECT max(total_eur) FROM orders)", ("orders",)),
    ],
)
def test_a_select_over_known_relations_passes(statement: str, relations: tuple[str, ...] | None) -> None:
    """The whole language of reading is allowed, and what is read is named."""
    assert set(_relations(statement)) == set(relations or ("orders", "my_orders"))


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("", "is empty"),
        (" ; ", "is empty"),
        ("SELECT 1; SELECT 2", "only one statement"),
        ("SELECT FROM WHERE", "cannot|reads no record|check the syntax"),
        ("SELEC order_id FROM orders", "check the syntax|only SELECT"),
        ("DELETE FROM orders", "only SELECT"),
        ("VALUES (1)", "only SELECT"),
        ("EXPLAIN SELECT * FROM orders", "only SELECT"),
        ("SHOW ALL", "only SELECT"),
        ("WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone", "not in a WITH either"),
        ("SELECT * INTO copied FROM orders", "leave out INTO"),
        ("SELECT * FROM orders FOR UPDATE", "leave out FOR UPDATE"),
        ("SELECT * FROM orders o, LATERAL (SELECT * FROM my_orders FOR SHARE) m", "leave out FOR UPDATE"),
        ("SELECT * FROM orders WHERE order_id = $1", "no parameters|check the syntax"),
        ("SELECT * FROM orders WHERE order_id = :id", "no parameters"),
        ("SELECT * FROM ordres", 'did you mean "orders"'),
        ("SELECT * FROM order_state('O-1')", 'did you mean "order_status"'),
        ("SELECT * FROM zebra", "there are: Order Lines, my_orders, orders"),
        ("SELECT * FROM order_status", 'no table or view "order_status"'),
        ("SELECT * FROM secret.orders", 'only the schema "shop"'),
        ("SELECT * FROM postgres.shop.orders", 'only the schema "shop"'),
        ("SELECT * FROM other.order_status('O-1')", 'only the schema "shop"'),
        ("SELECT * FROM information_schema.tables", 'only the schema "shop"'),
        ("SELECT * FROM pg_class", "no table or view"),
        ("WITH pg_class AS (SELECT order_id FROM orders) SELECT * FROM pg_class", "is a system name"),
        ('SELECT * FROM "ORDERS"', "no table or view"),
        ("SELECT pg_sleep(5) FROM orders", '"pg_sleep" may not be used'),
        ("SELECT \"set_config\"('a', 'b', true) FROM orders", '"set_config" may not be used'),
        ("SELECT pg_catalog.set_config('a', 'b', true) FROM orders", '"set_config" may not be used'),
        ("SELECT order_id FROM orders ORDER BY pg_sleep(1)", '"pg_sleep" may not be used'),
        ("SELECT order_id FROM orders LIMIT (SELECT pg_backend_pid())", "may not be used"),
        ("SELECT current_user FROM orders", '"current_user" may not be used'),
        ("SELECT * FROM ROWS FROM (order_status('O-1'), pg_ls_dir('/')) AS both_of", "may not be used"),
        ("SELECT query_to_xml('SELECT 1', true, true, '') FROM orders", "may not be used"),
    ],
)
def test_anything_else_is_refused_with_advice(statement: str, says: str) -> None:
    """The refusal says what is wrong and what to write instead."""
    with pytest.raises(QueryRejected, match=says):
        check(statement, _CATALOGUE, "shop")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 1",
        "SELECT 90 AS days FROM orders",
        "SELECT 'returns are free for a year' AS summary FROM orders",
        "SELECT order_id || ' is refunded' AS summary FROM orders",
        "SELECT CASE WHEN total_eur > 0 THEN 'paid back' END AS state FROM orders",
        "SELECT coalesce(order_id, 'not there') AS id FROM orders",
        "SELECT replace(order_id, 'O-', 'free ') AS id FROM orders",
        "SELECT $$paid back$$ AS state FROM orders",
        "SELECT E'paid back' AS state FROM orders",
        "SELECT U&'paid back' AS state FROM orders",
        "SELECT 'pa' 'id' AS state FROM orders",
        "SELECT s FROM orders, (VALUES ('paid back')) AS v(s)",
        "SELECT s FROM orders, unnest(ARRAY['paid back']) AS v(s)",
        'SELECT value FROM orders, json_each_text(\'{"state": "paid back"}\')',
        "SELECT n FROM orders, string_to_table('paid back', ' ') AS t(n)",
        "WITH told AS (SELECT 'paid back' AS s FROM orders) SELECT s FROM told",
        "SELECT order_id FROM orders UNION SELECT 'paid back' FROM orders",
        'SELECT order_id AS "refunds are paid within a day" FROM orders',
        'SELECT o.* FROM orders AS o("refunds are paid within a day")',
        "SELECT order_id AS returns_are_free_for_everybody_and_for_ever FROM orders",
    ],
)
def test_evidence_cannot_be_made_up(statement: str) -> None:
    """A statement that would bring its own words or numbers into the result is refused."""
    with pytest.raises(QueryRejected):
        check(statement, _CATALOGUE, "shop")


@pytest.mark.parametrize("statement", workshop.ATTACKS)
def test_the_parser_holds_without_the_database(statement: str) -> None:
    """Every attack that the parser can know is refused before the database sees it."""
    columns = (Column("bike_id", "integer"), Column("name", "text"))
    catalogue = [Relation("workshop", "bikes", "table", columns)]
    if statement == "SELECT frame_key FROM bikes":  # a matter of rights, which the parser does not know
        assert check(statement, catalogue, "workshop").relations == ("bikes",)
        return
    with pytest.raises(QueryRejected):
        check(statement, catalogue, "workshop")


def test_what_was_looked_for_is_named() -> None:
    """Ids and single words in quotes are kept, to say that nothing matched them."""
    statement = (
        "SELECT * FROM orders WHERE order_id IN ('O-1', '%K3%', 'all of it') OR now() > INTERVAL '9' + now()"
    )
    assert check(statement, _CATALOGUE, "shop").literals == ("O-1", "K3")


def test_long_and_deep_statements_are_refused() -> None:
    """Neither a very long nor a deeply nested statement breaks the parser."""
    deep = "SELECT " + "(" * 4000 + "1" + ")" * 4000
    for statement in ("SELECT " + "1," * MAX_LENGTH, deep, "SELECT '\0' FROM orders"):
        with pytest.raises(QueryRejected):
            check(statement, _CATALOGUE, "shop")


_WORDS = st.sampled_from(
    [
        *(
            "SELECT",
            "FROM",
            "WHERE",
            "WITH",
            "AS",
            "UNION",
            "DELETE",
            "INTO",
            "JOIN",
            "ON",
            "orders",
            "order_id",
        ),
        *("(", ")", ",", "*", ";", "'", '"', "$$", "--", "/*", "*/", "1", "'x'", "::", "E'\\''", "now()"),
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=15).map(" ".join)))
def test_no_text_breaks_the_parser(statement: str) -> None:
    """Whatever comes in, it passes or is refused in one line."""
    try:
        said = " ".join(check(statement, _CATALOGUE, "shop").relations)
    except QueryRejected as error:
        said = str(error)
    assert said
    assert "\n" not in said
