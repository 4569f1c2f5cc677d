"""The scorers of the evals."""

from __future__ import annotations

import pytest

from agent.answer import Answer, Citation, StepRecord
from evals.cases import AnswerCase, answer_cases, routing_cases
from evals.scorers import facts_right, first_choice, holds, pointing_right, reached, routed


def _step(tool: str) -> StepRecord:
    return StepRecord(tool=tool, arguments={}, found=1, kept=1, best_score=None, seconds=0.0, error=None)


def _answer(text: str, *tools: str) -> Answer:
    return Answer(status="answered", text=text, steps=tuple(_step(tool) for tool in tools))


@pytest.mark.parametrize(
    ("fact", "text", "expected"),
    [
        ("30 days|thirty days", "Within Thirty  days.", True),
        ("30 days", "Within 130 days.", False),
        ("€5", "It costs €5.50.", False),
        ("€5", "It costs €5.00.", True),
        ("€99.00", "costs €99.00. And", True),
        ("1,200", "1200 watts", True),
        ("O-2000", "Order O-20001", False),
    ],
)
def test_a_fact_is_found_as_a_whole_value(fact: str, text: str, expected: bool) -> None:
    """Alternatives, case and number clothes count; a part of a longer number does not."""
    assert holds(fact, text) is expected


def test_routing_counts_what_was_tried_first() -> None:
    """A fall-back to the right tool reaches it, but the first choice was still wrong."""
    wanted = ("sql_lookup",)
    answer = _answer("x", "vector_search", "sql_lookup")
    assert first_choice(wanted, answer) == ("vector_search",)
    assert not routed(wanted, answer)
    assert reached(wanted, answer)


def test_small_talk_must_use_no_tool() -> None:
    """A search for small talk is a wrong route."""
    assert routed((), _answer("Hello."))
    assert not routed((), _answer("Hello.", "web_search"))


def test_an_answer_needs_its_facts_and_none_that_is_forbidden() -> None:
    """A right status alone is not enough."""
    case = AnswerCase(id="a", question="?", expect="answered", must=("14 days",), must_not=("30 days",))
    assert facts_right(case, _answer("Within 14 days."))
    assert not facts_right(case, _answer("Within 30 days."))
    assert not facts_right(case, _answer("Within 14 days or 30 days."))


def test_citations_are_counted_where_the_case_says_where_they_point() -> None:
    """Each citation outside of the named places lowers the precision."""
    case = AnswerCase(id="a", question="?", expect="answered", cites=("policies/returns",))
    good = Citation(
        id="D1", source="documents", title="Returns", locator={"path": "policies/returns.md"}, quote="q"
    )
    bad = Citation(id="D2", source="documents", title="Lids", locator={"path": "parts/lids.md"}, quote="q")
    assert pointing_right(case, Answer(status="answered", text="t", citations=(good, bad))) == (1, 2)


def test_the_cases_are_many_enough_and_a_third_is_held_out() -> None:
    """At least 80 routing and 60 answer cases, unique ids, a third never used for tuning."""
    routing, answers = routing_cases(), answer_cases()
    assert len(routing) >= 80
    assert len(answers) >= 60
    for cases in (routing, answers):
        assert sum(case.held_out for case in cases) >= len(cases) / 3
