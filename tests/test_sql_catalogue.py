"""The catalogue in words: whole when it is short, the part near the question when it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.sql_catalogue import LONGEST, Catalogue, asked_of_catalogue, line_of
from tools.stores.catalogue import Argument, Column, Relation

RENTALS = Relation(
    "hire",
    "rentals",
    "table",
    (
        Column("rental_id", "text"),
        Column("boat_id", "integer"),
        Column("starts", "timestamp with time zone"),
        Column("price_eur", "numeric(8,2)", "with the deposit"),
    ),
    comment="When somebody rents a boat.",
    references=("boat_id -> boats.boat_id",),
)
BOATS = Relation("hire", "boats", "table", (Column("boat_id", "integer"), Column("name", "character(9)")))
FREE = Relation(
    "hire",
    "free_boats",
    "function",
    (Column("name", "text"),),
    (Argument("seats", "integer"), Argument("day", "date")),
    "Boats that are free. Asked as: is a boat free. Example: free_boats(4, '2026-05-01').",
)
SMALL = Catalogue((FREE, RENTALS, BOATS))
LARGE = Catalogue(
    (
        *SMALL.relations,
        *(
            Relation(
                "hire", f"{topic}_{n}", "table", (Column(f"{topic}_id", "text"), Column("noted", "date"))
            )
            for topic in ("harbour", "crew", "payroll", "weather", "insurance")
            for n in range(60)
        ),
    )
)


def test_a_short_catalogue_is_told_whole() -> None:
    """A line for each relation; under them types, keys and meanings, whatever the question."""
    assert SMALL.describe("anything").splitlines() == [
        "* free_boats(seats integer 4, day date '2026-05-01') -> name: Boats that are free. Asked as: is a"
        " boat free.",
        "* rentals -> rental_id, boat_id, starts, price_eur: When somebody rents a boat.",
        "* boats -> boat_id, name",
        "",
        "Columns, text unless a type is given, with what they mean and which row they name:",
        "rentals: boat_id integer -> boats.boat_id; starts timestamptz; price_eur numeric (with the deposit)",
        "boats: boat_id integer",
    ]
    assert not SMALL.is_large


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What did I pay for the boat I rented?", "rentals"),
        ("Is a boat free tomorrow?", "free_boats"),
        ("What is rentl_id 4?", "rentals"),
        ("crew_17", "crew_17"),
    ],
)
def test_of_a_large_one_the_nearest_are_shown(question: str, name: str) -> None:
    """By the words of names, comments and columns, slips of spelling too; a name in full comes first."""
    assert LARGE.nearest(question)[0].name == name
    told = LARGE.describe(question)
    assert len(told) <= LONGEST
    assert f"* {name}" in told
    assert told.startswith("Shown are the ")
    assert "of 303 relations nearest to the question." in told.splitlines()[0]


def test_what_it_refers_to_comes_along() -> None:
    """A table that has to be joined is near as well, though the question does not name it."""
    names = [one.name for one in LARGE.nearest("What is the price with the deposit?")]
    assert names[:2] == ["rentals", "boats"]


def test_asking_for_more_works_as_it_is_said() -> None:
    """The statement that the description ends with is understood, and gives what was not shown."""
    told = LARGE.describe("What did I pay for the boat?")
    asked = told.splitlines()[-1].partition("SELECT")
    assert asked_of_catalogue(asked[1] + asked[2]) == "a name, or words of what you need"
    assert "* crew_59 " not in told
    more = LARGE.more("crew_59")
    assert more.startswith("Listed: ")
    assert more.splitlines()[1] == "* crew_59 -> crew_id, noted"


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT * FROM citedesk.catalogue('boats');", "boats"),
        ("select name, columns\nfrom citedesk.catalogue ( 'who''s there' ) as c", "who's there"),
        ("SELECT * FROM catalogue('boats')", None),
        ("SELECT * FROM boats, citedesk.catalogue('boats')", None),
        ("SELECT * FROM citedesk.catalogue('boats') UNION SELECT * FROM citedesk.caller", None),
        ("SELECT (SELECT 1) FROM citedesk.catalogue('boats')", None),
        ("SELECT * FROM citedesk.catalogue('a'); DELETE FROM boats", None),
    ],
)
def test_only_that_statement_asks_the_catalogue(statement: str, words: str | None) -> None:
    """Anything else is a lookup, and goes through both locks."""
    assert asked_of_catalogue(statement) == words


def test_a_wide_table_does_not_fill_the_prompt() -> None:
    """Of hundreds of columns the first are shown, and how many there are beside."""
    wide = Relation("hire", "wide", "table", tuple(Column(f"column_number_{n}", "date") for n in range(900)))
    told = Catalogue((wide,)).describe("the wide one")
    assert len(told) < LONGEST
    assert "column_number_39 and 860 more" in told


@given(st.text(max_size=80))
def test_any_question_gets_a_description(question: str) -> None:
    """It keeps to its length and never fails."""
    assert len(LARGE.describe(question)) <= LONGEST
    assert len(LARGE.more(question)) <= LONGEST


def test_an_example_that_does_not_fit_is_left_out() -> None:
    """With other arguments than the function has, it would mislead."""
    odd = Relation("hire", "f", "function", (Column("n", "text"),), (), "Odd. Example: f('a').")
    assert line_of(odd) == "* f() -> n: Odd."
