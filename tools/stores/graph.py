"""The graph of things and their connections, in PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Any

import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from tools.errors import SourceUnavailable
from tools.stores import graph_mentions, graph_routes, graph_tables, graph_walk, graph_write
from tools.stores.graph_passages import ReadPassage
from tools.stores.graph_types import (
    Audience,
    Chain,
    Direction,
    EdgeSpec,
    Entity,
    EntitySpec,
    Hop,
    Kind,
    Mention,
    Neighbourhood,
    Path,
    Paths,
    Relation,
    Replaced,
    Share,
    Shared,
    Vocabulary,
)

_KINDS = """
SELECT e.kind, coalesce(k.words, '{}')
FROM (SELECT DISTINCT kind FROM entity) e LEFT JOIN kind k ON k.name = e.kind
UNION SELECT name, words FROM kind ORDER BY 1
"""


class GraphStore:
    """Things, the relations between them, and the passages that state each of them.

    Every read is bounded in nodes and time, every walk in hops too, and says when a bound cut it short.
    Readers with the audience `public` see only what a public passage states. Safe to use from many threads.
    """

    def __init__(
        self,
        pool: ConnectionPool,
        schema: str = "desk_graph",
        *,
        max_nodes: int = 200,
        max_visited: int = 20_000,
        statement_timeout: float = 2.0,
        today: Callable[[], date] = date.today,
    ) -> None:
        """Use the graph in `schema` of the pool's database.

        Args:
            pool: Connections; `close` closes it.
            schema: Where the tables are; `prepare` creates them.
            max_nodes: The most things that a closure gives, and `neighbours` per relation and direction.
            max_visited: The most things that a search for a path looks at.
            statement_timeout: Seconds after which a statement is stopped and no further hop begun.
            today: Gives the day; what ended before it is not walked over.
        """
        self._pool = pool
        self.schema = schema
        self._max_nodes = max_nodes
        self._max_visited = max_visited
        self._timeout = statement_timeout
        self.today = today
        self._words = (-1, Vocabulary((), ()))

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

    def prepare(self) -> None:
        """Create the schema and its tables where they are missing.

        Raises:
            SourceUnavailable: The database is down or refuses.
        """
        with self.connected() as connection:
            graph_tables.create(connection, self.schema)

    def replace_source(
        self,
        source: str,
        entities: Sequence[EntitySpec],
        edges: Sequence[EdgeSpec],
        relations: Sequence[Relation],
    ) -> Replaced:
        """Put this in the place of all that `source` stated before; see `replace`."""
        return self.replace({source: Share(entities, edges)}, relations)

    def replace(
        self,
        shares: Mapping[str, Share],
        relations: Sequence[Relation],
        kinds: Sequence[Kind] = (),
        passages: Sequence[ReadPassage] = (),
    ) -> Replaced:
        """Put each share in the place of all that its source stated before, all of them or none.

        The tables are made where they are missing. An empty share forgets its source. `passages` are those
        that were read for these shares.

        Raises:
            BadInput: An edge names an entity or a relation that is not among those given, or a name is empty.
            SourceUnavailable: The database is down or refuses.
        """
        with self.connected() as connection:
            return graph_write.replace(connection, self.schema, shares, relations, kinds, passages)

    def relations(self) -> list[Relation]:
        """All relations by name.

        Raises:
            SourceUnavailable: The database is down, slow or refuses. So does every other reading method.
        """
        with self.reading() as connection:
            return sorted(graph_walk.relations(connection).values(), key=lambda one: one.name)

    def vocabulary(self) -> Vocabulary:
        """The relations and the kinds of things, with the words for them; kept until the graph changes."""
        with self.reading() as connection:
            row = connection.execute("SELECT number FROM version").fetchone()
            version = row[0] if row else 0
            if self._words[0] != version:
                relations = sorted(graph_walk.relations(connection).values(), key=lambda one: one.name)
                rows = connection.execute(_KINDS)
                kinds = tuple(Kind(name, tuple(words)) for name, words in rows)
                self._words = (version, Vocabulary(tuple(relations), kinds))
            return self._words[1]

    def hops_at(self, entity: Entity, *, audience: Audience = "public") -> list[Hop]:
        """The relations that a thing has, each with its direction."""
        with self.walking(None, audience) as walker:
            return graph_routes.hops_at(walker, entity)

    def kinds(self, *, audience: Audience = "public") -> dict[str, int]:
        """How many things there are of each kind, most first."""
        query = (
            "SELECT kind, count(*) FROM entity WHERE public OR %s GROUP BY kind ORDER BY count(*) DESC, kind"
        )
        with self.reading() as connection:
            return dict(connection.execute(query, [audience == "internal"]).fetchall())

    def find_mentions(self, text: str, *, audience: Audience = "public") -> list[Mention]:
        """The things named in a text, in order, each once: in a name, a question, or anything longer.

        Case, plural, accents, punctuation and spelling mistakes are forgiven; the longest name wins. A text
        of a few words may also be a part of a name. What else the words fit stands in `alternatives`.
        """
        with self.reading() as connection:
            return graph_mentions.find(connection, text, staff=audience == "internal")

    def suggest(self, text: str, limit: int = 3, *, audience: Audience = "public") -> list[Entity]:
        """Things that may have been meant by a text that names none, best first."""
        with self.reading() as connection:
            return graph_mentions.suggest(connection, text, staff=audience == "internal", limit=limit)

    def neighbours(
        self,
        entity: Entity,
        relation: str | None = None,
        direction: Direction = "any",
        *,
        audience: Audience = "public",
        limit: int | None = None,
    ) -> Neighbourhood:
        """The edges at an entity: its own (`out`), those that lead to it (`in`), or both.

        Args:
            relation: Only edges of this relation; None for all.
            limit: The most edges of one relation and direction; the store's `max_nodes` when None.
        """
        most = self._max_nodes if limit is None else limit
        with self.walking(relation, audience) as walker:
            return walker.neighbours(entity, direction, most)

    def closure(
        self,
        entity: Entity,
        relation: str | None = None,
        direction: Direction = "out",
        hops: int = 3,
        *,
        audience: Audience = "public",
    ) -> Neighbourhood:
        """All that can be reached from an entity along one relation (or any) within `hops`, nearest first.

        `in` walks against the edges: to everything that depends on the entity, directly or through others.
        """
        with self.walking(relation, audience) as walker:
            return walker.closure(entity, direction, hops, self._max_nodes)

    def path(
        self,
        start: Entity,
        end: Entity,
        hops: int = 6,
        *,
        relation: str | None = None,
        direction: Direction = "any",
        audience: Audience = "public",
    ) -> Path:
        """A shortest way between two things, sought breadth first from both ends.

        Args:
            hops: The most edges that it may have.
            relation: Only over edges of this relation; None for all.
            direction: `out` follows the edges from `start` to `end`, `in` goes against them, `any` both ways.
        """
        with self.walking(relation, audience) as walker:
            return walker.path(start, end, direction, hops, self._max_visited)

    def chain(self, start: Entity, hops: Sequence[Hop], *, audience: Audience = "public") -> Chain:
        """What relations lead to that are followed one after another: the parts of what replaces a thing."""
        with self.walking(None, audience) as walker:
            return graph_routes.chain(walker, start, hops, self._max_nodes, self._max_visited)

    def paths(
        self,
        start: Entity,
        end: Entity,
        hops: int = 6,
        *,
        relation: str | None = None,
        direction: Direction = "any",
        limit: int = 5,
        audience: Audience = "public",
    ) -> Paths:
        """Up to `limit` ways between two things: all of the shortest, then others that share no edge."""
        with self.walking(relation, audience) as walker:
            return graph_routes.paths(walker, start, end, direction, hops, self._max_visited, limit)

    def shared(
        self,
        first: Entity,
        second: Entity,
        relation: str | None = None,
        direction: Direction = "any",
        *,
        audience: Audience = "public",
    ) -> Shared:
        """What both things are connected with, by the same relation in the same direction."""
        with self.walking(relation, audience) as walker:
            return graph_routes.shared(walker, first, second, direction, self._max_nodes)

    @contextmanager
    def walking(self, relation: str | None, audience: Audience) -> Iterator[graph_walk.Walker]:
        """What walks over this relation, or over all, within the bounds of one question."""
        with self.reading() as connection:
            numbers = {known.name: number for number, known in graph_walk.relations(connection).items()}
            # No relation has the number 0, so that an unknown name finds nothing instead of everything.
            chosen = None if relation is None else numbers.get(relation, 0)
            deadline = time.monotonic() + self._timeout
            yield graph_walk.Walker(connection, chosen, audience == "internal", deadline, self.today())

    @contextmanager
    def reading(self) -> Iterator[psycopg.Connection[Any]]:
        """One snapshot for all statements, that cannot write, each stopped when it takes too long."""
        with self.connected() as connection:
            connection.execute(
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;"
                f"SET LOCAL statement_timeout = {int(self._timeout * 1000)}"
            )
            graph_tables.use(connection, self.schema)
            yield connection

    @contextmanager
    def connected(self) -> Iterator[psycopg.Connection[Any]]:
        """A connection in one transaction; what goes wrong with the database is SourceUnavailable."""
        try:
            with self._pool.connection() as connection:
                yield connection
        except psycopg.errors.QueryCanceled:
            raise SourceUnavailable("graph", f"it took longer than {self._timeout:g} seconds") from None
        except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
            reason = f"the schema {self.schema} holds no graph, or one of an older version; load it again"
            raise SourceUnavailable("graph", reason) from None
        except (psycopg.Error, PoolTimeout) as error:
            raise SourceUnavailable(
                "graph", f"the database does not answer ({type(error).__name__})"
            ) from None


__all__ = ["EdgeSpec", "Entity", "EntitySpec", "GraphStore", "Mention", "Neighbourhood", "Path", "Relation"]
