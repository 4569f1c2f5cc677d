"""`python -m evals.bench scale`: a corpus that grows, and what that costs in time, memory and recall.

The texts are sentences of the demo's documents, mixed anew under a code of their own, and go in by the code
of `desk ingest`. With `--vectors words` they are embedded by adding up a random vector of each word, which
takes no time, so that what is measured is the store; with `model` by the embedder that the desk uses.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import resource
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from tools.ingest.documents import Progress, ingest
from tools.stores import lance
from tools.stores.documents import TABLE, DocumentStore
from tools.stores.embedder import Embedder, OnnxEmbedder, Vectors

_DEMO = Path(__file__).parent.parent.parent / "demo" / "documents"
_QUERIES = 200
_NEAREST = 10
_WORDS = 12  # of a passage that a query asks with


@dataclass(frozen=True)
class Size:
    """One size of the corpus.

    Attributes:
        passages: How many there are.
        per_second: Passages taken in a second, indexes included.
        index_seconds: Of these, what the indexes took at the end.
        again_seconds: The same ingest again, with nothing changed.
        times_faster: How much faster that is than the whole corpus at the first rate.
        peak_mb: The most memory that the process has had so far.
        disk_mb: What the store takes.
        dense_p50_ms, dense_p95_ms, hybrid_p50_ms, hybrid_p95_ms: A search by customers, the query new.
        recall_at_10: Of the ten nearest by exact comparison, how many a dense search finds.
    """

    passages: int
    per_second: float
    index_seconds: float
    again_seconds: float
    times_faster: float
    peak_mb: float
    disk_mb: float
    dense_p50_ms: float
    dense_p95_ms: float
    hybrid_p50_ms: float
    hybrid_p95_ms: float
    recall_at_10: float


class WordVectors:
    """An embedder that adds up random vectors of words: quick, and near for texts that share words."""

    name = "bench-words"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        sums = np.stack([sum(map(_word, re.findall(r"\w+", text.lower())), _word("")) for text in texts])
        scaled: Vectors = sums / np.linalg.norm(sums, axis=1, keepdims=True)
        return scaled


@lru_cache(maxsize=200_000)
def _word(word: str) -> Vectors:
    return np.random.default_rng(zlib.crc32(word.encode())).normal(size=384).astype(np.float32)


def main(argv: Sequence[str]) -> int:
    """Print a line for each size."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench scale", description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000", help="numbers of passages, growing")
    parser.add_argument("--vectors", choices=("words", "model"), default="words")
    parser.add_argument("--folder", type=Path, help="a folder that keeps the store")
    parser.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args(argv)
    sizes = sorted(int(size) for size in given.sizes.split(","))
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        found = []
        for size in sizes:
            found.append(measure(size, folder, given.vectors))
            if not given.as_json:
                _show(found[-1:], head=len(found) == 1)
    if given.as_json:
        print(json.dumps([asdict(one) for one in found], indent=2))
    return 0


def measure(size: int, folder: Path, vectors: str) -> Size:
    """Grow the corpus in `folder` to `size` passages, and measure."""
    corpus = folder / "corpus.jsonl"
    grown = _grow(corpus, size)
    indexing = [0.0]

    def advance(now: Progress) -> None:
        if now.doing == "indexing":
            indexing[0] = time.perf_counter()

    first = ingest([corpus], _open(folder, vectors), progress=advance)
    ended = time.perf_counter()
    again = ingest([corpus], _open(folder, vectors))
    dense, recall = _dense(_open(folder, vectors), folder, corpus)
    hybrid = _times(_open(folder, vectors), corpus, "hybrid")
    rate = grown / first.seconds
    return Size(
        passages=size,
        per_second=round(rate, 1),
        index_seconds=round(ended - indexing[0], 1) if indexing[0] else 0.0,
        again_seconds=round(again.seconds, 2),
        times_faster=round(size / rate / again.seconds, 1),
        peak_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        disk_mb=round(
            sum(file.stat().st_size for file in (folder / "store").rglob("*") if file.is_file()) / 1e6
        ),
        dense_p50_ms=dense[0],
        dense_p95_ms=dense[1],
        hybrid_p50_ms=hybrid[0],
        hybrid_p95_ms=hybrid[1],
        recall_at_10=recall,
    )


def _open(folder: Path, vectors: str) -> DocumentStore:
    embedder: Embedder = WordVectors() if vectors == "words" else OnnxEmbedder.load(folder / "models")
    return DocumentStore.open(str(folder / "store"), embedder)


def _grow(corpus: Path, size: int) -> int:
    """Write what is missing to `size` documents of one passage each; how many those are."""
    have = sum(1 for _ in corpus.open(encoding="utf-8")) if corpus.exists() else 0
    sentences = _sentences()
    with corpus.open("a", encoding="utf-8") as out:
        for number in range(have, size):
            chance = random.Random(number)  # noqa: S311 - the same corpus each time
            code = f"{chance.choice('ABCDEFGH')}{chance.choice('KLMNPQRS')}-{number:06d}"
            text = f"{' '.join(chance.sample(sentences, 3))} The number of this case is {code}."
            audience = "internal" if number % 10 == 0 else "public"
            line = {"id": str(number), "title": f"Case {code}", "text": text, "audience": audience}
            out.write(json.dumps(line) + "\n")
    return max(0, size - have)


def _sentences() -> list[str]:
    texts = (file.read_text(encoding="utf-8") for file in sorted(_DEMO.rglob("*.md")))
    found = (" ".join(one.split()) for text in texts for one in re.split(r"(?<=[.!?])\s+|\n{2,}|\n-", text))
    return [
        one for one in dict.fromkeys(found) if 30 < len(one) < 200 and one[-1] in ".!?" and "|" not in one
    ]


def _queries(corpus: Path) -> Iterator[str]:
    """Words of a passage here and there, in another order; every fourth asks for its code."""
    size = sum(1 for _ in corpus.open(encoding="utf-8"))
    chance = random.Random(0)  # noqa: S311
    wanted = set(chance.sample(range(size), min(_QUERIES, size)))
    for number, line in enumerate(corpus.open(encoding="utf-8")):
        if number in wanted:
            one: dict[str, Any] = json.loads(line)
            words = re.findall(r"\w+", one["text"])
            code = [one["title"].split()[1]] if number % 4 == 0 else []
            yield " ".join([*random.Random(number).sample(words, min(_WORDS, len(words))), *code])  # noqa: S311


def _times(store: DocumentStore, corpus: Path, mode: Any) -> tuple[float, float]:
    seconds = []
    store.search("warm", mode=mode)
    for query in _queries(corpus):
        started = time.perf_counter()
        store.search(query, k=_NEAREST, mode=mode)
        seconds.append(time.perf_counter() - started)
    p50, p95 = np.percentile(seconds, [50, 95]) * 1000
    return round(float(p50), 1), round(float(p95), 1)


def _dense(store: DocumentStore, folder: Path, corpus: Path) -> tuple[tuple[float, float], float]:
    times = _times(store, corpus, "dense")
    queries = list(_queries(corpus))
    exact = _exact(folder, store.embedder.embed(queries))
    shares = [
        len(near & {hit.passage.id for hit in store.search(query, k=_NEAREST, mode="dense")})
        / max(1, len(near))
        for query, near in zip(queries, exact, strict=True)
    ]
    return times, round(float(np.mean(shares)), 4)


def _exact(folder: Path, queries: Vectors) -> list[set[str]]:
    """The ids of the public passages nearest to each query, by comparing with all of them."""
    table = lance.connect(str(folder / "store"), None).open_table(TABLE)
    names: list[str] = []
    scores = np.full((len(queries), _NEAREST), -2.0, np.float32)
    best = np.zeros((len(queries), _NEAREST), np.int64)
    for batch in table.search().select(["id", "audience", "vector"]).to_batches():
        public = np.array([audience == "public" for audience in batch["audience"].to_pylist()])
        vectors = np.asarray(batch["vector"].flatten(), np.float32).reshape(len(public), -1)
        near = np.where(public, queries @ vectors.T, -2.0)
        all_scores = np.hstack([scores, near])
        numbers = np.arange(len(names), len(names) + len(public))
        all_best = np.hstack([best, np.broadcast_to(numbers, near.shape)])
        order = np.argsort(-all_scores, axis=1)[:, :_NEAREST]
        scores = np.take_along_axis(all_scores, order, axis=1)
        best = np.take_along_axis(all_best, order, axis=1)
        names += batch["id"].to_pylist()
    return [{names[place] for place in row} for row in best]


def _show(found: Sequence[Size], *, head: bool) -> None:
    names = [name.replace("_", " ") for name in asdict(found[0])]
    table = Table(*names, show_header=head)
    for one in found:
        table.add_row(*(f"{value:,}" for value in asdict(one).values()))
    Console(width=160 if sys.stdout.isatty() else 200).print(table)
