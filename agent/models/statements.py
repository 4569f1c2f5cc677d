"""A piece of evidence, cut into the statements that can be quoted from it, each in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from agent.models.transcript import Piece

# A column's name is an SQL identifier in words, so it begins small; the source's own summary is a sentence.
_COLUMN = r"[a-z][\w ()/%-]{0,40}?: "
_ROW = re.compile(
    rf"^(?:(?P<summary>[^a-z].*?[.!?…])(?:\s+(?={_COLUMN})|$))?(?P<fields>{_COLUMN}.*)?$", re.DOTALL
)
_NONE = re.compile(r"No rows: nothing of yours in ([\w ]+) matches\.")
_FEW_COLUMNS = 4
_FIELD = re.compile(rf"(?:^|; )({_COLUMN})")
# What a writer left open, `[to be confirmed]`, `{{price}}`: the sentence states nothing yet.
_BLANK = re.compile(
    r"\[[^\]]*\b(?:not available|not yet known|unknown|insert|placeholder|tb[acd]|to be \w+)\b[^\]]*\]"
    r"|\{\{[^}]*\}\}|\bTB[ACD]\b",
    re.IGNORECASE,
)
# A line by itself in a text that came without marks for its headings, as from a PDF.
_HEADING = re.compile(r"[A-Z][^\d:.!?;,]*", re.DOTALL)
_HEADING_WORDS = 6
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)")


@dataclass(frozen=True)
class Statement:
    """One thing that can be quoted.

    Attributes:
        text: Its words, ending in a full stop.
        piece: The evidence it is from.
        place: Where in the piece it stands, from 0.
        steps: Which numbered list it is a step of, or None.
        context: What a reader would see above it and needs to understand it: a table's header row.
    """

    text: str
    piece: Piece
    place: int
    steps: int | None = None
    context: str = ""


def statements(piece: Piece) -> list[Statement]:
    """Everything that can be quoted from the piece, in order."""
    if is_row(piece):
        return [Statement(_row_sentence(piece.text), piece, 0)]
    found: list[Statement] = []
    blocks = _blocks(piece.text)
    for number, block in enumerate(blocks):
        if number + 1 < len(blocks) and _is_heading(block):
            continue
        for sentence in [block.text] if block.steps is not None else sentences(block.text):
            found.append(Statement(_stopped(sentence), piece, len(found), block.steps, block.context))
    return [one for one in found if len(one.text.split()) > 2 and not _BLANK.search(one.text)]


def _is_heading(block: _Block) -> bool:
    short = len(block.text.split()) <= _HEADING_WORDS
    return short and not block.listed and bool(_HEADING.fullmatch(block.text))


def is_row(piece: Piece) -> bool:
    """Whether the piece is a row of records: a summary, `column: value; column: value`, or both."""
    return piece.id.startswith("R") and bool(_ROW.match(piece.text)) and not is_no_rows(piece)


def fields(piece: Piece) -> list[Statement]:
    """Each value that a row does not tell of itself, as a sentence with what names the row: its first column.

    A row tells its summary; without one it tells all of its columns, or of many none.
    """
    found = _ROW.match(piece.text)
    if not found or not found["fields"] or not (found["summary"] or is_wide(piece)):
        return []
    (first, name), *others = _values(found["fields"])
    told = (found["summary"] or "").lower()
    return [
        Statement(_stopped(f"{_capital(first)} {name}, {column} {value}"), piece, 1 + place, context=column)
        for place, (column, value) in enumerate(others)
        if not told or value.lower() not in told
    ]


def is_wide(piece: Piece) -> bool:
    """Whether a row has no summary and more columns than somebody would read in one sentence."""
    found = _ROW.match(piece.text)
    return bool(found and not found["summary"] and len(_values(found["fields"] or "")) > _FEW_COLUMNS)


def joined(parts: Sequence[Statement]) -> Statement:
    """Some of the `fields` of one row without a summary as one sentence."""
    (first, name), *others = _values(parts[0].piece.text)
    told = (others[part.place - 1] for part in parts)
    listed = ", ".join(f"{column} {value.rstrip('.')}" for column, value in told)
    return replace(parts[0], text=_stopped(f"{_capital(first)} {name}, {listed}"))


def is_no_rows(piece: Piece) -> bool:
    """Whether the piece speaks of the lookup itself: that nothing matched, or that not all is shown."""
    return piece.text.startswith(("No rows", "Shown are"))


def none_of_yours(piece: Piece) -> Statement | None:
    """That the customer has none of what was looked up; None where the lookup may have missed something."""
    found = _NONE.fullmatch(piece.text)
    return Statement(f"You have no {found[1]}.", piece, 0) if found else None


def _row_sentence(text: str) -> str:
    """The row for a reader: the summary that the source wrote, else its columns and values."""
    found = _ROW.match(text)
    if found and found["summary"]:
        return found["summary"]
    listed = ", ".join(f"{column} {value}" for column, value in _values(text))
    return f"{_capital(listed).rstrip('.')}."


def _values(text: str) -> list[tuple[str, str]]:
    """The columns and values of `column: value; column: value`."""
    marks = list(_FIELD.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [(mark[1][:-2], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True)]


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


@lru_cache(maxsize=512)
def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a paragraph."""
    return tuple(part.strip() for part in _segmenter().segment(" ".join(text.split())) if part.strip())


@lru_cache(maxsize=1)
def _segmenter() -> Any:
    import pysbd

    return pysbd.Segmenter(language="en", clean=False)


def _stopped(text: str) -> str:
    return text if text[-1:] in ".!?" else f"{text.rstrip(' ,;:')}."


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())


@dataclass(frozen=True)
class _Block:
    text: str
    steps: int | None = None
    context: str = ""
    listed: bool = False


def _blocks(markdown: str) -> list[_Block]:
    """Paragraphs, list items under their lead-in, and table rows, with the numbered list of each."""
    from markdown_it import MarkdownIt

    reader = _Reader()
    for token in MarkdownIt("commonmark").enable("table").parse(markdown):
        reader.take(token.type, token.content, (token.map or [0])[0])
    return reader.found


class _Reader:
    """Follows a Markdown token stream and keeps what states something; headings and header rows do not."""

    def __init__(self) -> None:
        self.found: list[_Block] = []
        self._lead = ""
        self._lists: list[int | None] = []
        self._cells: list[str] | None = None
        self._header: list[str] = []
        self._silent = False

    def take(self, kind: str, content: str, line: int) -> None:
        if kind in ("heading_open", "heading_close"):
            self._silent = kind.endswith("_open")
        elif kind.endswith("_list_open"):
            self._lists.append(line if kind.startswith("ordered") else None)
        elif kind.endswith("_list_close"):
            self._lists.pop()
            self._lead = self._lead if self._lists else ""
        elif kind == "tr_open":
            self._cells = []
        elif kind == "thead_close":
            self._header = list(self._cells or [])
        elif kind == "tr_close" and self._header:
            self._close_row()
        elif kind == "table_close":
            self._header, self._cells = [], None
        elif kind == "inline" and not self._silent:
            self._inline(_plain(content))

    def _inline(self, text: str) -> None:
        if self._cells is not None:
            self._cells.append(text)
        elif self._lists:
            self.found.append(_Block(f"{self._lead} {text}".strip(), self._lists[-1], listed=True))
            if (
                self._lists[-1] is not None
            ):  # a step follows the one before: the lead-in stands only at the first
                self._lead = ""
        else:
            parts = sentences(text) if text.endswith(":") else ()
            self._lead = parts[-1] if parts else ""
            before = " ".join(parts[:-1]) if parts else text
            if before:
                self.found.append(_Block(before))

    def _close_row(self) -> None:
        first, *others = self._cells or [""]
        named = [
            f"{_small(column)} {cell.rstrip('.')}".strip()
            for column, cell in zip(self._header[1:], others, strict=False)
            if cell.strip("-–— ")
        ]
        self._cells = None
        if first or named:
            said = ": ".join(filter(None, [first, ", ".join(named)]))
            self.found.append(_Block(said, context=self._above, listed=True))

    @property
    def _above(self) -> str:
        return ", ".join(filter(None, self._header))


def _small(column: str) -> str:
    """A column's name inside a sentence: its capital goes, unless the word is all capitals."""
    bare = column.rstrip("?:. ")
    return bare if bare[1:2].isupper() else f"{bare[:1].lower()}{bare[1:]}"
