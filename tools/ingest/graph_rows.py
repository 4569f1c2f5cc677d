"""Rows of a CSV file or of a query to things and edges, each stated by its row."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from tools.errors import BadInput
from tools.ingest.graph_file import EdgeColumns, Rows, Table, ThingColumns
from tools.stores.graph_types import EdgeSpec, EntitySpec, Relation, Share
from tools.stores.graph_write import ANY_KIND

Row = Mapping[str, Any]


@dataclass
class _Gathered:
    """What the rows give; a thing that only edges name gets its kind from their relations."""

    kinds: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, dict[str, None]] = field(default_factory=dict)
    implied: dict[str, Counter[str]] = field(default_factory=dict)
    edges: list[EdgeSpec] = field(default_factory=list)

    def share(self, digest: str) -> Share:
        names = dict.fromkeys((*self.kinds, *self.implied))
        things = [EntitySpec(name, self._kind(name), tuple(self.aliases.get(name, ()))) for name in names]
        return Share(things, self.edges, digest)

    def _kind(self, name: str) -> str:
        counts = self.implied.get(name, Counter())
        return self.kinds.get(name) or min(counts, key=lambda kind: (-counts[kind], kind), default=ANY_KIND)


def share_of_rows(
    rows: Iterator[tuple[str, Row]],
    told: Rows,
    relations: Sequence[Relation],
    where: str,
    digest: str,
) -> Share:
    """What the rows state.

    Args:
        rows: Each with the place that states it, as a reader would look it up.
        told: Which columns mean what.
        where: How the table is called in an error.
        digest: Of all rows, so that a change is noticed.

    Raises:
        BadInput: A column is missing, a relation is unknown, or a date is none; says which row.
    """
    named = {name: one for one in relations for name in (_bare(one.name), _bare(one.forward))}
    gathered = _Gathered()
    for place, row in rows:
        try:
            for thing in told.entities:
                _add_thing(gathered, thing, row)
            for edge in told.edges:
                _add_edges(gathered, edge, row, named, told, place)
        except KeyError as error:
            there = ", ".join(map(str, row))
            raise BadInput(f"{where}: there is no column {error}; there are {there}") from None
        except ValueError as error:
            raise BadInput(f"{where}: {place}: {error}") from None
    return gathered.share(digest)


def _add_thing(gathered: _Gathered, told: ThingColumns, row: Row) -> None:
    name = _text(row[told.name])
    if not name:
        return
    kind = _text(row[told.kind_column]) if told.kind_column else told.kind
    gathered.kinds[name] = kind or gathered.kinds.get(name, "")
    gathered.aliases.setdefault(name, {}).update(
        (alias, None) for column in told.aliases if (alias := _text(row[column])) and alias != name
    )


def _add_edges(
    gathered: _Gathered,
    told: EdgeColumns,
    row: Row,
    named: Mapping[str, Relation],
    rows: Rows,
    place: str,
) -> None:
    said = told.relation or _text(row[told.relation_column or ""])
    relation = named.get(_bare(said))
    if relation is None:
        raise ValueError(f"{said!r} is not a relation; declare it first")
    since, until = (_day(row[column]) if column else None for column in (told.since, told.until))
    for src in _names(row[told.src], told.split):
        for dst in _names(row[told.dst], told.split):
            for name, kinds in ((src, relation.source_kinds), (dst, relation.target_kinds)):
                gathered.implied.setdefault(name, Counter()).update(kinds[:1])
            gathered.edges.append(EdgeSpec(src, relation.name, dst, place, rows.audience, since, until))


def _names(value: Any, split: str | None) -> list[str]:
    parts = _text(value).split(split) if split else [_text(value)]
    return [name for part in parts if (name := part.strip())]


def _text(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())


@lru_cache(maxsize=4096)
def _bare(label: str) -> str:
    return " ".join(label.casefold().replace("_", " ").replace("-", " ").split())


def _day(value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if value is None or isinstance(value, date):
        return value
    text = _text(value)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise ValueError(f"{text!r} is not a date such as 2024-03-01") from None


def read_table(path: Path, table: Table) -> Iterator[tuple[str, Row]]:
    """The rows of a CSV or TSV file, each with its place: `parts.csv#row 2` is the second under the heading.

    Raises:
        BadInput: The file cannot be read.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            # Tab-separated files hardly ever quote: a quotation mark in them is part of a name.
            tabs = path.suffix.lower() in (".tsv", ".tab")
            reader = csv.reader(file, _Tabs if tabs else csv.excel)
            columns = table.columns or [name.strip() for name in next(reader, [])]
            for number, cells in enumerate(reader, 1):
                if any(cell.strip() for cell in cells):
                    yield f"{table.file}#row {number}", dict(zip(columns, cells, strict=False))
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    except (UnicodeDecodeError, csv.Error):
        raise BadInput(f"{path}: is not a UTF-8 table; save it as CSV in UTF-8") from None


class _Tabs(csv.excel_tab):
    quoting = csv.QUOTE_NONE


Runner = Callable[[str], tuple[Sequence[str], Sequence[Sequence[Any]]]]
"""Runs one SELECT and gives its columns and rows."""
