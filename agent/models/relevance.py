"""How well a statement answers: its meaning, its words, the kind of value and the thing asked about.

The embedder has learned what answers what, so that its cosine carries most. The weights of the rest and
`RESPONDS` were varied one at a time over the open answer cases of `evals` that quote a text: the best
statement holds the fact in 80 of 100 that have it among what was found, and of what nothing answers four
fifths stay below.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from agent.models.statements import Statement
from agent.models.things import about_another, as_titled, named_words, of_longer_names
from agent.models.words import Meaning, codes, corrected, family, is_content, stem, stems, tokens, vocabulary

# Below this a statement is beside the question.
RESPONDS = 0.40
_ALONE = 0.20
_WORDS = 0.15
_UNNAMED = 0.12
_LATER = 0.015  # a source gives first what fits the question best
_LAST_PLACE = 3
_STEPS = 0.04  # steps answer "how do I"
_UNNAMED_BUT_ELSEWHERE = 0.02
_CROWDED = 0.06
_CROWD = 3
_OTHER_RATE = 0.10  # what is paid or done by the month does not tell it by the year
_UNCOUNTED = 0.12  # a text that does not name what is to be counted tells another number

# The number of one order or case: no rule or manual ever names it.
_CASE_NUMBER = re.compile(r"\d{4}")

_COUNTED = re.compile(r"\bhow (?:many|much) (\w+)", re.IGNORECASE)
_ASKS_MANY = re.compile(r"\b(?:which|list|all|every|each|other)\b", re.IGNORECASE)
_HOW_TO = re.compile(r"\bhow (?:do|can|should|to|must)\b", re.IGNORECASE)
_UNIT = r"(?:minutes?|hours?|(?:working |business )?days?|weeks?|months?|years?|seconds?|nights?)"
_NUMBER = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty)"
_DURATION = re.compile(rf"\b{_NUMBER}\s*(?:to \d+\s*)?{_UNIT}\b", re.IGNORECASE)
_MONTH = r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} {_MONTH}|{_MONTH} \d|\d{{4}}-\d\d|\d\d?:\d\d)"
    r"|\b(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)"
)
_MONEY = re.compile(
    r"[€$£]\s?\d|\d\s?(?:euros?|EUR|USD|dollars?|cents?|pounds?|[€$£])"
    r"|\bfree\b|\bno (?:\w+ )?(?:charge|fee|cost)|\bnothing\b|\bnot charge|\bincluded\b",
    re.IGNORECASE,
)
_MONEY_OR_SHARE = re.compile(rf"{_MONEY.pattern}|%|\bpercent\b", re.IGNORECASE)
_ANY_NUMBER = re.compile(rf"\d|\b{_NUMBER}\b", re.IGNORECASE)

_ASKED_VALUE: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (re.compile(r"\bwhat (?:does|do|is)\b.*\bmean", re.IGNORECASE), re.compile(r"\bmeans?\b|^\S+: ")),
    (
        re.compile(r"\b(?:until|till|by) when\b|\b(?:can|may) (?:i|we) still\b", re.IGNORECASE),
        re.compile(
            rf"\b(?:until|before|within|as long as|no longer|once)\b|{_DURATION.pattern}", re.IGNORECASE
        ),
    ),
    (re.compile(r"\bhow (?:long|soon|quickly)\b", re.IGNORECASE), _DURATION),
    (
        re.compile(
            r"\bhow much\b.*\b(?:pay|fee|charge)|\bfee\b|\bwhat do (?:i|you|we) (?:pay|charge|take)\b",
            re.IGNORECASE,
        ),
        _MONEY_OR_SHARE,
    ),
    (
        re.compile(
            r"\bhow much\b.*\b(?:cost|price)|\bprice|\bwhat does\b.*\bcost"
            r"|\bhow much (?:a|per|each|every) (?:year|month|week|day|night|hour|piece)\b",
            re.IGNORECASE,
        ),
        _MONEY,
    ),
    (re.compile(r"\bhow (?:many|much|often|heavy|far|tall)\b", re.IGNORECASE), _ANY_NUMBER),
    (re.compile(r"\bwhat time\b", re.IGNORECASE), re.compile(r"\d\d?[:.]\d\d|\d ?[ap]m\b|\bnoon\b")),
    (re.compile(r"\bsince when\b|\b(?:what|which|on what) (?:date|day)\b", re.IGNORECASE), _DATE),
    (
        re.compile(r"\bwhen\b|\bwhat (?:date|day|hours)\b", re.IGNORECASE),
        re.compile(f"{_DATE.pattern}|{_DURATION.pattern}"),
    ),
)

_WITHOUT = {_MONEY: -0.12}

_RATE = re.compile(
    r"\b(?:(year|month|week|dai|night|hour)ly|(annual)(?:ly)?"
    r"|(?:per|each|every) (year|month|week|day|night|hour))\b",
    re.IGNORECASE,
)
_SAME_RATE = {"annual": "year", "dai": "day"}


@dataclass(frozen=True)
class Scored:
    """A statement and how well it answers, about 0 to 1."""

    statement: Statement
    score: float


def score(question: str, found: Sequence[Statement], meaning: Meaning) -> list[Scored]:
    """The statements that could answer, best first; those about a sibling of what was asked are left out.

    A statement is compared under its title and headings, as a reader would see it, and a little alone. Words
    that stand in most of what was found count little.
    """
    texts = [in_context(one.piece.title, one.context, one.text) for one in found]
    question = corrected(question, vocabulary(texts))
    question = as_titled(question, (one.piece.title for one in found))
    others = of_longer_names(question, texts)
    about = [
        (one, whole)
        for place, (one, whole) in enumerate(zip(found, texts, strict=True))
        if place not in others and not about_another(question, one.piece.title, one.text)
    ]
    near = meaning.cosines(question, [whole for _, whole in about])
    alone = meaning.cosines(question, [one.text for one, _ in about])
    weights = _weights(question, texts)
    named_anywhere = frozenset(stem(word) for text in texts for word in tokens(text))
    places = {piece: place for place, piece in enumerate(dict.fromkeys(one.piece.id for one in found))}
    scored = []
    for (one, whole), titled, bare in zip(about, near, alone, strict=True):
        names = named_words(question, one.piece.title)
        total = (
            (1 - _ALONE) * titled
            + _ALONE * bare
            + _WORDS * _words(weights, names, f"{one.context} {one.text}", whole)
        )
        total += value_fit(question, one.text) - _unnamed(question, whole, named_anywhere)
        total -= _CROWDED * min(_others(question, one.text), _CROWD)
        total -= _OTHER_RATE * _at_another_rate(question, one.text)
        total -= _UNCOUNTED * _tells_another_number(question, whole)
        total += _STEPS * (one.steps is not None and bool(_HOW_TO.search(question)))
        total -= _LATER * min(places[one.piece.id], _LAST_PLACE)
        scored.append(Scored(one, total))
    return sorted(scored, key=lambda item: -item.score)


def _words(weights: dict[str, float], named: frozenset[str], text: str, whole: str) -> float:
    """The share of the question's words in the text and its context; what names the thing counts for less."""
    names = {stem(word) for word in named}
    wanted = {word: weight for word, weight in weights.items() if word not in names}
    thing = {word: weight for word, weight in weights.items() if word in names}
    asked = 0.7 * _share(wanted, text) + 0.3 * _share(wanted, whole)
    if not thing:
        return asked
    told = 0.7 * _share(thing, text) + 0.3 * _share(thing, whole)
    return 0.75 * asked + 0.25 * told if wanted else told


def _weights(question: str, texts: Sequence[str]) -> dict[str, float]:
    """How much each word of the question says: the fewer of the texts have it, the more."""
    words = [stems(text) for text in texts]
    weights: dict[str, float] = {}
    for word in stems(question):
        having = sum(word in text for text in words)
        weights[word] = log(1 + (len(texts) + 1) / (having + 1)) / log(2 + len(texts))
    return weights


def _share(wanted: dict[str, float], text: str) -> float:
    there = stems(text)
    return sum(weight for word, weight in wanted.items() if word in there) / (sum(wanted.values()) or 1.0)


def _unnamed(question: str, whole: str, named_anywhere: frozenset[str]) -> float:
    """What a text loses for not naming the thing; more when no text does, so that there may be none."""
    there = {stem(word) for word in tokens(whole)}
    missing = {stem(word) for word in named_words(question) if not _CASE_NUMBER.search(word)} - there
    if not missing:
        return 0.0
    return _UNNAMED_BUT_ELSEWHERE if missing & named_anywhere else _UNNAMED


def _others(question: str, text: str) -> int:
    """How many siblings of what was asked for the text names beside it: a list says little of each."""
    if _ASKS_MANY.search(question):
        return 0
    asked = set(codes(question))
    kinds = {family(code) for code in asked}
    return sum(family(code) in kinds for code in set(codes(text)) - asked)


def _tells_another_number(question: str, whole: str) -> bool:
    """Whether the question counts something, `how many decibels`, that the text does not name."""
    counted = _COUNTED.search(question)
    return bool(counted and is_content(counted[1]) and stem(counted[1]) not in stems(whole))


def _at_another_rate(question: str, text: str) -> bool:
    """Whether a text tells by the month, say, what was asked for by the year."""
    told = _rates(text)
    return bool(told) and not _rates(question) <= told


def _rates(text: str) -> set[str]:
    named = (next(filter(None, match)).lower() for match in _RATE.findall(text))
    return {_SAME_RATE.get(rate, rate) for rate in named}


def in_context(place: str, context: str, text: str) -> str:
    """A text under its title and headings, `Title > Heading`, and what else stands above it."""
    above = ", ".join(part for part in (place.replace(" > ", ", "), context) if part)
    return f"{above}: {text}"


def value_fit(question: str, text: str) -> float:
    """A little for a text with the kind of value that the question asks for, a little off without."""
    for asks, value in _ASKED_VALUE:
        if asks.search(question):
            return 0.035 if value.search(text) else _WITHOUT.get(value, -0.045)
    return 0.0
