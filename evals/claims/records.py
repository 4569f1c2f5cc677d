"""Claims about rows and edges: what a sentence may say of a record or of how things are connected."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from evals.claims.sources import Piece, edges, rows

Case = tuple[str, bool, bool, str, tuple[Piece, ...]]
"""Kind, good, apart, claim, evidence."""


def record_cases(draw: random.Random) -> Iterator[Case]:
    """Rows read out rightly and wrongly, and edges with their ends as stated or not."""
    for row, piece in rows():
        name, price, years = row["name"], f"€{row['price_eur']:.2f}", row["warranty_years"]
        others = [(other, text) for other, text in rows() if other["name"] != name]
        other, other_piece = draw.choice(others)
        yield "row_read", True, False, f"The {name} has a price of {price}.", (piece,)
        yield "row_list", True, True, f"Name: {name}; kind: {row['kind']}; price: {price}.", (piece,)
        yield "row_value", False, False, f"The {name} has a price of €{row['price_eur'] + 7:.2f}.", (piece,)
        yield "row_column", False, True, f"The {name} has a price of {years} years.", (piece,)
        if (other["price_eur"], other["kind"]) != (row["price_eur"], row["kind"]):
            claim = f"The {name} has a price of €{other['price_eur']:.2f}."
            if other["price_eur"] != row["price_eur"]:
                yield "row_of_another", False, True, claim, (piece, other_piece)
    for (one, words, other_end), piece in draw.sample(edges(), 40):
        yield "edge_read", True, False, f"{one} {words} {other_end}.", (piece,)
        yield "edge_turned", False, True, f"{other_end} {words} {one}.", (piece,)
        end = _elsewhere(one, words, draw)
        if end:
            yield "edge_elsewhere", False, False, f"{one} {words} {end}.", (piece,)


def _elsewhere(one: str, words: str, draw: random.Random) -> Any:
    """An end that this thing is not stated to have."""
    own = {end for (first, middle, end), _ in edges() if (first, middle) == (one, words)}
    others = sorted({end for (_, middle, end), _ in edges() if middle == words} - own - {one})
    return draw.choice(others) if others else None
