"""Walks that follow a plan: relations one after another, all ways between two things, and what both touch."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from tools.stores.graph_types import (
    Chain,
    Cut,
    Direction,
    Edge,
    Entity,
    Hop,
    Paths,
    Reached,
    Shared,
)
from tools.stores.graph_walk import BACK, ROWS_PER_NODE, Row, Walker, relations

Triple = tuple[int, int, int]


def chain(walker: Walker, start: Entity, hops: Sequence[Hop], max_nodes: int, max_visited: int) -> Chain:
    """See `GraphStore.chain`."""
    numbers = {known.name: number for number, known in relations(walker.connection).items()}
    frontier = [start.id]
    levels: list[list[Row]] = []
    cut: Cut | None = None
    for place, hop in enumerate(hops, 1):
        room = max_nodes if place == len(hops) else max_visited
        most = room * ROWS_PER_NODE
        rows = walker.hop(frontier, hop.direction, {start.id}, most, numbers.get(hop.relation, 0))
        if rows is None:
            cut = "time"
            break
        frontier = list(dict.fromkeys(row.there for row in sorted(rows)))
        if len(rows) >= most or len(frontier) > room:
            cut = "nodes"
            frontier = frontier[:room]
        kept = set(frontier)
        levels.append([row for row in rows if row.there in kept])
    if len(levels) < len(hops):
        return Chain(start, tuple(hops), (), cut)
    told = [walker.reached([(place, row) for row in rows]) for place, rows in _leading(levels, max_nodes)]
    return Chain(start, tuple(hops), tuple(told), cut)


def _leading(levels: list[list[Row]], most: int) -> Iterator[tuple[int, list[Row]]]:
    """Of each level what leads to the last one, and of long levels one edge for each thing."""
    wanted = {row.there for row in levels[-1]}
    told: list[list[Row]] = []
    for rows in reversed(levels):
        on_the_way = sorted(row for row in rows if row.there in wanted)
        if len(on_the_way) > 2 * most:
            on_the_way = sorted({row.there: row for row in reversed(on_the_way)}.values())
        told.append(on_the_way)
        wanted = {row.here for row in on_the_way}
    yield from enumerate(reversed(told), 1)


_HOPS_AT = """
SELECT r.name, w.way FROM relation r, (VALUES ('out'), ('in')) AS w (way) WHERE CASE w.way
    WHEN 'out' THEN EXISTS (SELECT FROM edge WHERE src = %(entity)s AND rel = r.id AND (public OR %(staff)s))
    ELSE EXISTS (SELECT FROM edge WHERE dst = %(entity)s AND rel = r.id AND (public OR %(staff)s)) END
"""


def hops_at(walker: Walker, entity: Entity) -> list[Hop]:
    """See `GraphStore.hops_at`."""
    asked = {"entity": entity.id, "staff": walker.staff}
    return [Hop(name, way) for name, way in walker.connection.execute(_HOPS_AT, asked)]


def paths(
    walker: Walker, start: Entity, end: Entity, direction: Direction, hops: int, max_visited: int, limit: int
) -> Paths:
    """See `GraphStore.paths`."""
    ways: list[list[Row]] = []
    cut: Cut | None = None
    without: set[Triple] = set()
    shortest = 0
    while len(ways) < limit and start != end:
        found, cut = _all_shortest(walker, start.id, end.id, direction, hops, max_visited, without)
        if not found:
            break
        shortest = shortest or len(found)
        ways += found
        without |= {row[2:] for way in found for row in way}
    edges = iter(walker.edges([row for way in ways for row in way]))
    told = tuple(tuple(next(edges) for _ in way) for way in ways)
    return Paths(start, end, told[:limit], min(shortest, limit), cut if not ways else None, len(ways) > limit)


@dataclass
class _End:
    """One of the two ends from which ways are sought: how each node was first reached, by all its edges."""

    direction: Direction
    frontier: list[int]
    came_by: dict[int, list[Row]] = field(default_factory=dict)
    depth: int = 0

    def advance(self, rows: Sequence[Row]) -> None:
        fresh: dict[int, list[Row]] = {}
        for row in sorted(rows):
            if row.there not in self.came_by:
                fresh.setdefault(row.there, []).append(row)
        self.came_by |= fresh
        self.frontier = list(fresh)
        self.depth += 1

    def ways_to(self, node: int) -> Iterator[list[Row]]:
        """The edges from where this end began to a node, for each shortest way."""
        rows = self.came_by[node]
        if not rows:
            yield []
        for row in rows:
            for before in self.ways_to(row.here):
                yield [*before, row]


_MOST_WAYS = 50  # shortest ways that are listed: between things of one crowd there can be thousands


def _all_shortest(
    walker: Walker,
    start: int,
    end: int,
    direction: Direction,
    hops: int,
    max_visited: int,
    without: Collection[Triple],
) -> tuple[list[list[Row]], Cut | None]:
    """All shortest ways that use none of some edges, breadth first from both ends."""
    ahead = _End(direction, [start], {start: []})
    behind = _End(BACK[direction], [end], {end: []})
    while ahead.frontier and behind.frontier:
        if ahead.depth + behind.depth == hops:
            return [], "hops"
        most = (max_visited - len(ahead.came_by) - len(behind.came_by)) * ROWS_PER_NODE
        side, rows = walker.cheaper_hop(ahead, behind, most)
        other = behind if side is ahead else ahead
        if rows is None:
            return [], "time"
        side.advance([row for row in rows if row[2:] not in without])
        if meeting := sorted(node for node in side.frontier if node in other.came_by):
            return list(_joined(ahead, behind, meeting)), None
        if len(rows) >= most:
            return [], "nodes"
    return [], None


def _joined(ahead: _End, behind: _End, meeting: Sequence[int]) -> Iterator[list[Row]]:
    count = 0
    for node in meeting:
        for first in ahead.ways_to(node):
            for rest in behind.ways_to(node):
                yield [*first, *reversed(rest)]
                count += 1
                if count == _MOST_WAYS:
                    return


def shared(walker: Walker, first: Entity, second: Entity, direction: Direction, limit: int) -> Shared:
    """See `GraphStore.shared`."""
    ahead = walker.hop([first.id], direction, {second.id}, limit * ROWS_PER_NODE) or []
    behind = walker.hop([second.id], direction, {first.id}, limit * ROWS_PER_NODE) or []
    cut: Cut | None = "nodes" if max(len(ahead), len(behind)) >= limit * ROWS_PER_NODE else None
    theirs = {(row.there, row.rel, row.src == row.there): row for row in behind}
    both = [(row, theirs.get((row.there, row.rel, row.src == row.there))) for row in sorted(ahead)]
    pairs = [(mine, yours) for mine, yours in both if yours is not None]
    if len(pairs) > limit:
        pairs, cut = pairs[:limit], "nodes"
    reached = walker.reached([(1, row) for pair in pairs for row in pair])
    return Shared(first, second, _by_thing(reached), cut)


def _by_thing(reached: Sequence[Reached]) -> tuple[tuple[Entity, tuple[Edge, ...]], ...]:
    things: dict[Entity, list[Edge]] = {}
    for one in reached:
        things.setdefault(one.entity, []).append(one.edge)
    return tuple((entity, tuple(edges)) for entity, edges in things.items())
