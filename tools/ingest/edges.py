"""What a graph file declares, into the graph store."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from tools.errors import BadInput
from tools.ingest.graph_file import GraphFile, StatedEdge, read_graph_file
from tools.ingest.graph_rows import read_table, share_of_rows
from tools.ingest.passages import split_passages
from tools.ingest.readers import read_document
from tools.stores.graph import GraphStore
from tools.stores.graph_types import Audience, EdgeSpec, EntitySpec, Share


@dataclass(frozen=True)
class GraphReport:
    """What a file states now, and what went because nothing states it any more.

    Attributes:
        source: The name under which the file's share can be replaced.
        entities, relations, edges: How many of each it states.
        removed_entities, removed_edges: How many are gone from the graph.
        seconds: Wall time.
    """

    source: str
    entities: int
    relations: int
    edges: int
    removed_entities: int
    removed_edges: int
    seconds: float


def load_graph(path: Path, store: GraphStore) -> GraphReport:
    """Put what the file and the tables beside it declare in the place of what they declared before.

    Doing it twice changes nothing. Queries and documents that the file names are `graph_build`'s.

    Raises:
        BadInput: The file cannot be read or does not fit; one line says where and what to write. Nothing was
            changed then.
        SourceUnavailable: The database is down or refuses.
    """
    started = time.perf_counter()
    graph = read_graph_file(path)
    source = graph.source or path.name
    shares = {source: declared_share(path, graph)}
    for table in graph.tables:
        file = path.parent / table.file
        shares[f"{source}: {table.file}"] = share_of_rows(
            read_table(file, table), table, graph.ontology, str(file), ""
        )
    done = store.replace(shares, graph.ontology, graph.kind_words)
    counts = (done.entities, done.relations, done.edges, done.removed_entities, done.removed_edges)
    return GraphReport(source, *counts, time.perf_counter() - started)


def declared_share(path: Path, graph: GraphFile, digest: str = "") -> Share:
    """What the file itself states.

    Raises:
        BadInput: A document that is named cannot be used, or does not have the heading.
    """
    documents: dict[str, _Stating | None] = {}
    edges = [_spec(path, number, edge, documents) for number, edge in enumerate(graph.edges, 1)]
    things = [EntitySpec(one.name, one.kind, tuple(one.aliases)) for one in graph.entities]
    return Share(things, edges, digest)


def file_digest(path: Path) -> str:
    """A hash of a file's content, in hexadecimal; empty where it is not there."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


@dataclass(frozen=True)
class _Stating:
    """A document that states edges: who may read it, and its headings."""

    audience: Audience
    headings: frozenset[str]


def _document(path: Path, name: str) -> _Stating | None:
    """The document of this name beside the file; None when it is not at hand."""
    file = path.parent / name
    if not file.is_file():
        return None
    try:
        document = read_document(file, name)
    except BadInput as error:
        raise BadInput(f"{path}: {name} cannot be used: {error}") from None
    spans = split_passages(document.text, document.begin)
    headings = {name for span in spans for name in (*span.headings, " > ".join(span.headings))}
    return _Stating(cast("Audience", document.audience), frozenset((*headings, document.title)))


def _spec(path: Path, number: int, edge: StatedEdge, documents: dict[str, _Stating | None]) -> EdgeSpec:
    name, _, heading = edge.stated_in.partition("#")
    if name not in documents:
        documents[name] = _document(path, name)
    document = documents[name]
    if document and heading and heading not in document.headings:
        there = ", ".join(sorted(document.headings)[:12]) or "none"
        raise BadInput(
            f"{path}: edges {number}: {name} has no heading {heading!r}; correct stated_in ({there})"
        )
    audience = edge.audience or (document.audience if document else None)
    if audience is None:
        raise BadInput(
            f"{path}: edges {number}: {name} is not there; correct stated_in, or say who may see the edge "
            "with audience: public or internal"
        )
    return EdgeSpec(edge.src, edge.relation, edge.dst, edge.stated_in, audience, edge.since, edge.until)
