"""The draft: what is quoted, in which form, and when it is better to say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent.models.compose import answer, draft, key
from agent.models.statements import statements
from agent.models.things import about_another, of_longer_names
from agent.models.transcript import Piece, Result
from agent.models.words import Meaning

if TYPE_CHECKING:
    from tools.stores.embedder import OnnxEmbedder

RULES = Piece(
    "D1",
    "Loans > How long",
    "A bicycle may be kept for 21 days. You may extend a loan once by 7 days. "
    "However, a reserved bike cannot be extended. The desk is on the ground floor.",
)


@pytest.fixture
def meaning(embedder: OnnxEmbedder) -> Meaning:
    return Meaning(embedder)


def result(*pieces: Piece) -> Result:
    return Result("call_0_a", "any", {}, "found", pieces, "", ())


def told(question: str, meaning: Meaning, *pieces: Piece, avoid: frozenset[str] = frozenset()) -> str:
    return draft([(question, answer(question, [result(*pieces)], meaning, avoid))], "")


def test_the_sentence_that_answers_is_quoted_with_its_id(meaning: Meaning) -> None:
    """The words are the evidence's own, and the id stands behind them."""
    assert told("How long may I keep a bike?", meaning, RULES) == "A bicycle may be kept for 21 days. [D1]"


def test_the_condition_goes_with_the_rule(meaning: Meaning) -> None:
    """A sentence that restricts the one before it is never left out."""
    text = told("Can I extend my loan?", meaning, RULES)
    assert "You may extend a loan once by 7 days. [D1]" in text
    assert "However, a reserved bike cannot be extended. [D1]" in text


def test_what_does_not_respond_is_not_quoted(meaning: Meaning) -> None:
    """Evidence about something else is no answer, though it was found."""
    assert told("Do you sell train tickets to Paris?", meaning, RULES).startswith("I could not find")


def test_a_sibling_is_not_the_thing(meaning: Meaning) -> None:
    """What is true of one model is never told of another."""
    b3 = Piece("D2", "City Bike B3 manual", "The City Bike B3 carries up to 140 kg.")
    assert told("How much can the City Bike B9 carry?", meaning, b3).startswith("I could not find")
    assert "140 kg" in told("How much can the City Bike B3 carry?", meaning, b3)


@pytest.mark.parametrize(
    ("question", "title", "text", "another"),
    [
        ("How heavy is the B2?", "Manuals", "The B3 weighs 14 kg.", True),
        ("How heavy is the B2?", "Manuals", "The B2 weighs 12 kg.", False),
        ("How heavy is the B2?", "City Bike B2 manual", "It weighs 12 kg.", False),
        ("How heavy is the B2?", "City Bike B2 Pro manual", "The B2 Pro weighs 12 kg.", True),
        ("How heavy is the B2 Pro?", "City Bike B2 manual", "It weighs 12 kg.", True),
        ("What does L2 mean?", "Codes L1 to L3 > L1: power", "Charge the lock.", True),
        ("Can I return the B2?", "Rules", "Bikes come back within 21 days.", False),
        ("Where is loan l3001?", "Loans", "Loan L-3001 is overdue.", False),
    ],
)
def test_siblings_are_told_apart(question: str, title: str, text: str, another: bool) -> None:
    """A text about another thing of the same kind is recognised; a general one is not about another."""
    assert about_another(question, title, text) is another


NAMED = (
    "Green Line: tickets. A day ticket for the Green Line costs €6.",
    "Light Green Line: tickets. A day ticket for the Light Green Line costs €4.",
    "Understanding Green Line fares. Understanding Green Line fares takes a minute.",
    "A ticket is valid until the end of the day.",
)


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("What is a day ticket for the Green Line?", {1}),
        ("What is a day ticket for the Light Green Line?", set()),
        ("What is a day ticket for the line?", set()),
        ("What is a day ticket for the Blue Line?", set()),
    ],
)
def test_a_longer_name_is_anothers(question: str, others: set[int]) -> None:
    """A text with the name only inside a longer one is about another; a heading's capital is no name."""
    assert of_longer_names(question, NAMED) == others


def test_a_shorter_form_of_a_name_is_no_other() -> None:
    """Where the name never stands alone a question may leave out its beginning, unless two have it."""
    question = "What is a day ticket for the Green Line?"
    assert of_longer_names(question, NAMED[1:2]) == frozenset()
    dark = "Dark Green Line: tickets. A day ticket for the Dark Green Line costs €5."
    assert of_longer_names(question, [NAMED[1], dark]) == {0, 1}


def test_a_title_names_what_it_is_about_before_its_colon() -> None:
    """A longer name that only the titles have is another's all the same."""
    titled = ["Light Green Line: Tickets, Prices: A day is €4.", "Dark Green Line: Tickets: A day is €5."]
    assert of_longer_names("What is a day ticket for the Green Line?", titled) == {0, 1}


@pytest.mark.parametrize("blank", ["[value not available]", "{{price}}", "TBD", "[to be confirmed]"])
def test_what_a_writer_left_open_is_no_statement(blank: str) -> None:
    """A sentence with a blank where its value should be is not quoted."""
    piece = Piece("D1", "Plans", f"The plan runs for {blank} months. It starts on the day you sign it [D2].")
    assert [one.text for one in statements(piece)] == ["It starts on the day you sign it [D2]."]


def test_a_list_item_keeps_its_lead_in() -> None:
    """An item is quoted under the words that introduce it, because alone it can say the opposite."""
    piece = Piece("D1", "Rules", "You may not lock a bike to:\n\n- a lamp post\n- a tree\n")
    assert [one.text for one in statements(piece)] == [
        "You may not lock a bike to: a lamp post.",
        "You may not lock a bike to: a tree.",
    ]


def test_a_line_alone_is_a_heading_where_something_follows() -> None:
    """Text from a PDF has headings without marks; a list's item is no heading, however short."""
    piece = Piece(
        "D1", "Pumps", "Care and storage\n\nOil the pump.\n\n- Never in the rain\n\nKept in a dry place"
    )
    said = [one.text for one in statements(piece)]
    assert said == ["Oil the pump.", "Never in the rain.", "Kept in a dry place."]


def test_steps_are_quoted_whole_and_in_order(meaning: Meaning) -> None:
    """A numbered list answers a how-to question with all of its steps."""
    piece = Piece(
        "D1",
        "Mending a flat tyre",
        "To mend a flat tyre:\n\n1. Take the wheel out.\n2. Glue a patch on.\n3. Pump it up.\n",
    )
    text = told("How do I mend a flat tyre?", meaning, piece)
    assert text == "To mend a flat tyre: Take the wheel out. [D1] Glue a patch on. [D1] Pump it up. [D1]"


def test_a_table_row_is_told_with_its_columns(meaning: Meaning) -> None:
    """A row of a table is told as its first cell and, under their columns' names, the others."""
    piece = Piece(
        "D1",
        "Codes",
        "| Code | Cause | Weight |\n|---|---|---|\n| L1 | No power | - |\n"
        "| L2 | The lock is jammed. | 2 kg |\n",
    )
    assert [one.text for one in statements(piece)] == [
        "L1: cause No power.",
        "L2: cause The lock is jammed, weight 2 kg.",
    ]
    assert (
        told("What does code L2 mean?", meaning, piece) == "L2: cause The lock is jammed, weight 2 kg. [D1]"
    )


def test_a_summary_is_told_for_its_row(meaning: Meaning) -> None:
    """A row that begins with a sentence is told by that sentence."""
    piece = Piece(
        "R1", "loan", "Loan L-3001 is due on 9 December 2026. loan id: L-3001; due: 9 December 2026"
    )
    assert told("When is loan L-3001 due?", meaning, piece) == "Loan L-3001 is due on 9 December 2026. [R1]"


def test_the_kind_of_value_that_was_asked_for_is_told(meaning: Meaning) -> None:
    """Where the sentence of a row has no date and a date is asked for, the column with one is told too."""
    piece = Piece(
        "R1",
        "bikes",
        "The City Bike B2 costs €12 a day.\n\nbike: City Bike B2; price: 12; lent since: 1 July 2024",
    )
    text = told("Since when can the City Bike B2 be had?", meaning, piece)
    assert text.endswith("Bike City Bike B2, lent since 1 July 2024. [R1]")


def test_of_many_columns_those_are_told_that_were_asked_for(meaning: Meaning) -> None:
    """A wide row without a sentence is told by the column that the question is about and by its status."""
    piece = Piece(
        "R1",
        "claims",
        "claim: CL-77; full name: Ann Lee; phone: 0555 0101; frame colour: dark red; "
        "opened on: 3 March 2026; status: in review",
    )
    text = told("What frame colour did I claim for?", meaning, piece)
    assert text == "Claim CL-77, frame colour dark red, status in review. [R1]"


def test_a_row_without_summary_is_told_by_columns(meaning: Meaning) -> None:
    """A row without a sentence is told as its columns in words with their values."""
    piece = Piece("R1", "free bikes", "bike: City Bike B2; free now: 6")
    assert told("How many City Bike B2 are free?", meaning, piece) == "Bike City Bike B2, free now 6. [R1]"


def test_rows_of_things_asked_for_together_are_all_told(meaning: Meaning) -> None:
    """Asked about two things, the desk tells the row of each, though neither row names both."""
    b2, b3 = (
        Piece(
            f"R{n}", "free bikes", f"The City Bike {code} has {n} free.\n\nbike: City Bike {code}; free: {n}"
        )
        for n, code in ((6, "B2"), (1, "B3"))
    )
    text = told("How many of the B2 and the B3 are free?", meaning, b2, b3)
    assert text == "The City Bike B2 has 6 free. [R6] The City Bike B3 has 1 free. [R1]"
    assert told("How many of the B2, the B3 and the B9 are free?", meaning, b2, b3) == text


def test_nothing_of_yours_is_an_answer_where_the_lookup_is_the_right_one(meaning: Meaning) -> None:
    """That somebody has none is told when the lookup was surely meant; not when it was held to a value."""
    nothing = result(Piece("R1", "open_loans", "No rows: nothing of yours in open loans matches."))
    question = "Do I have any open loans?"
    found = answer(question, [nothing], meaning, sure=frozenset({nothing.call_id}))
    assert found is not None
    assert [one.text for one in found.statements] == ["You have no open loans."]
    assert answer(question, [nothing], meaning) is None
    held = result(Piece("R1", "loans", "No rows: nothing of yours in loans matches L-3009."))
    assert answer(question, [held], meaning, sure=frozenset({held.call_id})) is None


def test_no_rows_is_not_found(meaning: Meaning) -> None:
    """A lookup that matched nothing is an honest gap, not a statement."""
    piece = Piece("R1", "loan", "No rows: nothing in loan matches 'L-9'.")
    assert told("When is loan L-9 due?", meaning, piece).startswith("I could not find")


def test_what_was_refused_is_not_said_again(meaning: Meaning) -> None:
    """After a rejected draft another sentence is quoted, or none."""
    refused = frozenset({key("A bicycle may be kept for 21 days.")})
    assert "21 days" not in told("How long may I keep a bike?", meaning, RULES, avoid=refused)


def test_another_number_does_not_answer_how_many(meaning: Meaning) -> None:
    """Asked for a count of something that no text names, no other number is offered."""
    piece = Piece("D1", "Cargo Bike C7 manual", "The Cargo Bike C7 has a load of 120 kilograms.")
    found = result(piece)
    assert answer("How many gears does the Cargo Bike C7 have?", [found], meaning) is None
    assert answer("How many kilograms does the Cargo Bike C7 carry?", [found], meaning) is not None


def test_another_rate_does_not_answer(meaning: Meaning) -> None:
    """What is paid by the month is no answer to what is paid by the year; a text with both is."""
    by_month = Piece("D1", "Bike pass > Price", "The bike pass is billed at €9 each month.")
    both = Piece("D2", "Bike pass > Price", "The bike pass costs €9 monthly or €90 annually.")
    question = "Is there a yearly price for the bike pass?"
    assert told(question, meaning, by_month).startswith("I could not find")
    assert "€90 annually. [D2]" in told(question, meaning, by_month, both)


@pytest.mark.parametrize("question", ["what is 2 + 2", "and then?", "12?"])
def test_what_names_nothing_is_not_answered(question: str, meaning: Meaning) -> None:
    """A question of numbers and small words has nothing that a text could answer."""
    piece = Piece("D1", "Loans", "A book can be borrowed for 2 weeks, and then for 2 more.")
    assert answer(question, [result(piece)], meaning) is None


def test_a_longer_name_in_small_letters_is_the_longer_name(meaning: Meaning) -> None:
    """Somebody who writes `c7 max` asks about the C7 Max, and is told nothing of the C7."""
    plain = Piece("D1", "Cargo Bike C7 manual", "The brakes of the Cargo Bike C7 are safe in the rain.")
    longer = Piece("D2", "Cargo Bike C7 Max manual", "The basket of the Cargo Bike C7 Max is made of steel.")
    question = "is it safe to brake in the rain with the cargo bike c7"
    assert answer(question, [result(plain, longer)], meaning) is not None
    assert answer(f"{question} max", [result(plain, longer)], meaning) is None


def test_a_list_of_siblings_says_little_of_one(meaning: Meaning) -> None:
    """Of two texts that name a code, the one that explains it comes before the one that lists it."""
    lists = Piece("D1", "City Bike B2", "The lock of the City Bike B2 can show L1, L2, L3 and L4.")
    explains = Piece("D2", "Lock codes", "L3 on a lock means that the battery of the lock is empty.")
    found = answer("the lock of my bike shows L3", [result(lists, explains)], meaning)
    assert found is not None
    assert found.statements[0].piece.id == "D2"
    listed = answer("Which codes can the lock of the City Bike B2 show beside L3?", [result(lists)], meaning)
    assert listed is not None
