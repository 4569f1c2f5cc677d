"""What in a question speaks for one step along a relation: its phrases, and the kinds of things named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tools.graph_words import Asked, Phrase, phrases
from tools.stores.graph_types import Hop, Relation

# Set on MetaQA's questions: `python -m evals.bench graph metaqa`.
_KIND_ONLY = 0.6  # a step that only the kind asked for speaks for
_SMALL_WORDS = 0.3  # the phrase's `by`, `of`, `in` stand there too
_PLACE = 0.3  # the phrase stands on the side of the name where its direction wants it
_HALF = 0.5  # of a phrase's words must be in the question


@dataclass(frozen=True)
class Step:
    """What in the question speaks for one hop: which words, and how much; see `borrowed_words`."""

    hop: Hop
    places: frozenset[int]
    score: float
    said: bool = True
    borrowed: bool = False


def step_for(
    asked: Asked, relation: Relation, hop: Hop, used: frozenset[int], low: int, high: int, loosely: bool
) -> Step | None:
    """The best phrase of the relation that stands in the question, or the kind asked for where none does.

    Args:
        used: Places of words that speak for earlier steps.
        low, high: The first and the last word of the name and those steps.
        loosely: Whether any kind that is named speaks for a step to it.
    """
    best: Step | None = None
    for phrase in phrases(relation):
        places = _stands(asked, phrase, used)
        if places is None:
            continue
        score = len({asked.stems[n] for n in places} & phrase.content) / len(phrase.content)
        small = [stem for stem in phrase.stems if stem not in phrase.content]
        around = {
            asked.stems[n + by] for n in places for by in (-2, -1, 1, 2) if 0 <= n + by < len(asked.stems)
        }
        score += _SMALL_WORDS * (sum(stem in around for stem in small) / len(small) if small else 1.0)
        side = "after" if min(places) > high else "before" if max(places) < low else None
        if side:
            # The thing stands before a phrase of which it is the subject.
            subject = side == "after"
            way = "out" if subject != phrase.inverse else "in"
            score += _PLACE if way == hop.direction else -_PLACE
        if best is None or score > best.score:
            best = Step(hop, places, score)
    ends = ends_of(relation, hop)
    places = frozenset(n for kind in ends for n in asked.kinds.get(kind, ()))
    if best is None and loosely and places - used:
        best = Step(hop, places - used, _KIND_ONLY, borrowed=True)
    elif best is None and ends & asked.wanted:
        best = Step(hop, places, _KIND_ONLY, said=False)
    return best


def _stands(asked: Asked, phrase: Phrase, used: frozenset[int]) -> frozenset[int] | None:
    """The places of the phrase's words that carry meaning; None when fewer than half of them are there."""
    places: dict[str, int] = {}
    for place, stem in enumerate(asked.stems):
        if stem in phrase.content and place not in used and not asked.first <= place <= asked.last:
            places.setdefault(stem, place)
    if len(places) < _HALF * len(phrase.content) or not places:
        return None
    return frozenset(places.values())


def borrowed_words(
    asked: Asked, relations: Mapping[str, Relation], allowed: frozenset[Hop]
) -> frozenset[int]:
    """The words of a phrase of which the thing has no relation, next to its name: in "which parts fit what is
    affected by R", of which only `recalls` is known, `affected` says that something leads from R to the rest.
    """
    there = {hop.relation for hop in allowed}
    others = [phrase for name, one in relations.items() if name not in there for phrase in phrases(one)]
    found = [places for one in others if (places := _stands(asked, one, frozenset())) is not None]
    return min(found, key=lambda places: min(map(asked.far, places)), default=frozenset())


def ends_of(relation: Relation, hop: Hop) -> frozenset[str]:
    """The kinds of things that the step leads to; empty where the relation does not say."""
    return frozenset(relation.target_kinds if hop.direction == "out" else relation.source_kinds)
