"""Two rankings to one: what meaning found and what words found."""

from __future__ import annotations

from collections.abc import Collection
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
        mode: Which of the scores a passage is ranked by.
        old: Documents of which a newer version is there.
    """
    dense, sparse = found
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
                score = {
                    "hybrid": MEANING * cosine + trust * bm25 / most,
                    "dense": cosine,
                    "sparse": bm25 / most,
                }[mode]
                passage = Passage(**row)
                hits[passage.id] = PassageHit(passage, score, cosine, bm25, passage.doc_id in old, own)
    return list(hits.values())


def _trust(query: str, best: pa.Table) -> float:
    """The share of the query's content words that one of the passages has; all where it has a code of it."""
    asked, asked_codes = content_words(query).keys(), codes(query)
    shares = [0.0]
    for row in best.select(["title", "heading", "text"]).to_pylist():
        text = "\n".join(row.values())
        if asked_codes & codes(text):
            return 1.0
        shares.append(len(asked & content_words(text).keys()) / max(1, len(asked) + len(asked_codes)))
    return max(shares)


def _vectors(table: Any, dimensions: int) -> Vectors:
    column = table["vector"].combine_chunks()
    flat: Vectors = np.asarray(column.flatten(), np.float32).reshape(-1, dimensions)
    return flat
