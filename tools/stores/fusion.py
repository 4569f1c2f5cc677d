"""Two rankings to one: what meaning found and what words found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tools.stores.embedder import Vectors
from tools.stores.passage import Passage, PassageHit

if TYPE_CHECKING:
    import pyarrow as pa

Mode = Literal["hybrid", "dense", "sparse"]

MEANING = 0.65
"""How much of a fused score is cosine; the rest is BM25 over the best BM25.

A convex sum of the two scores (Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval",
2023). On SciFact and HotpotQA (`python -m evals.bench retrieval`) it is 0.02 to 0.03 above reciprocal rank
fusion in nDCG@10, and from 0.5 to 0.7 it changes little.
"""

COLUMNS = [*(item.name for item in fields(Passage)), "vector"]
"""What is read of every passage found."""


def fuse(
    found: tuple[pa.Table | None, pa.Table | None], vector: Vectors, mode: Mode, old: Collection[str]
) -> list[PassageHit]:
    """The passages of both rankings, each once, in no order.

    Args:
        found: What was found by meaning and by words, with `COLUMNS` and for words `_score`; None for what
            was not asked.
        vector: The query's.
        mode: Which of the scores a passage is ranked by.
        old: Documents of which a newer version is there.
    """
    dense, sparse = found
    words: dict[str, float] = {}
    if sparse is not None:
        words = dict(zip(sparse["id"].to_pylist(), sparse["_score"].to_pylist(), strict=True))
    best = max(words.values(), default=0.0) or 1.0
    hits: dict[str, PassageHit] = {}
    for table in (dense, sparse):
        if table is None:
            continue
        vectors = _vectors(table, len(vector))
        for row, own in zip(table.select(COLUMNS[:-1]).to_pylist(), vectors, strict=True):
            if row["id"] not in hits:
                cosine, bm25 = float(own @ vector), float(words.get(row["id"], 0.0))
                score = {
                    "hybrid": MEANING * cosine + (1 - MEANING) * bm25 / best,
                    "dense": cosine,
                    "sparse": bm25,
                }[mode]
                passage = Passage(**row)
                hits[passage.id] = PassageHit(passage, score, cosine, bm25, passage.doc_id in old, own)
    return list(hits.values())


def _vectors(table: Any, dimensions: int) -> Vectors:
    column = table["vector"].combine_chunks()
    flat: Vectors = np.asarray(column.flatten(), np.float32).reshape(-1, dimensions)
    return flat
