"""`desk grade`: the grader on its own, over lines of JSON."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError

from agent.commands.screen import print_json, say
from agent.grader import grade as grade_draft
from tools.errors import BadInput
from tools.evidence import Evidence

_WORST_FIRST = ("unknown_id", "uncited", "contradicted", "unsupported", "uncertain", "supported")
_STYLES = {"supported": "green", "uncertain": "yellow"}


class Line(BaseModel):
    """One line of the input: a claim, the texts that should support it, and what was asked."""

    id: Any = None
    claim: str
    evidence: list[str]
    question: str = ""


def grade(file: str, *, as_json: bool) -> int:
    """Grade each line's claim against its evidence, in order, as the lines come."""
    for line in _lines(file):
        graded = _graded(line)
        if as_json:
            print_json(graded, indent=None)
        else:
            verdict = graded["verdict"]
            say(f"{graded['id']}  {verdict}  {graded['score']:.2f}", style=_STYLES.get(verdict, "red"))
            say(f"{line.claim}\n{graded['reason']}", indent="     ")
    return 0


def _graded(line: Line) -> dict[str, Any]:
    """The worst of the claim's sentences: one bad sentence makes a bad claim."""
    evidence = {f"D{n}": Evidence(f"D{n}", "documents", "", text) for n, text in enumerate(line.evidence, 1)}
    # Ids at the end of a paragraph count for all its sentences.
    draft = " ".join([*line.claim.split(), *(f"[{key}]" for key in evidence)])
    claims = grade_draft(draft, evidence, line.question).claims
    if not claims:
        reason = "it states nothing that could be checked"
        return {"id": line.id, "verdict": "uncertain", "score": 0.0, "reason": reason, "stage": "judge"}
    worst = min(claims, key=lambda claim: (_WORST_FIRST.index(claim.verdict), claim.score))
    return {
        "id": line.id,
        "verdict": worst.verdict,
        "score": round(worst.score, 4),
        "reason": worst.reason,
        "stage": worst.stage,
    }


def _lines(file: str) -> Iterator[Line]:
    """The lines that are not empty.

    Raises:
        BadInput: The file cannot be read, or a line is not of the right form; names the line.
    """
    try:
        with sys.stdin if file == "-" else open(file, encoding="utf-8") as stream:
            for number, text in enumerate(stream, 1):
                if text.strip():
                    yield _line(number, text)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
        ) from None


def _line(number: int, text: str) -> Line:
    try:
        return Line.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadInput(f"line {number}: {where or 'it'}: {first['msg'].lower()}") from None
