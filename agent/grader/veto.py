"""Why a claim is not what its evidence says: what was replaced, turned, left out or made up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agent.grader.meaning import CONDITIONS, EXTENT, MODALS, NEGATIONS, Sentence, agree
from agent.grader.opposites import opposite
from agent.grader.passages import Passage, Unit, nearest
from agent.grader.rows import gainsays, read_row
from agent.grader.score import score

_SAME_MATTER = 0.6
"""Share of a claim's topics, values aside, that its nearest sentence has when it speaks of the same thing."""
_MOST = 0.99
_COVERED = 0.5
"""Share of a claim's topics in the evidence below which it is held to be made up."""


@dataclass(frozen=True)
class Objection:
    """Why a claim does not pass, and how likely it is by its score that the evidence says it all the same."""

    verdict: Literal["unsupported", "contradicted", "uncertain"]
    score: float
    reason: str
    stage: Literal["veto", "judge"]
    quote: str = ""


def object_to(sentence: Sentence, passages: Sequence[Passage]) -> Objection:
    """The gravest objection to a claim that is not in the source's own words."""
    for passage in passages:
        for row in passage.rows:
            reading = read_row(sentence.keys, row)
            reason = (
                reading.reason if reading.contradicted else gainsays(sentence.keys, sentence.content, row)
            )
            if reason:
                return Objection("contradicted", 0.0, reason, "veto", row.quote)
    words = frozenset(key for key in sentence.content if "=" not in key)
    unit, _ = nearest(sentence.content, passages)
    if unit is None:
        return Objection("unsupported", 0.0, "the source says nothing of this", "veto")
    covered = len(words & unit.sentence.content) / len(words) if words else 0.0
    same_matter = covered >= _SAME_MATTER
    found = (
        _values(sentence, unit, passages, same_matter)
        or _polarity(sentence, unit, same_matter)
        or _roles(sentence, unit)
        or _limits(sentence, unit, same_matter)
    )
    everything = frozenset[str]().union(*(passage.content for passage in passages))
    strange = sorted(sentence.names - everything)
    if not found and strange:
        found = "unsupported", f"the source does not name {', '.join(strange[:3])}"
    likely = min(_MOST, score((sentence,), passages))
    if found:
        verdict, reason = found
        return Objection(verdict, likely, reason, "veto", unit.quote)
    if words and len(words & everything) < _COVERED * len(words):
        missing = ", ".join(sorted(words - everything)[:4])
        reason = f"the source does not speak of: {missing}"
        return Objection("unsupported", likely, reason, "veto", unit.quote)
    return Objection("uncertain", likely, "not in the source's own words", "judge", unit.quote)


Found = tuple[Literal["unsupported", "contradicted"], str] | None


def _values(sentence: Sentence, unit: Unit, passages: Sequence[Passage], same_matter: bool) -> Found:
    here = [value.key for value in unit.sentence.values]
    anywhere = frozenset[str]().union(*(passage.values for passage in passages))
    for value in sentence.values:
        if any(agree((value.key,), (key,)) for key in here):
            continue
        rivals = [other for other in unit.sentence.values if other.kind == value.kind]
        if same_matter and any(other.key not in sentence.keys for other in rivals):
            theirs = next(other for other in rivals if other.key not in sentence.keys)
            return "contradicted", f"the source has {_say(theirs.key)}, not {_say(value.key)}"
        if not any(agree((value.key,), (key,)) for key in anywhere):
            return "unsupported", f"{_say(value.key)} is not in the source"
    return None


def _say(key: str) -> str:
    kind, amount = key.split("=", 1)
    if kind == "time span":
        for name, size in (("week", 604_800), ("day", 86_400), ("hour", 3_600), ("minute", 60)):
            if amount.isdigit() and int(amount) % size == 0:
                number = int(amount) // size
                return f"{number} {name}{'' if number == 1 else 's'}"
    if kind.startswith("money:"):
        return f"{kind[6:]} {amount}"
    if kind.startswith("code:") or kind in ("date", "clock", "address", "month", "phone"):
        return amount
    if kind == "number":
        return f"the number {amount}"
    return f"{amount} {kind.removeprefix('unit:')}"


def _polarity(sentence: Sentence, unit: Unit, same_matter: bool) -> Found:
    if not same_matter:
        return None
    mine, theirs = sentence.markers, unit.sentence.markers
    if sum(key in NEGATIONS for key in mine) != sum(key in NEGATIONS for key in theirs):
        added = any(key in NEGATIONS and key not in theirs for key in mine)
        return "contradicted", "a negation was added" if added else "a negation of the source is gone"
    extra = set(sentence.keys) - set(unit.sentence.keys)
    gone = set(unit.sentence.keys) - set(sentence.keys)
    for one in sorted(extra):
        for other in gone:
            if opposite(one, other):
                return "contradicted", f"the source says {other!r}, not {one!r}"
    return None


def _roles(sentence: Sentence, unit: Unit) -> Found:
    """`B depends on A` against `A depends on B`: the same words around the same middle, ends exchanged."""
    mine, theirs = sentence.keys, unit.sentence.keys
    if len(mine) != len(theirs) or mine == theirs or sorted(mine) != sorted(theirs):
        return None
    for first in range(1, len(mine) - 1):
        for last in range(1, len(mine) - first):
            middle = mine[first : len(mine) - last]
            if theirs == mine[len(mine) - last :] + middle + mine[:first]:
                return "contradicted", "who does what to whom is the other way round in the source"
    return None


def _limits(sentence: Sentence, unit: Unit, same_matter: bool) -> Found:
    if not same_matter:
        return None
    mine, theirs = set(sentence.markers), set(unit.sentence.markers)
    lost = [key for key in unit.sentence.markers if key in CONDITIONS and key not in mine]
    if lost:
        return "unsupported", f"the condition of the source ({lost[0]!r} …) is left out"
    added = [key for key in sentence.markers if key in CONDITIONS and key not in theirs]
    if added:
        return "unsupported", f"a condition was added ({added[0]!r} …)"
    for group, name in ((MODALS, "how binding it is"), (EXTENT, "how far it reaches")):
        mine_here = {key for key in mine if key in group}
        theirs_here = {key for key in theirs if key in group}
        if mine_here - theirs_here:
            return "unsupported", f"{name} was changed ({sorted(mine_here - theirs_here)[0]!r})"
    return None
