"""What the documents hold and what a search finds."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from typing import NamedTuple

import numpy as np

from tools.stores.embedder import Vectors


@dataclass(frozen=True)
class Passage:
    """A piece of a document that can be read alone.

    Attributes:
        id: Unique in a store.
        doc_id: The document, as a path relative to the folder that was ingested.
        title: The document's title.
        heading: The headings above the passage, joined by ` > `; empty at the top.
        text: The passage, exactly as it stands in the document as read.
        start, end: Where: `document[start:end] == text`, in characters.
        category, version, audience, updated: The document's metadata; `audience` is `public` or `internal`.
        path: The document's file, absolute.
        doc_hash: A hash of the document and its metadata.
        number: The passage's place in its document, from 0; its neighbours are one less and one more.
        language: The document's language as a tag such as `de`, where it is known.
    """

    id: str
    doc_id: str
    title: str
    heading: str
    text: str
    start: int
    end: int
    category: str
    version: str | None
    audience: str
    updated: date | None
    path: str
    doc_hash: str
    number: int = 0
    language: str | None = None

    @property
    def place(self) -> str:
        """`Title > Heading`, as a reader would look it up."""
        return f"{self.title} > {self.heading}" if self.heading else self.title


class Known(NamedTuple):
    """A document in the store: the file that it is from, and its hash."""

    path: str
    doc_hash: str


@dataclass(frozen=True)
class PassageHit:
    """A passage that was found.

    Attributes:
        passage: What was found.
        score: What it was ranked by: both (hybrid), cosine (dense), BM25 over the best (sparse), or the
            reranker's; so that the scores of several searches can be set side by side.
        dense: Cosine with the query.
        sparse: BM25 with the query; 0 when the words did not bring it up.
        superseded: Whether the same reader can see a newer version of its document.
        vector: The passage's unit vector.
    """

    passage: Passage
    score: float
    dense: float
    sparse: float
    superseded: bool = False
    vector: Vectors = field(default_factory=lambda: np.zeros(0, np.float32), repr=False, compare=False)


@dataclass(frozen=True)
class Collection:
    """The documents of one category: their number, and their first titles in alphabetical order."""

    category: str
    count: int
    titles: tuple[str, ...]


def set_back(hit: PassageHit, asked: str) -> bool:
    """Whether what is in force comes before this: it is superseded, and `asked` does not name its version."""
    words = re.findall(r"\w+(?:\.\w+)*", asked.lower())
    return hit.superseded and (hit.passage.version or "").lower() not in words
