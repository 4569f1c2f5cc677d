"""What the graph was built from: its sources, the names they bring, and the passages that were read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tools.stores import graph_passages
from tools.stores.graph import GraphStore
from tools.stores.graph_passages import ReadPassage


@dataclass(frozen=True)
class Surface:
    """A way to write a thing, and who says so."""

    source: str
    text: str
    thing: str
    kind: str
    is_name: bool


class GraphSources:
    """The side of a graph store that building needs; it raises SourceUnavailable as the store does."""

    def __init__(self, store: GraphStore) -> None:
        self._store = store

    def digests(self) -> dict[str, str]:
        """The digest of every source by its name; empty where nothing was ever loaded."""
        with self._store.reading_if_there() as connection:
            if connection is None:
                return {}
            return dict(connection.execute("SELECT name, digest FROM source").fetchall())

    def surfaces(self) -> list[Surface]:
        """All names and aliases."""
        with self._store.reading_if_there() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT s.source, s.text, e.name, s.kind, s.is_name"
                " FROM surface s JOIN entity e ON e.id = s.entity"
            )
            return [Surface(*row) for row in rows]

    def passages(self, sources: Sequence[str]) -> list[ReadPassage]:
        """The passages of these sources as they were read last."""
        with self._store.reading_if_there() as connection:
            return [] if connection is None else graph_passages.read(connection, sources)

    def passages_having(self, prefix: str, wanted: Iterable[Sequence[str]]) -> set[tuple[str, int]]:
        """See `graph_passages.having`."""
        with self._store.reading_if_there() as connection:
            return set() if connection is None else graph_passages.having(connection, prefix, wanted)
