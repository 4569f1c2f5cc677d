# ruff: noqa: S608 - statements are put together from the tests' own names
"""The demo company's records: they hold together, they are protected, and they speak to customers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import psycopg
import pytest
import yaml
from psycopg import sql
from pydantic import TypeAdapter

from demo.database.generate import ANCHOR, PRODUCTS, Rows, add_working_days, generate
from demo.database.load import load
from evals.cases import FOLDER, AnswerCase
from evals.scorers import holds
from tools.errors import BadInput, DeskError, QueryRejected
from tools.row_text import row_text
from tools.sql_catalogue import Catalogue
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

SCHEMA, ROLE = "demo_records", "demo_records_reader"
VIEWS = (
    *("my_orders", "my_open_orders", "my_refunds", "my_tickets", "my_open_tickets", "my_profile"),
    *("my_products", "my_last_order()"),
)


@pytest.fixture(scope="module")
def url(database_url: str) -> str:
    """A database with the demo's records in a schema of its own."""
    load(database_url, schema=SCHEMA, role=ROLE)
    return database_url


@pytest.fixture(scope="module")
def store(url: str) -> Iterator[RecordStore]:
    """The demo's records as the desk reads them."""
    opened = RecordStore(open_pool(url), schema=SCHEMA, role=ROLE)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def rows() -> Rows:
    """The generated rows."""
    return generate()


def _owner(url: str, query: str) -> list[tuple[Any, ...]]:
    """What the superuser sees, who stands above all policies."""
    with psycopg.connect(url, options=f"-c search_path={SCHEMA}") as connection:
        return connection.execute(sql.SQL(query)).fetchall()


def _summaries(store: RecordStore, statement: str, customer: str | None = None) -> list[str]:
    found = store.lookup(statement, customer_id=customer)
    where = found.columns.index("summary")
    return [row[where] for row in found.rows]


def test_the_rows_are_the_same_each_time(rows: Rows) -> None:
    """One seed, one company; another seed, another."""
    assert generate() == rows
    assert generate(seed=2) != rows


def test_there_are_enough_of_them(rows: Rows) -> None:
    """As many customers and orders as promised, with ids of the promised shapes."""
    assert len(rows.customers) >= 500
    assert len(rows.orders) >= 2000
    assert rows.customers[0][0] == "C-1001"
    assert rows.orders[0][0] == "O-20001"
    assert rows.shipments[0][0] == "S-7001"
    assert rows.refunds[0][0] == "RF-3001"
    assert rows.tickets[0][0] == "T-5001"


def test_nothing_happens_after_the_anchor_day(rows: Rows) -> None:
    """Only expected days and deliveries to the warehouse lie ahead."""
    told = [*(o[2] for o in rows.orders), *(s[6] for s in rows.shipments), *(s[4] for s in rows.shipments)]
    told += [day for refund in rows.refunds for day in refund[7:10]]
    told += [day for ticket in rows.tickets for day in ticket[6:9]]
    assert all(day <= ANCHOR for day in told if day is not None)


def test_prices_and_names_are_those_of_the_product_list(rows: Rows) -> None:
    """The product file is the truth from which documents, graph and records are made."""
    listed = yaml.safe_load(PRODUCTS.read_text(encoding="utf-8"))
    assert [(p[0], p[1], float(p[3])) for p in rows.products] == [
        (p["id"], p["name"], p["price_eur"]) for p in listed
    ]


def test_nothing_is_sold_before_it_is_out_or_after_its_end(rows: Rows) -> None:
    """Each order line lies within the product's time of sale."""
    span = {product[0]: (product[7], product[8] or ANCHOR) for product in rows.products}
    placed = {order[0]: order[2] for order in rows.orders}
    assert all(span[line[2]][0] <= placed[line[0]] <= span[line[2]][1] for line in rows.order_lines)


def test_shipping_costs_what_the_policy_says(rows: Rows) -> None:
    """Free from 50 euros, 4.95 below, 12.50 for express, which goes to NL and BE only."""
    for order in rows.orders:
        delivery, goods, shipping, country = order[4], order[6], order[7], order[10]
        expected = "12.50" if delivery == "express" else "0.00" if goods >= 50 else "4.95"
        assert shipping == Decimal(expected)
        assert delivery == "standard" or country in ("NL", "BE")


def test_refunds_are_paid_within_five_working_days(rows: Rows) -> None:
    """From the arrival of the goods, and never more than was paid for them."""
    lines = {(line[0], line[2]): line[3] * line[4] for line in rows.order_lines}
    for _, order, _, product, amount, _, status, _, received, paid in rows.refunds:
        assert amount == lines[order, product]
        assert (paid is not None) == (status == "paid")
        if paid:
            assert received < paid <= add_working_days(received, 5)


def test_working_days_leave_out_weekends() -> None:
    """From a Friday, one working day is Monday; nought from a Saturday is Monday too."""
    assert add_working_days(date(2026, 11, 27), 1) == date(2026, 11, 30)
    assert add_working_days(date(2026, 11, 28), 0) == date(2026, 11, 30)
    assert add_working_days(date(2026, 11, 30), 5) == date(2026, 12, 7)


def test_loading_again_changes_nothing(url: str) -> None:
    """The second load finds the rows standing and leaves them."""
    before = _owner(url, "SELECT oid::bigint FROM pg_class WHERE relname = 'orders' ORDER BY 1")
    load(url, schema=SCHEMA, role=ROLE)
    assert _owner(url, "SELECT oid::bigint FROM pg_class WHERE relname = 'orders' ORDER BY 1") == before


def test_other_peoples_data_is_never_replaced(url: str) -> None:
    """A schema of the same name that the demo did not make is left alone."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "CREATE SCHEMA IF NOT EXISTS precious; CREATE TABLE IF NOT EXISTS precious.kept (n int)"
        )
    with pytest.raises(BadInput, match="DESK_RECORDS_SCHEMA"):
        load(url, schema="precious", role=ROLE)
    assert _owner(url, "SELECT count(*) FROM precious.kept") == [(0,)]


@pytest.mark.parametrize("table", ["customers", "orders", "order_lines", "shipments", "refunds", "tickets"])
def test_every_customer_sees_own_rows_and_no_others(store: RecordStore, url: str, table: str) -> None:
    """For each owned table, what a customer counts is what the superuser counts for them."""
    through = (
        "" if table in ("customers", "orders", "refunds", "tickets") else " JOIN orders USING (order_id)"
    )
    owned = _owner(url, f"SELECT customer_id, count(*) FROM {table}{through} GROUP BY 1 ORDER BY 2 DESC")
    count = f"SELECT count(*) FROM {table}"
    for customer, number in owned[:3]:
        assert store.lookup(count, customer_id=customer).rows == ((number,),)
    for nobody in (None, "C-9999", "' OR true --"):
        assert store.lookup(count, customer_id=nobody).rows == ((0,),)


def test_views_and_functions_show_nothing_of_others(store: RecordStore, url: str) -> None:
    """No view or function gives a customer, or nobody, a row of another's order, refund or ticket."""
    order, refund, ticket = (
        _owner(url, f"SELECT min({key}) FROM {table} WHERE customer_id <> 'C-1042'")[0][0]
        for key, table in (("order_id", "orders"), ("refund_id", "refunds"), ("ticket_id", "tickets"))
    )
    calls = [
        f"{name}('{order}')" for name in ("order_status", "order_items", "order_cost", "refund_of_order")
    ]
    calls += [f"refund_status('{refund}')", f"ticket_status('{ticket}')"]
    for customer in ("C-1042", None):
        for call in calls:
            assert store.lookup(f"SELECT * FROM {call}", customer_id=customer).rows == ()
    for view in VIEWS:
        assert store.lookup(f"SELECT * FROM {view}", customer_id=None).rows == ()
    assert store.lookup("SELECT * FROM my_spending(2026)", customer_id=None).rows == ()


def test_the_policies_hold_with_the_parser_open(store: RecordStore, url: str) -> None:
    """Asked past the parser, the database still gives no address of another customer."""
    for statement in (
        "SELECT email FROM customers",
        "SELECT set_config('role', 'postgres', true), (SELECT string_agg(email, ',') FROM customers)",
        f"SELECT query_to_xml('SELECT email FROM {SCHEMA}.customers', true, true, '')::text",
        f"SELECT email FROM {SCHEMA}.customers WHERE citedesk.bind('C-1001') IS NULL",
        "SELECT most_common_vals::text FROM pg_stats WHERE tablename = 'customers'",
    ):
        try:
            told = repr(store._read(statement, "C-1042").rows)
        except DeskError as error:
            told = str(error)
        assert set(re.findall(r"[\w.]+@[\w.]+", told)) <= {f"{_own_address(url)}"}


def _own_address(url: str) -> str:
    return str(_owner(url, "SELECT email FROM customers WHERE customer_id = 'C-1042'")[0][0])


def test_what_is_for_staff_is_not_readable(store: RecordStore) -> None:
    """The customer's own row holds notes that the desk may not read."""
    for statement in ("SELECT risk_note FROM customers", "SELECT internal_note FROM tickets"):
        with pytest.raises(QueryRejected, match="permission denied"):
            store.lookup(statement, customer_id="C-1042")
    assert "_note" not in Catalogue(tuple(store.catalogue())).describe()


def test_customers_are_known(store: RecordStore) -> None:
    """The desk can check an id before it answers."""
    assert store.known_customer("C-1042")
    assert not store.known_customer("C-9999")


def test_everything_is_described(store: RecordStore, url: str) -> None:
    """Each relation has a comment; functions and views say how customers ask, in five to eight ways."""
    for relation in store.catalogue():
        assert relation.comment, relation.name
        if relation.kind == "table":
            continue
        asked = re.search(r"Asked as: (.*?)\.(?: Example:|$)", relation.comment)
        assert asked, relation.name
        assert 5 <= len(asked[1].split("; ")) <= 8, relation.name
        assert relation.columns[0].name == "summary"
    views = _owner(
        url,
        "SELECT relname, reloptions FROM pg_class WHERE relkind = 'v'"
        f" AND relnamespace = '{SCHEMA}'::regnamespace",
    )
    assert len(views) == 7
    assert all(options == ["security_invoker=true"] for _, options in views)


def test_every_example_of_a_function_can_be_called(store: RecordStore) -> None:
    """The example in each comment runs, for a customer who may see nothing of it."""
    for relation in store.catalogue():
        if relation.kind == "function":
            example = re.search(r"Example: (.+)\.$", relation.comment)
            assert example, relation.name
            store.lookup(f"SELECT * FROM {example[1]}", customer_id="C-1001")


def test_all_summaries_are_sentences(store: RecordStore, url: str) -> None:
    """For every customer and every view, the summary is there and ends like a sentence."""
    busy = _owner(url, "SELECT customer_id FROM orders GROUP BY 1 ORDER BY count(*) DESC LIMIT 5")
    for (customer,) in busy:
        for view in VIEWS:
            for summary in _summaries(store, f"SELECT * FROM {view}", customer):
                assert summary is not None
                assert summary.endswith(".")
    for query in ("order_status(order_id)", "order_cost(order_id)", "order_items(order_id)"):
        missing = f"SELECT count(*) FROM orders o LEFT JOIN LATERAL {query} s ON true WHERE s.summary IS NULL"
        assert _owner(url, missing) == [(0,)]


def test_shipping_by_month_is_what_the_orders_say(store: RecordStore, url: str) -> None:
    """The sum of a month is that of the orders placed in it, without the cancelled ones."""
    for customer in ("C-1001", "C-1042"):
        paid = _owner(
            url,
            "SELECT count(*), coalesce(sum(shipping_eur), 0) FROM orders WHERE status <> 'cancelled'"
            f" AND customer_id = '{customer}' AND placed_on >= '2026-11-01' AND placed_on < '2026-12-01'",
        )
        shipping = store.lookup(
            "SELECT orders, shipping_eur FROM my_shipping_costs(2026, 11)", customer_id=customer
        )
        assert list(shipping.rows) == paid


def test_a_customer_with_everything_under_way(store: RecordStore) -> None:
    """The customer of the examples has an order under way, a refund and a ticket."""
    assert "was shipped on" in _summaries(store, "SELECT * FROM my_last_order()", "C-1042")[0]
    assert _summaries(store, "SELECT * FROM my_refunds", "C-1042")
    assert _summaries(store, "SELECT * FROM my_tickets", "C-1042")


@pytest.mark.parametrize("given", ["O-22317", "o-22317", "22317", " O22317 "])
def test_an_order_number_may_be_written_carelessly(store: RecordStore, given: str) -> None:
    """Letter, dash and spaces do not matter."""
    found = store.lookup(f"SELECT order_id FROM order_status('{given}')", customer_id="C-1042")
    assert found.rows == (("O-22317",),)


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ("Kettle K2", ["Kettle K2"]),
        ("K2", ["Kettle K2"]),
        ("the k2 pro", ["Kettle K2 Pro"]),
        ("white K2 Pro kettle", ["Kettle K2 Pro"]),
        ("P-104", ["Kettle K3"]),
        ("my K3 thing", ["Kettle K3"]),
        ("toasters", ["Toaster T1", "Toaster T2", "Toaster T4"]),
        ("Lid L-20", ["Lid L-20"]),
        ("coffee grinder", ["Coffee Grinder N1"]),
        ("espresso machine", ["Espresso Machine E5"]),
        ("spare parts", ["Lid L-20", "Lid L-30", "Power Base PB-2"]),
        ("zeppelin", []),
        ("", []),
        ("%", []),
    ],
)
def test_a_product_may_be_named_in_many_ways(store: RecordStore, given: str, names: list[str]) -> None:
    """Name, number, kind, a part of the name; the whole name wins over a longer sibling."""
    found = store.lookup(f"SELECT name FROM product_details('{given}')", customer_id=None)
    assert [row[0] for row in found.rows] == names


def test_stock_is_told_for_everybody(store: RecordStore, url: str) -> None:
    """The number is the sum over the warehouses, and an empty shelf is told as such."""
    for name, total in _owner(
        url, "SELECT name, sum(quantity) FROM stock JOIN products USING (product_id) GROUP BY 1"
    ):
        found = store.lookup(f"SELECT summary, quantity FROM stock_of('{name}')", customer_id=None).rows
        assert len(found) == 1
        assert found[0][1] == total
        assert (f"{total} piece" in found[0][0]) == (total > 0)
        assert ("out of stock" in found[0][0]) == (total == 0)


def test_spending_adds_up(store: RecordStore, url: str) -> None:
    """The sum of a year is that of the orders that were not cancelled."""
    expected = _owner(
        url,
        "SELECT count(*), sum(total_eur) FROM orders WHERE customer_id = 'C-1042' AND status <> 'cancelled'"
        " AND extract(year FROM placed_on) = 2026",
    )
    found = store.lookup("SELECT orders, total_eur FROM my_spending(2026)", customer_id="C-1042")
    assert list(found.rows) == expected


def test_the_facts_of_the_eval_cases_stand_in_the_records(store: RecordStore) -> None:
    """What the cases ask for is what this customer can see, and what they forbid belongs to others."""
    cases = TypeAdapter(list[AnswerCase]).validate_python(
        yaml.safe_load((FOLDER / "answers_records.yaml").read_text(encoding="utf-8"))
    )
    assert len(cases) >= 20
    for case in cases:
        statements = [
            f"SELECT * FROM {view}" for view in ("my_orders", "my_refunds", "my_tickets", "my_profile")
        ]
        statements += ["SELECT * FROM my_products", "SELECT * FROM my_spending(2025)"]
        statements += [f"SELECT s.* FROM products p, {of}(p.name) s" for of in ("stock_of", "product_price")]
        statements += [
            f"SELECT * FROM order_status('{order}')" for order in re.findall(r"O-\d+", case.question)
        ]
        found = [store.lookup(statement, customer_id=case.customer) for statement in statements]
        seen = " ".join(row_text(rows.columns, row) for rows in found for row in rows.rows)
        for fact in case.must:
            assert holds(fact, seen), (case.id, fact)
        if case.expect == "refused":
            asked = (
                store.lookup(statements[-1], customer_id=case.customer).rows if "O-" in case.question else ()
            )
            assert asked == (), case.id
