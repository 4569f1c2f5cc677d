"""Builds a graph from what its file names: declarations, tables, queries and the desk's documents.

Every part is a source of its own with a digest, and only what changed is read again. A document's edges
depend on its own text and on the names that are known; when those change, the passages in which a changed
name stands are found by their words and read again, and no others. So a graph built step by step is the same
as one built from scratch.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from tools.ingest.edges import file_digest
from tools.ingest.graph_documents import THINGS, Documents, Library, Reading
from tools.ingest.graph_file import GraphFile, read_graph_file
from tools.ingest.graph_model import Ask, Estimate, Room, Spent, estimate, read
from tools.ingest.graph_parts import Part, Runner, parts_of
from tools.stores.graph import GraphStore
from tools.stores.graph_sources import DOCUMENT, GraphSources, Plan
from tools.stores.graph_types import Replaced, Share

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Stale:
    """What changed since the graph was built: declared parts and documents that are new or other than before,
    and those that are gone, by name. Empty when the graph is fresh.
    """

    parts: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def fresh(self) -> bool:
        """Whether nothing changed."""
        return not (self.parts or self.documents or self.gone)


@dataclass(frozen=True)
class Built:
    """What a build did.

    Attributes:
        source: The graph file's name among the sources.
        stale: What was out of date and was read again.
        passages: How many passages were looked at.
        edges: How many edges the changed sources state now.
        removed_entities, removed_edges: How many are gone from the graph.
        seconds: Wall time.
    """

    source: str
    stale: Stale
    passages: int
    edges: int
    removed_entities: int
    removed_edges: int
    seconds: float


@dataclass(frozen=True)
class _Survey:
    """What is there now, and what of it is other than when the graph was built."""

    stale: Stale
    parts: list[Part]
    documents: Mapping[str, tuple[str, str]]


class Builder:
    """Builds the graph that one file describes."""

    def __init__(
        self, file: Path, store: GraphStore, library: Library | None = None, run: Runner | None = None
    ) -> None:
        """Read the file.

        Args:
            library: The documents; None when there are none.
            run: Runs a SELECT over the records; None when there are none.

        Raises:
            BadInput: The file cannot be used.
        """
        self.graph: GraphFile = read_graph_file(file)
        self.source = self.graph.source or file.name
        self._file = file
        self._store = store
        self._kept = GraphSources(store)
        self._run = run
        told = repr((self.graph.relations, self.graph.kinds, self.graph.links))
        self._ontology = hashlib.sha256(told.encode()).hexdigest()[:16]
        self._documents = (
            Documents(self.graph, self.source, self._ontology, self._kept, library)
            if library is not None and self.graph.documents
            else None
        )

    def check(self) -> Stale:
        """What changed since the graph was built.

        Raises:
            BadInput: A table, a query or a document that is named cannot be used.
            SourceUnavailable: The database or the documents cannot be reached.
        """
        return self._survey().stale

    def build(self, progress: Progress | None = None, again: Collection[str] = ()) -> Built:
        """Bring the graph up to date, all of it or nothing.

        Args:
            again: Sources of documents to read again though they did not change.

        Raises:
            BadInput, SourceUnavailable: As for `check`.
        """
        started = time.perf_counter()
        now = self._survey()
        shares = {part.name: part.share() for part in now.parts if part.name in now.stale.parts}
        shares |= {name: Share() for name in now.stale.gone if DOCUMENT not in name}
        gone = [name for name in now.stale.gone if DOCUMENT in name]
        found = Reading(
            {name: Share() for one in gone for name in (one, one.replace(DOCUMENT, THINGS))}, (), 0
        )
        if self._documents is not None:
            changed = {*now.stale.documents, *again}
            (progress or (lambda _: None))(f"reading {len(changed)} documents")
            found = self._documents.read(now.documents, changed, gone, shares)
        everything = {**shares, **found.shares}
        done = Replaced(0, 0, 0, 0, 0)
        if everything:  # what did not change is not written: what hangs on the graph's version stays fresh
            done = self._store.replace(everything, self.graph.ontology, self.graph.kind_words, found.passages)
        self._kept.remember(Plan(self.source, str(self._file.absolute()), file_digest(self._file)))
        return Built(
            self.source,
            now.stale,
            found.looked,
            done.edges,
            done.removed_entities,
            done.removed_edges,
            time.perf_counter() - started,
        )

    def estimate_model(self) -> Estimate:
        """About what it takes to have a language model read the passages that none has read yet."""
        waiting = self._documents.unread() if self._documents else {}
        return estimate(self.graph, [one for of_one in waiting.values() for one in of_one])

    def read_with_model(self, ask: Ask, room: Room, progress: Progress | None = None) -> tuple[Spent, Built]:
        """Have a language model read what none has read yet, within a budget, and build with what it found.

        Args:
            ask, room: See `graph_model.read`.

        Raises:
            SourceUnavailable: The model or a store cannot be reached; what was read before that is kept.
        """
        waiting = self._documents.unread() if self._documents else {}
        unread = [one for of_one in waiting.values() for one in of_one]
        spent = read(self.graph, unread, ask, self._kept.keep, room, progress or (lambda _: None))
        return spent, self.build(progress, again=waiting.keys())

    def _survey(self) -> _Survey:
        before = self._kept.digests()
        parts = parts_of(self._file, self.graph, self.source, self._run, self._ontology)
        documents = self._documents.known() if self._documents else {}
        now = {part.name: part.digest for part in parts}
        now |= {name: digest for name, (_, digest) in documents.items()}
        mine = {name for name in before if name == self.source or name.startswith(f"{self.source}: ")}
        changed = [name for name, digest in now.items() if before.get(name) != digest]
        stale = Stale(
            tuple(name for name in changed if name not in documents),
            tuple(sorted(name for name in changed if name in documents)),
            tuple(sorted(name for name in mine - now.keys() if THINGS not in name)),
        )
        return _Survey(stale, parts, documents)


__all__ = ["Builder", "Built", "Library", "Stale"]
