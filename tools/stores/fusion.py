"""Two rankings to one: what meaning found and what words found."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tools.relevance import codes, content_words
from tools.stores.embedder import Vectors
from tools.stores.passage import Passage, PassageHit

if TYPE_CHECKING:
    import pyarrow as pa

Mode = Literal["hybrid", "dense", "sparse"]

MEANING = 0.55
"""How much of a fused score is cosine; the rest is BM25 over the best BM25, times how far to trust it.

A convex sum of the two scores (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval",
2023). What words find is trusted by the share of the query's content words that the best of it has: chatty
questions share words with everything. On SciFact and HotpotQA (`python -m evals.bench retrieval`) this is
0.02 to 0.03 above reciprocal rank fusion in nDCG@10, and from 0.5 to 0.6 it changes little.
"""

_BEST = 3  # passages found by words whose share of the query's words is looked at
_FEW = 3  # passages up to which an exact name tells which ones are meant
_EXACT = re.compile(r"(?<![\w.])[^\W_]++(?:(?:(?:[./_]|::)[^\W_]++)+|(?=\(\)))")
_MARKS = str.maketrans("", "", string.punctuation + string.whitespace)

COLUMNS = [*(item.name for item in fields(Passage)), "vector"]
"""What is read of every passage found."""


def fuse(
    found: tuple[pa.Table | None, pa.Table | None],
    query: str,
    vector: Vectors,
    mode: Mode,
    old: Collection[str],
) -> list[PassageHit]:
    """The passages of both rankings, each once, in no order.

    Args:
        found: What was found by meaning and by words, with `COLUMNS` and for words `_score`; None for what
            was not asked.
        query, vector: What was asked.
        mode: Which of the scores a passage is ranked by. In `hybrid` the few passages that have an exact name
            of the query count as near to it as any: the embedder cannot know what `E-404` or `read_all()` is.
        old: Documents of which a newer version is there.
    """
    dense, sparse = found
    named = _named(query, sparse)
    nearest = max((float(own @ vector) for own in _vectors(dense, len(vector))), default=0.0)
    words: dict[str, float] = {}
    trust, most = 0.0, 1.0
    if sparse is not None and len(sparse):
        words = dict(zip(sparse["id"].to_pylist(), sparse["_score"].to_pylist(), strict=True))
        trust, most = (1 - MEANING) * _trust(query, sparse.slice(0, _BEST)), max(words.values())
    hits: dict[str, PassageHit] = {}
    for table in (dense, sparse):
        if table is None:
            continue
        vectors = _vectors(table, len(vector))
        for row, own in zip(table.select(COLUMNS[:-1]).to_pylist(), vectors, strict=True):
            if row["id"] not in hits:
                cosine, bm25 = float(own @ vector), float(words.get(row["id"], 0.0))
                near = max(cosine, nearest) if row["id"] in named else cosine
                score = {
                    "hybrid": MEANING * near + trust * bm25 / most,
                    "dense": cosine,
                    "sparse": bm25 / most,
                }[mode]
                passage = Passage(**row)
                hits[passage.id] = PassageHit(passage, score, cosine, bm25, passage.doc_id in old, own)
    return list(hits.values())


def exact(text: str) -> frozenset[str]:
    """What stands for one thing alone, in small letters without marks: codes, names of code, dotted numbers.

    `AB-12`, `open_lock`, `parse()`, `config.yaml` and `4.10.2` are such.
    """
    return codes(text) | {re.sub(r"[\W_]", "", name).lower() for name in _EXACT.findall(text)}


def searchable(text: str) -> str:
    """The text with its exact names once more as single words: the index would take `AB-12` apart."""
    words = set(re.findall(r"[^\W_]+", text.lower()))
    return f"{text}\n{' '.join(sorted(exact(text) - words))}"


def _named(query: str, sparse: pa.Table | None) -> frozenset[str]:
    """The ids of the passages with an exact name of the query, where these are few."""
    asked = exact(query)
    if sparse is None or not asked:
        return frozenset()
    rows = sparse.select(["id", "title", "heading", "text"]).to_pylist()
    holders = [row["id"] for row in rows if _may_have(asked, _shown(row)) and asked & exact(_shown(row))]
    return frozenset(holders) if len(holders) <= _FEW else frozenset()


def _may_have(asked: frozenset[str], text: str) -> bool:
    """Whether one of the names can be in the text: quick, and most have none."""
    plain = text.lower().translate(_MARKS)
    return any(name in plain for name in asked)


def _trust(query: str, best: pa.Table) -> float:
    """The share of the query's content words that one of the passages has; all where it has an exact name."""
    asked, asked_exactly = content_words(query).keys(), exact(query)
    shares = [0.0]
    for row in best.select(["title", "heading", "text"]).to_pylist():
        text = _shown(row)
        if asked_exactly & exact(text):
            return 1.0
        shares.append(len(asked & content_words(text).keys()) / max(1, len(asked) + len(asked_exactly)))
    return max(shares)


def _shown(row: Mapping[str, Any]) -> str:
    return "\n".join((row["title"], row["heading"], row["text"]))


def _vectors(table: Any, dimensions: int) -> Vectors:
    if table is None:
        return np.zeros((0, dimensions), np.float32)
    column = table["vector"].combine_chunks()
    flat: Vectors = np.asarray(column.flatten(), np.float32).reshape(-1, dimensions)
    return flat
