"""What is left of a draft when the claims that did not pass are taken out, if that may be shown at all."""

from __future__ import annotations

import re

from agent.grader.grades import ClaimGrade, Grade
from agent.grader.meaning import CONDITIONS, NEGATIONS, read
from agent.grader.words import word_set

_ID = r"[A-Za-z]{0,2}\d{1,5}"
# What belongs to the sentence before it: its ids, and marks that close something.
_TAIL = re.compile(rf"(?:\s*[\[【]\s*{_ID}(?:[\s,;&]+{_ID})*\s*[\]】]|[.!?…\"'”’»)*_])*")
_MARKER = re.compile(r"(?:^|(?<=\n))[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)]|>|#{1,6})[ \t]+\Z")
_LEANING = word_set("it they this these that those he she such both otherwise then so but however if unless")
_LIMITING = NEGATIONS | CONDITIONS
_ANSWERED = 0.5
"""Share of the question's topics found in the whole draft that what is left must still have."""


def trimmed(draft: str, grade: Grade, question: str) -> str | None:
    """The draft without the claims that are not supported, or None when that may not be shown.

    It may not when nothing supported is left, when a claim that is cut limits what another says ("unless …",
    "but not …"), when a sentence that stays leans on one that goes, or when what is left no longer answers
    the question. The caller grades the result again.
    """
    kept = [claim for claim in grade.claims if claim.verdict == "supported"]
    cut = [claim for claim in grade.claims if claim.verdict != "supported"]
    if not kept or not cut or any(_limits(claim) for claim in cut) or _leans(grade):
        return None
    if not _answers(kept, grade.claims, question):
        return None
    text = draft
    for claim in sorted(cut, key=lambda one: one.span, reverse=True):
        start, end = claim.span
        tail = _TAIL.match(text, end)
        before = _MARKER.sub("", text[:start])
        text = before + text[tail.end() if tail else end :]
    lines = [line.rstrip() for line in re.sub(r"[ \t]{2,}", " ", text).splitlines()]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() or None


def _limits(claim: ClaimGrade) -> bool:
    """Whether a claim says what does not hold, or when something holds: it may be the limit of another."""
    return bool(_LIMITING & set(read(claim.text).keys))


def _leans(grade: Grade) -> bool:
    """Whether a supported sentence begins with a word that points back to one that is cut."""
    before: ClaimGrade | None = None
    for claim in grade.claims:
        first = read(claim.text).keys[:1]
        gone = before is not None and before.verdict != "supported"
        if claim.verdict == "supported" and gone and first and first[0] in _LEANING:
            return True
        before = claim
    return False


def _answers(kept: list[ClaimGrade], claims: tuple[ClaimGrade, ...], question: str) -> bool:
    asked = read(question).content
    whole, left = (
        asked & frozenset[str]().union(*(read(one.text).content for one in some)) for some in (claims, kept)
    )
    return (bool(left) or not asked) and len(left) >= _ANSWERED * len(whole)
