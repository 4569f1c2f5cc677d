"""`python -m evals.bench catalogue`: what of a large schema a question's prompt shows.

Makes a schema of 300 tables in PostgreSQL and asks the description of `sql_lookup` thirty questions; with the
data folder, also the questions about a bank whose tables stand among the 300. Counted is whether the tables
that the answer needs are shown with their columns, are at least named, and come up when asked for.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import yaml
from psycopg import sql

from evals.bench._bank import OWNER, load_bank, prepare_bank
from evals.bench._postgres import READER, new_database, server
from tools.sql_catalogue import Catalogue
from tools.sql_guard import check
from tools.stores.catalogue import Relation
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

_SCHEMA = "large"
_FILE = Path(__file__).with_suffix(".yaml")


def main(argv: Sequence[str]) -> int:
    """Measure; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench catalogue", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of data sets")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    plan = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    with server() as url:
        own = new_database(url, _SCHEMA)
        bank = options.data / "bank"
        rows = load_bank(bank / "db.json", own, _SCHEMA) if (bank / "db.json").is_file() else {}
        made = _make(own, plan)
        prepare_bank(own, rows, schema=_SCHEMA, role=READER, also=made)
        store = RecordStore(open_pool(own), schema=_SCHEMA, role=READER, customer_columns=(OWNER,))
        relations = store.catalogue()
        store.close()
    asked = [(one["question"], {one["table"]}, one["ask"]) for one in plan["asked"]]
    measured = {"made_up": _measured(relations, asked)}
    if rows:
        lines = (bank / "questions_open.jsonl").read_text(encoding="utf-8").splitlines()
        given = [one for one in map(json.loads, lines) if one.get("sql")]
        of_bank = [
            (one["question"], set(check(one["sql"], relations, _SCHEMA).relations), "") for one in given
        ]
        measured["bank"] = _measured(relations, of_bank)
    if options.json:
        print(json.dumps(measured))
    else:
        for name, part in measured.items():
            print(f"{name:<9}" + ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in part.items()))
    return 0


def _make(url: str, plan: dict[str, Any]) -> list[str]:
    """The tables; returns their names."""
    tables = {one["table"]: (one["columns"], one["comment"]) for one in plan["asked"]}
    for topic in plan["topics"]:
        for number, (kind, columns) in enumerate(plan["kinds"].items()):
            tables[f"{topic}_{kind}"] = (columns, f"The {kind} of {topic}" if number % 2 else "")
    with psycopg.connect(url) as connection:
        connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(_SCHEMA)))
        for name, (columns, comment) in tables.items():
            place = sql.Identifier(_SCHEMA, name)
            defined = sql.SQL(", ").join(sql.SQL("{} text").format(sql.Identifier(one)) for one in columns)
            connection.execute(sql.SQL("CREATE TABLE {} ({})").format(place, defined))
            told = sql.Literal(comment or None)
            connection.execute(sql.SQL("COMMENT ON TABLE {} IS {}").format(place, told))
    return list(tables)


def _measured(relations: list[Relation], asked: Sequence[tuple[str, set[str], str]]) -> dict[str, Any]:
    catalogue = Catalogue(tuple(relations))
    shown = named = found = longest = 0
    missed, seconds = [], 0.0
    for question, needed, words in asked:
        started = time.perf_counter()
        told = catalogue.describe(question)
        seconds += time.perf_counter() - started
        longest = max(longest, len(told))
        in_full = {line[2:].split(" ", 1)[0] for line in told.splitlines() if line.startswith("* ")}
        shown += needed <= in_full
        named += all(name in told for name in needed)
        found += bool(words) and all(f"* {name} " in catalogue.more(words) for name in needed)
        if not needed <= in_full:
            missed.append(f"{', '.join(sorted(needed - in_full))}: {question}")
    return {
        "relations": len(relations),
        "questions": len(asked),
        "shown": shown,
        "shown_or_named": named,
        "found_when_asked_for": found if any(words for *_, words in asked) else None,
        "longest": longest,
        "milliseconds": round(1000 * seconds / len(asked), 1),
        "missed": missed,
    }
