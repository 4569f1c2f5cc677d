"""The list of what may be read."""

from __future__ import annotations

import pytest

from tools.errors import ConfigurationError
from tools.stores.readable import Readable, parse_readable


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("", []),
        ("products", [Readable("shop", "products")]),
        ("Products , other.orders,", [Readable("shop", "products"), Readable("other", "orders")]),
        ("orders(order_id, Total)", [Readable("shop", "orders", ("order_id", "total"))]),
        ("order_status()", [Readable("shop", "order_status", (), True)]),
        ('"Order Lines"("Line No", a)', [Readable("shop", "Order Lines", ("Line No", "a"))]),
        ('"a.b"."c"', [Readable("a.b", "c")]),
    ],
)
def test_entries(text: str, entries: list[Readable]) -> None:
    """Names with or without schema and columns, as PostgreSQL writes and keeps them."""
    assert list(parse_readable(text, "shop")) == entries


@pytest.mark.parametrize("text", ["orders;", "orders products", "orders(a", "a.b.c", ", orders"])
def test_anything_else_is_refused(text: str) -> None:
    """The line names the setting and shows where it stops."""
    with pytest.raises(ConfigurationError, match=r"DESK_READABLE: it cannot be read at"):
        parse_readable(text, "shop")
