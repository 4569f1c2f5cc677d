"""The declared parts of a graph: the file itself, tables beside it, and queries over the records."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import BadInput, ConfigurationError
from tools.ingest.edges import declared_share, file_digest
from tools.ingest.graph_file import EdgeColumns, ForeignKeys, GraphFile, Query, Rows, ThingColumns
from tools.ingest.graph_rows import Row, read_table, share_of_rows
from tools.stores.graph_types import Relation, Share

Runner = Callable[[str], tuple[Sequence[str], Sequence[Sequence[Any]]]]
"""Runs one SELECT over the records and gives its columns and rows."""

_KEYS = """
SELECT t.relname, a.attname, r.relname, b.attname
FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid JOIN pg_class r ON r.oid = c.confrelid
JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = c.conkey[1]
JOIN pg_attribute b ON b.attrelid = r.oid AND b.attnum = c.confkey[1]
WHERE c.contype = 'f' AND cardinality(c.conkey) = 1 AND t.relnamespace = current_schema()::regnamespace
ORDER BY 1, 2
"""


@dataclass(frozen=True)
class Part:
    """A declared source: its name, the digest of what it is read from, and how it is read."""

    name: str
    digest: str
    share: Callable[[], Share]


def parts_of(file: Path, graph: GraphFile, source: str, run: Runner | None, ontology: str) -> list[Part]:
    """The declared parts, none of them read yet but for the queries, whose rows are their digest.

    Raises:
        BadInput: A query or a foreign key cannot be used.
        ConfigurationError: There are queries and no records.
    """
    parts = [_itself(file, graph, source, ontology)]
    parts += [_table(file, graph, source, place, ontology) for place in range(len(graph.tables))]
    queries = list(graph.queries)
    if (queries or graph.foreign_keys) and run is None:
        raise ConfigurationError("DESK_DATABASE_URL: the graph asks the records, and there are none")
    if run is not None:
        queries += _foreign_keys(graph.foreign_keys, run, file) if graph.foreign_keys else []
        parts += [_query(graph.ontology, source, query, run, ontology) for query in queries]
    return parts


def _itself(file: Path, graph: GraphFile, source: str, ontology: str) -> Part:
    # Who may see an edge, and whether its heading is there, follows from the documents that are named.
    named = sorted({edge.stated_in.partition("#")[0] for edge in graph.edges})
    digests = [file_digest(file), *(file_digest(file.parent / name) for name in named)]
    digest = hashlib.sha256(" ".join(digests).encode()).hexdigest()
    return Part(source, f"{digest} {ontology}", lambda: declared_share(file, graph, f"{digest} {ontology}"))


def _table(file: Path, graph: GraphFile, source: str, place: int, ontology: str) -> Part:
    table = graph.tables[place]
    path = file.parent / table.file
    told = hashlib.sha256(table.model_dump_json().encode()).hexdigest()[:16]
    digest = f"{file_digest(path)} {told} {ontology}"

    def share() -> Share:
        return share_of_rows(read_table(path, table), table, graph.ontology, str(path), digest)

    return Part(f"{source}: {table.file}", digest, share)


def _query(relations: Sequence[Relation], source: str, query: Query, run: Runner, ontology: str) -> Part:
    columns, rows = run(query.sql)
    lines = sorted(repr(tuple(row)) for row in rows)
    told = f"{query.model_dump_json()}{columns}{lines}"
    digest = f"{hashlib.sha256(told.encode()).hexdigest()} {ontology}"

    def numbered() -> Iterator[tuple[str, Row]]:
        for row in sorted(rows, key=repr):
            named = dict(zip(columns, row, strict=True))
            first = next((str(value) for value in row if value is not None), "")
            yield f"records: {query.name}#{first}", named

    def share() -> Share:
        return share_of_rows(numbered(), query, relations, f"the query {query.name}", digest)

    return Part(f"{source}: records {query.name}", digest, share)


def _foreign_keys(keys: ForeignKeys, run: Runner, file: Path) -> list[Query]:
    """Each foreign key with a relation as a query, and each table that takes part as one of its things."""
    _, rows = run(_KEYS)
    there = {f"{table}.{column}": (table, column, other, key) for table, column, other, key in rows}
    queries = [
        Query(
            name=table,
            sql=f"SELECT {_quoted(name)} AS name FROM {_quoted(table)} ORDER BY 1",  # noqa: S608 - quoted
            audience=keys.audience,
            entities=[ThingColumns(name="name", kind=keys.kind.get(table, table))],
        )
        for table, name in keys.name.items()
    ]
    for place, relation in keys.relation.items():
        if place not in there:
            known = ", ".join(there) or "none"
            raise BadInput(f"{file}: foreign_keys: {place} is no foreign key; there are {known}")
        table, column, other, key = there[place]
        if table not in keys.name or other not in keys.name:
            missing = table if table not in keys.name else other
            raise BadInput(f"{file}: foreign_keys: say under name which column names the rows of {missing}")
        queries.append(
            Query(
                name=place,
                sql=(
                    f"SELECT a.{_quoted(keys.name[table])} AS src, b.{_quoted(keys.name[other])} AS dst"  # noqa: S608
                    f" FROM {_quoted(table)} a JOIN {_quoted(other)} b"
                    f" ON a.{_quoted(column)} = b.{_quoted(key)} ORDER BY 1, 2"
                ),
                audience=keys.audience,
                edges=[EdgeColumns(src="src", dst="dst", relation=relation)],
            )
        )
    return queries


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


__all__ = ["Part", "Rows", "Runner", "parts_of"]
