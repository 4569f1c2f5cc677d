"""How well a statement answers: its meaning, its words, the kind of value and the thing asked about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.models.statements import Statement
from agent.models.words import Meaning, codes, covered, family, is_content, stem, stems, tokens

# Below this a statement is beside the question.
RESPONDS = 0.44
_UNNAMED = 0.08

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
    """The statements that could answer, best first; those about a sibling of what was asked are left out.

    The name of the thing asked about is hidden while meanings are compared: everything that is said about a
    thing is near to any question that names it.
    """
    about = [statement for statement in found if not about_another(question, statement)]
    names = [named_words(question, statement.piece.title) for statement in about]
    hidden = [
        (_hide(question, named), _hide(statement.text, named))
        for statement, named in zip(about, names, strict=True)
    ]
    meaning.learn([*(text for pair in hidden for text in pair), question, *map(_in_context, about)])
    scored = []
    for statement, named, (asked, said) in zip(about, names, hidden, strict=True):
        whole = _in_context(statement)
        near = 0.50 * meaning.cosine(asked, said) + 0.15 * meaning.cosine(question, whole)
        wanted = stems(question) - {stem(word) for word in named}
        words = 0.7 * covered(wanted, f"{statement.context} {statement.text}") + 0.3 * covered(wanted, whole)
        unnamed = _UNNAMED * bool(set(codes(question)) - set(codes(whole)))
        total = near + 0.35 * (words if wanted else 1.0) + value_fit(question, statement.text) - unnamed
        scored.append(Scored(statement, total))
    return sorted(scored, key=lambda item: -item.score)


def named_words(question: str, title: str) -> frozenset[str]:
    """The words by which a question names its thing, in small letters: codes, names in capitals, and the words
    beside a code that the title has too."""
    words = tokens(question)
    titled = stems(title)
    named = {place for place, word in enumerate(words) if codes(word) or (place and word[0].isupper())}
    for place in [place for place in named if codes(words[place])]:
        for step in (-1, 1):
            at = place + step
            while 0 <= at < len(words) and is_content(words[at]) and stem(words[at]) in titled:
                named.add(at)
                at += step
    return frozenset(words[place].lower() for place in named if is_content(words[place]))


def _hide(text: str, named: frozenset[str]) -> str:
    """The text with "it" where the thing is named, with the capitals that stand before its name."""
    if not named:
        return text
    one = "|".join(re.escape(word) for word in sorted(named, key=len, reverse=True))
    before = r"(?:\b(?i:the|an?|my|your)\s+)?(?:\b[A-Z][\w-]*\s+)*"
    return re.sub(rf"{before}\b(?i:{one})\b(?:[\s-]+(?i:{one})\b)*", "it", text)


def _in_context(statement: Statement) -> str:
    above = ", ".join(
        part for part in (statement.piece.title.replace(" > ", ", "), statement.context) if part
    )
    return f"{above}: {statement.text}"


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
