"""What a question to the graph asks for, and what the graph has to say to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rapidfuzz import fuzz, process

from tools.errors import QueryRejected
from tools.graph_text import reached_text, sentences
from tools.row_text import sentence_list
from tools.stores.graph import GraphStore
from tools.stores.graph_names import words
from tools.stores.graph_types import (
    Audience,
    Cut,
    Direction,
    Edge,
    Entity,
    Mention,
    Neighbourhood,
    Relation,
)

_PATH_HOPS = 6  # a connection over more things than this means nothing to a reader
_PER_RELATION = 12  # edges of one relation among all the facts of a thing
_GROUPS = 12  # relations among all the facts of a thing
_SAME_RELATION = 85  # of 100, rapidfuzz's ratio: `depend on` is `depends on`

_BACK: dict[Direction, Direction] = {"out": "in", "in": "out", "any": "any"}
# Words of phrases that say nothing about which relation is meant.
_EMPTY = frozenset(["a", "an", "the", "is", "are", "be", "can", "may", "has", "have", "do", "it"])
_EMPTY |= frozenset(["by", "for", "from", "in", "of", "on", "to", "with"])
_CUT: dict[Cut, str] = {
    "hops": "more follows after these; ask with more hops than {hops} to see it.",
    "nodes": "there is more than is shown here.",
    "time": "time ran out, so that there may be more than is shown here.",
}


@dataclass(frozen=True)
class Question:
    """The arguments of the tool; see there."""

    entity: str
    other: str | None = None
    relation: str | None = None
    direction: Direction = "any"
    hops: int = 3

    def arguments(self) -> dict[str, Any]:
        """All of them by name."""
        return asdict(self)


@dataclass(frozen=True)
class Finding:
    """A piece of what was found: its title, its sentences, and the edges that they tell."""

    title: str
    text: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Answer:
    """What the graph has to say.

    Attributes:
        about: The thing or the two things that it is about, by name.
        findings: What was found, the most relevant first; empty when nothing was.
        missing: Why nothing was found and what to try, when nothing was.
        notes: What was cut short, read differently, or left out.
    """

    about: str = ""
    findings: tuple[Finding, ...] = ()
    missing: str = ""
    notes: tuple[str, ...] = ()


def look(store: GraphStore, question: Question, asked: str, audience: Audience = "public") -> Answer:
    """Answer a question from the graph.

    Two things give the shortest path between them. One with a relation gives all that this relation leads to
    within the hops; two that are named together give that of each, unless the relation links them. One alone
    gives its connections.

    Args:
        asked: The customer's own words; by them the connections of one thing are ordered.

    Raises:
        QueryRejected: There is no such relation.
        SourceUnavailable: The database is down or slow.
    """
    relation, direction = None, question.direction
    if question.relation:
        relation, inverse = _relation(store.relations(), question.relation)
        direction = _BACK[direction] if inverse else direction
    mentions = _mentions(store, question, audience)
    problem = _problem(store, question, mentions, audience)
    if problem:
        return Answer(missing=problem)
    first, *others = [one.entity for one in mentions if one.clear]
    notes = tuple(f'"{one.text}" was read as {one.entity.name}.' for one in mentions if one.match in _LOOSE)
    if question.other is not None or (others and relation is None):
        answer = _path(store, first, others[0], question, relation, audience)
    elif relation is None:
        answer = _facts(store, first, direction, asked, audience)
    elif others and (line := _line(store, first, others[0], question.hops, relation.name, audience)):
        answer = _linked(first, others[0], line)
    else:
        each = [_along(store, one, question, relation, direction, audience) for one in (first, *others[:1])]
        answer = _together(each)
    return Answer(answer.about, answer.findings, answer.missing, notes + answer.notes)


_LOOSE = ("typo", "partial")
_INDIRECT = "the two are linked only by way of other things, which may mean little."


def _relation(relations: Sequence[Relation], asked: str) -> tuple[Relation, bool]:
    """The relation of this name or phrase, and whether it was named by its inverse phrase."""
    labels: dict[str, tuple[Relation, bool]] = {}
    for one in relations:
        for label, inverse in ((one.inverse, True), (one.forward, False), (one.name, False)):
            labels[_bare(label)] = (one, inverse)
    found = process.extractOne(_bare(asked), labels.keys(), scorer=fuzz.ratio, score_cutoff=_SAME_RELATION)
    if found is None:
        names = ", ".join(one.name for one in relations)
        raise QueryRejected(f'there is no relation "{asked}"; write one of {names}, or null for all')
    return labels[found[0]]


def _bare(label: str) -> str:
    return " ".join(label.casefold().replace("_", " ").replace("-", " ").split())


def _mentions(store: GraphStore, question: Question, audience: Audience) -> list[Mention]:
    mentions = store.find_mentions(question.entity, audience=audience)
    if question.other is None:
        return mentions
    first = next((one for one in mentions if one.clear), None) or next(iter(mentions), None)
    second = store.find_mentions(question.other, audience=audience)
    other = next((one for one in second if one.clear), None) or next(iter(second), None)
    return [one for one in (first, other) if one is not None]


def _problem(
    store: GraphStore, question: Question, mentions: Sequence[Mention], audience: Audience
) -> str | None:
    """Why the things that are asked about are not known for certain, and what may have been meant."""
    wanted = [question.entity] if question.other is None else [question.entity, question.other]
    clear = [one for one in mentions if one.clear]
    if len(clear) >= len(wanted):
        return None
    vague = next((one for one in mentions if not one.clear), None)
    if vague is not None:
        return f'no single entity named "{vague.text}"{_did_you_mean([vague.entity, *vague.alternatives])}'
    missing = next(text for text in wanted if not store.find_mentions(text, audience=audience))
    return f'no entity named "{missing}"{_did_you_mean(store.suggest(missing, audience=audience))}'


def _did_you_mean(entities: Sequence[Entity]) -> str:
    names = [one.name for one in entities]
    if not names:
        return ". Name a thing as the catalogue or the documents call it, or use another tool."
    return f"; did you mean {' or '.join([', '.join(names[:-1]), names[-1]] if names[1:] else names)}?"


def _path(
    store: GraphStore,
    start: Entity,
    end: Entity,
    question: Question,
    relation: Relation | None,
    audience: Audience,
) -> Answer:
    """How two things are linked: along one relation where that is possible, else in any way."""
    about = f"{start.name} and {end.name}"
    if start == end:
        return Answer(about, missing=f"{start.name} was named twice; name another thing as the other.")
    hops = max(question.hops, _PATH_HOPS)
    name = relation.name if relation else None
    if line := _line(store, start, end, hops, name, audience):
        return _linked(start, end, line)
    found = store.path(start, end, hops, relation=name, audience=audience)
    if found.edges:
        beside = _beside(store, start, found.edges[0], audience)
        return Answer(about, (*beside, *_linked(start, end, found.edges).findings), notes=(_INDIRECT,))
    over = f' over "{relation.forward}"' if relation else f" within {hops} hops"
    early = " The search was cut short, so there may be one." if found.cut in ("nodes", "time") else ""
    return Answer(about, missing=f"no connection between {about}{over}.{early} Ask about one of them alone.")


def _linked(start: Entity, end: Entity, edges: tuple[Edge, ...]) -> Answer:
    way = Finding(f"{start.name} to {end.name}", sentences(edges), edges)
    return Answer(f"{start.name} and {end.name}", (way,))


def _together(answers: Sequence[Answer]) -> Answer:
    """What was found of one or two things side by side; when of neither, why."""
    told = [one for one in answers if one.findings] or answers
    return Answer(
        " and ".join(one.about for one in told),
        tuple(finding for one in told for finding in one.findings),
        " ".join(one.missing for one in told if one.missing),
        tuple(dict.fromkeys(note for one in told for note in one.notes)),
    )


def _line(
    store: GraphStore, start: Entity, end: Entity, hops: int, relation: str | None, audience: Audience
) -> tuple[Edge, ...]:
    """The shortest path whose edges are of one relation and point the same way; empty when there is none."""
    near = store.neighbours(start, relation, audience=audience, limit=1)
    lines = [
        store.path(
            start,
            end,
            hops,
            relation=edge.relation.name,
            direction="out" if edge.src == start.name else "in",
            audience=audience,
        ).edges
        for edge in near.edges
    ]
    return min((line for line in lines if line), key=len, default=())


def _beside(store: GraphStore, start: Entity, edge: Edge, audience: Audience) -> Iterator[Finding]:
    """What else the first step of a crooked path leads to: "it fits A and B" tells that it may not fit C."""
    way: Direction = "out" if edge.src == start.name else "in"
    found = store.neighbours(start, edge.relation.name, way, audience=audience, limit=_PER_RELATION)
    if found.edges:
        yield _finding(found, edge.relation, way)


def _facts(store: GraphStore, entity: Entity, direction: Direction, asked: str, audience: Audience) -> Answer:
    groups: list[Finding] = []
    notes: list[str] = []
    ways: tuple[Direction, ...] = ("out", "in") if direction == "any" else (direction,)
    for way in ways:
        found = store.neighbours(entity, None, way, audience=audience, limit=_PER_RELATION)
        for relation in dict.fromkeys(edge.relation for edge in found.edges):
            groups.append(_finding(found, relation, way))
        if found.cut:
            notes.append(_CUT[found.cut])
    if not groups:
        return Answer(entity.name, missing=f"nothing is connected with {entity.name} in this way.")
    spoken = _forms(asked)
    groups.sort(key=lambda one: -len(spoken & _forms(_said(one.edges[0].relation))))
    if len(groups) > _GROUPS:
        left = sentence_list([one.title for one in groups[_GROUPS:]])
        notes.append(f"not shown, ask with a relation to see it: {left}.")
    return Answer(entity.name, tuple(groups[:_GROUPS]), notes=tuple(dict.fromkeys(notes)))


def _forms(text: str) -> set[str]:
    return {word.form for word in words(text)} - _EMPTY


def _said(relation: Relation) -> str:
    return f"{relation.name.replace('_', ' ')} {relation.forward} {relation.inverse}"


def _along(
    store: GraphStore,
    entity: Entity,
    question: Question,
    relation: Relation,
    direction: Direction,
    audience: Audience,
) -> Answer:
    """What one relation leads to; where it has nothing in the direction asked, what it has in the other."""
    ways: tuple[Direction, ...] = ("out", "in") if direction == "any" else (direction, _BACK[direction])
    findings: list[Finding] = []
    notes: list[str] = []
    for way in ways:
        if findings and direction != "any":
            break
        found = store.closure(entity, relation.name, way, question.hops, audience=audience)
        if found.cut:
            notes.append(_CUT[found.cut].format(hops=question.hops))
        if found.reached:
            findings.append(_finding(found, relation, way))
            if way != direction != "any":
                notes.append(f'nothing lies in the direction "{direction}"; this is the direction "{way}".')
    if findings:
        return Answer(entity.name, tuple(findings), notes=tuple(dict.fromkeys(notes)))
    near = store.neighbours(entity, audience=audience, limit=1)
    others = list(dict.fromkeys(edge.relation.name for edge in near.edges))
    hint = f"; it has {sentence_list(others)}" if others else ""
    return Answer(entity.name, missing=f'{entity.name} has no connection "{relation.name}"{hint}.')


def _finding(found: Neighbourhood, relation: Relation, way: Direction) -> Finding:
    reached = tuple(one for one in found.reached if one.edge.relation == relation)
    only = Neighbourhood(found.entity, reached, found.cut)
    text, edges = reached_text(only, relation, inward=way == "in")
    phrase = relation.inverse if way == "in" else relation.forward
    return Finding(f"{found.entity.name}: {phrase}", text, tuple(edges))
