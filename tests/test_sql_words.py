"""Which columns are the statement's own words."""

from __future__ import annotations

import pytest

from tools.errors import QueryRejected
from tools.sql_guard import check
from tools.stores.catalogue import Argument, Column, Relation

_CATALOGUE = (
    Relation("shop", "order_status", "function", (Column("summary", "text"),), (Argument("number", "text"),)),
    Relation("shop", "orders", "table", (Column("order_id", "text"), Column("total_eur", "numeric"))),
)


@pytest.mark.parametrize(
    ("statement", "own"),
    [
        (
            "SELECT order_id, CASE WHEN total_eur > 9 THEN 'large' ELSE 'small' END AS size FROM orders",
            {"size"},
        ),
        ("SELECT order_id, 'refunded' AS state FROM orders", {"state"}),
        ("SELECT order_id, coalesce(note, 'none given') AS note FROM orders", {"note"}),
        ("SELECT order_id, order_id || ' is refunded' AS s FROM orders", {"s"}),
        ("SELECT order_id, replace(order_id, 'O-', 'free ') AS s FROM orders", {"s"}),
        ("SELECT order_id, date '2026-12-24' AS arrives FROM orders", {"arrives"}),
        ("SELECT order_id, coalesce(arrived, date '2026-12-24') AS arrives FROM orders", {"arrives"}),
        ("SELECT order_id, CASE WHEN total_eur > 5 THEN 30 END AS days FROM orders", {"days"}),
        ("SELECT order_id, 90 AS days FROM orders", {"days"}),
        ("SELECT order_id, true AS refunded FROM orders", {"refunded"}),
        ("SELECT order_id, to_char(placed, '\"refunded on\" DD') AS d FROM orders", {"d"}),
        ("SELECT order_id, 'paid' AS s FROM orders UNION SELECT order_id, 'open' FROM orders", {"s"}),
        ("SELECT * FROM (SELECT order_id, 'x y' AS label FROM orders) q", {"label"}),
        ("WITH r(n, w) AS (SELECT order_id, 'word' FROM orders) SELECT n, w FROM r", {"w"}),
        ("SELECT n, reverse(w) AS v FROM (SELECT 'dednufer' AS w, order_id AS n FROM orders) t", {"v"}),
        ("SELECT v.s, o.order_id FROM orders o, (VALUES ('paid back')) AS v(s)", {"s"}),
        ("SELECT d, order_id FROM orders, unnest(ARRAY['red', 'blue']) AS d", {"d"}),
        ("SELECT Order_ID, 'paid back' AS State FROM Orders", {"state"}),
        ("SELECT order_id, 'paid back' AS \"State\" FROM orders", {"State"}),
        ("SELECT Q.STATE, q.order_id FROM (SELECT 'paid' AS State, order_id FROM orders) q", {"state"}),
        ("SELECT order_id, s FROM orders, LATERAL (SELECT 'paid back') AS x(S)", {"s"}),
        ("SELECT order_id, (regexp_match('paid back', '.*'))[1] AS s FROM orders", {"s"}),
        ("SELECT order_id, (ARRAY[order_id, 'paid back'])[2] AS s FROM orders", {"s"}),
        (
            "SELECT order_id, (SELECT mode() WITHIN GROUP (ORDER BY 'paid') FROM orders) AS s FROM orders",
            {"s"},
        ),
        ("SELECT order_id, make_date(2026, 12, 24) AS arrives FROM orders", {"arrives"}),
        ("SELECT order_id, greatest(400, 500) AS total_eur FROM orders", {"total_eur"}),
        ("SELECT order_id, now() AS arrives FROM orders", {"arrives"}),
    ],
)
def test_own_words_are_named(statement: str, own: set[str]) -> None:
    """They may label and choose, and are followed by name through every kind of query."""
    assert check(statement, _CATALOGUE, "shop").own == own


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT order_id FROM orders WHERE status = 'paid back' AND placed > date '2026-01-01'",
        "SELECT count(*) FILTER (WHERE status = 'paid back') AS n FROM orders",
        "SELECT sum(CASE WHEN status = 'paid' THEN 1 ELSE 0 END) AS n FROM orders",
        "SELECT coalesce(sum(total_eur), 0) AS total FROM orders",
        "SELECT round(total_eur * 0.19, 2) AS vat FROM orders",
        "SELECT placed - date '2026-01-01' AS days FROM orders",
        "SELECT sum(replace(replace(points, ' points', ''), ',', '')::int) AS points FROM orders",
        "SELECT to_char(placed, 'FMDay, DD FMMonth YYYY HH24:MI') AS at FROM orders",
        "SELECT to_char(total_eur, 'FM999,990.00') AS total FROM orders",
        "SELECT data ->> 'color' AS color FROM orders",
        "SELECT jsonb_build_object('order', order_id) AS j FROM orders",
        "SELECT summary FROM order_status('O-20017')",
        "SELECT first || ' ' || last AS name FROM orders",
        "SELECT order_id, NULL AS ref FROM orders UNION SELECT NULL, order_id FROM orders",
        "SELECT placed AT TIME ZONE 'Europe/Amsterdam' AS at FROM orders",
        "SELECT count(*) FROM (SELECT 'x y' AS label FROM orders) q",
        "SELECT g::date AS day, count(order_id) FROM generate_series(date '2026-01-01', date '2026-01-31',"
        " interval '1 day') g LEFT JOIN orders ON placed = g GROUP BY 1",
    ],
)
def test_what_only_chooses_or_computes_is_none(statement: str) -> None:
    """Comparing, computing, cutting and formatting bring nothing of the statement's own."""
    assert check(statement, _CATALOGUE, "shop").own == set()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT 'returns are free' AS summary FROM orders",
        "SELECT order_id || ' is refunded' AS summary FROM orders",
        "SELECT order_id FROM orders UNION SELECT 'paid back' FROM orders",
        "WITH told AS (SELECT 'paid back' AS s FROM orders) SELECT s FROM told",
        "SELECT n FROM orders, string_to_table('paid back', ' ') AS t(n)",
    ],
)
def test_nothing_but_own_words_is_refused(statement: str) -> None:
    """A result without any record in it is no evidence of anything."""
    with pytest.raises(QueryRejected, match="not a record"):
        check(statement, _CATALOGUE, "shop")


def test_a_name_that_postgresql_would_cut_is_refused() -> None:
    """Cut at 63 bytes it would be another name, and a text under it would not be known for what it is."""
    with pytest.raises(QueryRejected, match="will not do"):
        check("SELECT order_id, 'paid back' AS " + "ä" * 35 + " FROM orders", _CATALOGUE, "shop")


@pytest.mark.parametrize(
    ("statement", "plain"),
    [
        ("SELECT order_id FROM orders WHERE total_eur > 1 ORDER BY 1 LIMIT 3", True),
        ("SELECT o.order_id FROM orders o JOIN orders p USING (order_id)", True),
        ("SELECT count(*) FROM orders", False),
        ("SELECT order_id FROM orders GROUP BY order_id", False),
        ("SELECT rank() OVER (ORDER BY order_id) AS r FROM orders", False),
        ("SELECT a.order_id FROM orders a LEFT JOIN orders b USING (order_id)", False),
        ("SELECT order_id FROM orders WHERE NOT EXISTS (SELECT 1 FROM orders)", False),
        ("SELECT order_id FROM orders EXCEPT SELECT order_id FROM orders", False),
    ],
)
def test_a_plain_statement_gives_rows_as_they_are(statement: str, plain: bool) -> None:
    """Each of its rows is there whoever asks; a count or an absence may follow from who asks."""
    assert check(statement, _CATALOGUE, "shop").plain is plain
