"""Themes: groups of things that are connected more with each other than with the rest, as they are kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

import psycopg

from tools.stores.graph_tables import use
from tools.stores.graph_types import Audience, Edge, Entity

if TYPE_CHECKING:
    from tools.stores.graph import GraphStore

AUDIENCES: tuple[Audience, ...] = ("public", "internal")
_TOP = 200  # members of a theme, by degree, among which its edges are sought
_EDGES = """
SELECT a.name, a.kind, r.forward, b.name, b.kind, a.id, b.id
FROM edge e JOIN relation r ON r.id = e.rel JOIN entity a ON a.id = e.src JOIN entity b ON b.id = e.dst
WHERE (e.public OR %s) AND (e.until IS NULL OR e.until > %s) AND e.src <> e.dst ORDER BY 1, 3, 4
"""
_THEMES = """
SELECT number, level, parent, digest, title, summary, written_by, asked, things, connections FROM theme
WHERE audience = %s AND level = coalesce(%s, level) ORDER BY level, number
"""
_INSIDE = """
WITH top AS (
    SELECT m.entity, m.degree, e.kind FROM theme_member m JOIN entity e ON e.id = m.entity
    WHERE m.audience = %(audience)s AND m.theme = %(theme)s ORDER BY m.degree DESC, e.name LIMIT %(top)s)
SELECT e.src, e.dst, e.src, e.rel, e.dst
FROM edge e JOIN top a ON a.entity = e.src JOIN top b ON b.entity = e.dst
WHERE (e.public OR %(staff)s) AND (e.until IS NULL OR e.until > %(today)s)
ORDER BY (a.kind = ANY (%(kinds)s) OR b.kind = ANY (%(kinds)s)) DESC, a.degree + b.degree DESC,
         e.src, e.rel, e.dst LIMIT %(limit)s
"""
_MEMBERS = """
SELECT e.id, e.name, e.kind, m.degree FROM theme_member m JOIN entity e ON e.id = m.entity
WHERE m.audience = %s AND m.theme = %s AND (e.public OR %s) ORDER BY m.degree DESC, e.name LIMIT %s
"""
_MOST_CONNECTED = """
WITH top AS (
    SELECT e.id, e.name, e.kind FROM theme_member m JOIN entity e ON e.id = m.entity
    WHERE m.audience = %(audience)s AND e.kind = ANY (%(kinds)s) AND (e.public OR %(staff)s)
    GROUP BY e.id ORDER BY max(m.degree) DESC, e.name LIMIT %(top)s)
SELECT t.id, t.name, t.kind, count(*) FROM top t JOIN LATERAL (
    SELECT src, rel, dst FROM edge WHERE src = t.id AND (public OR %(staff)s)
        AND (until IS NULL OR until > %(today)s)
    UNION ALL SELECT src, rel, dst FROM edge WHERE dst = t.id AND src <> dst AND (public OR %(staff)s)
        AND (until IS NULL OR until > %(today)s)) e ON true
GROUP BY t.id, t.name, t.kind ORDER BY count(*) DESC, t.name LIMIT %(limit)s
"""
_HOLDING = "SELECT theme FROM theme_member WHERE audience = %s AND entity = ANY (%s)"


class Link(NamedTuple):
    """An edge as themes are made from it."""

    src: str
    src_kind: str
    phrase: str
    dst: str
    dst_kind: str
    src_id: int
    dst_id: int


@dataclass(frozen=True)
class Theme:
    """A group of things.

    Attributes:
        number: Its place among those of one audience, the largest of its level first.
        level: 0 for the widest groups; those of each further level are parts of one of the level before.
        parent: The number of the group that it is a part of.
        digest: Of the things and the edges between them.
        written_by: The model that wrote the summary; empty where code did.
        asked: Whether a model was asked for one, whatever became of it.
        things, connections: How many there are in it.
    """

    number: int
    level: int
    parent: int | None
    digest: str
    title: str
    summary: str
    written_by: str
    asked: bool
    things: int
    connections: int


@dataclass(frozen=True)
class Member:
    """A thing of a theme, and how many connections it has inside."""

    entity: Entity
    degree: int


class GraphThemes:
    """The themes of a graph, of each audience its own; it raises SourceUnavailable as the store does."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def links(self, audience: Audience) -> list[Link]:
        """All edges that hold today and that this audience sees."""
        with self._store.connected() as connection:  # all of a large graph takes longer than a question may
            use(connection, self._store.schema)
            rows = connection.execute(_EDGES, [audience == "internal", self._store.today()])
            return [Link(*row) for row in rows]

    def replace(
        self, found: Iterable[tuple[Audience, Theme, Sequence[tuple[int, int]]]], version: int
    ) -> None:
        """Put these themes in the place of all, each with the id and degree of its members.

        Args:
            version: See `version`.
        """
        held = list(found)
        with self._store.connected() as connection, connection.cursor() as cursor:
            use(connection, self._store.schema)
            cursor.execute("TRUNCATE theme, theme_member, themes_of")
            with cursor.copy("COPY theme FROM STDIN") as copy:
                for audience, theme, _ in held:
                    copy.write_row((audience, *vars(theme).values()))
            with cursor.copy("COPY theme_member FROM STDIN") as copy:
                for audience, theme, members in held:
                    for entity, degree in members:
                        copy.write_row((audience, theme.number, entity, degree))
            cursor.execute("INSERT INTO themes_of VALUES (%s)", [version])

    def version(self) -> int:
        """The number of the graph's last change."""
        with self._store.reading() as connection:
            return _one(connection, "SELECT number FROM version")

    def made(self) -> bool:
        """Whether themes were ever made."""
        with self._store.reading() as connection:
            row = connection.execute("SELECT to_regclass('themes_of')").fetchone()
            return bool(row and row[0]) and bool(_one(connection, "SELECT count(*) FROM themes_of"))

    def fresh(self) -> bool:
        """Whether the graph has not changed since they were made."""
        with self._store.reading() as connection:
            made = _one(connection, "SELECT max(version) FROM themes_of")
            return made == _one(connection, "SELECT number FROM version")

    def all(self, audience: Audience, level: int | None = None) -> list[Theme]:
        """The themes of one level, or of all, the largest of each level first."""
        with self._store.reading() as connection:
            return [Theme(*row) for row in connection.execute(_THEMES, [audience, level])]

    def holding(self, things: Sequence[Entity], audience: Audience) -> list[Theme]:
        """The themes in which one of these things is, the widest first."""
        with self._store.reading() as connection:
            rows = connection.execute(_HOLDING, [audience, [one.id for one in things]])
            numbers = {number for (number,) in rows}
        return [one for one in self.all(audience) if one.number in numbers]

    def members(self, theme: Theme, audience: Audience, limit: int = 1000) -> list[Member]:
        """What is in a theme, most connected first."""
        with self._store.reading() as connection:
            rows = connection.execute(_MEMBERS, [audience, theme.number, audience == "internal", limit])
            return [Member(Entity(*row[:3]), row[3]) for row in rows]

    def most_connected(self, kinds: Iterable[str], audience: Audience, limit: int) -> list[Member]:
        """The things of some kinds with most connections in the whole graph, among those of the themes."""
        with self._store.reading() as connection:
            asked = {
                "audience": audience,
                "kinds": list(kinds),
                "staff": audience == "internal",
                "today": self._store.today(),
                "top": _TOP,
                "limit": limit,
            }
            return [Member(Entity(*row[:3]), row[3]) for row in connection.execute(_MOST_CONNECTED, asked)]

    def edges(
        self, theme: Theme, audience: Audience, limit: int, kinds: Iterable[str] = ()
    ) -> tuple[Edge, ...]:
        """The edges between a theme's most connected things, those at things of some kinds first."""
        with self._store.walking(None, audience) as walker:
            asked = {
                "audience": audience,
                "theme": theme.number,
                "top": _TOP,
                "staff": audience == "internal",
                "today": walker.today,
                "kinds": list(kinds),
                "limit": limit,
            }
            return tuple(walker.edges_of(_INSIDE, asked))

    def unwritten(self) -> list[tuple[Audience, Theme]]:
        """The themes that no model was asked about, each digest once."""
        found = {
            one.digest: (audience, one)
            for audience in AUDIENCES
            for one in self.all(audience)
            if not one.asked
        }
        return list(found.values())

    def write(self, digest: str, summary: str, model: str) -> None:
        """Keep what a model wrote about the themes of this digest; nothing leaves the summary as it is."""
        with self._store.connected() as connection:
            use(connection, self._store.schema)
            connection.execute("UPDATE theme SET asked = true WHERE digest = %s", [digest])
            if summary:
                connection.execute(
                    "UPDATE theme SET summary = %s, written_by = %s WHERE digest = %s",
                    [summary, model, digest],
                )


def _one(connection: psycopg.Connection[Any], query: LiteralString) -> int:
    row = connection.execute(query).fetchone()
    return int(row[0] or 0) if row else 0
