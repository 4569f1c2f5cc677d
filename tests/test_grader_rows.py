"""Rows: whose value it is, under which column, and in which row of several."""

from __future__ import annotations

import pytest

from agent.grader.files import grade_claim


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Order O-1 is shipped.", ["order id: O-1; previous status: shipped; status: delivered; total: €5"]),
        ("The bar has milk.", ["name: bar; contains: nuts; free from: milk"]),
        ("The K1 is Germany.", ["name: K1; sold in: France; made in: Germany"]),
        ("Ticket T-1 is Bob.", ["ticket: T-1; opened by: Alice; closed by: Bob"]),
        ("Order O-1 is closed.", ["ticket id: T-1; order id: O-1; status: closed"]),
        ("Order O-1 is paid.", ["refund id: F-3; order id: O-1; status: paid; amount: €20"]),
        ("R-7 is shipped.", ["order id: O-1; replaces: R-7; status: shipped"]),
        ("The warranty is 2 years.", ["name: K1; warranty: 1 year; extended warranty: 2 years"]),
        (
            "The price of the K1 is €45.",
            ["| Product | Region | Price |\n|---|---|---|\n| K1 | EU | €39 |\n| K1 | US | €45 |"],
        ),
        (
            "The price of the K1 is €35.",
            ["product: K1; valid until: 31 December 2025; price: €35", "product: K1; price: €39"],
        ),
        ("The pot is broken.", ["ticket id: T-1; customer message: The pot is broken.; status: open"]),
        ("Pots are made of lead.", ["| Myth | Fact |\n|---|---|\n| Pots are made of lead | They are not |"]),
    ],
)
def test_a_value_stays_with_its_thing_and_column(claim: str, evidence: list[str]) -> None:
    """One status of two, what a thing is free from, a ticket's state told of its order, one price of two,
    other people's words."""
    assert grade_claim(claim, evidence).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Order O-1 is delivered.", ["order id: O-1; status: delivered; total: €5"]),
        ("Ticket T-1 of order O-1 is closed.", ["ticket id: T-1; order id: O-1; status: closed"]),
        ("The K1 is made in Germany.", ["name: K1; sold in: France; made in: Germany"]),
        ("The extended warranty is 2 years.", ["name: K1; warranty: 1 year; extended warranty: 2 years"]),
        ("Filter: where scrap metal.", ["| What | Where |\n|---|---|\n| Filter | scrap metal |"]),
        ("The K1 has a price of €39.", ["id: P-1; name: K1; price: €39"]),
        (
            "Product: K1; Region: US; Price: €45.",
            ["| Product | Region | Price |\n|---|---|---|\n| K1 | EU | €39 |\n| K1 | US | €45 |"],
        ),
    ],
)
def test_a_value_with_its_thing_and_column_passes(claim: str, evidence: list[str]) -> None:
    """Named by its column, its thing, or what tells its row from the other."""
    assert grade_claim(claim, evidence).verdict == "supported"
