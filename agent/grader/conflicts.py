"""Where the evidence contradicts itself: two pieces that say different things of the same matter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from agent.grader.forms import is_thing
from agent.grader.grades import ClaimGrade, Conflict, Place
from agent.grader.meaning import NEGATIONS, Sentence, read
from agent.grader.passages import Passage, Unit, read_passage
from agent.grader.values import Value
from agent.grader.words import word_set
from tools.evidence import Evidence

_TOPICS = 3
"""Topics that two sentences must share, at the least, before they can be of one matter."""
_PIECES = 40
_NAMING = word_set("date month ordinal version address quarter phone")
_MOST = 5


def find_conflicts(claims: Sequence[ClaimGrade], evidence: Mapping[str, Evidence]) -> tuple[Conflict, ...]:
    """What other pieces of evidence say otherwise than the sentences that supported claims rest on.

    Two sentences are of one matter when they have the same topics and the same turns of meaning, and differ
    in one value of the same kind or in a negation. Sentences that differ in anything else, such as the year
    or the product that they speak of, are not compared. Records are not compared: two rows are
    two things.
    """
    passages = {
        name: read_passage(item.text, item.title)
        for name, item in list(evidence.items())[:_PIECES]
        if item.source in ("documents", "web")
    }
    found: list[Conflict] = []
    for number, claim in enumerate(claims):
        place = claim.place
        if claim.verdict != "supported" or place is None or place.id not in passages:
            continue
        stated = read(claim.quote)
        if len(_topics(stated)) < _TOPICS:
            continue
        for name, unit, reason in _others(stated, place.id, passages):
            start = evidence[name].text.find(unit.quote)
            if start >= 0 and unit.quote not in evidence[place.id].text:
                other = Place(name, start, start + len(unit.quote))
                first = _first(evidence[place.id], evidence[name], stated)
                found.append(Conflict(number, place, other, first, reason))
    return tuple(found[:_MOST])


def _others(stated: Sentence, own: str, passages: Mapping[str, Passage]) -> Iterator[tuple[str, Unit, str]]:
    for name, passage in passages.items():
        for unit in passage.units if name != own else ():
            reason = _differs(stated, unit.sentence)
            if reason:
                yield name, unit, reason


def _differs(one: Sentence, other: Sentence) -> str:
    """What two sentences of one matter say differently; empty when they are of two, or agree."""
    if _topics(one) != _topics(other):
        return ""
    turns = [
        [key.replace("cannot", "can") for key in side.markers if key == "cannot" or key not in NEGATIONS]
        for side in (one, other)
    ]
    denials = [sum(key in NEGATIONS for key in side.markers) for side in (one, other)]
    mine, theirs = _left(one, other), _left(other, one)
    if turns[0] != turns[1]:
        return ""
    if not mine and not theirs and denials[0] != denials[1]:
        return "one denies what the other says"
    apart = len(mine) == len(theirs) == 1 and mine[0].kind == theirs[0].kind
    if apart and denials[0] == denials[1] and _measures(mine[0]) and _measures(theirs[0]):
        return f"one has {_written(mine[0])}, the other {_written(theirs[0])}"
    return ""


def _topics(sentence: Sentence) -> frozenset[str]:
    return frozenset(key for key in sentence.content if is_thing(key))


def _left(one: Sentence, other: Sentence) -> list[Value]:
    keys = {value.key for value in other.values}
    return [value for value in one.values if value.key not in keys]


def _measures(value: Value) -> bool:
    """Whether a value says how much, how long or when; a code, version or year says which one is meant."""
    named = value.kind.startswith("code:") or value.kind in (
        "month",
        "ordinal",
        "version",
        "address",
        "quarter",
    )
    return not named and not (value.kind == "number" and re.fullmatch(r"(?:19|20)\d\d", value.amount))


def _written(value: Value) -> str:
    return f"{value.amount} ({value.kind.rpartition(':')[2]})"


def _first(one: Evidence, other: Evidence, stated: Sentence) -> str:
    """The id of the newer of the two; else of the one whose title names more of the matter; else of `one`."""
    days = [_day(item) for item in (one, other)]
    if days[0] and days[1] and days[0] != days[1]:
        return one.id if days[0] > days[1] else other.id
    named = [len(_topics(read(item.title)) & _topics(stated)) for item in (one, other)]
    return one.id if named[0] >= named[1] else other.id


def _day(item: Evidence) -> str:
    """The day from which its words are, not on which they were read; empty where that is not known."""
    for name in ("updated", "published"):
        told = item.locator.get(name)
        if told:
            try:
                return datetime.fromisoformat(str(told)).date().isoformat()
            except ValueError:
                continue
    return ""
