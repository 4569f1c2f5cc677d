"""Grading JSON lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader.files import grade_lines

POT = "The pot holds 1.5 litres. It must not be washed in a machine."


def _line(claim: Any, evidence: Any = (POT,), **more: Any) -> str:
    return json.dumps({"id": "x", "claim": claim, "evidence": evidence, **more})


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The pot holds 1,500 ml.", "supported"),
        ("The pot holds 1.5 litres. [D1]", "supported"),
        ("The pot holds 2 litres.", "contradicted"),
        ("It must be washed in a machine.", "contradicted"),
        ("Whales sing at night.", "unsupported"),
        ("The pot holds 1.5 litres. Whales sing at night.", "unsupported"),
        ("The pot holds 1.5 litres. It must be washed in a machine. Whales sing.", "contradicted"),
        ("Hello!", "uncertain"),
    ],
)
def test_one_answer_a_line(claim: str, verdict: str) -> None:
    """Each line has its id, the gravest verdict among its sentences, a score, a reason and the stage."""
    (answer,) = grade_lines([_line(claim)])
    assert answer["verdict"] == verdict
    assert set(answer) == {"id", "verdict", "score", "reason", "stage"}
    assert answer["id"] == "x"


def test_every_text_counts_as_cited() -> None:
    """A claim may be said by any of the texts, or in parts by several."""
    line = _line("The pot holds 1.5 litres and the lid is red.", (POT, "The lid is red."))
    assert next(iter(grade_lines([line])))["verdict"] == "supported"


def test_the_question_is_read() -> None:
    """A leading "yes" is judged against the question."""
    lines = [
        _line("Yes, the lid is red.", ("The lid is red.",), question=q)
        for q in ("Is the lid red?", "Is it new?")
    ]
    assert [answer["verdict"] for answer in grade_lines(lines)] == ["supported", "uncertain"]


@pytest.mark.parametrize(
    "line",
    [
        "{not json",
        "[]",
        "3",
        json.dumps({"id": "x"}),
        _line(""),
        _line(5),
        _line("a", "text"),
        _line("a", (1, 2)),
        _line("a", question=3),
        "[" * 100_000,
    ],
)
def test_a_bad_line_is_told_with_its_number(line: str) -> None:
    """A line that cannot be read is an error with its number, and the lines around it are graded."""
    good = _line("The pot holds 1.5 litres.")
    first, bad, last = grade_lines([good, line, good])
    assert first["verdict"] == last["verdict"] == "supported"
    assert bad["line"] == 2
    assert bad["error"].startswith("line 2: ")


def test_blank_lines_are_passed_over() -> None:
    """Empty lines count for the numbering only."""
    answers = list(grade_lines(["", "  \n", "oops"]))
    assert [answer["line"] for answer in answers] == [3]


@given(st.text(max_size=100), st.lists(st.text(max_size=100), max_size=3))
def test_never_raises(claim: str, evidence: list[str]) -> None:
    """Any claim and texts give an answer or an error."""
    (answer,) = grade_lines([json.dumps({"id": 1, "claim": claim, "evidence": evidence})])
    assert "verdict" in answer or "error" in answer
