"""`python -m evals.relevance`: what the threshold `tools.relevance.RELEVANT` lets through and what it drops.

Reads `documents.jsonl` ({id, title, content}) and `questions_open.jsonl` ({question, gold_docs, alt_docs})
from a folder that is not part of this repository, and asks its questions of its own documents and of the
demo's.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from tools.ingest.documents import ingest
from tools.relevance import RELEVANT, relevances
from tools.stores.documents import DocumentStore
from tools.stores.embedder import OnnxEmbedder
from tools.stores.passage import PassageHit

_DEMO = Path(__file__).parent.parent / "demo" / "documents"
_FOUND = 12


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, or say that the data are not there."""
    parser = argparse.ArgumentParser(prog="python -m evals.relevance")
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/bank"), help="folder of the two files"
    )
    data: Path = parser.parse_args(argv).data
    if not (data / "documents.jsonl").exists():
        print(f"skipped: there is no documents.jsonl in {data}; name its folder with --data")
        return
    questions = _lines(data / "questions_open.jsonl")
    with tempfile.TemporaryDirectory(prefix="relevance-") as scratch:
        embedder = OnnxEmbedder.load(Path(scratch, "models"))
        own = DocumentStore.open(f"{scratch}/own", embedder)
        other = DocumentStore.open(f"{scratch}/other", embedder)
        ingest([_as_files(_lines(data / "documents.jsonl"), Path(scratch, "files"))], own)
        ingest([_DEMO], other)
        _print(questions, own, other)


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _as_files(documents: list[dict[str, Any]], folder: Path) -> Path:
    folder.mkdir()
    for document in documents:
        head = f"---\ntitle: {json.dumps(document['title'])}\n---\n"
        (folder / f"{document['id']}.md").write_text(head + document["content"], encoding="utf-8")
    return folder


def _scores(store: DocumentStore, question: str, hits: list[PassageHit]) -> list[float]:
    texts = [f"{hit.passage.place}\n{hit.passage.text}" for hit in hits]
    vectors = np.stack([hit.vector for hit in hits])
    return relevances(question, texts, lambda part: (vectors @ store.embedder.embed([part])[0]).tolist())


def _print(questions: list[dict[str, Any]], own: DocumentStore, other: DocumentStore) -> None:
    answering, beside, foreign = [], [], []
    asked = reached = 0
    for item in questions:
        question, gold = item["question"], {*item["gold_docs"], *item["alt_docs"]}
        hits = own.search(question, k=_FOUND, audience="internal")
        scored = list(zip(hits, _scores(own, question, hits), strict=True))
        right = [score for hit, score in scored if hit.passage.doc_id.removesuffix(".md") in gold]
        if gold:
            asked += 1
            reached += bool(right)
            answering += [max(right)] if right else []
            beside += [score for hit, score in scored if hit.passage.doc_id.removesuffix(".md") not in gold]
        strangers = other.search(question, k=3, audience="internal")
        foreign += _scores(other, question, strangers)
    table = Table("passages", "number", "5%", "median", "95%", f"at least {RELEVANT}")
    for name, scores in (
        ("best answering", answering),
        ("others of the same company", beside),
        ("another company's nearest", foreign),
    ):
        low, middle, high = np.percentile(scores, [5, 50, 95])
        share = float(np.mean(np.array(scores) >= RELEVANT))
        table.add_row(name, str(len(scores)), f"{low:.2f}", f"{middle:.2f}", f"{high:.2f}", f"{share:.0%}")
    console = Console(width=100)
    console.print(table)
    console.print(f"an answering document among the first {_FOUND} passages: {reached} of {asked} questions")


if __name__ == "__main__":
    main()
