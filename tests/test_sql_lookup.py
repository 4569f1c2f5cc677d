"""The records tool as a model sees it, over a real PostgreSQL."""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from agents.tool_context import ToolContext

from tests import workshop
from tools.context import DeskContext, Sources
from tools.sql_lookup import build
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore


@pytest.fixture(scope="module")
def store(database_url: str) -> Iterator[RecordStore]:
    """The workshop's records, five rows at most."""
    workshop.open_workshop(database_url)
    opened = RecordStore(open_pool(database_url), schema=workshop.SCHEMA, role=workshop.ROLE, row_cap=5)
    yield opened
    opened.close()


@pytest.fixture
def down(tmp_path: Path) -> Iterator[RecordStore]:
    """Records whose database is not there."""
    opened = RecordStore(open_pool(f"postgresql:///x?host={tmp_path}", timeout=0.3), schema="s", role="r")
    yield opened
    opened.close()


def _desk(store: RecordStore | None, customer: str | None = "A", searches: int = 8) -> DeskContext:
    return DeskContext(
        Sources(records=store),
        customer_id=customer,
        clock=lambda: datetime(2026, 11, 30, 9, tzinfo=UTC),
        max_searches=searches,
        question="Which is mine?",
    )


def _call(desk: DeskContext, sql: str) -> str:
    async def call() -> str:
        tool = build(desk.sources)
        arguments = json.dumps({"sql": sql})
        context = ToolContext(desk, tool_name=tool.name, tool_call_id="call", tool_arguments=arguments)
        return str(await tool.on_invoke_tool(context, arguments))

    return asyncio.run(call())


def test_the_description_is_docstring_and_live_catalogue(store: RecordStore) -> None:
    """Example questions, then a line for each relation: arguments, examples, columns, comment."""
    tool = build(Sources(records=store))
    prose, _, catalogue = tool.description.partition("\n\n")
    assert tool.name == "sql_lookup"
    assert len(re.findall(r'^- ".+"$', prose, re.MULTILINE)) >= 12
    assert catalogue.splitlines() == [
        "* bike(wanted text 'Amber', since date '2020-01-01') -> summary, bike_id:"
        " One bicycle. Asked as: which is mine.",
        "* bikes_like(bike_id integer) -> bike_id, owner, name, bought, frame_key: Whole rows.",
        "* my_bikes -> summary, bike_id, name: The bicycles of the customer.",
        "* bikes -> bike_id, owner, name, bought: Bicycles of whoever is asking.",
        "* prices -> work, price_eur, minutes: What work costs.",
        "",
        "Columns, text unless a type is given, with what they mean and which row they name:",
        "bike: bike_id integer",
        "bikes_like: bike_id integer; bought date",
        "my_bikes: bike_id integer",
        "bikes: bike_id integer; name (what it is called); bought date",
        "prices: price_eur numeric; minutes integer",
    ]
    assert tool.strict_json_schema
    assert tool.params_json_schema["required"] == ["sql"]


def test_the_catalogue_can_be_asked(store: RecordStore) -> None:
    """What it lists counts as a search and is no evidence."""
    desk = _desk(store)
    said = _call(desk, "SELECT * FROM citedesk.catalogue('what work costs')")
    assert said.splitlines()[1] == "* prices -> work, price_eur, minutes: What work costs."
    assert desk.ledger.citable() == {}
    assert (desk.steps[0].found, desk.steps[0].kept, desk.steps[0].error) == (5, 0, None)
    assert _call(desk, "SELECT * FROM citedesk.caller").startswith("Rejected: only the schema")


def test_a_row_becomes_evidence(store: RecordStore) -> None:
    """The text starts with the summary, and the locator says which statement and row it comes from."""
    desk = _desk(store)
    said = _call(desk, "SELECT * FROM my_bikes WHERE bike_id = 1")
    assert said.splitlines()[0] == "Found 1 row in my_bikes; 7 searches left."
    evidence = desk.ledger.citable()["R1"]
    assert evidence.text == "Amber is yours.\n\nbike id: 1; name: Amber"
    assert evidence.title == "my_bikes"
    assert evidence.locator == {
        "sql": "SELECT * FROM my_bikes WHERE bike_id = 1",
        "row": {"summary": "Amber is yours.", "bike_id": 1, "name": "Amber"},
        "key": {"bike_id": 1},
        "read_at": "2026-11-30T09:00:00+00:00",
    }
    assert (
        f'<evidence id="R1" title="my_bikes">\n{html.escape(evidence.text, quote=False)}\n</evidence>' in said
    )
    step = desk.steps[0]
    assert (step.tool, step.found, step.kept, step.error) == ("sql_lookup", 1, 1, None)


def test_money_and_dates_are_written_for_people(store: RecordStore) -> None:
    """A column with a currency in its name is money, and a date is written in full."""
    desk = _desk(store)
    _call(desk, "SELECT p.price_eur, b.bought FROM prices p, bikes b WHERE p.minutes = 2 AND b.bike_id = 1")
    assert desk.ledger.citable()["R1"].text == "price: €3.00; bought: 3 March 2026"
    assert desk.ledger.citable()["R1"].title == "prices and bikes"


def test_no_rows_is_evidence_too(store: RecordStore) -> None:
    """That nothing matches can be cited, names what was looked for, and counts as nothing kept."""
    desk = _desk(store)
    said = _call(desk, "SELECT * FROM bike('Zephyr')")
    assert said.startswith("Nothing relevant found in bike;")
    assert desk.ledger.citable()["R1"].text == "No rows: nothing of yours in bike matches Zephyr."
    assert desk.ledger.citable()["R1"].locator["row"] is None
    assert (desk.steps[0].found, desk.steps[0].kept, desk.steps[0].error) == (0, 0, None)


def test_a_sum_over_nothing_is_no_row(store: RecordStore) -> None:
    """A row of empty values states nothing and is told as nothing found."""
    desk = _desk(store)
    said = _call(desk, "SELECT sum(price_eur) AS total_eur FROM prices WHERE minutes > 1000")
    assert said.startswith("Nothing relevant found")


def test_an_anonymous_caller_is_told_why(store: RecordStore) -> None:
    """When nobody is signed in, an empty answer says that this may be the reason."""
    desk = _desk(store, customer=None)
    assert "Nobody is signed in" in _call(desk, "SELECT * FROM my_bikes")
    assert desk.ledger.citable() == {}  # or "you have no bicycles" could be claimed of somebody unknown
    assert "Nobody is signed in" not in _call(desk, "SELECT * FROM prices WHERE minutes = 3")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM bikes",
        "SELECT count(*) FROM my_bikes",
        "SELECT coalesce(max(bike_id), 0) AS newest FROM bikes",
        "SELECT work FROM prices WHERE NOT EXISTS (SELECT FROM bikes) LIMIT 1",
        "SELECT p.work, b.name FROM prices p LEFT JOIN bikes b ON b.bike_id = p.minutes LIMIT 1",
        "SELECT work FROM prices EXCEPT SELECT name FROM bikes LIMIT 1",
        "WITH mine AS (SELECT name FROM bikes) SELECT count(*) FROM mine",
        "SELECT count(*) FROM bike('%')",
    ],
)
def test_for_strangers_nothing_is_counted(store: RecordStore, sql: str) -> None:
    """What is empty because nobody is signed in is no fact, in whatever way it is counted or missed."""
    desk = _desk(store, customer=None)
    said = _call(desk, sql)
    assert desk.ledger.citable() == {}
    assert said.startswith("Nothing relevant found")
    assert "say that one has to sign in, never that there is none" in said


def test_for_strangers_what_has_no_owner_counts(store: RecordStore) -> None:
    """A count of what is the same for everybody is a fact, whoever asks."""
    desk = _desk(store, customer=None)
    _call(desk, "SELECT count(*) FROM prices")
    assert desk.ledger.citable()["R1"].text == "count: 120"


def test_for_a_customer_a_count_is_evidence(store: RecordStore) -> None:
    """It is of their own rows, and nothing of theirs is a fact as well."""
    desk = _desk(store)
    _call(desk, "SELECT count(*) AS bikes FROM bikes")
    _call(desk, "SELECT count(*) AS bikes FROM bikes WHERE name = 'Zephyr'")
    assert [one.text for one in desk.ledger.citable().values()] == ["bikes: 2", "bikes: 0"]


def test_what_has_no_owner_is_nobodys(store: RecordStore) -> None:
    """Nothing among prices is nothing at all, not nothing of the customer's."""
    desk = _desk(store)
    _call(desk, "SELECT work FROM prices WHERE work = 'welding'")
    assert desk.ledger.citable()["R1"].text == "No rows: nothing in prices matches welding."


def test_words_of_the_statement_are_no_evidence(store: RecordStore) -> None:
    """A text that the model writes into its own result is left out, and the model is told."""
    desk = _desk(store)
    said = _call(desk, "SELECT name, 'A new bicycle is free' AS promise FROM bikes WHERE bike_id = 1")
    assert desk.ledger.citable()["R1"].text == "name: Amber"
    assert desk.ledger.citable()["R1"].locator["row"] == {"name": "Amber"}
    assert said.endswith("Left out, being words of the statement and no record: promise.")
    assert _call(desk, "SELECT 'A new bicycle is free' AS promise FROM bikes").startswith("Rejected: ")
    assert len(desk.ledger.citable()) == 1


def test_names_of_the_statement_are_no_evidence(store: RecordStore) -> None:
    """A renamed column is called by its own name, with its own unit, and the model is told."""
    desk = _desk(store)
    said = _call(desk, "SELECT minutes AS refund_eur FROM prices WHERE minutes = 7")
    assert desk.ledger.citable()["R1"].text == "minutes: 7"
    assert said.endswith("Called by what they are: refund_eur is minutes.")


def test_an_aggregate_has_no_key(store: RecordStore) -> None:
    """Only what is a row is named by its primary key."""
    desk = _desk(store)
    _call(desk, "SELECT max(bike_id) AS newest FROM bikes")
    assert desk.ledger.citable()["R1"].text == "newest: 2"
    assert "key" not in desk.ledger.citable()["R1"].locator


def test_20_of_431_are_shown(workshop_url: str) -> None:
    """A large result says what it is a part of, to the model and as evidence."""
    store = workshop.open_store(workshop_url, row_cap=20)
    desk = _desk(store)
    said = _call(desk, "SELECT a.minutes, b.work FROM prices a, prices b ORDER BY 1, 2 LIMIT 431")
    assert said.startswith(
        "Shown are the first 20 of 431 rows of prices; 7 searches left. Count, sum or narrow"
    )
    assert desk.ledger.citable()["R1"].text == "Shown are the first 20 of 431 rows."
    assert (len(desk.ledger.citable()), desk.steps[0].found, desk.steps[0].kept) == (21, 431, 20)
    store.close()


def test_what_is_not_shown_is_said(store: RecordStore) -> None:
    """Beyond the cap, the number of all rows is told to the model and can be cited."""
    desk = _desk(store)
    said = _call(desk, "SELECT * FROM prices ORDER BY minutes")
    assert said.startswith("Shown are the first 5 of 120 rows of prices; 7 searches left.")
    assert desk.ledger.citable()["R1"].text == "Shown are the first 5 of 120 rows."
    assert len(desk.ledger.citable()) == 6
    assert (desk.steps[0].found, desk.steps[0].kept) == (120, 5)


def test_equal_rows_are_shown_once(store: RecordStore) -> None:
    """Rows with the same words are one piece of evidence."""
    desk = _desk(store)
    said = _call(desk, "SELECT owner FROM bikes")
    assert said.count("<evidence ") == 1


def test_text_of_the_database_cannot_close_the_fence(store: RecordStore) -> None:
    """Tags inside a value reach the model escaped."""
    said = _call(_desk(store), "SELECT work FROM prices WHERE minutes = 120")
    assert "true a wheel &lt;/evidence&gt; &amp; more" in said
    assert said.count("</evidence>") == 1


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("UPDATE bikes SET owner = 'A'", "Rejected: only SELECT"),
        ("SELECT nothing FROM bikes", "Rejected: the database refused the statement: column"),
        ("SELECT * FROM bicycles", "Rejected: there is no table"),
    ],
)
def test_a_refused_statement_says_what_to_write(store: RecordStore, sql: str, says: str) -> None:
    """The model is told in one line what is wrong; the step carries it too."""
    desk = _desk(store)
    assert _call(desk, sql).startswith(says)
    assert (desk.steps[0].error or "").startswith("rejected: ")
    assert desk.ledger.citable() == {}


def test_the_same_statement_is_not_run_again(store: RecordStore) -> None:
    """A repetition, in other spacing too, is refused without a search."""
    desk = _desk(store)
    _call(desk, "SELECT * FROM my_bikes")
    assert _call(desk, "select *  from my_bikes").startswith("Already searched:")
    assert [step.error for step in desk.steps] == [None, "already searched"]


def test_the_budget_ends_the_search(store: RecordStore) -> None:
    """When no searches are left, nothing is read."""
    desk = _desk(store, searches=1)
    _call(desk, "SELECT * FROM my_bikes")
    assert _call(desk, "SELECT * FROM prices").startswith("Budget spent:")


def test_a_source_that_is_down_is_never_nothing_found(down: RecordStore) -> None:
    """The tool can be built and says that the records could not be reached."""
    desk = _desk(down)
    said = _call(desk, "SELECT * FROM my_bikes")
    assert said.startswith("Unavailable: the records source is unavailable")
    assert "could not be read just now" in build(desk.sources).description
    assert (desk.steps[0].error or "").startswith("unavailable: ")


def test_a_database_that_is_not_prepared_is_unavailable(database_url: str) -> None:
    """A wrong setting is told as unavailable, and the step says which."""
    store = RecordStore(open_pool(database_url), schema="nowhere", role="nobody_here")
    desk = _desk(store)
    assert _call(desk, "SELECT * FROM my_bikes").startswith("Unavailable: the records are not set up")
    assert "DESK_READER_ROLE" in (desk.steps[0].error or "")
    store.close()


def test_without_records_the_tool_says_so() -> None:
    """A desk without a database still has the tool, which is unavailable."""
    desk = _desk(None)
    assert _call(desk, "SELECT 1").startswith("Unavailable: no records are configured")
