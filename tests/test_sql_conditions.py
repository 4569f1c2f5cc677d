"""Whether "no rows" tells all that a statement was held to."""

from __future__ import annotations

import pytest
from sqlglot import parse_one

from agent.grader import grade
from tools.evidence import Evidence
from tools.sql_conditions import holds_more
from tools.sql_lookup import _no_rows
from tools.stores.reading import RowSet

WORDS = ("open", "O-1009")


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM orders",
        "SELECT * FROM orders ORDER BY placed_on LIMIT 5",
        "SELECT * FROM orders WHERE status = 'open'",
        "SELECT * FROM orders WHERE (status = 'open') AND order_id ILIKE '%O-1009%'",
        "SELECT * FROM order_status('O-1009')",
        "SELECT * FROM orders JOIN shipments ON orders.order_id = shipments.order_id WHERE status = 'open'",
        "SELECT * FROM orders JOIN shipments USING (order_id)",
    ],
)
def test_what_is_told_by_its_words(statement: str) -> None:
    """Columns that are to be one of the words, or another column, and nothing else."""
    assert not holds_more(parse_one(statement, dialect="postgres"), WORDS)


@pytest.mark.parametrize(
    "condition",
    [
        "total_eur > 100",
        "status <> 'open'",
        "NOT status = 'open'",
        "status = 'open' OR status = 'O-1009'",
        "status IN ('open')",
        "status = 'some other thing'",
        "delivered_on IS NULL",
        "gift",
        "placed_on = current_date",
        "placed_on BETWEEN shipped_on AND delivered_on",
        "lower(status) = 'open'",
        "EXISTS (SELECT 1 FROM shipments)",
        "order_id IN (SELECT order_id FROM shipments)",
    ],
)
def test_what_is_not(condition: str) -> None:
    """Anything else can leave rows out for a reason that nobody is told."""
    statement = f"SELECT * FROM orders WHERE {condition}"  # noqa: S608 - nothing runs it
    assert holds_more(parse_one(statement, dialect="postgres"), WORDS)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT * FROM orders OFFSET 10",
        "SELECT * FROM orders LIMIT 0",
        "SELECT * FROM spending(2024)",
        "SELECT status FROM orders GROUP BY status HAVING count(*) > 3",
        "SELECT order_id FROM orders EXCEPT SELECT order_id FROM shipments",
        "SELECT * FROM orders o JOIN shipments s ON o.order_id = s.order_id AND s.shipped_on > o.placed_on",
    ],
)
def test_rows_can_be_lost_outside_of_where_too(statement: str) -> None:
    """Numbers given to a function, groups, differences, joins and what is skipped."""
    assert holds_more(parse_one(statement, dialect="postgres"), WORDS)


def test_none_of_some_is_not_none() -> None:
    """Where more was asked than is told, no sentence that there is none passes the grader."""
    found = RowSet("", (), (), False, 0.0, ("my_orders",), of_one=True)
    for more, passes in ((False, True), (True, False)):
        text = _no_rows(RowSet(**{**vars(found), "more": more}))
        evidence = {"R1": Evidence("R1", "records", "my_orders", text)}
        assert grade("You have no orders. [R1]", evidence, "Do I have orders?").passed is passes
