"""`python -m evals.bench retrieval --data DIR`: how well the search finds, and how fast, stage by stage.

DIR is in BEIR's format: `corpus.jsonl` ({_id, title, text}), `queries.jsonl` ({_id, text}) and `qrels.tsv`.
The corpus goes in by the code of `desk ingest`, a document is ranked by its best passage, and every stage
embeds each query anew. Metrics by ir-measures.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from tools.ingest.documents import ingest
from tools.retrieval import rank
from tools.stores.documents import DocumentStore
from tools.stores.embedder import OnnxEmbedder
from tools.stores.fusion import Mode
from tools.stores.passage import PassageHit

_DEPTH = 50  # passages asked for, so that ten documents are among them

Qrels = Mapping[str, Mapping[str, int]]
Stage = Callable[[str], Sequence[PassageHit]]


@dataclass(frozen=True)
class Scores:
    """One stage over all queries: shares in [0, 1], milliseconds a query."""

    stage: str
    ndcg_at_10: float
    recall_at_5: float
    recall_at_10: float
    all_golds_at_10: float
    p50_ms: float
    p95_ms: float


def main(argv: Sequence[str]) -> int:
    """Print the table, or say that the data are not there."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench retrieval", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/scifact"), help="a BEIR folder")
    parser.add_argument("--store", type=Path, help="a folder that keeps the store for another run")
    parser.add_argument("--json", action="store_true", dest="as_json")
    given = parser.parse_args(argv)
    if not all((given.data / name).exists() for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv")):
        print(f"there is no BEIR folder {given.data}; name one with --data", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        found = measure(given.data, given.store or Path(scratch))
    if given.as_json:
        print(json.dumps([asdict(one) for one in found], indent=2))
    else:
        _show(given.data.name, found)
    return 0


def measure(data: Path, folder: Path) -> list[Scores]:
    """Every stage over the queries of `data`, with a store under `folder`."""
    report = ingest(
        [data / "corpus.jsonl"], _open(data, folder), progress=lambda now: _tell(now.doing, now.passages)
    )
    if report.failed:
        print(f"left out: {len(report.failed)} of the corpus", file=sys.stderr)
    qrels = read_qrels(data / "qrels.tsv")
    lines = (data / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    queries = {str(one["_id"]): one["text"] for one in map(json.loads, filter(str.strip, lines))}
    return [_score(name, stage(_open(data, folder)), queries, qrels) for name, stage in STAGES.items()]


def _open(data: Path, folder: Path) -> DocumentStore:
    return DocumentStore.open(str(folder / data.name), OnnxEmbedder.load(folder / "models"))


def _plain(mode: Mode) -> Callable[[DocumentStore], Stage]:
    return lambda store: lambda query: store.search(query, k=_DEPTH, mode=mode)


def _full(store: DocumentStore) -> Stage:
    def search(words: str, mode: Mode) -> Sequence[PassageHit]:
        return store.search(words, k=_DEPTH, mode=mode)

    return lambda query: [one.hit for one in rank(search, query, "hybrid")[0]]


STAGES: Mapping[str, Callable[[DocumentStore], Stage]] = {
    "sparse": _plain("sparse"),
    "dense": _plain("dense"),
    "hybrid": _plain("hybrid"),
    "full: hybrid and rewrites": _full,
}
"""What is measured, by name."""


def read_qrels(path: Path) -> Qrels:
    """The relevant documents of every query; the first line of the file names its columns."""
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if int(grade) > 0:
            qrels[query][document] = int(grade)
    return qrels


def _score(name: str, stage: Stage, queries: Mapping[str, str], qrels: Qrels) -> Scores:
    import ir_measures
    from ir_measures import R, nDCG

    run: dict[str, dict[str, float]] = {}
    seconds = []
    for number, query in enumerate(qrels):
        _tell(name, number)
        started = time.perf_counter()
        hits = stage(queries[query])
        seconds.append(time.perf_counter() - started)
        ids = dict.fromkeys(hit.passage.doc_id.partition("#")[2] for hit in hits)
        run[query] = {document: 1.0 / place for place, document in enumerate(ids, 1)}
    measures = [nDCG @ 10, R @ 5, R @ 10]
    means = ir_measures.calc_aggregate(measures, qrels, run)
    whole = [one.value == 1.0 for one in ir_measures.iter_calc([R @ 10], qrels, run)]
    p50, p95 = np.percentile(seconds, [50, 95]) * 1000
    return Scores(
        stage=name,
        ndcg_at_10=round(means[measures[0]], 4),
        recall_at_5=round(means[measures[1]], 4),
        recall_at_10=round(means[measures[2]], 4),
        all_golds_at_10=round(float(np.mean(whole)), 4),
        p50_ms=round(float(p50), 1),
        p95_ms=round(float(p95), 1),
    )


def _tell(doing: str, number: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{doing} {number}", end="", file=sys.stderr, flush=True)


def _show(data: str, found: Sequence[Scores]) -> None:
    _tell("", 0)
    table = Table(data, "nDCG@10", "recall@5", "recall@10", "all golds@10", "p50 ms", "p95 ms")
    for one in found:
        shares = (one.ndcg_at_10, one.recall_at_5, one.recall_at_10, one.all_golds_at_10)
        table.add_row(
            one.stage, *(f"{share:.3f}" for share in shares), f"{one.p50_ms:.0f}", f"{one.p95_ms:.0f}"
        )
    Console(width=110).print(table)
