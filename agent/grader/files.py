"""Grading lines of a file: answers with the texts they should follow from, without a desk around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent.grader.claims import read_draft
from agent.grader.grades import ClaimGrade
from agent.grader.meaning import SENTENCE_LIMIT, read
from agent.grader.passages import read_passage
from agent.grader.score import score
from agent.grader.shapes import Item, read_item
from agent.grader.support import grade, judge_claim
from agent.grader.text import TEXT_LIMIT
from tools.evidence import Evidence

_GRAVITY = ("contradicted", "unknown_id", "unsupported", "uncited", "uncertain", "supported")
_CITABLE = re.compile(r"[A-Za-z]{0,2}\d{1,5}")


@dataclass(frozen=True)
class GradedItem:
    """An answer with the grade of each of its claims.

    Attributes:
        item: What was read.
        claims: The grades, at least one.
        evidence: The texts by the ids that the claims cite.
    """

    item: Item
    claims: tuple[ClaimGrade, ...]
    evidence: Mapping[str, str]

    @property
    def worst(self) -> ClaimGrade:
        """The gravest of its claims, with the score of the whole."""
        gravest = min(self.claims, key=lambda part: (_GRAVITY.index(part.verdict), part.score))
        return replace(gravest, score=self._score)

    @property
    def _score(self) -> float:
        """How likely it is that its texts say all of it: of what is not supported, taken together."""
        lowest = min(part.score for part in self.claims)
        still_open = [part for part in self.claims if part.verdict != "supported"]
        if len(still_open) < 2 or not lowest:
            return lowest
        cited = dict.fromkeys(name for part in still_open for name in part.citations)
        passages = [read_passage(self.evidence[name]) for name in cited if name in self.evidence]
        return round(score([read(part.text) for part in still_open], passages), 4)

    def as_json(self) -> dict[str, Any]:
        """`{"id", "verdict", "score", "reason", "stage"}` of the gravest claim; of an answer `claims` too."""
        worst = self.worst
        told = {"id": self.item.id, **_told(worst)}
        if not self.item.one_claim:
            told["claims"] = [
                {"text": one.text, "citations": list(one.citations), **_told(one), "quote": one.quote}
                for one in self.claims
            ]
        return told


def _told(one: ClaimGrade) -> dict[str, Any]:
    return {"verdict": one.verdict, "score": one.score, "reason": one.reason, "stage": one.stage}


def grade_lines(lines: Iterable[str]) -> Iterator[GradedItem | str]:
    """Grade JSON lines of the forms in `shapes.FORMS`, one after the other; blank lines are passed over.

    Yields:
        The graded answer of each line, or for a line that cannot be read one line that says why, with its
        number from 1.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield grade_line(number, line)


def grade_line(number: int, line: str) -> GradedItem | str:
    """Grade one line, the `number`th from 1, as `grade_lines` does."""
    try:
        return grade_item(read_item(line))
    except json.JSONDecodeError as error:
        return f"line {number}: not JSON: {error.msg}"
    except (ValueError, RecursionError) as error:
        return f"line {number}: {error}"


def grade_item(item: Item) -> GradedItem:
    """Grade an answer: by the ids that it cites, or against all of its texts when it cites none."""
    names = [f"D{index}" for index in range(1, len(item.passages) + 1)]
    texts = dict(zip(names, (text for _, text in item.passages), strict=True))
    if not item.one_claim:
        citable = _evidence(item, names)
        cited = [one for one in read_draft(item.answer, item.question).claims if one.citations]
        if cited:
            claims = grade(item.answer, citable, item.question).claims
            return GradedItem(item, claims, {name: one.text for name, one in citable.items()})
    return GradedItem(item, tuple(_against_all(item, tuple(names))), texts)


def _evidence(item: Item, names: list[str]) -> dict[str, Evidence]:
    """The texts under their own names where these can be cited, and under their numbers."""
    found: dict[str, Evidence] = {}
    for number, (name, (own, text)) in enumerate(zip(names, item.passages, strict=True), 1):
        for alias in (name, str(number)):
            found.setdefault(alias, Evidence(alias, "documents", own, text))
    for own, text in item.passages:
        if _CITABLE.fullmatch(own):
            found[own.upper()] = Evidence(own.upper(), "documents", own, text)
    return found


def _against_all(item: Item, names: tuple[str, ...]) -> Iterator[ClaimGrade]:
    question = item.question[:SENTENCE_LIMIT]
    claims = read_draft(item.answer, question, read(question).content).claims
    if len(item.answer) > TEXT_LIMIT or not claims:
        reason = "it is too long" if claims else "it states nothing that can be checked"
        yield ClaimGrade(item.answer, (), "uncertain", 0.0, reason, "judge")
        return
    passages = [read_passage(text) for _, text in item.passages]
    for part in claims:
        yield judge_claim(part.text, names, passages, question)


def grade_claim(claim: str, evidence: list[str], question: str = "") -> ClaimGrade:
    """Grade one claim, or the gravest of its sentences, against all of the texts; ids in it are ignored."""
    passages = tuple(("", text) for text in evidence)
    return grade_item(Item(None, claim, passages, question, one_claim=True)).worst
