"""The demo company's sources as pieces of evidence, worded as the tools word them, and their sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import frontmatter
import yaml

from tools.ingest.passages import split_passages
from tools.row_text import row_text

DEMO = Path(__file__).resolve().parents[2] / "demo"
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_MARKED = re.compile(r"[#|>*\-]|\d+\.\s")
_SHORTEST, _LONGEST = 25, 220


@dataclass(frozen=True)
class Piece:
    """One piece of evidence, and where it is from."""

    text: str
    place: str


@dataclass(frozen=True)
class Said:
    """A sentence in the words of its source."""

    sentence: str
    piece: Piece


@cache
def passages() -> tuple[Piece, ...]:
    """Every passage of the Markdown documents, in the order of their paths."""
    found: list[Piece] = []
    for path in sorted((DEMO / "documents").rglob("*.md")):
        text = frontmatter.loads(path.read_text(encoding="utf-8")).content
        found += [
            Piece(text[span.start : span.end], f"{path.stem}#{number}")
            for number, span in enumerate(split_passages(text))
        ]
    return tuple(found)


@cache
def sentences() -> tuple[Said, ...]:
    """The sentences of the documents' paragraphs that can stand alone."""
    return tuple(
        Said(sentence, piece)
        for piece in passages()
        for paragraph in piece.text.split("\n")
        if not _MARKED.match(paragraph)
        for sentence in _SENTENCE.split(paragraph.strip())
        if _SHORTEST <= len(sentence) <= _LONGEST and sentence.endswith(".") and sentence[0].isupper()
    )


@cache
def rows() -> tuple[tuple[dict[str, Any], Piece], ...]:
    """The products as rows of a database, each with its text."""
    products: list[dict[str, Any]] = yaml.safe_load((DEMO / "products.yaml").read_text(encoding="utf-8"))
    return tuple(
        (row, Piece(row_text(list(row), list(row.values())), f"products#{row['id']}")) for row in products
    )


@cache
def _graph() -> dict[str, Any]:
    graph: dict[str, Any] = yaml.safe_load((DEMO / "graph.yaml").read_text(encoding="utf-8"))
    return graph


@cache
def edges() -> tuple[tuple[tuple[str, str, str], Piece], ...]:
    """The edges of the graph as (one end, words between, other end), each with its sentence."""
    found = []
    for edge in _graph()["edges"]:
        words = _graph()["relations"][edge["relation"]]["forward"]
        ends = (edge["src"], words, edge["dst"])
        found.append((ends, Piece(f"{' '.join(ends)}.", f"graph#{edge['src']}")))
    return tuple(found)


@cache
def siblings() -> dict[str, tuple[str, ...]]:
    """Each thing's name with those of the other things of its kind."""
    kinds: dict[str, list[str]] = {}
    for thing in _graph()["entities"]:
        kinds.setdefault(thing["kind"], []).append(thing["name"])
    return {
        name: tuple(other for other in names if other != name) for names in kinds.values() for name in names
    }


def named_in(text: str) -> Iterator[str]:
    """The things that a text names, longest name first, each where no longer name covers it."""
    left = text
    for name in sorted(siblings(), key=len, reverse=True):
        if re.search(rf"\b{re.escape(name)}\b", left):
            yield name
            left = left.replace(name, " ")
