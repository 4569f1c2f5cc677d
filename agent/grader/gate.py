"""The gate: whether the evidence says a claim in its own words, as one sentence or in parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.grader.forms import Pairs, forms, pairs_of, rotations
from agent.grader.meaning import CONDITIONS, MODALS, NEGATIONS, Sentence, read
from agent.grader.passages import PRONOUNS, Passage, Unit, directly_behind, find
from agent.grader.rows import is_rival, read_row
from agent.grader.sayings import FINITE
from agent.grader.words import word_set

_LOOKUPS = 300
"""How many ways of splitting one claim are tried; beyond that it is left uncertain."""
_EMPTY_WORDS = word_set(
    "row record result match entry find there be have was you i we in for any of under on"
)
_EMPTY_SIGNS = word_set("row record result match entry find you")
_EMPTY_NOT = word_set("no not nothing none")
_EMPTY_GENERAL = word_set("your my and status list detail view")


def said_by(readings: Sequence[Sentence], passages: Sequence[Passage]) -> tuple[Unit | None, Sentence]:
    """The evidence that says all of one reading of a claim (the first piece of several), and that reading.

    None and the last reading when no reading is said.
    """
    return _Search(passages).first(readings)


@dataclass
class _Search:
    """Looks for a claim in its passages: as one sentence or row, or as clauses that are each said by one."""

    passages: Sequence[Passage]
    left: int = _LOOKUPS

    def first(self, readings: Sequence[Sentence]) -> tuple[Unit | None, Sentence]:
        """The evidence that says all of one reading (the first piece of several), and that reading."""
        for look in (self._whole, self._parts):
            for sentence in readings:
                unit = look(sentence)
                if unit:
                    return unit, sentence
        return None, readings[-1]

    def _whole(self, sentence: Sentence) -> Unit | None:
        unit = self._said(pairs_of(sentence)) or self._nothing_found(sentence)
        return unit or next(filter(None, (self._said(turned) for turned in rotations(sentence))), None)

    def _parts(self, sentence: Sentence) -> Unit | None:
        cuts = _cuts(sentence)
        return self._in_parts(pairs_of(sentence), cuts, 0) if cuts else None

    def _said(self, pairs: Pairs) -> Unit | None:
        self.left -= 1
        if self.left < 0 or not pairs:
            return None
        shapes = [(tuple(key for key, _ in form), tuple(owner for _, owner in form)) for form in forms(pairs)]
        for passage in self.passages:
            unit = find(passage, shapes)
            if unit:
                return unit
        keys = tuple(key for key, _ in pairs)
        rows = [row for passage in self.passages for row in passage.rows]
        for row in rows:
            if read_row(keys, row, identified=len(rows) > 1).supported and not any(
                is_rival(keys, row, other) for other in rows
            ):
                return Unit(read(row.quote), row.quote)
        return None

    def _nothing_found(self, sentence: Sentence) -> Unit | None:
        """`You have no refunds` from a lookup that gave no rows.

        All that the lookup was held to has to be said: where no order is open, there may be orders.
        """
        keys = sentence.keys
        if (
            sum(key in NEGATIONS for key in keys) != 1
            or not set(keys) & _EMPTY_SIGNS
            or not set(keys) & _EMPTY_NOT
        ):
            return None
        for passage in self.passages:
            if passage.empty:
                told = {key for unit in passage.units for key in unit.sentence.keys}
                known = told | _EMPTY_WORDS | _EMPTY_NOT
                held = told - _EMPTY_WORDS - _EMPTY_NOT - _EMPTY_GENERAL
                if all(key in known for key in keys) and held <= set(keys):
                    return passage.units[0] if passage.units else None
        return None

    def _in_parts(self, pairs: Pairs, cuts: Sequence[int], depth: int) -> Unit | None:
        """Cut once at a comma, semicolon or "and", and ask for both sides, sharing a beginning or an end."""
        if depth > 12 or self.left < 0:
            return None
        for cut in cuts:
            left, right = pairs[:cut], pairs[cut:]
            if right and right[0][0] == "and":
                right = right[1:]
            if not left or not right or self.left < 0:
                continue
            later = [c - (len(pairs) - len(right)) for c in cuts if c > cut]
            unit = self._side(right, [c for c in later if c > 0], depth)
            before = self._side(left, [], depth) if unit else None
            if unit and before and self._joins(before, right, unit):
                return unit
            if unit and any(map(self._said, _ending_shared(left, right))):
                return unit
            unit = self._side(left, [c for c in cuts if c < cut], depth)
            if unit and any(map(self._said, _beginning_shared(left, right))):
                return unit
        return None

    def _joins(self, before: Unit, right: Pairs, unit: Unit) -> bool:
        """Whether what is said behind an "and" has its own subject, or the one that stands before it."""
        first = right[0][0]
        if before.quote == unit.quote or (unit.above and unit.above == before.above):
            return True
        if first in PRONOUNS:
            return directly_behind(before.quote, unit.quote, self.passages)
        return not unit.above and first not in FINITE

    def _side(self, pairs: Pairs, cuts: Sequence[int], depth: int) -> Unit | None:
        return self._said(pairs) or (self._in_parts(pairs, cuts, depth + 1) if cuts else None)


def _cuts(sentence: Sentence) -> list[int]:
    places = {position for position, mark in sentence.breaks if mark in ",;"}
    places |= {index for index, key in enumerate(sentence.keys) if key == "and"}
    return sorted(place for place in places if 0 < place < len(sentence.keys))[:12]


def _free(pairs: Pairs) -> bool:
    return not any(key in NEGATIONS or key in CONDITIONS or key in MODALS for key, _ in pairs)


def _ending_shared(left: Pairs, right: Pairs) -> Iterator[Pairs]:
    """`A` and `B depend on X`: A depend on X. What is dropped of the right side must not turn the meaning."""
    for size in range(1, min(len(right), 9)):
        if not _free(right[:size]):
            return
        yield left + right[size:]


def _beginning_shared(left: Pairs, right: Pairs) -> Iterator[Pairs]:
    """`X depends on A` and `B`: X depends on B. What is dropped must not turn the meaning."""
    for size in range(1, min(len(left), 17)):
        if not _free(left[-size:]):
            return
        yield left[:-size] + right
