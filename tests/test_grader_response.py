"""Whether a draft answers what was asked."""

from __future__ import annotations

import pytest

from agent.grader import grade
from tools.evidence import Evidence

EVIDENCE = {
    "R1": Evidence("R1", "records", "my_orders", "order id: B-17; status: shipped"),
    "R2": Evidence("R2", "records", "my_orders", "order id: B-18; status: delivered"),
    "D1": Evidence("D1", "documents", "Pump P5", "The pump P5 has a range of 40 metres. It is blue."),
    "D2": Evidence("D2", "documents", "Pump P5 Plus", "The pump P5 Plus has a range of 60 metres."),
    "D3": Evidence("D3", "documents", "Fees", "The fee policy 2026 sets a fee of €5."),
    "D4": Evidence("D4", "documents", "Fees", "The fee policy 2025 was replaced. It set a fee of €4."),
    "D5": Evidence("D5", "documents", "Loans", "A book can be borrowed for 28 days."),
    "G1": Evidence("G1", "graph", "replaces", "Pump P4 is replaced by Pump P5."),
}


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("Where is order B-17?", "Order B-18 is delivered. [R2]"),
        ("What range has the P5 Plus?", "The pump P5 has a range of 40 metres. [D1]"),
        ("What range has the P5?", "The pump P5 Plus has a range of 60 metres. [D2]"),
        ("What is the fee under the fee policy 2025?", "The fee policy 2026 sets a fee of €5. [D3]"),
    ],
)
def test_an_answer_about_another_thing_does_not_pass(question: str, draft: str) -> None:
    """Another order, product or version than was asked for, even in the source's own words."""
    graded = grade(draft, EVIDENCE, question)
    assert all(claim.verdict == "supported" for claim in graded.claims)
    assert not graded.passed
    assert graded.off_target.startswith("the question is about ")


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("Where is order B-17?", "Order B-17 is shipped. [R1]"),
        ("where is b17", "Order B-17 is shipped. [R1]"),
        ("Where is order B-17?", "The status is shipped. [R1]"),
        ("Where are B-17 and B-18?", "Order B-18 is delivered. [R2] I could not find anything about B-17."),
        ("What range has the P5 Plus?", "The pump P5 Plus has a range of 60 metres. [D2]"),
        ("what range has the p5 plus?", "The pump P5 Plus has a range of 60 metres. [D2]"),
        ("What range has the P5?", "The pump P5 has a range of 40 metres. [D1]"),
        ("What replaces the P4?", "It is replaced by Pump P5. [G1]"),
        ("What was the fee in 2025?", "The fee policy 2026 sets a fee of €5. [D3]"),
        ("Tell me of the P5 Range please", "The pump P5 has a range of 40 metres. [D1]"),
        ("Hello", "A book can be borrowed for 28 days. [D5]"),
    ],
)
def test_what_may_be_an_answer_is_not_off_target(question: str, draft: str) -> None:
    """A code that is met in a claim or its source, a year beside another word, a name that is none."""
    assert grade(draft, EVIDENCE, question).off_target == ""


def test_parts_that_are_not_told_are_open() -> None:
    """A part of the question of which the draft says nothing is named, unless the draft declares it open."""
    question = "How long can a book be borrowed, and what is the parking fee?"
    told = "A book can be borrowed for 28 days. [D5]"
    assert grade(told, EVIDENCE, question).open_parts == ("what is the parking fee",)
    declared = f"{told} I could not find anything about a parking fee."
    assert grade(declared, EVIDENCE, question).open_parts == ()
    assert grade(f"{told} The fee policy 2026 sets a fee of €5. [D3]", EVIDENCE, question).open_parts == ()
    assert grade(told, EVIDENCE, "How long can a book be borrowed?").open_parts == ()


def test_a_thing_asked_for_beside_another_is_open_when_only_the_other_is_told() -> None:
    """Of two orders or models the one that is not told is named, unless the words that are told name it."""
    shipped = "Order B-17 is shipped. [R1]"
    assert grade(shipped, EVIDENCE, "Where are B-17 and B-18?").open_parts == ("B-18",)
    both = f"{shipped} Order B-18 is delivered. [R2]"
    assert grade(both, EVIDENCE, "Where are B-17 and B-18?").open_parts == ()
    shorter = "The pump P5 has a range of 40 metres. [D1]"
    assert grade(shorter, EVIDENCE, "What range have the P5 and the P5 Plus?").open_parts == ("P5 Plus",)
    prices = {"D6": Evidence("D6", "documents", "Prices", "The P5 costs €9. The P6 costs €8.")}
    assert grade("The P5 costs €9. [D6]", prices, "What do the P5 and the P6 cost?").open_parts == ("P6",)
    replaced = "Pump P4 is replaced by Pump P5. [G1]"
    assert grade(replaced, EVIDENCE, "Is the P4 the same as the P5?").open_parts == ()


@pytest.mark.parametrize("rest", ["what is wrong?", "have one at home already"])
def test_what_names_nothing_or_asks_nothing_is_no_open_part(rest: str) -> None:
    """A part that asks in general is told by any answer, and a statement is none."""
    question = f"How long can a book be borrowed, and {rest}"
    assert grade("A book can be borrowed for 28 days. [D5]", EVIDENCE, question).open_parts == ()
