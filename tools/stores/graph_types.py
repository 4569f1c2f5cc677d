"""What goes into the graph and what comes out of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

Direction = Literal["out", "in", "any"]
Audience = Literal["public", "internal"]
Match = Literal["exact", "normalised", "typo", "partial", "meaning"]
Cut = Literal["hops", "nodes", "time"]


@dataclass(frozen=True)
class EntitySpec:
    """An entity to load. Its name is its identity across sources."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class EdgeSpec:
    """An edge to load, with the passage that states it and who may read that passage.

    `since` and `until` say when it held, the last day not included; None where that is open.
    """

    src: str
    relation: str
    dst: str
    stated_in: str
    audience: Audience = "public"
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True)
class Share:
    """All that one source states.

    Attributes:
        digest: Of what it was read from, so that a later change is noticed; empty where that is not known.
    """

    entities: Sequence[EntitySpec] = ()
    edges: Sequence[EdgeSpec] = ()
    digest: str = ""


@dataclass(frozen=True)
class Replaced:
    """What a source holds after it was replaced, and what went with its old content.

    Attributes:
        entities, relations, edges: How many of each the source states now.
        removed_entities, removed_edges: How many were dropped because no source states them any more.
    """

    entities: int
    relations: int
    edges: int
    removed_entities: int
    removed_edges: int


@dataclass(frozen=True)
class Relation:
    """A kind of edge and how it is said: `src forward dst`, `dst inverse src`.

    Attributes:
        also, also_inverse: Other words for the same, either way; they are understood, and never said.
        source_kinds, target_kinds: The kinds of things it leads from and to; empty for any.
        single: Whether a thing has at most one such edge at a time, so that two contradict each other.
    """

    name: str
    forward: str
    inverse: str
    also: tuple[str, ...] = ()
    also_inverse: tuple[str, ...] = ()
    source_kinds: tuple[str, ...] = ()
    target_kinds: tuple[str, ...] = ()
    single: bool = False


@dataclass(frozen=True)
class Kind:
    """A kind of thing, and the other words by which people ask for it: `who` asks for a person."""

    name: str
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Vocabulary:
    """The words of a graph: its relations and its kinds of things."""

    relations: tuple[Relation, ...]
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True)
class Hop:
    """One step of a chain: over which relation, and whether along its edges or against them."""

    relation: str
    direction: Literal["out", "in"] = "out"


@dataclass(frozen=True)
class Entity:
    """A thing in the graph."""

    id: int
    name: str
    kind: str


@dataclass(frozen=True)
class Edge:
    """One stated connection.

    Attributes:
        stated_in: Every place that states it.
        sources: What was loaded that states it: a file, a document, a query.
        since, until: When it began and ended to hold, where that is stated.
    """

    src: str
    relation: Relation
    dst: str
    stated_in: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None

    @property
    def sentence(self) -> str:
        """The edge in words."""
        return f"{self.src} {self.relation.forward} {self.dst}."


@dataclass(frozen=True)
class Mention:
    """A thing that a text names.

    Attributes:
        entity: What is most probably meant.
        text: The words of the text, as written.
        start, end: Where they stand, in characters.
        match: How a name or alias stands there: as it is, but for plural or accents or punctuation, misspelt,
            or with only some of its words.
        score: 1 for a name as written, less for what had to be forgiven.
        alternatives: Others that the words fit equally well; empty when it is clear.
    """

    entity: Entity
    text: str
    start: int
    end: int
    match: Match
    score: float
    alternatives: tuple[Entity, ...] = ()

    @property
    def clear(self) -> bool:
        """Whether only one thing can be meant."""
        return not self.alternatives


@dataclass(frozen=True)
class Reached:
    """A thing that a closure reached: how many hops away, and the last edge on a shortest way to it."""

    entity: Entity
    hops: int
    edge: Edge


@dataclass(frozen=True)
class Neighbourhood:
    """What is next to an entity, or reachable from it, nearest first.

    Attributes:
        cut: What stopped the search while there was more: `hops`, `nodes` or `time`. None when this is all.
    """

    entity: Entity
    reached: tuple[Reached, ...]
    cut: Cut | None = None

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges, in the order of what they reached."""
        return tuple(one.edge for one in self.reached)


@dataclass(frozen=True)
class Chain:
    """What relations lead to that are followed one after another.

    Attributes:
        start: Where it begins.
        hops: What was followed.
        levels: For each hop what it reached, each with the edge it was reached by; a thing that several
            edges reach stands there once for each. The start is never reached again.
        cut: What stopped it while there was more: `nodes` or `time`. None when this is all.
    """

    start: Entity
    hops: tuple[Hop, ...]
    levels: tuple[tuple[Reached, ...], ...]
    cut: Cut | None = None

    @property
    def found(self) -> tuple[Entity, ...]:
        """The things at the end, each once, by name."""
        last = self.levels[-1] if len(self.levels) == len(self.hops) else ()
        return tuple(sorted({one.entity for one in last}, key=lambda one: (one.name, one.id)))

    @property
    def edges(self) -> tuple[Edge, ...]:
        """The edges of every hop in order, each once."""
        return tuple(dict.fromkeys(one.edge for level in self.levels for one in level))


@dataclass(frozen=True)
class Path:
    """A shortest way from one entity to another; no edges when there is none within the bounds.

    Attributes:
        cut: What stopped the search before it could tell: `hops`, `nodes` or `time`. None otherwise.
    """

    start: Entity
    end: Entity
    edges: tuple[Edge, ...]
    cut: Cut | None = None


@dataclass(frozen=True)
class Paths:
    """Several ways from one entity to another, the shortest first.

    Attributes:
        shortest: How many of them are as short as the first.
        cut: What stopped the search before it found any. None otherwise.
        more: Whether there are more than these.
    """

    start: Entity
    end: Entity
    ways: tuple[tuple[Edge, ...], ...]
    shortest: int = 0
    cut: Cut | None = None
    more: bool = False


@dataclass(frozen=True)
class Shared:
    """What two entities have in common: each thing that both are connected with by the same relation."""

    first: Entity
    second: Entity
    things: tuple[tuple[Entity, tuple[Edge, ...]], ...]
    cut: Cut | None = None
