"""What the graph was built from: its sources, the names they bring, and the passages that were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

from tools.errors import BadInput
from tools.stores import graph_passages, graph_tables, graph_write
from tools.stores.graph import GraphStore
from tools.stores.graph_passages import ReadPassage

DOCUMENT = ": document "
"""What stands between a graph file's name and a document's id in the name of the document's source."""


@dataclass(frozen=True)
class Surface:
    """A way to write a thing, and who says so."""

    source: str
    text: str
    thing: str
    kind: str
    is_name: bool


@dataclass(frozen=True)
class Decision:
    """Somebody's word that two things are the same, or are not."""

    name: str
    other: str
    same: bool
    decided_at: datetime


@dataclass(frozen=True)
class Plan:
    """A graph file that was built from: its source's name, where it is, and its digest then."""

    source: str
    file: str
    digest: str


class GraphSources:
    """The side of a graph store that building needs; it raises SourceUnavailable as the store does."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    @contextmanager
    def _reading(self) -> Iterator[psycopg.Connection[Any] | None]:
        """A connection for reading; None where no graph was ever loaded, or one of an older form."""
        with self._store.reading() as connection:
            yield connection if graph_tables.is_current(connection, self._store.schema) else None

    def digests(self) -> dict[str, str]:
        """The digest of every source by its name; empty where nothing was ever loaded."""
        with self._reading() as connection:
            if connection is None:
                return {}
            return dict(connection.execute("SELECT name, digest FROM source").fetchall())

    def remember(self, plan: Plan) -> None:
        """Keep in mind which file the graph was built from."""
        with self._store.connected() as connection:
            graph_tables.create(connection, self._store.schema)
            connection.execute(
                "INSERT INTO plan VALUES (%s, %s, %s) ON CONFLICT (source) DO UPDATE"
                " SET file = excluded.file, digest = excluded.digest",
                [plan.source, plan.file, plan.digest],
            )

    def plans(self) -> list[Plan]:
        """The files that the graph was built from."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute("SELECT source, file, digest FROM plan ORDER BY source")
            return [Plan(*row) for row in rows]

    def surfaces(self) -> list[Surface]:
        """All names and aliases."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT s.source, s.text, e.name, s.kind, s.is_name"
                " FROM surface s JOIN entity e ON e.id = s.entity"
            )
            return [Surface(*row) for row in rows]

    def passages(self, sources: Sequence[str]) -> list[ReadPassage]:
        """The passages of these sources as they were read last."""
        with self._reading() as connection:
            return [] if connection is None else graph_passages.read(connection, sources)

    def passages_having(self, prefix: str, wanted: Iterable[Sequence[str]]) -> set[tuple[str, int]]:
        """See `graph_passages.having`."""
        with self._reading() as connection:
            return set() if connection is None else graph_passages.having(connection, prefix, wanted)

    def extracted(self, digests: Sequence[str]) -> dict[str, tuple[graph_passages.Edge, ...]]:
        """See `graph_passages.extracted`."""
        with self._reading() as connection:
            return {} if connection is None else graph_passages.extracted(connection, digests)

    def keep(self, found: Mapping[str, Sequence[graph_passages.Edge]]) -> None:
        """See `graph_passages.keep`."""
        with self._store.connected() as connection:
            graph_tables.create(connection, self._store.schema)
            graph_passages.keep(connection, found)

    def decide(self, name: str, other: str, *, same: bool) -> None:
        """Settle that two things are the same, told under the second name, or that they are not.

        It holds for every later build, and the latest decision about two things counts.

        Raises:
            BadInput: There is no thing of one of the names, or both are the same name.
        """
        if name == other:
            raise BadInput(f"{name!r} is named twice; name two things")
        with self._store.connected() as connection:
            graph_write.decide(connection, self._store.schema, name, other, same=same)

    def decisions(self) -> list[Decision]:
        """What was decided about which things are the same, the latest first."""
        with self._reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT name, other, same, decided_at FROM decision ORDER BY decided_at DESC, name"
            )
            return [Decision(*row) for row in rows]

    def merged(self) -> dict[str, str]:
        """Each thing that is told under another one's name, decided or because they are written alike."""
        with self._reading() as connection:
            if connection is None:
                return {}
            rows = connection.execute(
                "SELECT a.name, b.name FROM entity a JOIN entity b ON b.id = a.same_as ORDER BY 1"
            )
            return dict(rows.fetchall())
