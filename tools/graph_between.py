"""What connects two things: a way, several ways, or what both have."""

from __future__ import annotations

from collections.abc import Iterator

from tools.graph_ask import Answer, Finding, Question
from tools.graph_text import CUT, reached_text, sentences, shared_text
from tools.stores.graph import GraphStore
from tools.stores.graph_types import Audience, Direction, Edge, Entity, Neighbourhood, Relation

PER_RELATION = 12
"""Edges of one relation that are told beside others."""
_PATH_HOPS = 6  # a connection over more things than this means nothing to a reader
_WAYS = 5  # ways between two things that are told
_INDIRECT = "the two are linked only by way of other things, which may mean little."


def path(
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
    if straight := line(store, start, end, hops, name, audience):
        return linked(start, end, straight)
    found = store.path(start, end, hops, relation=name, audience=audience)
    if found.edges:
        beside = _beside(store, start, found.edges[0], audience)
        return Answer(about, (*beside, *linked(start, end, found.edges).findings), notes=(_INDIRECT,))
    over = f' over "{relation.forward}"' if relation else f" within {hops} hops"
    early = " The search was cut short, so there may be one." if found.cut in ("nodes", "time") else ""
    return Answer(about, missing=f"no connection between {about}{over}.{early} Ask about one of them alone.")


def linked(start: Entity, end: Entity, edges: tuple[Edge, ...]) -> Answer:
    return Answer(f"{start.name} and {end.name}", (_way(start, end, edges),))


def line(
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
    found = store.neighbours(start, edge.relation.name, way, audience=audience, limit=PER_RELATION)
    if found.edges:
        yield finding(found, edge.relation, way)


def ways(
    store: GraphStore,
    start: Entity,
    end: Entity,
    question: Question,
    relation: Relation | None,
    audience: Audience,
) -> Answer:
    """All shortest ways between two things, and others."""
    name = relation.name if relation else None
    hops = max(question.hops, _PATH_HOPS)
    found = store.paths(start, end, hops, relation=name, limit=_WAYS, audience=audience)
    about = f"{start.name} and {end.name}"
    if not found.ways:
        early = " The search was cut short, so there may be one." if found.cut in ("nodes", "time") else ""
        return Answer(about, missing=f"no connection between {about} within {hops} hops.{early}")
    notes = (CUT["nodes"],) if found.more else ()
    return Answer(about, tuple(_way(start, end, way) for way in found.ways), notes=notes)


def _way(start: Entity, end: Entity, edges: tuple[Edge, ...]) -> Finding:
    between = dict.fromkeys(name for edge in edges for name in (edge.src, edge.dst))
    names = tuple(name for name in between if name not in (start.name, end.name))
    return Finding(f"{start.name} to {end.name}", sentences(edges), edges, names)


def shared(
    store: GraphStore,
    first: Entity,
    second: Entity,
    relation: Relation | None,
    direction: Direction,
    audience: Audience,
) -> Answer:
    """What two things have in common."""
    name = relation.name if relation else None
    found = store.shared(first, second, name, direction, audience=audience)
    about = f"{first.name} and {second.name}"
    if not found.things:
        return Answer(about, missing=f"{about} are connected with no third thing by the same relation.")
    text, edges = shared_text(found)
    things = tuple(entity.name for entity, _ in found.things)
    notes = (CUT[found.cut],) if found.cut else ()
    return Answer(about, (Finding(f"{about}: in common", text, edges, things),), notes=notes)


def finding(found: Neighbourhood, relation: Relation, way: Direction) -> Finding:
    reached = tuple(one for one in found.reached if one.edge.relation == relation)
    only = Neighbourhood(found.entity, reached, found.cut)
    text, edges = reached_text(only, relation, inward=way == "in")
    phrase = relation.inverse if way == "in" else relation.forward
    return Finding(
        f"{found.entity.name}: {phrase}", text, tuple(edges), tuple(one.entity.name for one in reached)
    )
