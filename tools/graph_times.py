"""Statements that contradict each other or no longer hold: told with their times beside what was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from tools.graph_ask import Answer, Finding
from tools.row_text import sentence_list
from tools.stores.graph_times import history
from tools.stores.graph_types import Audience, Direction, Edge, Entity, Relation

if TYPE_CHECKING:
    from tools.stores.graph import GraphStore

_TOLD = 8  # edges that have ended


def with_times(store: GraphStore, answer: Answer, audience: Audience) -> Answer:
    """The answer with what else is stated, or was, of relations of which a thing can have only one at a time.

    An edge that ends on a known day says so.

    Raises:
        SourceUnavailable: The database is down or slow.
    """
    of_relation: dict[Relation, set[str]] = {}
    for edge in (edge for one in answer.findings for edge in one.edges):
        if edge.relation.single:
            of_relation.setdefault(edge.relation, set()).add(edge.src)
    stated: dict[tuple[str, str], list[Edge]] = {}
    for relation, names in of_relation.items():
        for edge in history(store, sorted(names), relation.name, "out", audience):
            stated.setdefault((edge.src, relation.name), []).append(edge)
    told = {place: edges for place, edges in stated.items() if edges[1:]}
    today = store.today()
    return replace(answer, findings=tuple(_timed(one, told, today) for one in answer.findings))


def _timed(finding: Finding, told: dict[tuple[str, str], list[Edge]], today: date) -> Finding:
    places = dict.fromkeys((edge.src, edge.relation.name) for edge in finding.edges)
    rivals = [edges for place in places if (edges := told.get(place))]
    said = [sentence for edges in rivals for sentence in _rivalry(edges, today)]
    lone = [edge for edge in finding.edges if edge.until and (edge.src, edge.relation.name) not in told]
    said += [dated(edge) for edge in lone]
    new = [sentence for sentence in dict.fromkeys(said) if sentence not in finding.text]
    if not new:
        return finding
    shown = dict.fromkeys([*finding.edges, *(edge for of_one in rivals for edge in of_one)])
    return replace(finding, text=" ".join([finding.text, *new]), edges=tuple(shown))


def _rivalry(edges: Sequence[Edge], today: date) -> Iterator[str]:
    """What of several statements holds, the latest first; and what has ended."""
    holding = sorted((one for one in edges if _holds(one, today)), key=_newest_first)
    if holding[1:]:
        first = holding[0]
        ways = sentence_list([f"{one.dst} ({_source(one)})" for one in holding])
        yield f"The sources disagree: {first.src} {first.relation.forward} {ways}."
        if first.since and first.since != holding[1].since:
            yield f"The latest statement says that {first.sentence}"
    yield from (dated(one) for one in holding if one.until)
    yield from (dated(one) for one in edges if not _holds(one, today))


def _holds(edge: Edge, today: date) -> bool:
    return edge.until is None or edge.until > today


def _newest_first(edge: Edge) -> tuple[int, str]:
    return -(edge.since or date.min).toordinal(), edge.dst


def _source(edge: Edge) -> str:
    since = f", since {edge.since:%Y-%m-%d}" if edge.since else ""
    return f"{edge.stated_in[0] if edge.stated_in else 'not told where'}{since}"


def dated(edge: Edge) -> str:
    """`A is owned by B from 2024-03-01 until 2025-01-31.`"""
    since = f" from {edge.since:%Y-%m-%d}" if edge.since else ""
    until = f" until {edge.until:%Y-%m-%d}" if edge.until else ""
    return f"{edge.sentence.removesuffix('.')}{since}{until}."


def ended(
    store: GraphStore, entity: Entity, relation: Relation, direction: Direction, audience: Audience
) -> Finding | None:
    """What a relation led to before; None when it never led to anything."""
    today = store.today()
    past = history(store, [entity.name], relation.name, direction, audience)
    gone = _latest([edge for edge in past if not _holds(edge, today)])
    if not gone:
        return None
    names = tuple(edge.dst if edge.src == entity.name else edge.src for edge in gone)
    title = f"{entity.name}: {relation.name.replace('_', ' ')}, no longer"
    return Finding(title, " ".join(dated(edge) for edge in gone), gone, names)


def _latest(edges: Iterable[Edge]) -> tuple[Edge, ...]:
    return tuple(sorted(edges, key=lambda one: one.until or date.max, reverse=True)[:_TOLD])
