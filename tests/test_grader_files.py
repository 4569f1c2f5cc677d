"""Grading JSON lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader.files import GradedItem, grade_lines

POT = "The pot holds 1.5 litres. It must not be washed in a machine."


def _told(*lines: str) -> list[dict[str, Any]]:
    return [one.as_json() for one in grade_lines(lines) if isinstance(one, GradedItem)]


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
    (answer,) = _told(_line(claim))
    assert answer["verdict"] == verdict
    assert set(answer) == {"id", "verdict", "score", "reason", "stage"}
    assert answer["id"] == "x"


def test_every_text_counts_as_cited() -> None:
    """A claim may be said by any of the texts, or in parts by several."""
    line = _line("The pot holds 1.5 litres and the lid is red.", (POT, "The lid is red."))
    assert _told(line)[0]["verdict"] == "supported"


def test_the_question_is_read() -> None:
    """A leading "yes" is judged against the question."""
    lines = [
        _line("Yes, the lid is red.", ("The lid is red.",), question=q)
        for q in ("Is the lid red?", "Is it new?")
    ]
    assert [answer["verdict"] for answer in _told(*lines)] == ["supported", "uncertain"]


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
    assert isinstance(first, GradedItem)
    assert isinstance(last, GradedItem)
    assert first.worst.verdict == last.worst.verdict == "supported"
    assert isinstance(bad, str)
    assert bad.startswith("line 2: ")


def test_blank_lines_are_passed_over() -> None:
    """Empty lines count for the numbering only."""
    (answer,) = grade_lines(["", "  \n", "oops"])
    assert isinstance(answer, str)
    assert answer.startswith("line 3: ")


@given(st.text(max_size=100), st.lists(st.text(max_size=100), max_size=3))
def test_never_raises(claim: str, evidence: list[str]) -> None:
    """Any claim and texts give an answer or an error."""
    (answer,) = grade_lines([json.dumps({"id": 1, "claim": claim, "evidence": evidence})])
    assert isinstance(answer, str) or answer.as_json()["verdict"]


PASSAGES = [{"id": "D7", "text": POT}, {"id": "x-1", "text": "The lid is red."}]


@pytest.mark.parametrize(
    ("answer", "verdicts"),
    [
        ("The pot holds 1.5 litres. [D7] The lid is red. [2]", ["supported", "supported"]),
        ("The pot holds 1.5 litres. [D7] The lid is red.", ["supported", "uncited"]),
        ("The lid is red. [D7]", ["unsupported"]),
        ("The lid is red. [D9]", ["unknown_id"]),
        ("The lid is red. The pot holds 3 litres.", ["supported", "contradicted"]),
    ],
)
def test_an_answer_is_graded_by_the_ids_it_cites(answer: str, verdicts: list[str]) -> None:
    """Each claim by its own ids, names or numbers; without any ids every text counts as cited."""
    (told,) = _told(json.dumps({"question": "What is it like?", "answer": answer, "passages": PASSAGES}))
    assert [claim["verdict"] for claim in told["claims"]] == verdicts


@pytest.mark.parametrize(
    "data",
    [
        {"user_input": "How big?", "response": "It holds 2 litres.", "retrieved_contexts": [POT]},
        {"question": "How big?", "answer": "It holds 2 litres.", "contexts": [POT], "ground_truth": "1.5"},
        {
            "task_id": "t",
            "input": [{"speaker": "user", "text": "How big?"}, {"speaker": "agent", "text": "What?"}],
            "contexts": [{"document_id": "a", "text": POT, "score": 1}],
            "targets": [{"speaker": "agent", "text": "It holds 1.5 litres."}],
            "predictions": [{"text": "It holds 2 litres."}],
        },
        {
            "user_input": [{"content": "Hi", "type": "ai"}, {"content": "How big?", "type": "human"}],
            "response": "It holds 2 litres.",
            "retrieved_contexts": [POT],
        },
    ],
)
def test_other_peoples_shapes_are_read(data: dict[str, Any]) -> None:
    """Lines as RAGAS and MTRAG write them."""
    (graded,) = grade_lines([json.dumps(data)])
    assert isinstance(graded, GradedItem)
    assert graded.item.question == "How big?"
    assert graded.worst.verdict == "contradicted"


@pytest.mark.parametrize(
    "data",
    [
        {"answer": "a"},
        {"response": 3, "contexts": []},
        {"answer": "a", "contexts": "text"},
        {"answer": "a", "contexts": [3]},
        {"answer": "a", "passages": [{"id": 1}]},
        {"input": [], "predictions": [3], "contexts": []},
    ],
)
def test_an_unknown_shape_is_told(data: dict[str, Any]) -> None:
    """What is missing or wrong is said in one line."""
    (answer,) = grade_lines([json.dumps(data)])
    assert isinstance(answer, str)
    assert answer.startswith("line 1: ")
