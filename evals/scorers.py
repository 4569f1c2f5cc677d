"""What makes an answer right: pure functions of a case and an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from agent.answer import Answer, Citation
from evals.cases import AnswerCase


def first_choice(tools: Collection[str], answer: Answer) -> tuple[str, ...]:
    """The tools that were tried first: as many distinct ones as are expected, at least one, sorted."""
    tried = list(dict.fromkeys(step.tool for step in answer.steps))
    return tuple(sorted(tried[: max(1, len(tools))]))


def routed(tools: Collection[str], answer: Answer) -> bool:
    """Whether the tools tried first are those that are expected, and no others."""
    return first_choice(tools, answer) == tuple(sorted(tools))


def reached(tools: Collection[str], answer: Answer) -> bool:
    """Whether every expected tool was used at some point; small talk must use none."""
    used = {step.tool for step in answer.steps}
    return set(tools) <= used if tools else not used


def holds(fact: str, text: str) -> bool:
    """Whether one of the alternatives of `fact` (parted by `|`) stands in `text`, case and spacing aside.

    A fact that begins or ends with a digit must not be part of a longer number.
    """
    plain = _plain(text)
    return any(_stands(_plain(part), plain) for part in fact.split("|"))


def facts_right(case: AnswerCase, answer: Answer) -> bool:
    """Whether the status is as expected, every needed fact stands there and no forbidden one."""
    return (
        answer.status == case.expect
        and (case.expect != "answered" or all(holds(fact, answer.text) for fact in case.must))
        and not any(holds(fact, answer.text) for fact in case.must_not)
    )


def says_forbidden(case: AnswerCase, answer: Answer) -> bool:
    """Whether a released answer holds a fact that the case forbids."""
    return any(holds(fact, answer.text) for fact in case.must_not)


def pointing_right(case: AnswerCase, answer: Answer) -> tuple[int, int]:
    """How many citations point where the case says, and how many there are; (0, 0) when it does not say."""
    if not case.cites or answer.status != "answered":
        return 0, 0
    right = sum(_points_at(citation, case.cites) for citation in answer.citations)
    return right, len(answer.citations)


def all_supported(answer: Answer) -> bool:
    """Whether every sentence that was released passed the grader."""
    return answer.status != "answered" or all(claim.verdict == "supported" for claim in answer.claims)


def _points_at(citation: Citation, places: Iterable[str]) -> bool:
    where = _plain(f"{citation.title} {citation.locator}")
    return any(_plain(place) in where for place in places)


def _plain(text: str) -> str:
    text = text.lower().replace("\u202f", " ").replace("\u00a0", " ").replace("’", "'")
    text = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
    text = re.sub(r"(?<=\d)\.0+(?!\d|\.\d)", "", text)
    return " ".join(text.split())


def _stands(part: str, text: str) -> bool:
    before = r"(?<![\d.,])" if part[:1].isdigit() else ""
    after = r"(?!\d|[.,]\d)" if part[-1:].isdigit() else ""
    return bool(part) and re.search(before + re.escape(part) + after, text) is not None
