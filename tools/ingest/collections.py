"""Files of many documents each: JSON lines, and the articles of a help centre."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.errors import BadInput
from tools.ingest.metadata import Stated, front_matter, strings
from tools.ingest.readers import Document, beside, decoded, document, file_bytes, from_html, named

SUFFIXES = frozenset({".jsonl", ".json"})

_LINES = 'write {"id": …, "title": …, "text": …} on every line'
_ARTICLES = "give JSON lines (.jsonl), or a help centre's export with a list of `articles`"


@dataclass(frozen=True)
class Record:
    """One document of a collection, not yet converted.

    Attributes:
        place: Where in the file, for a reader: `line 3`, `article 117`.
        key: Its id in the file.
        content: All that its passages depend on, in one form; for a hash.
        size: How much of the file it takes, in bytes.
        read: Converts it; raises BadInput when it cannot be used.
    """

    place: str
    key: str
    content: bytes
    size: int
    read: Callable[[], Document]


@dataclass(frozen=True)
class Broken:
    """A piece of a collection of which not even the id can be read."""

    place: str
    reason: str


def records(path: Path, category: str) -> Iterator[Record | Broken]:
    """The documents of a file of one of `SUFFIXES`, in order; JSON lines are read one at a time.

    Args:
        path: The file; a sidecar holds for all its documents.
        category: Of the documents that state none.

    Raises:
        BadInput: The file as a whole cannot be used.
    """
    stated = beside(path)
    return (_of_lines if path.suffix.lower() == ".jsonl" else _of_export)(path, stated, category)


def _of_lines(path: Path, stated: Stated, category: str) -> Iterator[Record | Broken]:
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _of_line(f"line {number}", line, stated, category)
    except OSError as error:
        raise BadInput(f"it cannot be read ({error.strerror})") from None


def _of_line(place: str, line: bytes, stated: Stated, category: str) -> Record | Broken:
    try:
        value = json.loads(decoded(line))
    except (ValueError, RecursionError):
        return Broken(place, f"it is not JSON; {_LINES}")
    except BadInput as error:
        return Broken(place, str(error))
    if not isinstance(value, dict):
        return Broken(place, f"it is not an object; {_LINES}")
    key = next((str(value[name]) for name in ("id", "_id") if value.get(name) not in (None, "")), "")
    if not key:
        return Broken(place, f"it has no id; {_LINES}")

    def read() -> Document:
        body = next((value[name] for name in ("text", "content", "body") if value.get(name)), "")
        if not isinstance(body, str):
            raise BadInput(f"its text is not a string; {_LINES}")
        text = decoded(body.encode("utf-8", "surrogatepass"))
        head, begin = front_matter(text)
        said = {**head, **strings(value), **stated}
        return document(text, begin, said, category=category, title=named(key))

    return Record(place, key, _canonical(value, stated), len(line), read)


def _of_export(path: Path, stated: Stated, category: str) -> Iterator[Record | Broken]:
    content = file_bytes(path)
    try:
        export = json.loads(decoded(content))
    except (ValueError, RecursionError):
        raise BadInput(f"it is not JSON; {_ARTICLES}") from None
    articles = export.get("articles") if isinstance(export, dict) else export
    if not isinstance(articles, list):
        raise BadInput(f"it holds no articles; {_ARTICLES}")
    sections = _names(export, "sections")
    size = len(content) // max(1, len(articles))
    for number, article in enumerate(articles, 1):
        if not isinstance(article, dict) or article.get("id") in (None, ""):
            yield Broken(f"article {number}", f"it has no id; {_ARTICLES}")
        elif not article.get("draft"):
            section = sections.get(article.get("section_id"), category)
            yield _of_article(article, section, stated, size)


def _of_article(article: Mapping[str, Any], section: str, stated: Stated, size: int) -> Record:
    """An article as Zendesk's Help Center API gives it; its fields keep that API's meaning."""
    locale = str(article.get("locale") or "")
    known: dict[str, Any] = {
        "title": article.get("title") or article.get("name"),
        "category": section,
        "updated": article.get("edited_at") or article.get("updated_at"),
        "language": locale,
        # Shown to some users only: then not to everybody who asks here.
        "audience": "internal" if article.get("user_segment_id") is not None else "public",
    }
    said = {**strings(known), **stated}
    key = f"{article['id']}.{locale}" if locale else str(article["id"])

    def read() -> Document:
        body = article.get("body")
        if not isinstance(body, str) or not body.strip():
            raise BadInput("its body is empty")
        text, _ = from_html(body)
        return document(text, 0, said, category=section, title=key)

    return Record(f"article {article['id']}", key, _canonical(article, said), size, read)


def _names(export: Any, kind: str) -> dict[Any, str]:
    listed = export.get(kind) if isinstance(export, dict) else None
    entries = [entry for entry in listed or [] if isinstance(entry, dict)]
    return {entry.get("id"): str(entry.get("name", "")).strip() for entry in entries}


def _canonical(value: Any, stated: Stated) -> bytes:
    return json.dumps([value, dict(stated)], sort_keys=True).encode()
