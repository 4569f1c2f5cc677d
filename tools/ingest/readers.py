"""Files to text and metadata."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from tools.errors import BadInput
from tools.ingest.passages import first_heading

SUFFIXES = frozenset({".md", ".markdown", ".txt", ".html", ".htm", ".pdf", ".docx", ".csv"})
_PLAIN = frozenset({".md", ".markdown", ".txt"})
_AS_TEXT = _PLAIN | {".html", ".htm"}
_AUDIENCES = ("public", "internal")
_FORM = "1"  # part of every hash: raise it when the same file would make other passages


@dataclass(frozen=True)
class Document:
    """A file as read.

    Attributes:
        text: Markdown or plain text, with `\\n` line ends; what passages point into.
        begin: Where the text proper starts, after a front matter.
        title, category, version, audience, updated: See `tools.stores.documents.Passage`.
    """

    text: str
    begin: int
    title: str
    category: str
    version: str | None
    audience: str
    updated: date | None


def sidecar(path: Path) -> Path:
    """Where the metadata of a file may stand that cannot hold them itself: `NAME.ext.yaml`."""
    return path.with_name(path.name + ".yaml")


def content_hash(path: Path) -> str:
    """A hash of the file and of its sidecar, in hexadecimal.

    Raises:
        BadInput: The file cannot be read.
    """
    digest = hashlib.sha256(_FORM.encode())
    for file in (path, sidecar(path)):
        content = _bytes(file) if file is path or file.exists() else b""
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


def read_document(path: Path, doc_id: str) -> Document:
    """Read a file of one of `SUFFIXES`.

    Metadata come from its sidecar, else from its front matter, else: the title from the first heading or the
    file's name, the category from the folder in `doc_id` (`general` without one), the audience is public.

    Raises:
        BadInput: The file is broken, empty or not text, or a metadatum has a wrong value.
    """
    content, suffix = _bytes(path), path.suffix.lower()
    stated: Mapping[str, str] = {}
    title = None
    if suffix in _AS_TEXT:
        text = _decoded(content)
        stated, begin = _front_matter(text)
        if suffix not in _PLAIN:
            text, title = _converted(text[begin:].encode(), ".html")
            begin = 0
    else:
        text, title = _converted(content, suffix)
        begin = 0
    if not text[begin:].strip():
        raise BadInput("no text could be read from it; a scan must be made searchable first")
    beside = sidecar(path)
    if beside.exists():
        stated = {**stated, **_mapping(_decoded(_bytes(beside)))}
    return Document(
        text=text,
        begin=begin,
        title=stated.get("title") or first_heading(text, begin) or title or _named(path),
        category=stated.get("category") or _folder(doc_id),
        version=stated.get("version") or None,
        audience=_audience(stated),
        updated=_updated(stated),
    )


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadInput(f"it cannot be read ({error.strerror})") from None


def _decoded(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput("it is not UTF-8 text; save it as UTF-8") from None
    if "\0" in text:
        raise BadInput("it is not a text file")
    return text.replace("\r\n", "\n").replace("\r", "\n")


@cache
def _converters() -> Mapping[str, Any]:
    from markitdown import converters  # a second to import, and Markdown does not need it

    kinds: dict[str, Any] = {
        ".html": converters.HtmlConverter,
        ".pdf": converters.PdfConverter,
        ".docx": converters.DocxConverter,
        ".csv": converters.CsvConverter,
    }
    return {suffix: kind() for suffix, kind in kinds.items()}


def _converted(content: bytes, suffix: str) -> tuple[str, str | None]:
    """The content as Markdown, and the title that the file itself states."""
    from markitdown import StreamInfo

    try:
        # Chosen here and not by MarkItDown, which takes what a format's parser refuses for plain text.
        converter = _converters()[suffix]
        result = converter.convert(io.BytesIO(content), StreamInfo(extension=suffix, charset="utf-8"))
    except Exception:  # each format has its own parser with its own errors, all of which mean the same here
        raise BadInput(f"it is broken or not a {suffix[1:].upper()} file") from None
    text = str(result.markdown).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n")
    return text, " ".join(result.title.split()) if result.title else None


def _front_matter(text: str) -> tuple[Mapping[str, str], int]:
    """The metadata at the head of a text, and where the text goes on."""
    handler = YAMLHandler()
    if not handler.detect(text):
        return {}, 0
    try:
        head, body = handler.split(text)
    except ValueError:  # a rule at the top, and no second one
        return {}, 0
    return _mapping(head), len(text) - len(body)


def _mapping(text: str) -> Mapping[str, str]:
    try:
        # Every value as it is written: a version of 1.10 is not the number 1.1.
        values = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes strings, lists and dicts only
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise BadInput(f"its metadata are not valid YAML{where}") from None
    if values is None or values == "":
        return {}
    if not isinstance(values, dict):
        raise BadInput("its metadata must be lines of `name: value`")
    return {str(name).lower(): value.strip() for name, value in values.items() if isinstance(value, str)}


def _audience(stated: Mapping[str, str]) -> str:
    value = stated.get("audience", "public").lower()
    if value not in _AUDIENCES:
        # Guessing could show customers what is for staff.
        raise BadInput(f"its audience is {value!r}; write public or internal")
    return value


def _updated(stated: Mapping[str, str]) -> date | None:
    value = stated.get("updated")
    if not value:
        return None
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        raise BadInput(f"its date of update is {value!r}; write it as 2026-03-01") from None


def _folder(doc_id: str) -> str:
    return PurePosixPath(doc_id).parent.name or "general"


def _named(path: Path) -> str:
    words = re.sub(r"[-_\s]+", " ", path.stem).strip()
    return words[:1].upper() + words[1:] or path.name
