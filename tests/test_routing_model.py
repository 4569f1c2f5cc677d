"""Routing by nothing but descriptions, over a company that the house does not know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from agents import FunctionTool

from agent.models.arguments import fill
from agent.models.catalogue import read_description
from agent.models.lookups import lookups, remaining_phrases, shape
from agent.models.routing import Route, ordered, routes
from agent.models.things import kinds_of_things, without_names
from agent.models.words import Meaning, stem
from tests.bicycle_library import HANDBOOK_TOLD, LEDGER_TOLD, PARTS_TOLD, Library

if TYPE_CHECKING:
    from tools.stores.embedder import OnnxEmbedder, Vectors


@pytest.fixture
def meaning(embedder: OnnxEmbedder) -> Meaning:
    return Meaning(embedder)


@pytest.fixture
def tools(meaning: Meaning) -> list[FunctionTool]:
    return Library(meaning).tools()


CASES = [
    ("How long may I keep a cargo bike?", "handbook"),
    ("what do i pay if i am two days late", "handbook"),
    ("Can students join for free?", "handbook"),
    ("How do I repair a puncture?", "handbook"),
    ("What does code L2 on the lock mean?", "handbook"),
    ("When is loan L-3001 due?", "ledger"),
    ("when do i have to give back l3002", "ledger"),
    ("Which bikes do I have on loan right now?", "ledger"),
    ("Are there any cargo bikes available today?", "ledger"),
    ("How many City Bike B3 are free?", "ledger"),
    ("Which bikes use Saddle S9?", "parts_map"),
    ("What uses Battery P4?", "parts_map"),
    ("Is the Harbour Bridge closed to bicycles tomorrow?", "newspaper"),
    ("Will it snow at the weekend?", "newspaper"),
]


@pytest.mark.parametrize(("question", "tool"), CASES)
def test_the_description_decides(
    question: str, tool: str, tools: list[FunctionTool], meaning: Meaning
) -> None:
    """The first source asked is the one whose description fits."""
    assert routes(question, tools, meaning)[0].tool == tool


def test_a_vague_description_misroutes(meaning: Meaning) -> None:
    """There is no other rule than the descriptions: made vague, a tool loses its questions."""
    vague = Library(meaning).tools(ledger="A tool.", parts_map="Another tool.", newspaper="One more tool.")
    misrouted = [
        question
        for question, tool in CASES
        if tool != "handbook" and routes(question, vague, meaning)[0].tool != tool
    ]
    assert len(misrouted) >= 7


def test_names_play_no_part(meaning: Meaning) -> None:
    """Tools that trade descriptions trade questions."""
    swapped = Library(meaning).tools(handbook=PARTS_TOLD, newspaper=HANDBOOK_TOLD)
    assert routes("Can students join for free?", swapped, meaning)[0].tool == "newspaper"


def route(tool: str, score: float, exact: bool = False, last_resort: bool = False) -> Route:
    return Route(tool, "", {}, score, score, exact, last_resort, sure=exact)


def test_close_calls() -> None:
    """On a close call the precise source goes first and the one that lists nothing last."""
    web = route("web", 0.60, last_resort=True)
    prose = route("prose", 0.59)
    precise = route("precise", 0.58, exact=True)
    assert [one.tool for one in ordered([web, prose, precise])] == ["precise", "prose", "web"]
    assert [one.tool for one in ordered([route("web", 0.80, last_resort=True), prose])] == ["web", "prose"]


def test_when_nothing_is_near_the_open_source_goes_first() -> None:
    """A question that fits no description goes where anything may be said."""
    found = [route("web", 0.14, last_resort=True), route("precise", 0.12, exact=True), route("prose", 0.1)]
    assert [one.tool for one in ordered(found)] == ["prose", "precise", "web"]


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("When is loan L-3001 due?", "SELECT * FROM loan('L-3001')"),
        ("when is loan l3001 due", "SELECT * FROM loan('L-3001')"),
        ("when is my loan 3001 due?", "SELECT * FROM loan('L-3001')"),
        ("What have I borrowed?", "SELECT * FROM my_loans()"),
        ("How many City Bike B2 are free?", "SELECT * FROM free_bikes('City Bike B2')"),
        ("are any cargo bikes free", "SELECT * FROM free_bikes('cargo')"),
    ],
)
def test_a_statement_is_filled_from_the_catalogue(question: str, statement: str, meaning: Meaning) -> None:
    """The nearest catalogue line becomes a SELECT, its arguments taken from the question."""
    schema = {"properties": {"statement": {"type": "string", "description": "One SELECT"}}}
    filled = fill(question, read_description(LEDGER_TOLD), schema, meaning)
    assert filled is not None
    assert filled.arguments == {"statement": statement}


def test_a_quote_in_a_name_is_escaped(meaning: Meaning) -> None:
    """What the customer writes stays inside the SQL literal."""
    schema = {"properties": {"statement": {"type": "string", "description": "One SELECT"}}}
    filled = fill("How many Rider's B2 are free?", read_description(LEDGER_TOLD), schema, meaning)
    assert filled is not None
    assert filled.arguments["statement"] == "SELECT * FROM free_bikes('Rider''s B2')"


def test_no_line_no_statement(meaning: Meaning) -> None:
    """A tool that takes a statement is not chosen when no line is near the question."""
    schema = {"properties": {"statement": {"type": "string", "description": "One SELECT"}}}
    assert fill("Do I have to wear a helmet?", read_description(LEDGER_TOLD), schema, meaning) is None


@pytest.mark.parametrize(
    ("question", "relation", "direction"),
    [
        ("What does the City Bike B2 use?", "uses", "out"),
        ("Which bikes use Saddle S9?", "uses", "in"),
        ("Which bike is Saddle S9 used by?", "uses", "in"),
        ("Who makes Saddle S9?", "made_by", "out"),
    ],
)
def test_relation_and_direction(question: str, relation: str, direction: str, meaning: Meaning) -> None:
    """The phrase most like the question names the relation; where the thing stands gives the direction."""
    schema: dict[str, Any] = {
        "properties": {
            "thing": {"type": "string"},
            "relation": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
            "direction": {"enum": ["out", "in", "any"], "type": "string", "default": "any"},
            "hops": {"type": "integer", "default": 1},
        }
    }
    filled = fill(question, read_description(PARTS_TOLD), schema, meaning)
    assert filled is not None
    assert filled.arguments == {"thing": question, "relation": relation, "direction": direction, "hops": 1}
    assert filled.wider == {"thing": question, "relation": None, "direction": "any", "hops": 1}


def test_a_description_is_read_whole() -> None:
    """Example questions, functions with their arguments, views and phrases are all found."""
    ledger = read_description(LEDGER_TOLD)
    assert "When is my loan due?" in ledger.examples
    loan, mine, free = ledger.lines
    assert loan.parameters is not None
    assert (loan.name, loan.parameters[0].example) == ("loan", "L-3001")
    assert "has loan L-3001 been returned" in loan.asked
    assert mine.parameters == ()
    assert free.columns == ("bike", "free_now", "branch")
    assert read_description(PARTS_TOLD).lines[0].phrases == ("uses", "is used by")
    view = read_description("* v -> a, b: Meaning.\n* f(year integer 2026, kind text) -> a").lines
    assert view[0].parameters is None
    assert [(p.name, p.example) for p in view[1].parameters or ()] == [("year", "2026"), ("kind", None)]


def test_shapes_of_ids() -> None:
    """An id is letters and three digits or more; a model name is not one."""
    assert shape("O-20017") == ("O-", 5)
    assert shape("B2") is None
    assert shape("City Bike") is None


def test_the_phrase_that_remains() -> None:
    """The name in the question is what the catalogue line does not say itself."""
    line = read_description(LEDGER_TOLD).lines[2]
    assert remaining_phrases("How many Cargo Bike C7 are free today?", line) == ["Cargo Bike C7"]
    assert remaining_phrases("are any cargo bikes free", line) == ["cargo"]
    assert remaining_phrases("how many are free", line) == []
    assert remaining_phrases("how many tandems have you got lying around", line) == ["tandem"]
    assert remaining_phrases("Are the Cargo Bike C7 and the C9 free?", line) == ["Cargo Bike C7", "C9"]
    assert remaining_phrases("Is the Cargo Bike C7 free, as error L2 says?", line) == ["Cargo Bike C7"]


def test_kept_vectors_are_read_from_the_shelf(embedder: OnnxEmbedder, tmp_path: Path) -> None:
    """A second process reads the descriptions' vectors, and a damaged file is made again."""
    texts = ["Where is my bike?", "Which bikes do you lend?"]
    Meaning(embedder, shelf=tmp_path).keep(texts)
    (file,) = tmp_path.glob("descriptions-*.npy")
    written = file.read_bytes()

    class Unused:
        """An embedder that must not be needed."""

        name, dimensions = embedder.name, embedder.dimensions

        def embed(self, texts: Sequence[str]) -> Vectors:
            raise AssertionError(f"embedded again: {texts}")

    second = Meaning(Unused(), shelf=tmp_path)
    second.keep(texts)
    assert second.cosine(*texts) == pytest.approx(Meaning(embedder).cosine(*texts), abs=1e-6)

    file.write_bytes(written[:50])
    third = Meaning(embedder, shelf=tmp_path)
    third.keep(texts)
    assert file.read_bytes() == written


def test_a_customers_words_are_not_kept(embedder: OnnxEmbedder, tmp_path: Path) -> None:
    """Only what `keep` is told goes into a file."""
    meaning = Meaning(embedder, shelf=tmp_path)
    meaning.cosine("My name is Ada", "Where is my bike?")
    assert not list(tmp_path.iterdir())


def test_kinds_of_things_are_hidden() -> None:
    """A word that stands before model numbers is a kind of thing, and tells nothing of what is asked."""
    kinds = kinds_of_things(["is the Cargo Bike B2 in stock", "Recall R-7"])
    assert kinds == {"cargo", "cargos", "bike", "bikes"}
    assert without_names("which bikes do you sell", kinds) == "which it do you sell"


def test_delivery_and_deliver_are_one_word() -> None:
    """A noun in -y meets its verb."""
    assert stem("delivery") == stem("deliveries") == stem("deliver")


def test_the_better_of_two_perfect_lines_is_taken(meaning: Meaning) -> None:
    """Two lines that both take the id are told apart by what is asked, however well both fit."""
    told = (
        "Records.\n\n"
        "* loan_status(loan text 'L-3001') -> summary: Where one loan is. "
        "Asked as: where is loan L-3001; what is the status of loan L-3001.\n"
        "* deposit_of_loan(loan text 'L-3001') -> summary: The deposit of one loan. "
        "Asked as: was loan L-3001 refunded; where is the deposit for loan L-3001."
    )
    found = next(iter(lookups("Where is loan L-3777?", read_description(told), meaning)), None)
    assert found is not None
    assert found.sql == "SELECT * FROM loan_status('L-3777')"


def test_a_year_is_no_id(meaning: Meaning) -> None:
    """Four digits alone that can be a year are not taken for the digits of an id."""
    told = (
        "Records.\n\n* fine(fine text 'F-1234') -> summary: State of a fine. Asked as: where is fine F-1234."
    )
    assert lookups("What were the fines in 2025?", read_description(told), meaning) == []
    assert "F-3025" in lookups("Where is fine 3025?", read_description(told), meaning)[0].sql


def test_things_side_by_side_are_looked_up_together(meaning: Meaning) -> None:
    """Of several ids or names of one kind none is left out: one statement asks for each."""
    told = (
        "Records.\n\n"
        "* loan_status(loan text 'L-3001') -> summary: Where one loan is. Asked as: where is L-3001."
    )
    found = lookups("Where are L-3777 and L-3778?", read_description(told), meaning)[0]
    assert found.sql == "SELECT * FROM loan_status('L-3777') UNION ALL SELECT * FROM loan_status('L-3778')"
