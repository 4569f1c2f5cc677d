"""What goes into the graph and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Direction = Literal["out", "in", "any"]
Audience = Literal["public", "internal"]
Match = Literal["exact", "normalised", "typo", "partial"]
Cut = Literal["hops", "nodes", "time"]


@dataclass(frozen=True)
class EntitySpec:
    """An entity to load. Its name is its identity across sources."""

    name: str
    kind: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class EdgeSpec:
    """An edge to load, with the passage that states it and who may read that passage."""

    src: str
    relation: str
    dst: str
    stated_in: str
    audience: Audience = "public"


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
    """A kind of edge and how it is said: `src forward dst`, `dst inverse src`."""

    name: str
    forward: str
    inverse: str


@dataclass(frozen=True)
class Entity:
    """A thing in the graph."""

    id: int
    name: str
    kind: str


@dataclass(frozen=True)
class Edge:
    """One stated connection, with every place that states it."""

    src: str
    relation: Relation
    dst: str
    stated_in: tuple[str, ...] = ()

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
class Path:
    """A shortest way from one entity to another; no edges when there is none within the bounds.

    Attributes:
        cut: What stopped the search before it could tell: `hops`, `nodes` or `time`. None otherwise.
    """

    start: Entity
    end: Entity
    edges: tuple[Edge, ...]
    cut: Cut | None = None
