"""Files of one document each to its text and metadata."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from tools.errors import BadInput
from tools.ingest.metadata import Stated, front_matter, metadata, office_properties, yaml_mapping
from tools.ingest.passages import first_heading

PLAIN = frozenset({".md", ".markdown", ".txt"})
_HTML = frozenset({".html", ".htm"})
_OFFICE = frozenset({".docx", ".pptx", ".xlsx"})
SUFFIXES = PLAIN | _HTML | _OFFICE | {".pdf", ".csv"}
_LANGUAGE = re.compile(r"<html\b[^>]*?\blang\s*=\s*[\"']?([\w-]+)", re.IGNORECASE)
_HEADLESS = re.compile(r"^\|(?:  \|)+\n(\|(?: --- \|)+)\n(\|.+\|)$", re.MULTILINE)
_NOTES = re.compile(r"\n*^### Notes:\n.*?(?=^<!-- Slide number: \d+ -->$|\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Document:
    """A document as read.

    Attributes:
        text: Markdown or plain text, with `\\n` line ends; what passages point into.
        begin: Where the text proper starts, after a front matter.
        title, category, version, audience, updated, language: See `tools.stores.passage.Passage`.
    """

    text: str
    begin: int
    title: str
    category: str
    version: str | None
    audience: str
    updated: date | None
    language: str | None


def sidecar(path: Path) -> Path:
    """Where the metadata of a file may stand that cannot hold them itself: `NAME.ext.yaml`."""
    return path.with_name(path.name + ".yaml")


def read_document(path: Path, doc_id: str) -> Document:
    """Read a file of one of `SUFFIXES`.

    Metadata come from its sidecar, else from its front matter, else from what its format states, else: the
    title from the first heading or the file's name, the category from the folder in `doc_id` (`general`
    without one), the audience is public.

    Raises:
        BadInput: The file is broken, empty or not text, or a metadatum has a wrong value.
    """
    content, suffix = file_bytes(path), path.suffix.lower()
    stated: Stated = {}
    title, begin = None, 0
    if suffix in PLAIN:
        text = decoded(content)
        stated, begin = front_matter(text)
    elif suffix in _HTML:
        page = decoded(content)
        stated, start = front_matter(page)
        text, title = from_html(page[start:])
        spoken = _LANGUAGE.search(page, start)
        stated = {**({"language": spoken[1]} if spoken else {}), **stated}
    else:
        text, title = _converted(content, suffix)
        known = office_properties(content) if suffix in _OFFICE else {}
        title = known.get("title") or title
        stated = {name: value for name, value in known.items() if name != "title"}
    stated = {**stated, **beside(path)}
    return document(text, begin, stated, category=folder(doc_id), title=title or named(path.stem))


def document(text: str, begin: int, stated: Stated, *, category: str, title: str) -> Document:
    """A document of its text and what is stated of it; `category` and `title` are for where nothing is.

    Raises:
        BadInput: There is no text, or a metadatum has a wrong value.
    """
    if not text[begin:].strip():
        raise BadInput("no text could be read from it; a scan must be made searchable first")
    known = metadata(stated)
    return Document(
        text=text,
        begin=begin,
        title=known.title or first_heading(text, begin) or title,
        category=known.category or category,
        version=known.version,
        audience=known.audience,
        updated=known.updated,
        language=known.language,
    )


def beside(path: Path) -> Stated:
    """The metadata in a file's sidecar; none without one.

    Raises:
        BadInput: The sidecar cannot be read as metadata.
    """
    file = sidecar(path)
    return yaml_mapping(decoded(file_bytes(file))) if file.exists() else {}


def file_bytes(path: Path) -> bytes:
    """The content of a file.

    Raises:
        BadInput: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"it cannot be read ({error.strerror})") from None


def decoded(content: bytes) -> str:
    """UTF-8 text with `\\n` line ends.

    Raises:
        BadInput: It is something else.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("it is not UTF-8 text; save it as UTF-8") from None
    if "\0" in text:
        raise BadInput("it is not a text file")
    return _lines(text)


def from_html(page: str) -> tuple[str, str | None]:
    """An HTML page as Markdown, and its title.

    Raises:
        BadInput: It cannot be read as HTML.
    """
    return _converted(page.encode(), ".html")


def folder(doc_id: str) -> str:
    """The folder that a document's id stands in, or `general`."""
    return PurePosixPath(doc_id).parent.name or "general"


def named(stem: str) -> str:
    """A file's name as a title."""
    words = re.sub(r"[-_\s]+", " ", stem).strip()
    return words[:1].upper() + words[1:] or stem


@cache
def _converters() -> Mapping[str, Callable[[bytes, str], tuple[str, str | None]]]:
    from markitdown import StreamInfo  # a second to import, and Markdown does not need it
    from markitdown import converters as untyped

    converters: Any = untyped

    def by(converter: Any) -> Callable[[bytes, str], tuple[str, str | None]]:
        def convert(content: bytes, suffix: str) -> tuple[str, str | None]:
            info = StreamInfo(extension=suffix, charset="utf-8")
            result = converter.convert(io.BytesIO(content), info)
            return str(result.markdown), result.title

        return convert

    slides = by(converters.PptxConverter())
    return {
        ".html": by(converters.HtmlConverter()),
        ".pdf": by(converters.PdfConverter()),
        ".docx": by(converters.DocxConverter()),
        # What a speaker notes for himself is not on the slides that were given out.
        ".pptx": lambda content, suffix: (_NOTES.sub("\n\n", slides(content, suffix)[0]), None),
        ".xlsx": lambda content, _: (_workbook(content), None),
        ".csv": lambda content, _: (_table(_separated(decoded(content))), None),
    }


def _converted(content: bytes, suffix: str) -> tuple[str, str | None]:
    """The content as Markdown, and the title that the file itself states."""
    try:
        # Chosen here and not by MarkItDown, which takes what a format's parser refuses for plain text.
        text, title = _converters()[suffix](content, suffix)
    except BadInput:
        raise
    except Exception:  # each format has its own parser with its own errors, all of which mean the same here
        raise BadInput(f"it is broken or not a {suffix[1:].upper()} file") from None
    # Word marks the row of column names only where somebody asked for it: without a mark it is the first.
    text = _HEADLESS.sub(r"\2\n\1", _lines(text).replace("\f", "\n\n"))
    return text, " ".join(title.split()) if title else None


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _separated(text: str) -> Iterable[Sequence[str]]:
    """The rows of a CSV file, whatever separates its columns."""
    try:
        dialect: Any = csv.Sniffer().sniff(text[:10_000], delimiters=",;\t|")
    except csv.Error:
        dialect = csv.excel
    return csv.reader(io.StringIO(text), dialect)


def _workbook(content: bytes) -> str:
    """Every sheet of a workbook that shows something, as a heading and a table."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    sheets = [
        (sheet.title, _table([_cell(value) for value in row] for row in sheet.iter_rows(values_only=True)))
        for sheet in book.worksheets
        if sheet.sheet_state == "visible"
    ]
    return "\n\n".join(f"## {title}\n\n{table}" for title, table in sheets if table)


def _cell(value: Any) -> str:
    if isinstance(value, datetime) and (value.hour, value.minute, value.second) == (0, 0, 0):
        return value.date().isoformat()
    if isinstance(value, float):
        return f"{value:.15g}"  # as a spreadsheet shows it: 0.3 and not 0.30000000000000004
    return "" if value is None else str(value)


def _table(rows: Iterable[Sequence[str]]) -> str:
    """Rows as a Markdown table, the first of them as its head; empty rows and columns on the right go."""
    cells = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    width = max((at + 1 for row in cells for at, cell in enumerate(row) if cell), default=0)
    if not width:
        return ""
    lines = ["| " + " | ".join([*row, *[""] * (width - len(row))][:width]) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * width, *lines[1:]])
