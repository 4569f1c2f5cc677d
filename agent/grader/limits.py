"""What follows from a stated limit: a day outside the opening days, a version below the one that is needed,
a term that has run out.

A statement is decided here only when it repeats the customer's own question, affirmed or denied, and the
evidence names the same thing with a limit. What a limit merely suggests decides nothing: "within 30 days"
does not say what comes after, unless a sentence beside it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from agent.grader.forms import is_thing
from agent.grader.meaning import EXTENT, MODALS, NEGATIONS, TURNING, WEEKDAYS, Sentence, key_of
from agent.grader.passages import Passage, Unit
from agent.grader.words import word_set

_REPEATED = 0.6
"""Share of a statement's topics that the question must have for the statement to be its answer."""
_SERVING = frozenset(
    key_of(word)
    for word in word_set("open available reach deliver answer call contact ship collect work visit serve run")
)
_OR_LATER = (
    ("or", "later"),
    ("and", "later"),
    ("or", "newer"),
    ("and", "newer"),
    ("or", "higher"),
    ("or", "above"),
)
_NEEDING = word_set("need must minimum least")
_ZONES = word_set("utc gmt cet cest wet west eet eest bst ist est edt cst cdt mst mdt pst pdt")
_OVER = (
    ("after", "that"),
    ("afterward",),
    ("no", "longer"),
    ("then",),
    ("later",),
    ("any", "more"),
    ("anymore",),
)
_FREE = NEGATIONS | MODALS | word_set("do will would on in at from after before")


@dataclass(frozen=True)
class Ruling:
    """What a limit says of a statement: whether it holds, by which sentence, and why in plain words."""

    holds: bool
    unit: Unit
    reason: str


def rule_on(claim: Sentence, asked: Sentence, passages: Sequence[Passage]) -> Ruling | None:
    """Whether a limit in the evidence decides a claim that repeats the question; None when none does."""
    topics = _topics(claim)
    repeated = len(topics & _topics(asked)) >= _REPEATED * len(topics)
    denials = sum(key in NEGATIONS for key in claim.keys)
    free = all(key in _FREE or key in asked.markers for key in claim.markers)
    if not topics or not repeated or denials > 1 or not free:
        return None
    for allowed, units, reason in _rulings(claim, asked, passages):
        known = _NEEDING.union(*(unit.sentence.content for unit in units))
        if WEEKDAYS.keys() & set(claim.keys):  # who comes on a day when nobody is there does not matter
            known |= asked.content
        said = all(key in known for key in topics) and all(topics & _topics(unit.sentence) for unit in units)
        if said:
            return Ruling(allowed == (denials == 0), units[0], reason)
    return None


Found = tuple[bool, tuple[Unit, ...], str]


def _rulings(claim: Sentence, asked: Sentence, passages: Sequence[Passage]) -> Iterator[Found]:
    for passage in passages:
        for place, unit in enumerate(passage.units):
            if not NEGATIONS & set(unit.sentence.keys) and not _excepted(claim, unit, passage):
                yield from _by_days(claim, asked, unit)
                yield from _by_version(claim, unit)
            after = passage.units[place : place + 2]
            yield from _by_term(claim, asked, after)


def _topics(sentence: Sentence) -> frozenset[str]:
    return frozenset(
        key for key in sentence.content if is_thing(key) and key not in WEEKDAYS and key not in _SERVING
    )


def _excepted(claim: Sentence, unit: Unit, passage: Passage) -> bool:
    """Whether another sentence of the passage speaks of what the claim names and this one does not."""
    own = claim.content - unit.sentence.content
    return any(own & other.sentence.content for other in passage.units if other is not unit)


def _by_days(claim: Sentence, asked: Sentence, unit: Unit) -> Iterator[Found]:
    keys = unit.sentence.keys
    days = [n for n, key in enumerate(keys) if key in WEEKDAYS]
    if _topics(unit.sentence) - asked.content - claim.content - _ZONES or EXTENT & set(keys):
        return  # it is about a case, such as "in winter", or about more days
    asked_for = [key for key in claim.keys if key in WEEKDAYS]
    if len(days) != 2 or len(asked_for) != 1 or not _SERVING & set(keys):
        return
    first, last = (WEEKDAYS[keys[n]] for n in days)
    between = keys[days[0] + 1 : days[1]]
    if between not in (("to",), (), ("until",), ("through",)) or first >= last:
        return
    inside = first <= WEEKDAYS[asked_for[0]] <= last
    if not inside:
        names = f"{keys[days[0]].title()} to {keys[days[1]].title()}"
        yield False, (unit,), f"{asked_for[0].title()} is not within {names}"


def _by_version(claim: Sentence, unit: Unit) -> Iterator[Found]:
    keys = unit.sentence.keys
    for thing, amount in _numbered(claim):
        for other, least in _numbered(unit.sentence):
            if thing != other or [name for name, _ in _numbered(unit.sentence)].count(other) > 1:
                continue
            place = next(n for n, pair in enumerate(_pairs(keys)) if pair == (other, f"number={least}"))
            or_later = any(keys[place + 2 : place + 2 + len(words)] == words for words in _OR_LATER)
            if _order(amount) < _order(least) and (or_later or _NEEDING & set(keys)):
                yield False, (unit,), f"{amount} is below {least}"
            elif _order(amount) >= _order(least) and or_later:
                yield True, (unit,), f"{amount} is not below {least}"


def _pairs(keys: Sequence[str]) -> list[tuple[str, str]]:
    return list(pairwise(keys))


def _numbered(sentence: Sentence) -> list[tuple[str, str]]:
    """Each name with the plain number behind it: `Android 11`."""
    return [
        (thing, key.removeprefix("number="))
        for thing, key in _pairs(sentence.keys)
        if is_thing(thing) and key.startswith("number=") and ".." not in key
    ]


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _by_term(claim: Sentence, asked: Sentence, units: Sequence[Unit]) -> Iterator[Found]:
    """`kept for 14 days … cannot be recovered after that` against three weeks."""
    spent = [_seconds(value.key) for value in (*claim.values, *asked.values)]
    passed = max((seconds for seconds in spent if seconds is not None), default=None)
    if passed is None or not units:
        return
    terms = [seconds for value in units[0].sentence.values if (seconds := _seconds(value.key)) is not None]
    term = terms[0] if len(terms) == 1 else None
    for closing in units:
        keys = closing.sentence.keys
        over = any(keys[n : n + len(words)] == words for words in _OVER for n in range(len(keys)))
        ends = over and NEGATIONS & set(keys) and not (TURNING - _FREE) & set(keys)
        if term is not None and passed > term and ends:
            yield False, (units[0], closing), "its term has run out by then"


def _seconds(key: str) -> int | None:
    kind, _, amount = key.partition("=")
    return int(amount) if kind in ("time span", "ago time span") and amount.isdigit() else None
