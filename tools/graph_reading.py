"""Which relations a question asks to follow, from the words that the graph itself has for them.

Every relation brings its phrases, forward and inverse, and every kind of thing its words. A chain of
relations from a thing that the question names is the better a reading, the more of the question's words its
phrases and kinds account for, the better each phrase stands where it must ("what needs A" leads to other
things than "what A needs"), and the nearer to the name the first phrase stands: in "who wrote the books that
A owns", `owns` comes first. Where words do not decide, meaning does: the chain is said in words and compared
as a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from tools.graph_steps import Step, borrowed_words, ends_of, step_for
from tools.graph_words import SAME, SHARING, Asked, is_plain, read_around
from tools.stores.graph_types import Entity, Hop, Mention, Relation, Vocabulary

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder

MOST_HOPS = 3
"""Relations one after another that a question is read for."""

# Set on MetaQA's questions: `python -m evals.bench graph metaqa`.
_THERE_AND_BACK = 0.8  # a step back over the same relation that only a word such as `same` speaks for
_BORROWED = 0.3  # a first step for which only a phrase of another relation speaks, before one that is said
_ORDER = 0.2  # phrases nearer to the name are followed first
_ASKED_KIND = 0.5  # the chain ends at the kind of thing asked for
_GOES_BACK = 0.4  # `same`, `together` and the like ask for a relation there and back, and little else does
_NAMED = 0.3  # the name is written as the graph has it, and is not an ordinary word of questions
_LENGTH = 0.25  # each step after the first must be worth this
_MEANING = 0.6
_CLOSE = 0.25  # readings that words tell no further apart than this are compared by meaning


@dataclass(frozen=True)
class Reading:
    """One way to understand a question.

    Attributes:
        mention: The name from which it starts.
        start: The thing meant by it.
        hops: The relations to follow.
        score: How well it fits, comparable among the readings of one question; about 2 is good.
        explained: Which share of the question's words it accounts for, in [0, 1].
        said: Whether a phrase of each relation stands in the question.
        wanted: The kinds of things asked for; empty where the question does not say.
        at_wanted: Whether it ends at things of one of these kinds.
    """

    mention: Mention
    start: Entity
    hops: tuple[Hop, ...]
    score: float
    explained: float
    said: bool
    wanted: frozenset[str] = frozenset()
    at_wanted: bool = False


HopsAt = Callable[[Entity], Sequence[Hop]]


def readings(
    text: str,
    mentions: Sequence[Mention],
    words: Vocabulary,
    hops_at: HopsAt,
    embedder: Embedder | None = None,
) -> list[Reading]:
    """The ways to understand the question as a chain of relations from one thing that it names, best first.

    Args:
        mentions: The names in it.
        hops_at: Gives the relations that a thing has, each with its direction.
        embedder: For what the phrases' words leave open; None to go by words alone.
    """
    found: list[Reading] = []
    for loosely in (False, True):
        for mention in mentions:
            asked = read_around(text, mention, words)
            for start in (mention.entity, *mention.alternatives):
                found += _of_one(asked, mention, start, words, hops_at(start), loosely)
        if any(one.said for one in found):
            break
    found = _without_needless(found)
    found.sort(key=lambda one: (-one.score, len(one.hops), one.hops[0].relation))
    if embedder is not None and found:
        found = _by_meaning(text, found, words, embedder)
    return found


def _without_needless(found: Sequence[Reading]) -> list[Reading]:
    """Those that account for more of the question than their own beginning does.

    In "which parts does A use" the word `parts` is what is asked for; that things are also part of others
    takes it nowhere.
    """
    enough = {
        (one.mention, one.start.id, one.hops): one.explained
        for one in found
        if one.said and (not one.wanted or one.at_wanted)
    }

    def begun(one: Reading) -> Iterator[float]:
        for length in range(1, len(one.hops)):
            yield enough.get((one.mention, one.start.id, one.hops[:length]), -1.0)

    return [one for one in found if max(begun(one), default=-1.0) < one.explained]


def _of_one(
    asked: Asked, mention: Mention, start: Entity, words: Vocabulary, at_start: Sequence[Hop], loosely: bool
) -> Iterator[Reading]:
    relations = {one.name: one for one in words.relations}
    there = frozenset(at_start)
    borrowed = borrowed_words(asked, relations, there) if loosely else frozenset()
    for steps in _chains(asked, relations, there, (), borrowed, loosely):
        if loosely and not _is_told(steps, asked):
            continue
        hops = tuple(step.hop for step in steps)
        ends = ends_of(relations[hops[-1].relation], hops[-1])
        used = frozenset(place for step in steps for place in step.places)
        on_the_way = [ends_of(relations[hop.relation], hop) for hop in hops] + [frozenset([start.kind])]
        if not ends:  # the relation does not say what it leads to: it may be what is asked for
            on_the_way.append(asked.wanted)
        used |= {p for kinds in on_the_way for kind in kinds for p in asked.kinds.get(kind, ())}
        if _there_and_back(hops):
            used |= {n for n in asked.content if asked.stems[n] in SHARING}
        explained = len(used & asked.content) / len(asked.content) if asked.content else 0.0
        score = sum(step.score for step in steps) / len(steps) + explained + mention.score
        score -= _LENGTH * (len(steps) - 1)
        score += _order(asked, steps) + _shared(asked, hops) + _named(mention, words)
        if asked.wanted and ends:
            score += _ASKED_KIND if ends & asked.wanted else -_ASKED_KIND
        said = all(step.said for step in steps)
        at_wanted = not ends or bool(ends & asked.wanted)
        yield Reading(mention, start, hops, score, explained, said, asked.wanted, at_wanted)


def _chains(
    asked: Asked,
    relations: Mapping[str, Relation],
    allowed: frozenset[Hop],
    before: tuple[Step, ...],
    borrowed: frozenset[int] = frozenset(),
    loosely: bool = False,
) -> Iterator[tuple[Step, ...]]:
    """Every chain of hops that something in the question speaks for; the first may borrow its words.

    Read `loosely`, a kind that is named speaks for a step to it: "the faults of A".
    """
    used = frozenset(place for step in before for place in step.places)
    low = min([asked.first, *used])
    high = max([asked.last, *used])
    for hop in sorted(allowed, key=lambda one: (one.relation, one.direction)):
        relation = relations[hop.relation]
        step = step_for(asked, relation, hop, used, low, high, loosely)
        back = bool(before) and _there_and_back((before[-1].hop, hop))
        if back and (step is None or not step.said or step.borrowed) and SHARING & asked.outside:
            step = Step(hop, step.places if step else frozenset(), _THERE_AND_BACK)
        if step is None and borrowed:
            step = Step(hop, borrowed, _BORROWED, borrowed=True)
        if step is None:
            continue
        yield (*before, step)
        if step.said and len(before) + 1 < MOST_HOPS:
            ends = ends_of(relation, hop)
            onward = frozenset(onward for one in relations.values() for onward in _onward(one, ends))
            yield from _chains(asked, relations, onward, (*before, step), loosely=loosely)


def _is_told(steps: Sequence[Step], asked: Asked) -> bool:
    """Whether a chain that is read loosely is said by more than names of kinds: by a phrase, or by `same`."""
    named = {place for places in asked.kinds.values() for place in places}
    if any(not step.borrowed and step.places - named for step in steps):
        return True
    return len(steps) == 2 and _there_and_back([one.hop for one in steps]) and bool(SAME & asked.outside)


def _onward(relation: Relation, kinds: frozenset[str]) -> Iterator[Hop]:
    """The ways in which a relation can go on from things of these kinds; of unknown ones from any."""
    if not (kinds and relation.source_kinds) or kinds & set(relation.source_kinds):
        yield Hop(relation.name, "out")
    if not (kinds and relation.target_kinds) or kinds & set(relation.target_kinds):
        yield Hop(relation.name, "in")


def _there_and_back(hops: Sequence[Hop]) -> bool:
    return any(one.relation == two.relation and one.direction != two.direction for one, two in pairwise(hops))


def _shared(asked: Asked, hops: Sequence[Hop]) -> float:
    """Whether going there and back is asked for, and done."""
    if _there_and_back(hops):
        return _GOES_BACK if asked.outside & SHARING else -_GOES_BACK
    return -_GOES_BACK if asked.outside & SAME else 0.0


def _named(mention: Mention, words: Vocabulary) -> float:
    """Whether the name is one, and not a word of the question that something happens to be called by."""
    return -_NAMED if is_plain(mention, words) else _NAMED if mention.text == mention.entity.name else 0.0


def _order(asked: Asked, steps: Sequence[Step]) -> float:
    """Whether the phrases are followed from the name outwards."""
    far = [min(map(asked.far, step.places)) for step in steps if step.places]
    return sum(_ORDER if one < two else -_ORDER if one > two else 0.0 for one, two in pairwise(far))


def _by_meaning(text: str, found: Sequence[Reading], words: Vocabulary, embedder: Embedder) -> list[Reading]:
    """Those about as good as the best ordered anew, by how near the chain's own words are to the question."""
    relations = {one.name: one for one in words.relations}
    best = [one for one in found if one.score >= found[0].score - _CLOSE]
    if len(best) == 1:
        return list(found)
    questions = [f"{text[: one.mention.start]}it{text[one.mention.end :]}" for one in best]
    told = [_told(one.hops, relations) for one in best]
    vectors = embedder.embed([*questions, *told])
    near = [float(a @ b) for a, b in zip(vectors[: len(best)], vectors[len(best) :], strict=True)]
    again = [
        replace(one, score=one.score + _MEANING * cosine) for one, cosine in zip(best, near, strict=True)
    ]
    return sorted(again, key=lambda one: -one.score) + list(found[len(best) :])


def _told(hops: Sequence[Hop], relations: Mapping[str, Relation]) -> str:
    """The chain as a question: `who wrote what it owns`."""
    said = "it"
    for hop in hops:
        relation = relations[hop.relation]
        ends = ends_of(relation, hop)
        kind = sorted(ends)[0] if ends else "thing"
        phrase = relation.inverse if hop.direction == "out" else relation.forward
        said = f"the {kind} that {phrase} {said}"
    return said
