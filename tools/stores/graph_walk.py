"""Walks over the edge table: breadth first, one indexed query per hop, bounded in hops, nodes and time."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, LiteralString, NamedTuple, Protocol, TypeVar

import psycopg
from psycopg import sql

from tools.stores.graph_types import Cut, Direction, Edge, Entity, Neighbourhood, Path, Reached, Relation

# Rows of one hop that are looked at per node that may still be taken: several edges can lead to one node.
ROWS_PER_NODE = 8
_FIRST_LOOK = 1000  # edges after which the other end of a path is tried

Way = Literal["out", "in"]
WAYS: dict[Direction, tuple[Way, ...]] = {"out": ("out",), "in": ("in",), "any": ("out", "in")}
BACK: dict[Direction, Direction] = {"out": "in", "in": "out", "any": "any"}
ENDS: dict[Way, dict[str, sql.Identifier]] = {
    "out": {"here": sql.Identifier("src"), "there": sql.Identifier("dst")},
    "in": {"here": sql.Identifier("dst"), "there": sql.Identifier("src")},
}
_HOP = sql.SQL(
    "(SELECT {here}, {there}, src, rel, dst FROM edge WHERE {here} = ANY (%(frontier)s)"
    " AND (public OR %(staff)s) AND (until IS NULL OR until > %(today)s)"
    " AND (%(rel)s::smallint IS NULL OR rel = %(rel)s) AND {there} <> ALL (%(seen)s) LIMIT %(rows)s)"
)
_NEXT_TO = sql.SQL(
    "SELECT e.{here}, e.{there}, e.src, e.rel, e.dst FROM relation r CROSS JOIN LATERAL ("
    " SELECT src, rel, dst FROM edge WHERE {here} = %(entity)s AND rel = r.id AND (public OR %(staff)s)"
    " AND (until IS NULL OR until > %(today)s) LIMIT %(rows)s) e"
    " WHERE %(rel)s::smallint IS NULL OR r.id = %(rel)s"
)
_STATED = """
SELECT s.src, s.rel, s.dst, array_agg(DISTINCT s.stated_in ORDER BY s.stated_in),
       array_agg(DISTINCT s.source ORDER BY s.source), min(s.since),
       CASE WHEN bool_or(s.until IS NULL) THEN NULL ELSE max(s.until) END
FROM unnest(%s::bigint[], %s::smallint[], %s::bigint[]) AS e (src, rel, dst)
JOIN statement s USING (src, rel, dst) WHERE s.public OR %s GROUP BY 1, 2, 3
"""


class Row(NamedTuple):
    """An edge as it was walked: from `here` to `there`, either along it or against it."""

    here: int
    there: int
    src: int
    rel: int
    dst: int


class Side(Protocol):
    """One of two ends from which a way is sought."""

    @property
    def frontier(self) -> list[int]:
        """The nodes that were reached last."""
        ...

    @property
    def direction(self) -> Direction:
        """How edges are walked from here."""
        ...


SideT = TypeVar("SideT", bound=Side)


@dataclass(frozen=True)
class Walker:
    """Reads edges within one transaction.

    Attributes:
        relation: The only relation to walk over; None for all.
        staff: Whether edges may be walked that only internal passages state.
        deadline: `time.monotonic()` at which the walk ends.
        today: Edges that ended by then are not walked.
    """

    connection: psycopg.Connection[Any]
    relation: int | None
    staff: bool
    deadline: float
    today: date

    def neighbours(self, entity: Entity, direction: Direction, limit: int) -> Neighbourhood:
        """See `GraphStore.neighbours`."""
        asked = {
            "entity": entity.id,
            "staff": self.staff,
            "rel": self.relation,
            "today": self.today,
            "rows": limit + 1,
        }
        kept: list[Row] = []
        cut: Cut | None = None
        for way in WAYS[direction]:
            counts: dict[int, int] = {}
            for row in map(Row._make, self.connection.execute(_NEXT_TO.format(**ENDS[way]), asked)):
                counts[row.rel] = counts.get(row.rel, 0) + 1
                if counts[row.rel] <= limit:
                    kept.append(row)
                else:
                    cut = "nodes"
        return Neighbourhood(entity, self.reached([(1, row) for row in kept]), cut)

    def closure(self, entity: Entity, direction: Direction, hops: int, max_nodes: int) -> Neighbourhood:
        """See `GraphStore.closure`."""
        seen = {entity.id}
        frontier = [entity.id]
        found: list[tuple[int, Row]] = []
        cut: Cut | None = None
        for hop in range(1, hops + 1):
            room = max_nodes - len(found)
            most = (room + 1) * ROWS_PER_NODE
            rows = self.hop(frontier, direction, seen, most)
            if rows is None:
                cut = "time"
                break
            fresh = list({row.there: row for row in sorted(rows, reverse=True)}.values())
            found += [(hop, row) for row in fresh[:room]]
            frontier = [row.there for row in fresh[:room]]
            seen.update(frontier)
            if len(fresh) > room or len(rows) >= most:
                cut = "nodes"
            if cut or not frontier:
                break
        if cut is None and frontier and self.hop(frontier, direction, seen, 1) != []:
            cut = "hops"
        return Neighbourhood(entity, self.reached(found), cut)

    def path(self, start: Entity, end: Entity, direction: Direction, hops: int, max_visited: int) -> Path:
        """See `GraphStore.path`."""
        ahead, behind = _Side.at(start.id, direction), _Side.at(end.id, BACK[direction])
        cut: Cut | None = None
        while start != end and ahead.frontier and behind.frontier:
            if ahead.depth + behind.depth == hops:
                cut = "hops"
                break
            most = (max_visited - len(ahead.came_by) - len(behind.came_by)) * ROWS_PER_NODE
            side, rows = self.cheaper_hop(ahead, behind, most)
            other = behind if side is ahead else ahead
            if rows is None:
                cut = "time"
                break
            meeting = side.advance(rows, other)
            if meeting is not None:
                way = [*reversed(ahead.way_back(meeting)), *behind.way_back(meeting)]
                return Path(start, end, tuple(self.edges(way)))
            if len(rows) >= most:
                cut = "nodes"
                break
        return Path(start, end, (), cut)

    def cheaper_hop(self, ahead: SideT, behind: SideT, most: int) -> tuple[SideT, list[Row] | None]:
        """The hop of that of two sides which has fewer edges to look at, as far as a first look tells.

        The side with the smaller frontier is tried first; when it turns out to stand at a hub, the other one.
        """
        if most <= 0:
            return ahead, []
        small, large = (ahead, behind) if len(ahead.frontier) <= len(behind.frontier) else (behind, ahead)
        first_look = min(most, _FIRST_LOOK)
        for side in (small, large):
            rows = self.hop(side.frontier, side.direction, (), first_look)
            if rows is None or len(rows) < first_look or first_look == most:
                return side, rows
        return small, self.hop(small.frontier, small.direction, (), most)

    def hop(
        self,
        frontier: list[int],
        direction: Direction,
        seen: Collection[int],
        rows: int,
        relation: int | None = None,
    ) -> list[Row] | None:
        """The edges from the frontier to what was not seen; None when time is up.

        Args:
            rows: The most that are given for each way.
            relation: The only relation to walk over; the walker's own when None.
        """
        if time.monotonic() >= self.deadline:
            return None
        parts = [_HOP.format(**ENDS[way]) for way in WAYS[direction]]
        asked = {
            "frontier": frontier,
            "seen": list(seen),
            "rel": self.relation if relation is None else relation,
            "staff": self.staff,
            "today": self.today,
            "rows": rows,
        }
        try:
            with self.connection.transaction():
                cursor = self.connection.execute(sql.SQL(" UNION ALL ").join(parts), asked)
                return [Row(*row) for row in cursor]
        except psycopg.errors.QueryCanceled:
            return None

    def reached(self, found: Sequence[tuple[int, Row]]) -> tuple[Reached, ...]:
        things = entities(self.connection, {row.there for _, row in found})
        edges = self.edges([row for _, row in found])
        reached = [
            Reached(things[row.there], hop, edge) for (hop, row), edge in zip(found, edges, strict=True)
        ]
        return tuple(sorted(reached, key=lambda one: (one.hops, one.edge.relation.name, one.entity.name)))

    def edges_of(self, query: LiteralString, asked: Mapping[str, Any]) -> list[Edge]:
        """The edges that a query gives as the columns of `Row`."""
        return self.edges([Row(*row) for row in self.connection.execute(query, asked)])

    def edges(self, rows: Sequence[Row]) -> list[Edge]:
        """The edges in words, with the passages that state them."""
        names = entities(self.connection, {end for row in rows for end in (row.src, row.dst)})
        kinds = relations(self.connection)
        triples = [(row.src, row.rel, row.dst) for row in rows]
        columns = [[triple[place] for triple in triples] for place in range(3)]
        stated = {
            (src, rel, dst): (tuple(places), tuple(sources), since, until)
            for src, rel, dst, places, sources, since, until in self.connection.execute(
                _STATED, [*columns, self.staff]
            )
        }
        return [
            Edge(names[src].name, kinds[rel], names[dst].name, *stated.get((src, rel, dst), ()))
            for src, rel, dst in triples
        ]


@dataclass
class _Side:
    """One of the two ends from which a path is sought."""

    direction: Direction
    frontier: list[int]
    came_by: dict[int, Row | None]
    depth: int = 0

    @classmethod
    def at(cls, node: int, direction: Direction) -> _Side:
        return cls(direction, [node], {node: None})

    def advance(self, rows: Sequence[Row], other: _Side) -> int | None:
        """Take one hop; the node on a shortest way through both sides, if they have met."""
        self.depth += 1
        self.frontier = []
        for row in sorted(rows):
            if row.there not in self.came_by:
                self.came_by[row.there] = row
                self.frontier.append(row.there)
        return min((node for node in self.frontier if node in other.came_by), default=None)

    def way_back(self, node: int) -> list[Row]:
        """The edges from a node back to where this side began."""
        way = []
        while (row := self.came_by[node]) is not None:
            way.append(row)
            node = row.here
        return way


def relations(connection: psycopg.Connection[Any]) -> dict[int, Relation]:
    """All relations by their number."""
    rows = connection.execute("SELECT id, name, forward, inverse, more FROM relation")
    return {
        number: Relation(*said, **{name: _kept(value) for name, value in more.items()})
        for number, *said, more in rows
    }


def _kept(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def entities(connection: psycopg.Connection[Any], numbers: Collection[int]) -> dict[int, Entity]:
    """These entities by their number."""
    rows = connection.execute("SELECT id, name, kind FROM entity WHERE id = ANY (%s)", [list(numbers)])
    return {number: Entity(number, name, kind) for number, name, kind in rows}
