"""Builds a graph from what its file names: declarations, tables, queries and the desk's documents.

Every part is a source of its own with a digest, and only what changed is read again. A document's edges
depend on its own text and on the names that are known; when those change, the passages in which a changed
name stands are found by their words and read again, and no others. So a graph built step by step is the same
as one built from scratch.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from tools.ingest.edges import file_digest
from tools.ingest.graph_extract import Extractor, Stated, things_in
from tools.ingest.graph_file import GraphFile, read_graph_file
from tools.ingest.graph_lexicon import Lexicon, Name, tokens, wanted
from tools.ingest.graph_parts import Part, Runner, parts_of
from tools.stores.graph import GraphStore
from tools.stores.graph_passages import ReadPassage
from tools.stores.graph_sources import DOCUMENT, GraphSources, Plan, Surface
from tools.stores.graph_types import Audience, EdgeSpec, EntitySpec, Share
from tools.stores.graph_write import ANY_KIND
from tools.stores.passage import Known, Passage

_THINGS = ": things in "


class Library(Protocol):
    """The documents that are read for edges."""

    def known(self) -> Mapping[str, Known]:
        """Every document by its id."""
        ...

    def passages(self, doc_ids: Sequence[str]) -> Iterable[Passage]:
        """The passages of some documents, in order."""
        ...


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


class Builder:
    """Builds the graph that one file describes."""

    def __init__(
        self,
        file: Path,
        store: GraphStore,
        library: Library | None = None,
        run: Runner | None = None,
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
        self._library = library if self.graph.documents else None
        self._run = run
        told = repr((self.graph.relations, self.graph.kinds, self.graph.links))
        self._ontology = hashlib.sha256(told.encode()).hexdigest()[:16]

    def check(self) -> Stale:
        """What changed since the graph was built.

        Raises:
            BadInput: A table, a query or a document that is named cannot be used.
            SourceUnavailable: The database or the documents cannot be reached.
        """
        return self._survey()[0]

    def build(self, progress: Callable[[str], None] | None = None) -> Built:
        """Bring the graph up to date, all of it or nothing.

        Raises:
            BadInput, SourceUnavailable: As for `check`.
        """
        started = time.perf_counter()
        stale, parts, library = self._survey()
        shares = {part.name: part.share() for part in parts if part.name in stale.parts}
        gone = [name for name in stale.gone if DOCUMENT not in name]
        shares |= {name: Share() for name in gone}
        read: list[ReadPassage] = []
        looked = 0
        if library is not None:
            (progress or (lambda _: None))(f"reading {len(stale.documents)} documents")
            found, read, looked = self._documents(stale, shares, library)
            shares |= found
        done = self._store.replace(shares, self.graph.ontology, self.graph.kind_words, read)
        self._kept.remember(Plan(self.source, str(self._file.absolute()), file_digest(self._file)))
        return Built(
            self.source,
            stale,
            looked,
            done.edges,
            done.removed_entities,
            done.removed_edges,
            time.perf_counter() - started,
        )

    def _survey(self) -> tuple[Stale, list[Part], Mapping[str, Known] | None]:
        before = self._kept.digests()
        parts = parts_of(self._file, self.graph, self.source, self._run, self._ontology)
        library = self._library.known() if self._library else None
        documents = {self._named(doc_id): self._digest(one) for doc_id, one in (library or {}).items()}
        now = {part.name: part.digest for part in parts} | documents
        mine = {name for name in before if name == self.source or name.startswith(f"{self.source}: ")}
        gone = sorted(name for name in mine - now.keys() if _THINGS not in name)
        changed = [name for name, digest in now.items() if before.get(name) != digest]
        return (
            Stale(
                tuple(name for name in changed if name not in documents),
                tuple(sorted(name for name in changed if name in documents)),
                tuple(gone),
            ),
            parts,
            library,
        )

    def _named(self, doc_id: str) -> str:
        return f"{self.source}{DOCUMENT}{doc_id}"

    def _digest(self, known: Known) -> str:
        return f"{known.doc_hash} {self._ontology}"

    def _documents(
        self, stale: Stale, shares: Mapping[str, Share], known: Mapping[str, Known]
    ) -> tuple[dict[str, Share], list[ReadPassage], int]:
        """What the documents state that have to be read again; what was read; how much was looked at."""
        by_name = {self._named(doc_id): doc_id for doc_id in known}
        changed = {by_name[name] for name in stale.documents}
        texts = self._texts(changed)
        found: dict[str, Share] = {name: Share() for name in stale.gone if DOCUMENT in name}
        found |= {name.replace(DOCUMENT, _THINGS): Share() for name in found}
        found |= {self._named(doc_id).replace(DOCUMENT, _THINGS): Share() for doc_id in changed}
        for doc_id, passages in texts.items():
            things = dict(thing for one in passages for thing in things_in(one.text, self.graph))
            if things:
                specs = [EntitySpec(name, kind) for name, kind in sorted(things.items())]
                found[self._named(doc_id).replace(DOCUMENT, _THINGS)] = Share(specs, digest=self._ontology)
        old = [one for one in self._kept.surfaces() if DOCUMENT not in one.source]
        replaced = {**shares, **found}
        kept = [one for one in old if one.source not in replaced]
        new = kept + [one for name, share in replaced.items() for one in _surfaces(name, share)]
        names, lexicon_before = _names(new), _names(old)
        concerned = self._kept.passages_having(
            f"{self.source}{DOCUMENT}", wanted(set(names) ^ set(lexicon_before))
        )
        again = {by_name[source] for source, _ in concerned if source in by_name} - changed
        texts |= self._texts(again)
        before = {
            (one.source, one.number): one for one in self._kept.passages([self._named(one) for one in texts])
        }
        extractor = Extractor(self.graph, Lexicon(names))
        kinds = {one.thing: one.kind for one in names}
        read: list[ReadPassage] = []
        looked = 0
        for doc_id, passages in texts.items():
            source = self._named(doc_id)
            edges: list[EdgeSpec] = []
            for one in passages:
                digest = _passage_digest(one, self._ontology)
                last = before.get((source, one.number))
                if last is not None and last.digest == digest and (source, one.number) not in concerned:
                    stated = [Stated(*edge) for edge in last.found]
                else:
                    stated = extractor.edges(one.text, one.heading, one.title)
                    looked += 1
                told = tuple((each.src, each.relation, each.dst) for each in stated)
                read.append(ReadPassage(source, one.number, digest, tokens(_all(one)), told))
                edges += [_edge(one, each) for each in stated]
            ends = dict.fromkeys(name for edge in edges for name in (edge.src, edge.dst))
            things_named = [EntitySpec(name, kinds.get(name, ANY_KIND)) for name in ends]
            found[source] = Share(things_named, edges, self._digest(known[doc_id]))
        return found, read, looked

    def _texts(self, doc_ids: Iterable[str]) -> dict[str, list[Passage]]:
        texts: dict[str, list[Passage]] = {doc_id: [] for doc_id in sorted(doc_ids)}
        if texts and self._library:
            for one in self._library.passages(list(texts)):
                texts[one.doc_id].append(one)
        return texts


def _all(passage: Passage) -> str:
    """All words of a passage that its edges depend on."""
    return f"{passage.title}\n{passage.heading}\n{passage.text}"


def _passage_digest(passage: Passage, ontology: str) -> str:
    told = f"{ontology}\0{passage.title}\0{passage.heading}\0{passage.text}"
    return hashlib.sha256(told.encode()).hexdigest()


def _edge(passage: Passage, stated: Stated) -> EdgeSpec:
    heading = passage.heading.split(" > ")[-1]
    place = f"{passage.doc_id}#{heading}" if heading else passage.doc_id
    audience = cast("Audience", passage.audience)
    return EdgeSpec(stated.src, stated.relation, stated.dst, place, audience, passage.updated)


def _surfaces(source: str, share: Share) -> Iterable[Surface]:
    for one in share.entities:
        for text in dict.fromkeys((one.name, *one.aliases)):
            yield Surface(source, text, one.name, one.kind or ANY_KIND, text == one.name)


def _names(surfaces: Iterable[Surface]) -> list[Name]:
    """The names for documents: each with its thing's kind, without aliases that two things go by."""
    held = list(surfaces)
    kinds: dict[str, str] = {}
    for one in held:
        known = kinds.get(one.thing, ANY_KIND)
        if one.kind != ANY_KIND and (known == ANY_KIND or one.kind < known):
            kinds[one.thing] = one.kind
    owners: dict[str, set[str]] = {}
    for one in held:
        owners.setdefault(one.text.casefold(), set()).add(one.thing)
    return sorted(
        {
            Name(one.text, one.thing, kinds.get(one.thing, ANY_KIND))
            for one in held
            if one.is_name or len(owners[one.text.casefold()]) == 1
        },
        key=lambda name: (name.thing, name.text),
    )


__all__ = ["Builder", "Built", "Library", "Stale", "file_digest"]
