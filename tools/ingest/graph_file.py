"""The file that describes a graph: its words, and where its things and edges come from.

    source: products        # optional, else the file's name; loading again replaces what it stated
    relations:
      fits: {forward: "fits", inverse: "takes", also: ["is compatible with"], from: spare part, to: machine}
      owned_by: {forward: "is owned by", inverse: "owns", single: true}
    kinds:                  # optional: other words by which people ask for a kind of thing
      team: {words: [who, group]}
    entities:
      - {name: "Lid A", kind: spare part, aliases: ["lid of the A"]}
      - {name: "Model A", kind: machine}
    edges:
      - {src: "Lid A", relation: fits, dst: "Model A", stated_in: "documents/parts.md#Lids"}
    tables:                 # CSV or TSV beside this file; `queries` over the records have `sql` for `file`
      - file: parts.csv
        audience: public
        entities: [{name: part, kind: spare part, aliases: [number]}]
        edges: [{src: part, relation: fits, dst: model}]

`stated_in` is the file, from the YAML file's folder on, and the heading that states the edge. Who may see the
edge is taken from that file; where it is not at hand, the edge must say it: `audience: public` or `internal`.
An edge may say from when until when it holds: `since: 2024-03-01`, `until: 2025-01-31`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from tools.errors import BadInput
from tools.stores.graph_types import Audience, Kind, Relation


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True, str_min_length=1, frozen=True)


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[list[str], BeforeValidator(_listed)]


class Phrases(_Part):
    """How a relation is said and understood; see `Relation`."""

    forward: str
    inverse: str
    also: Names = Field(default_factory=list)
    also_inverse: Names = Field(default_factory=list)
    source: Names = Field(default_factory=list, alias="from")
    target: Names = Field(default_factory=list, alias="to")
    single: bool = False


class KindWords(_Part):
    """How a kind of thing is asked for, and how documents show that a name is of it.

    Attributes:
        words: Other words for it in questions.
        columns: Headings of table columns, and keys of a front matter, that hold names of this kind.
        pattern: A regular expression that a whole name of this kind matches wherever it stands.
    """

    words: Names = Field(default_factory=list)
    columns: Names = Field(default_factory=list)
    pattern: str | None = None


class Thing(_Part):
    """An entity written down by hand."""

    name: str
    kind: str
    aliases: Names = Field(default_factory=list)


class StatedEdge(_Part):
    """An edge written down by hand."""

    src: str
    relation: str
    dst: str
    stated_in: str
    audience: Audience | None = None
    since: date | None = None
    until: date | None = None


class ThingColumns(_Part):
    """Which columns of a row hold a thing's name and aliases, and its kind: a word, or a column of kinds."""

    name: str
    kind: str | None = None
    kind_column: str | None = None
    aliases: Names = Field(default_factory=list)


class EdgeColumns(_Part):
    """Which columns of a row hold an edge's ends, its relation (or the relation itself) and its times.

    Attributes:
        split: What separates several names in one cell.
    """

    src: str
    dst: str
    relation: str | None = None
    relation_column: str | None = None
    since: str | None = None
    until: str | None = None
    split: str | None = None

    @model_validator(mode="after")
    def _one_relation(self) -> Self:
        if (self.relation is None) == (self.relation_column is None):
            raise ValueError("say either relation or relation_column")
        return self


class Rows(_Part):
    """What the rows of a table state, and who may see it."""

    audience: Literal["public", "internal"]
    entities: list[ThingColumns] = Field(default_factory=list)
    edges: list[EdgeColumns] = Field(default_factory=list)


class Table(Rows):
    """A CSV or TSV file; `columns` names its columns where it has no heading row."""

    file: str
    columns: list[str] | None = None


class Query(Rows):
    """A SELECT over the records; `name` is what its statements are told to come from."""

    name: str
    sql: str


class ForeignKeys(_Part):
    """Foreign keys of the records that become edges, from the row that refers to the row referred to.

    Attributes:
        name: For each table the column that names its rows; only tables listed here take part.
        kind: For each table the kind of its things; the table's own name when it is left out.
        relation: For each `table.column` the relation of its key; keys that are left out are not taken.
    """

    audience: Literal["public", "internal"]
    name: dict[str, str]
    kind: dict[str, str] = Field(default_factory=dict)
    relation: dict[str, str]


class GraphFile(_Part):
    """The whole file.

    Attributes:
        documents: Whether the desk's documents are read for edges, by the relations' own phrases.
        links: The relation that a link in a document states, from what its heading names to what the link's
            words name; links say nothing when it is left out.
    """

    source: str | None = None
    relations: dict[str, Phrases]
    kinds: dict[str, KindWords] = Field(default_factory=dict)
    entities: list[Thing] = Field(default_factory=list)
    edges: list[StatedEdge] = Field(default_factory=list)
    tables: list[Table] = Field(default_factory=list)
    queries: list[Query] = Field(default_factory=list)
    foreign_keys: ForeignKeys | None = None
    documents: bool = False
    links: str | None = None

    @property
    def ontology(self) -> list[Relation]:
        """The relations as the store keeps them."""
        return [
            Relation(
                name,
                one.forward,
                one.inverse,
                tuple(one.also),
                tuple(one.also_inverse),
                tuple(one.source),
                tuple(one.target),
                one.single,
            )
            for name, one in self.relations.items()
        ]

    @property
    def kind_words(self) -> list[Kind]:
        """The kinds as the store keeps them."""
        return [Kind(name, tuple(one.words)) for name, one in self.kinds.items()]


def read_graph_file(path: Path) -> GraphFile:
    """Read the file and check that what it names is declared.

    Raises:
        BadInput: It cannot be read or does not fit; one line says where and what to write.
    """
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
        graph = GraphFile.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        said = first["msg"].lower().removeprefix("value error, ")
        raise BadInput(f"{path}: {_place(first['loc'])}: {said}") from None
    _check(path, graph)
    return graph


# The C loader reads a large file ten times as fast; it is missing where PyYAML was built without it.
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _place(loc: Iterable[int | str]) -> str:
    """`edges 3, stated_in` for the third edge."""
    parts = [f"{part + 1}" if isinstance(part, int) else part for part in loc]
    return ", ".join([" ".join(parts[:2]), *parts[2:]]) or "the file"


def _check(path: Path, graph: GraphFile) -> None:
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
    if graph.links is not None and graph.links not in graph.relations:
        raise BadInput(f"{path}: links: {graph.links!r} is not a relation; declare it first")
    for part, of_rows in (("tables", graph.tables), ("queries", graph.queries)):
        for number, rows in enumerate(of_rows, 1):
            unknown = next(
                (e.relation for e in rows.edges if e.relation not in (*graph.relations, None)), None
            )
            if unknown is not None:
                raise BadInput(f"{path}: {part} {number}: {unknown!r} is not a relation; declare it first")
