"""How well a statement answers: its meaning, its words, the kind of value and the thing asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.models.statements import Statement
from agent.models.words import Meaning, codes, covered, family, stem, stems, tokens

# Below this a statement is beside the question.
RESPONDS = 0.44

_UNIT = r"(?:minutes?|hours?|(?:working |business )?days?|weeks?|months?|years?|seconds?|nights?)"
_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty)"
_DURATION = re.compile(rf"\b{_NUMBER}\s*(?:to \d+\s*)?{_UNIT}\b", re.IGNORECASE)
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} {_MONTH}|{_MONTH} \d|\d{{4}}-\d\d|\d\d?:\d\d)"
    r"|\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
)
_MONEY = re.compile(
    r"[€$£]\s?\d|\d\s?(?:euros?|EUR|USD|dollars?|%)|\bfree\b|\bno (?:charge|fee)", re.IGNORECASE
)
_ANY_NUMBER = re.compile(rf"\d|\b{_NUMBER}\b", re.IGNORECASE)
_PERMISSION = re.compile(
    r"\b(?:can|cannot|may|must|allowed|not|only|never|always|is|are|do|does)\b", re.IGNORECASE
)

_ASKED_VALUE: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"\bhow (?:long|soon|quickly)\b", re.IGNORECASE), _DURATION),
    (
        re.compile(
            r"\bhow much\b.*\b(?:cost|pay|fee|charge|price)|\bprice|\bwhat does\b.*\bcost|\bfee\b",
            re.IGNORECASE,
        ),
        _MONEY,
    ),
    (re.compile(r"\bhow (?:many|much|often|far|big|heavy|old)\b", re.IGNORECASE), _ANY_NUMBER),
    (
        re.compile(r"\bwhen\b|\bwhat (?:time|date|day|hours)\b", re.IGNORECASE),
        re.compile(f"{_DATE.pattern}|{_DURATION.pattern}"),
    ),
    (re.compile(r"^(?:can|may|is|are|do|does|am|must|should)\b", re.IGNORECASE), _PERMISSION),
)


@dataclass(frozen=True)
class Scored:
    """A statement and how well it answers, about 0 to 1."""

    statement: Statement
    score: float


def score(question: str, found: Sequence[Statement], meaning: Meaning) -> list[Scored]:
    """The statements that could answer, best first; those about a sibling of what was asked are left out."""
    about = [statement for statement in found if not about_another(question, statement)]
    if not about:
        return []
    asked = stems(question)
    alone = meaning.cosines(question, [statement.text for statement in about])
    titled = meaning.cosines(
        question, [f"{_topic(statement.piece.title)}: {statement.text}" for statement in about]
    )
    scored = []
    for statement, plain, with_title in zip(about, alone, titled, strict=True):
        words = 0.7 * covered(asked, statement.text) + 0.3 * covered(
            asked, f"{statement.piece.title} {statement.text}"
        )
        value = (
            0.45 * max(plain, with_title) + 0.20 * plain + 0.35 * words + value_fit(question, statement.text)
        )
        scored.append(Scored(statement, value))
    return sorted(scored, key=lambda item: -item.score)


def _topic(title: str) -> str:
    return title.replace(" > ", ", ")


def value_fit(question: str, text: str) -> float:
    """A little for a text with the kind of value that the question asks for, a little off without."""
    for asks, value in _ASKED_VALUE:
        if asks.search(question):
            return 0.06 if value.search(text) else -0.08
    return 0.0


def about_another(question: str, statement: Statement) -> bool:
    """Whether a statement is about a sibling of what was asked about: another model, order or error code.

    A text that names nothing of that kind is general, and may well answer.
    """
    text = f"{statement.piece.title} {statement.text}"
    named = {
        family(code): {other for other in codes(text) if family(other) == family(code)}
        for code in codes(text)
    }
    for code in codes(question):
        siblings = named.get(family(code), set())
        if siblings and code not in siblings:
            return True
        if code in codes(text) and _qualified_otherwise(code, question, text):
            return True
    return False


def _qualified_otherwise(code: str, question: str, text: str) -> bool:
    """Whether the text has the code only with another name after it: `K2 Pro` when `K2` was asked about."""
    asked = _after(code, question)
    there = _after(code, text)
    spoken = {stem(word) for word in tokens(question)}
    extra = {word for word in there if word and word[0].isupper() and stem(word) not in spoken}
    plain = [word for word in there if not word or word not in extra]
    if extra and not plain:
        return True
    wanted = {word for word in asked if word and word[0].isupper()}
    return bool(wanted) and not any(word in wanted for word in there) and not (wanted & set(tokens(text)))


def _after(code: str, text: str) -> list[str]:
    """The word right after each mention of a code, a space between; empty where there is none."""
    return [match[1] or "" for match in re.finditer(rf"(?i:\b{re.escape(code)}\b)(?: ([^\W\d_]+))?", text)]
