"""Grading lines of a file: claims with the texts they should follow from, without a desk around them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from agent.grader.claims import read_draft
from agent.grader.grades import ClaimGrade
from agent.grader.meaning import SENTENCE_LIMIT, read
from agent.grader.passages import read_passage
from agent.grader.support import judge_claim
from agent.grader.text import TEXT_LIMIT

_GRAVITY = ("contradicted", "unsupported", "uncertain", "supported")


def grade_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Grade JSON lines of `{"id", "claim", "evidence": [text, …], "question"?}`; blank lines are passed over.

    Yields:
        `{"id", "verdict", "score", "reason", "stage"}` for each line. A claim of several sentences has the
        gravest verdict among them. A line that cannot be read gives `{"line", "id", "error"}` with its
        number from 1.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield grade_line(number, line)


def grade_line(number: int, line: str) -> dict[str, Any]:
    """Grade one line, the `number`th from 1, as `grade_lines` does."""
    name: Any = None
    try:
        data = json.loads(line)
        if not isinstance(data, dict):
            raise ValueError("it must be an object")
        name = data.get("id")
        claim, evidence, question = data.get("claim"), data.get("evidence"), data.get("question") or ""
        if not isinstance(claim, str) or not claim.strip():
            raise ValueError('"claim" must be a text')
        if not isinstance(evidence, list) or not all(isinstance(text, str) for text in evidence):
            raise ValueError('"evidence" must be a list of texts')
        if not isinstance(question, str):
            raise ValueError('"question" must be a text')
        worst = grade_claim(claim, evidence, question)
    except json.JSONDecodeError as error:
        return {"line": number, "id": None, "error": f"line {number}: not JSON: {error.msg}"}
    except (ValueError, RecursionError) as error:
        return {"line": number, "id": name, "error": f"line {number}: {error}"}
    return {
        "id": name,
        "verdict": worst.verdict,
        "score": worst.score,
        "reason": worst.reason,
        "stage": worst.stage,
    }


def grade_claim(claim: str, evidence: list[str], question: str = "") -> ClaimGrade:
    """Grade one claim, or the gravest of its sentences, against all of the texts; ids in it are ignored."""
    passages = [read_passage(text) for text in evidence]
    names = tuple(f"D{index}" for index in range(1, len(evidence) + 1))
    question = question[:SENTENCE_LIMIT]
    claims = read_draft(claim, question, read(question).content).claims
    if len(claim) > TEXT_LIMIT or not claims:
        reason = "it is too long" if claims else "it states nothing that can be checked"
        return ClaimGrade(claim, (), "uncertain", 0.0, reason, "judge")
    graded = [judge_claim(part.text, names, passages, question) for part in claims]
    return min(graded, key=lambda part: (_GRAVITY.index(part.verdict), part.score))
