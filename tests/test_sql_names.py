"""What evidence calls columns to which the statement gives names of its own."""

from __future__ import annotations

import pytest

from tools.sql_guard import check
from tools.stores.catalogue import Argument, Column, Relation

_CATALOGUE = (
    Relation(
        "shop",
        "my_orders",
        "function",
        (Column("summary", "text"), Column("order_id", "text")),
        (Argument("since", "date"),),
    ),
    Relation(
        "shop",
        "orders",
        "table",
        tuple(Column(name, "text") for name in ("order_id", "status", "placed_on", "total_eur", "weight_kg")),
    ),
    Relation("shop", "customers", "table", (Column("customer_id", "text"), Column("name", "text"))),
)


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("SELECT total_eur AS refund_eur FROM orders", {"refund_eur": "total_eur"}),
        ("SELECT weight_kg AS total_eur FROM orders", {"total_eur": "weight_kg"}),
        ("SELECT weight_kg Total_EUR FROM orders", {"total_eur": "weight_kg"}),
        ("SELECT placed_on AS delivered_on FROM orders", {"delivered_on": "placed_on"}),
        ("SELECT total_eur AS order_number FROM orders", {"order_number": "total_eur"}),
        ("SELECT total_eur AS status FROM orders", {"status": "total_eur"}),
        (
            "SELECT greatest(weight_kg, total_eur) AS total_eur FROM orders",
            {"total_eur": "greatest_weight_kg"},
        ),
        ("SELECT status AS summary FROM orders, my_orders('2026-01-01') m", {"summary": "status"}),
        ("SELECT max(status) AS summary FROM orders, my_orders('2026-01-01') m", {"summary": "max_status"}),
        ("SELECT count(*) AS open_orders FROM orders", {"open_orders": "count"}),
        ("SELECT count(*) AS open_orders FROM orders WHERE status <> 'open'", {"open_orders": "count"}),
        ("SELECT count(*) AS open_orders FROM orders WHERE NOT status = 'open'", {"open_orders": "count"}),
        ("SELECT sum(total_eur) AS spent_eur FROM orders", {"spent_eur": "sum_total_eur"}),
        ("SELECT sum(total_eur), count(*) FROM orders", {"sum": "sum_total_eur"}),
        ("SELECT sum(weight_kg) AS total_eur FROM orders", {"total_eur": "sum_weight_kg"}),
        ("SELECT total_eur * 0 + 500 AS refund FROM orders", {"refund": "total_eur times 0 plus 500"}),
        ("SELECT total_eur - 9 AS total_eur FROM orders", {"total_eur": "total_eur minus 9"}),
        ("SELECT (total_eur + 1) * (total_eur + 2) / 3 AS won FROM orders", {"won": "computed value"}),
        ("SELECT * FROM (SELECT weight_kg AS paid FROM orders) q", {"paid": "weight_kg"}),
        ("SELECT q.a AS b FROM (SELECT weight_kg AS a FROM orders) q", {"a": "weight_kg", "b": "weight_kg"}),
        ("SELECT d FROM orders AS o(a, b, c, d)", {"d": "total_eur"}),
        ("WITH q(a, b) AS (SELECT order_id, weight_kg FROM orders) SELECT b FROM q", {"b": "weight_kg"}),
        ("SELECT x.paid FROM orders, LATERAL (SELECT weight_kg) AS x(paid)", {"paid": "weight_kg"}),
        ("SELECT paid FROM orders, generate_series(500, 500) paid", {"paid": "generate_series"}),
        ("SELECT won FROM orders, unnest(ARRAY[order_id]) AS u(won)", {"u": "unnest", "won": "unnest"}),
    ],
)
def test_a_name_that_says_something_else_is_replaced(statement: str, shown: dict[str, str]) -> None:
    """By the column's own, or by how it is computed, through every kind of query; the unit goes along."""
    found = check(statement, _CATALOGUE, "shop").shown
    assert {name: found.get(name) for name in shown} == shown


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("SELECT * FROM (SELECT weight_kg AS total_eur FROM orders) q", "total_eur"),
        ("SELECT total_eur FROM orders AS o(a, b, c, d, total_eur)", "total_eur"),
        ("SELECT total_eur FROM customers, orders, generate_series(500, 500) total_eur", "total_eur"),
        ("SELECT o.total_eur FROM orders o, (SELECT weight_kg AS total_eur FROM orders) q", "total_eur"),
        ("SELECT a FROM orders AS o(a), (SELECT total_eur AS order_id FROM orders) q", "a"),
        ("SELECT q.total_eur AS paid FROM (SELECT weight_kg AS total_eur FROM orders) q", "paid"),
        ("SELECT total_eur FROM orders WHERE false UNION ALL SELECT weight_kg FROM orders", "total_eur"),
        ("SELECT * FROM (SELECT total_eur FROM orders UNION SELECT weight_kg FROM orders) q", "total_eur"),
        ("SELECT CASE WHEN true THEN weight_kg ELSE total_eur END AS total_eur FROM orders", "total_eur"),
    ],
)
def test_a_column_s_name_for_something_else_means_nothing(statement: str, name: str) -> None:
    """Where it could be either, it is called neither; two names cannot be swapped."""
    assert check(statement, _CATALOGUE, "shop").shown[name] == "computed value"


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT order_id, total_eur FROM orders",
        "SELECT sum(total_eur), sum(weight_kg) FROM orders",
        "SELECT count(*) FROM orders",
        "SELECT c.name AS customer_name, o.order_id AS order_number FROM customers c, orders o",
        "SELECT total_eur AS order_total_eur, status AS order_status FROM orders",
        "SELECT count(*) AS number_of_orders FROM orders",
        "SELECT count(*) AS open_orders FROM orders WHERE status = 'open'",
        "SELECT count(*) AS open_orders FROM orders WHERE status IN ('open', 'packed')",
        "SELECT sum(total_eur) AS total_eur, max(placed_on) AS last_order FROM orders",
        "SELECT round(avg(total_eur), 2) AS average_total_eur FROM orders",
        "SELECT rank() OVER (ORDER BY total_eur) AS rank_by_total FROM orders",
        "SELECT date_trunc('month', placed_on) AS month, count(*) AS orders FROM orders GROUP BY 1",
        "SELECT coalesce(total_eur, 0) AS total_eur FROM orders",
        "SELECT sum(total_eur) FILTER (WHERE weight_kg > 1) AS total_eur FROM orders",
        "SELECT sum(CASE WHEN status = 'paid' THEN total_eur END) AS paid_total_eur FROM orders",
        "SELECT order_id, total_eur FROM orders UNION ALL SELECT order_id, total_eur FROM orders",
        "SELECT count(*) AS orders FROM orders UNION ALL SELECT count(*) FROM customers",
        "SELECT order_id, NULL AS customer FROM orders UNION SELECT NULL, name FROM customers",
    ],
)
def test_a_name_that_says_what_is_there_is_kept(statement: str) -> None:
    """Made of the names of relations and columns, of what is compared with, and of words that only count."""
    assert check(statement, _CATALOGUE, "shop").shown == {}
