"""`python -m evals.bench bank --data DIR`: a company that is not the demo, loaded and asked.

DIR holds `documents.jsonl` ({id, title, content}), `db.json` ({table: {data: {key: row}}}) and
`questions_open.jsonl` ({id, kind, question, customer_id, gold_docs, alt_docs, facts, must_not}). Documents
whose title begins with `Internal:` are for staff. The desk answers by the extractive model; questions about
documents are asked twice, as by staff and as by customers, who cannot see what is internal.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agent import SupportDesk
from agent.settings import Settings
from agent.sources import database_url, open_documents
from evals.bench._bank import load_bank, prepare_bank
from evals.scorers import holds
from tools.ingest.documents import ingest

_INTERNAL = "Internal:"
_FILES = ("documents.jsonl", "db.json", "questions_open.jsonl")
_OF_DOCUMENTS = ("docs", "docs_multi", "unanswerable")


@dataclass(frozen=True)
class Outcome:
    """What became of one question.

    Attributes:
        id, kind: As in the file.
        staff: Whether it was asked as by staff.
        status: Of the answer.
        kept: Whether one of its documents is among the evidence; None where none is known.
        kept_all: Whether all of its gold documents are.
        right: Whether the answer has every fact and no forbidden one, or refuses what cannot be answered.
        tools: What was asked, in order.
        text: The answer.
    """

    id: str
    kind: str
    staff: bool
    status: str
    kept: bool | None
    kept_all: bool | None
    right: bool
    tools: tuple[str, ...]
    text: str


def main(argv: Sequence[str]) -> int:
    """Print the table, or say that the data are not there."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench bank", description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/bank"), help="folder of the three files"
    )
    parser.add_argument("--home", type=Path, help="a folder that keeps the company for another run")
    parser.add_argument("--json", action="store_true", dest="as_json", help="every question with its answer")
    given = parser.parse_args(argv)
    if missing := [name for name in _FILES if not (given.data / name).exists()]:
        print(f"there is no {missing[0]} in {given.data}; name its folder with --data", file=sys.stderr)
        return 2
    # Short: the path of a PostgreSQL socket has a limit.
    with tempfile.TemporaryDirectory(prefix="bank", dir="/tmp") as scratch:
        outcomes = ask(given.data, given.home or Path(scratch))
    if given.as_json:
        print(json.dumps([asdict(one) for one in outcomes], indent=2, ensure_ascii=False))
    else:
        _show(outcomes)
    return 0


def ask(data: Path, home: Path) -> list[Outcome]:
    """Load the company into `home` and ask it every question."""
    settings = Settings.model_validate({"home": home, "model": "extractive"})
    home.mkdir(parents=True, exist_ok=True)
    corpus = home / "documents.jsonl"
    corpus.write_text(_with_audience(data / "documents.jsonl"), encoding="utf-8")
    ingest([corpus], open_documents(settings))
    url = database_url(settings)
    tables = load_bank(data / "db.json", url, settings.records_schema)
    prepare_bank(url, tables, schema=settings.records_schema, role=settings.reader_role)
    questions = _lines(data / "questions_open.jsonl")
    with SupportDesk.open(settings) as desk:
        asked = [(one, staff) for one in questions for staff in (True, False)]
        return [
            _outcome(desk, one, staff) for one, staff in asked if not staff or one["kind"] in _OF_DOCUMENTS
        ]


def _with_audience(file: Path) -> str:
    lines = []
    for document in _lines(file):
        audience = "internal" if document["title"].startswith(_INTERNAL) else "public"
        lines.append(json.dumps({**document, "audience": audience}) + "\n")
    return "".join(lines)


def _outcome(desk: SupportDesk, one: dict[str, Any], staff: bool) -> Outcome:
    talk = desk.conversation()
    answer = desk.ask_sync(one["question"], customer_id=one["customer_id"], staff=staff, conversation=talk)
    kept = {
        str(item.locator["doc_id"]).partition("#")[2]
        for item in talk.ledger.citable().values()
        if item.source == "documents"
    }
    gold = {*one["gold_docs"]}
    answerable = one["kind"] not in ("unanswerable", "fresh", "smalltalk")
    text = _plain(answer.text)
    said = all(holds(_plain(fact), text) for fact in one["facts"])
    right = answer.status == "answered" and said if answerable else answer.status != "answered"
    return Outcome(
        id=one["id"],
        kind=one["kind"],
        staff=staff,
        status=answer.status,
        kept=bool(kept & (gold | {*one["alt_docs"]})) if gold else None,
        kept_all=gold <= kept if gold else None,
        right=right and not any(holds(_plain(fact), text) for fact in one["must_not"]),
        tools=tuple(step.tool for step in answer.steps),
        text=answer.text,
    )


def _plain(text: str) -> str:
    """Numbers without thousands separators and empty decimals."""
    return re.sub(r"(\d)\.00?(?!\d)", r"\1", re.sub(r"(?<=\d),(?=\d{3}\b)", "", text))


def _lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def _show(outcomes: Sequence[Outcome]) -> None:
    table = Table(
        "kind", "asked by", "questions", "a document kept", "all documents kept", "right", "refused"
    )
    groups = dict.fromkeys((one.kind, one.staff) for one in outcomes)
    for kind, staff in groups:
        some = [one for one in outcomes if (one.kind, one.staff) == (kind, staff)]
        table.add_row(
            kind,
            "staff" if staff else "customers",
            str(len(some)),
            _share([one.kept for one in some]),
            _share([one.kept_all for one in some]),
            _share([one.right for one in some]),
            _share([one.status == "refused" for one in some]),
        )
    Console(width=110).print(table)


def _share(flags: Sequence[bool | None]) -> str:
    known = [flag for flag in flags if flag is not None]
    return f"{sum(known)} ({sum(known) / len(known):.0%})" if known else ""
