"""`python -m evals.bench companies`: help centres that nothing was tuned on, asked without a key.

Invented companies of `training/data` that are kept apart from all training, each with six articles, as the
documents of a desk of its own. Most of the questions share few words with the sentence that answers them, and
three or four in fourteen have no answer in the articles though they sound as if they had.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from agent import SupportDesk
from agent.answer import Answer
from agent.settings import Settings
from agent.sources import open_documents
from tools.errors import BadInput
from tools.ingest.documents import ingest
from training.articles import KEPT_APART, answering, by_company

_DATA = Path(__file__).resolve().parents[2] / "training" / "data"
_ID = re.compile(r"\s*\[[A-Z]\d+\]\s*")


def main(argv: Sequence[str]) -> int:
    """Print the table; returns 2 without the data."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench companies", description=__doc__)
    parser.add_argument("--data", type=Path, default=_DATA, help="folder of articles_*.jsonl")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object")
    given = parser.parse_args(argv)
    companies = _kept_apart(given.data)
    if not companies:
        print(
            f"there is none of {', '.join(KEPT_APART)} in {given.data}; name it with --data", file=sys.stderr
        )
        return 2
    counts: Counter[str] = Counter()
    for articles in track(companies.values(), "companies", console=Console(stderr=True)):
        counts += _asked(articles)
    shares = _shares(counts)
    if given.as_json:
        print(json.dumps({"companies": len(companies), **counts, **shares}, indent=2))
    else:
        _show(len(companies), counts, shares)
    return 0


def _kept_apart(folder: Path) -> dict[str, list[Mapping[str, Any]]]:
    try:
        found = by_company(folder)
    except BadInput:  # told as any other folder without these companies
        return {}
    return {name: articles for name, articles in found.items() if name.startswith(KEPT_APART)}


def _asked(articles: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """Take in the articles and ask everything that is asked of them."""
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="bench", dir="/tmp") as scratch:
        corpus = Path(scratch) / "articles.jsonl"
        lines = [
            json.dumps({"id": str(number), "title": article["title"], "text": article["text"]})
            for number, article in enumerate(articles)
        ]
        corpus.write_text("\n".join(lines), encoding="utf-8")
        settings = Settings.model_validate({"home": Path(scratch) / "home", "model": "extractive"})
        ingest([corpus], open_documents(settings))
        with SupportDesk.open(settings) as desk:
            for question in (question for article in articles for question in article["questions"]):
                counts[_outcome(desk.ask_sync(question["q"]), question["a"])] += 1
    return counts


def _outcome(answer: Answer, marked: Sequence[str]) -> str:
    """`right` when one of the marked sentences was told, of those that have some."""
    refused = answer.status != "answered"
    if not marked:
        return "rightly_refused" if refused else "wrongly_answered"
    said = [part for line in answer.text.splitlines() for part in _ID.split(line) if part]
    if any(answering(sentence, said) for sentence in marked):
        return "right"
    return "wrongly_refused" if refused else "wrong"


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    answerable = sum(counts.get(name, 0) for name in ("right", "wrong", "wrongly_refused"))
    others = sum(counts.get(name, 0) for name in ("rightly_refused", "wrongly_answered"))
    return {
        "answered_right": round(counts.get("right", 0) / max(1, answerable), 3),
        "answered_otherwise": round(counts.get("wrong", 0) / max(1, answerable), 3),
        "unanswerable_refused": round(counts.get("rightly_refused", 0) / max(1, others), 3),
    }


def _show(companies: int, counts: Mapping[str, int], shares: Mapping[str, float]) -> None:
    table = Table("", "share", title=f"{sum(counts.values())} questions to {companies} companies")
    for name, share in shares.items():
        table.add_row(name.replace("_", " "), f"{share:.3f}")
    Console().print(table)
