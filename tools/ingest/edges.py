"""A graph that was written down by hand: YAML to the graph store.

    source: products        # optional, else the file's name; loading again replaces what it stated
    relations:
      fits: {forward: "fits", inverse: "takes"}
    entities:
      - {name: "Lid A", kind: spare part, aliases: ["lid of the A"]}
      - {name: "Model A", kind: machine}
    edges:
      - {src: "Lid A", relation: fits, dst: "Model A", stated_in: "documents/parts.md#Lids"}

`stated_in` is the file, from the YAML file's folder on, and the heading that states the edge. Who may see the
edge is taken from that file; where it is not at hand, the edge must say it: `audience: public` or `internal`.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tools.errors import BadInput
from tools.ingest.readers import read_document
from tools.stores.graph import GraphStore
from tools.stores.graph_types import Audience, EdgeSpec, EntitySpec, Relation


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


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, str_min_length=1)


class _Phrases(_Part):
    forward: str
    inverse: str


class _Entity(_Part):
    name: str
    kind: str
    aliases: list[str] = Field(default_factory=list)


class _Edge(_Part):
    src: str
    relation: str
    dst: str
    stated_in: str
    audience: Literal["public", "internal"] | None = None


class _Graph(_Part):
    source: str | None = None
    relations: dict[str, _Phrases]
    entities: list[_Entity]
    edges: list[_Edge]


def load_graph(path: Path, store: GraphStore) -> GraphReport:
    """Put what the file states in the place of what it stated before. Doing it twice changes nothing.

    Raises:
        BadInput: The file cannot be read or does not fit; one line says where and what to write. Nothing was
            changed then.
        SourceUnavailable: The database is down or refuses.
    """
    started = time.perf_counter()
    graph = _read(path)
    _check(path, graph)
    audiences = {place: _audience(path, place) for place in {edge.stated_in for edge in graph.edges}}
    edges = [_spec(path, number, edge, audiences) for number, edge in enumerate(graph.edges, 1)]
    store.prepare()
    source = graph.source or path.name
    done = store.replace_source(
        source,
        [EntitySpec(one.name, one.kind, tuple(one.aliases)) for one in graph.entities],
        edges,
        [Relation(name, one.forward, one.inverse) for name, one in graph.relations.items()],
    )
    return GraphReport(
        source,
        done.entities,
        done.relations,
        done.edges,
        done.removed_entities,
        done.removed_edges,
        time.perf_counter() - started,
    )


def _read(path: Path) -> _Graph:
    try:
        content: Any = yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 - a safe loader
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: is not UTF-8 text") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise BadInput(f"{path}: is not valid YAML{where} ({getattr(error, 'problem', error)})") from None
    try:
        return _Graph.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadInput(f"{path}: {_place(first['loc'])}: {first['msg'].lower()}") from None


# The C loader reads a large file ten times as fast; it is missing where PyYAML was built without it.
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _place(loc: Iterable[int | str]) -> str:
    """`edges 3, stated_in` for the third edge."""
    parts = [f"{part + 1}" if isinstance(part, int) else part for part in loc]
    return ", ".join([" ".join(parts[:2]), *parts[2:]]) or "the file"


def _check(path: Path, graph: _Graph) -> None:
    names = [entity.name for entity in graph.entities]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise BadInput(f"{path}: the entity {twice!r} is declared twice; keep one")
    known = set(names)
    for number, edge in enumerate(graph.edges, 1):
        for name in (edge.src, edge.dst):
            if name not in known:
                raise BadInput(
                    f"{path}: edges {number}: {name!r} is not an entity; declare it or correct the name"
                )
        if edge.relation not in graph.relations:
            raise BadInput(f"{path}: edges {number}: {edge.relation!r} is not a relation; declare it first")


def _audience(path: Path, stated_in: str) -> Audience | None:
    """The audience of the document that states an edge; None when the document is not at hand."""
    name = stated_in.partition("#")[0]
    file = path.parent / name
    if not file.is_file():
        return None
    try:
        return cast("Audience", read_document(file, name).audience)
    except BadInput as error:
        raise BadInput(f"{path}: {name} cannot be used: {error}") from None


def _spec(path: Path, number: int, edge: _Edge, audiences: dict[str, Audience | None]) -> EdgeSpec:
    audience = edge.audience or audiences[edge.stated_in]
    if audience is None:
        file = edge.stated_in.partition("#")[0]
        raise BadInput(
            f"{path}: edges {number}: {file} is not there; correct stated_in, or say who may see the edge "
            "with audience: public or internal"
        )
    return EdgeSpec(edge.src, edge.relation, edge.dst, edge.stated_in, audience)
