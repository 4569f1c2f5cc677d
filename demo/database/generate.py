"""The rows of the demo company: the same for the same seed, made around one fixed day."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import yaml

from demo.database import words

ANCHOR = date(2026, 11, 30)
"""The day up to which there are orders."""

SEED = 1117
CUSTOMERS = 520
ORDERS = 2400
FIRST_ORDER = date(2023, 1, 2)

PRODUCTS = Path(__file__).parent.parent / "products.yaml"


@dataclass
class Rows:
    """The rows of every table, as tuples in the order of `COLUMNS`."""

    products: list[tuple[Any, ...]] = field(default_factory=list)
    warehouses: list[tuple[Any, ...]] = field(default_factory=list)
    stock: list[tuple[Any, ...]] = field(default_factory=list)
    customers: list[tuple[Any, ...]] = field(default_factory=list)
    orders: list[tuple[Any, ...]] = field(default_factory=list)
    order_lines: list[tuple[Any, ...]] = field(default_factory=list)
    shipments: list[tuple[Any, ...]] = field(default_factory=list)
    refunds: list[tuple[Any, ...]] = field(default_factory=list)
    tickets: list[tuple[Any, ...]] = field(default_factory=list)


@dataclass(frozen=True)
class _Product:
    id: str
    name: str
    kind: str
    price: Decimal
    power: int | None
    released: date
    discontinued: date | None

    def sold_on(self, day: date) -> bool:
        return self.released <= day and (self.discontinued is None or day <= self.discontinued)


@dataclass(frozen=True)
class _Delivered:
    """An order that arrived, for what may follow: a refund or a ticket."""

    order_id: str
    customer_id: str
    delivered_on: date
    lines: tuple[tuple[_Product, int, Decimal], ...]


def generate(seed: int = SEED, products: Path = PRODUCTS) -> Rows:
    """All rows, parents before children."""
    chance = random.Random(seed)  # noqa: S311 - a demo needs the same rows each time, not secrets
    rows = Rows(warehouses=list(words.WAREHOUSES))
    sold = list(_products(rows, products))
    _stock(rows, sold, chance)
    _customers(rows, chance)
    delivered = _orders(rows, sold, chance)
    _refunds(rows, delivered, chance)
    _tickets(rows, delivered, chance)
    return rows


def _products(rows: Rows, path: Path) -> Iterator[_Product]:
    for item in yaml.safe_load(path.read_text(encoding="utf-8")):
        last = re.search(r"discontinued (\d{4}-\d\d-\d\d)", item.get("note", ""))
        product = _Product(
            id=item["id"],
            name=item["name"],
            kind=item["kind"],
            price=Decimal(str(item["price_eur"])).quantize(Decimal("0.01")),
            power=item.get("power_w"),
            released=item["released"],
            discontinued=date.fromisoformat(last[1]) if last else None,
        )
        measures = (item.get("capacity_l"), product.power, item["warranty_years"])
        fixed = (product.id, product.name, product.kind, product.price)
        rows.products.append((*fixed, *measures, product.released, product.discontinued))
        yield product


def _stock(rows: Rows, sold: list[_Product], chance: random.Random) -> None:
    for product in sold:
        empty = product.discontinued is not None or chance.random() < 0.12
        for warehouse, *_ in words.WAREHOUSES:
            quantity = 0 if empty else chance.choice((0, chance.randint(1, 15), chance.randint(16, 240)))
            more = product.discontinued is None and (empty or quantity < 10)
            rows.stock.append((product.id, warehouse, quantity, _later(chance, 2, 25) if more else None))


def _later(chance: random.Random, low: int, high: int) -> date:
    return add_working_days(ANCHOR, chance.randint(low, high))


def _customers(rows: Rows, chance: random.Random) -> None:
    for number in range(1001, 1001 + CUSTOMERS):
        first, last = chance.choice(words.FIRST_NAMES), chance.choice(words.LAST_NAMES)
        city, country = chance.choice(words.CITIES)
        rows.customers.append(
            (
                f"C-{number}",
                f"{first} {last}",
                f"{first}.{last}.{number}@mail.example".lower(),
                f"+31 10 555 {chance.randint(1000, 9999)}" if chance.random() < 0.7 else None,
                f"{chance.choice(words.STREETS)} {chance.randint(1, 180)}",
                city,
                country,
                FIRST_ORDER - timedelta(days=chance.randint(0, 900)),
                chance.random() < 0.4,
                chance.randint(0, 40) * 25,
                "chargeback in the past" if chance.random() < 0.03 else None,
            )
        )


def _orders(rows: Rows, sold: list[_Product], chance: random.Random) -> list[_Delivered]:
    span = (ANCHOR - FIRST_ORDER).days
    # A quarter of the orders falls into the last three weeks, so that there is something under way.
    recent = sorted(chance.randint(0, 20) for _ in range(ORDERS // 4))
    older = sorted(chance.randint(21, span) for _ in range(ORDERS - len(recent)))
    delivered = []
    for position, age in enumerate(reversed([*recent, *older])):
        customer = chance.choice(rows.customers)
        order = _order(rows, f"O-{20001 + position}", customer, ANCHOR - timedelta(days=age), sold, chance)
        if order is not None:
            delivered.append(order)
    return delivered


def _order(
    rows: Rows,
    order_id: str,
    customer: tuple[Any, ...],
    placed: date,
    sold: list[_Product],
    chance: random.Random,
) -> _Delivered | None:
    city, country = customer[5], customer[6]
    choice = [product for product in sold if product.sold_on(placed)]
    picked = chance.sample(choice, k=chance.choice((1, 1, 1, 2, 2, 3)))
    lines = tuple((p, chance.choice((1, 1, 1, 1, 2, 3)), p.price) for p in picked)
    goods = sum((price * quantity for _, quantity, price in lines), Decimal(0))
    express = country in ("NL", "BE") and chance.random() < 0.15
    shipping = Decimal("12.50") if express else Decimal("4.95") if goods < 50 else Decimal("0.00")
    shipped, expected, arrived = _journey(placed, country, express, chance)
    status = _status(placed, shipped, arrived, chance)
    delivery = "express" if express else "standard"
    amounts = (goods, shipping, goods + shipping)
    payment = chance.choice(words.PAYMENTS)
    rows.orders.append((order_id, customer[0], placed, status, delivery, payment, *amounts, city, country))
    for number, (product, quantity, price) in enumerate(lines, start=1):
        rows.order_lines.append((order_id, number, product.id, quantity, price))
    if status not in ("shipped", "delivered"):
        return None
    carrier = chance.choice(words.CARRIERS)
    code = f"{carrier[:2].upper()}{chance.randint(10**9, 10**10 - 1)}"
    seen = arrived if status == "delivered" else None
    rows.shipments.append(
        (f"S-{7001 + len(rows.shipments)}", order_id, carrier, code, shipped, expected, seen)
    )
    return _Delivered(order_id, customer[0], arrived, lines) if seen else None


def _journey(placed: date, country: str, express: bool, chance: random.Random) -> tuple[date, date, date]:
    """Days of leaving, of expected and of real arrival: as the shop promises, with a few late ones."""
    shipped = add_working_days(placed, 0 if express else chance.randint(0, 2))
    longest = 1 if express else 3 if country in words.NEAR else 6
    days = 1 if express else chance.randint(1 if country in words.NEAR else 3, longest)
    late = chance.randint(1, 6) if chance.random() < 0.06 else 0
    return shipped, add_working_days(shipped, longest), add_working_days(shipped, days + late)


def _status(placed: date, shipped: date, arrived: date, chance: random.Random) -> str:
    if chance.random() < 0.04:
        return "cancelled"
    if arrived <= ANCHOR:
        return "delivered"
    if shipped <= ANCHOR:
        return "shipped"
    return "packed" if placed < ANCHOR else "paid"


def _refunds(rows: Rows, delivered: list[_Delivered], chance: random.Random) -> None:
    for order in delivered:
        if chance.random() >= 0.1:
            continue
        product, quantity, price = chance.choice(order.lines)
        requested = order.delivered_on + timedelta(days=chance.randint(0, 13))
        if requested > ANCHOR:
            continue
        received = add_working_days(requested, chance.randint(2, 6))
        paid = add_working_days(received, chance.randint(1, 5))
        reason = chance.choice(words.RETURN_REASONS + (words.MACHINE_REASONS if product.power else ()))
        if received > ANCHOR:
            end: tuple[Any, ...] = ("requested", requested, None, None)
        elif chance.random() < 0.08:
            reason, end = chance.choice(words.REJECTIONS), ("rejected", requested, received, None)
        elif paid > ANCHOR:
            end = ("received", requested, received, None)
        else:
            end = ("paid", requested, received, paid)
        number = f"RF-{3001 + len(rows.refunds)}"
        what = (number, order.order_id, order.customer_id, product.id, price * quantity)
        rows.refunds.append((*what, reason, *end))


def _tickets(rows: Rows, delivered: list[_Delivered], chance: random.Random) -> None:
    for order in delivered:
        if chance.random() >= 0.14:
            continue
        product = chance.choice(order.lines)[0]
        opened = order.delivered_on + timedelta(days=chance.randint(0, 60))
        if opened > ANCHOR:
            continue
        replied: date | None = add_working_days(opened, chance.randint(1, 3))
        solved: date | None = add_working_days(opened, chance.randint(4, 20))
        if replied is not None and replied > ANCHOR:
            replied = None
        if solved is not None and solved > ANCHOR:
            solved = None
        status = "solved" if solved else "waiting for you" if replied else "open"
        subjects = words.SUBJECTS + (words.MACHINE_SUBJECTS if product.power else ())
        subject = chance.choice(subjects).format(product.name)
        number = f"T-{5001 + len(rows.tickets)}"
        what = (number, order.customer_id, product.id, order.order_id, subject)
        rows.tickets.append((*what, status, opened, replied, solved, chance.choice(words.NOTES)))


def add_working_days(day: date, count: int) -> date:
    """`day` plus `count` days from Monday to Friday; with 0, the next of them when it falls on a weekend."""
    while day.weekday() >= 5:
        day += timedelta(days=1)
    for _ in range(count):
        day += timedelta(days=3 if day.weekday() == 4 else 1)
    return day
