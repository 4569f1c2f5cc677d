"""`python -m evals.bench records`: the records of a bank that is not the demo, made ready as any database is.

Reads `bank/` of the data folder, loads its tables into PostgreSQL, prepares them with the code of
`desk database prepare`, and measures four things: whether the SELECTs that are given with its questions
yield the stated facts for that customer, whether attacks learn anything of other customers, what a lookup
costs beside the bare driver, and whether many customers at once are kept apart.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from evals.bench._attacks import Target, attacks
from evals.bench._bank import OWNER, Rows, load_bank, prepare_bank
from evals.bench._postgres import READER, new_database, server
from evals.bench._worlds import open_worlds
from tools.errors import DeskError, QueryRejected
from tools.row_text import row_text
from tools.sql_guard import check
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

SCHEMA = "bank"
_HIDDEN = "staff_only"
_PUBLIC = "currencies"
_CROWD = "crowd"
_POOL, _LOOKUPS, _CUSTOMERS, _EACH = 4, 200, 50, 5
_ROUNDS = 20


def main(argv: Sequence[str]) -> int:
    """Measure; returns 1 when something is not as it must be, 2 without the data."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench records", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of data sets")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    folder = options.data / "bank"
    if not (folder / "db.json").is_file():
        print(f"no bank in {folder}; give the folder with --data", file=sys.stderr)
        return 2
    lines = (folder / "questions_open.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [one for one in map(json.loads, lines) if one.get("sql")]
    with server() as url:
        own = new_database(url, "bank")
        rows = load_bank(folder / "db.json", own, SCHEMA)
        _prepare(own, rows)
        measured = {
            "attacks": _attacked(own, rows),
            "facts": _facts(own, questions),
            "cost": _cost(own, questions),
            "crowd": _crowd(own),
        }
    problems = [f"{name}: {one}" for name, part in measured.items() for one in part.pop("problems")]
    if options.json:
        print(json.dumps({**measured, "problems": problems}))
    else:
        for name, part in measured.items():
            print(f"{name:<9}" + ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in part.items()))
        print("\n".join(problems))
    return int(bool(problems))


def _prepare(url: str, rows: dict[str, Rows]) -> None:
    """Make it ready, with a table for everybody, one for nobody, and one with rows of many more customers."""
    made = {
        _PUBLIC: "CREATE TABLE {} AS SELECT n AS digits, 'c' || n AS code FROM generate_series(1, 9) n",
        _HIDDEN: "CREATE TABLE {} AS SELECT 'not for customers' AS note",
        _CROWD: "CREATE TABLE {} AS SELECT 'crowd-' || n % {} AS {}, n FROM generate_series(1, {}) n",
    }
    given = [sql.Literal(_CUSTOMERS), sql.Identifier(OWNER), sql.Literal(_CUSTOMERS * _EACH)]
    with psycopg.connect(url, autocommit=True) as connection:
        for name, statement in made.items():
            connection.execute(sql.SQL(statement).format(sql.Identifier(SCHEMA, name), *given))
    prepare_bank(url, rows, schema=SCHEMA, role=READER, also=[_PUBLIC, _CROWD])


def _store(url: str, **options: Any) -> RecordStore:
    pool = open_pool(url, max_size=_POOL, timeout=30)
    return RecordStore(pool, schema=SCHEMA, role=READER, customer_columns=(OWNER,), **options)


def _facts(url: str, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """The given SELECT of each question, for its customer: whether the rows say the stated facts."""
    store, problems = _store(url), []
    for one in questions:
        try:
            found = store.lookup(one["sql"], customer_id=one["customer_id"])
        except DeskError as error:
            problems.append(f"{one['id']}: {error}")
            continue
        names = [found.shown.get(name, name) for name in found.columns]
        said = _plain(" ".join(row_text(names, row) for row in found.rows))
        if not any(value for row in found.rows for value in row):
            said += " none"  # a count of nothing
        if one["kind"] == "records":
            problems += [
                f"{one['id']}: no {fact!r} in {said!r}" for fact in one["facts"] if not _says(said, fact)
            ]
    store.close()
    return {"selects": len(questions), "failed": len(problems), "problems": problems}


def _says(said: str, fact: str) -> bool:
    return any(re.search(rf"(?<![\d.]){re.escape(_plain(one))}(?!\.?\d)", said) for one in fact.split("|"))


def _plain(text: str) -> str:
    """Lower case, no thousands commas, no currency sign, no zeros behind the point."""
    return re.sub(r"(?<=\d)\.0+(?!\d)", "", re.sub(r"(?<=\d),(?=\d{3})|\$", "", text.lower()))


def _attacked(url: str, rows: dict[str, Rows]) -> dict[str, Any]:
    table = "credit_card_transaction_history"
    me = str(rows[table][0][OWNER])
    other = next(row for row in rows[table] if row[OWNER] != me)
    target = Target(
        schema=SCHEMA,
        role=READER,
        table=table,
        owner=OWNER,
        key="transaction_id",
        column="merchant_name",
        nullable="category",
        public=_PUBLIC,
        number="digits",
        hidden=_HIDDEN,
        me=me,
        other=str(other[OWNER]),
        other_key=str(other["transaction_id"]),
    )
    leave = {name: f"{OWNER} = '{me}'" for name, of_one in rows.items() if OWNER in of_one[0]}
    worlds = open_worlds(url, leave, target, statement_timeout=1.0, row_cap=20, customer_columns=(OWNER,))
    stored, problems, slowest = worlds.fingerprints(), [], 0.0
    all_of_them = attacks(target)
    catalogue = worlds.stores[0].catalogue()
    for attack in all_of_them:
        for parser in (True, False):
            started = time.perf_counter()
            if leak := worlds.leak(attack, parser=parser):
                problems.append(leak)
            slowest = max(slowest, (time.perf_counter() - started) / (2 if attack.honest else 4))
        if not attack.honest and _parses(attack.sql, catalogue):
            problems.append(f"{attack.kind}: the parser lets through {attack.sql}")
    if worlds.fingerprints() != stored:
        problems.append("something was written")
    worlds.close()
    return {
        "statements": len(all_of_them),
        "leaks": len(problems),
        "slowest_s": round(slowest, 2),
        "problems": problems,
    }


def _parses(statement: str, catalogue: Any) -> bool:
    try:
        check(statement, catalogue, SCHEMA)
    except QueryRejected:
        return False
    return True


def _cost(url: str, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """Milliseconds through the desk and over the bare driver, the same statements by turns.

    Both are medians over all turns; the least ratio is that of the turn in which the machine did least else.
    """
    store = _store(url)
    bare: list[list[float]] = []
    desk: list[list[float]] = []
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.SQL("SET search_path = {}").format(sql.Identifier(SCHEMA)))
        for _ in range(_ROUNDS + 1):
            bare.append([])
            desk.append([])
            for one in questions:
                started = time.perf_counter()
                connection.execute(one["sql"]).fetchall()
                between = time.perf_counter()
                store.lookup(one["sql"], customer_id=one["customer_id"])
                bare[-1].append(1000 * (between - started))
                desk[-1].append(1000 * (time.perf_counter() - between))
    store.close()
    turns = list(zip(map(statistics.median, bare[1:]), map(statistics.median, desk[1:]), strict=True))
    plain, whole = (statistics.median(side) for side in zip(*turns, strict=True))  # the first turn warms up
    allowed = 1.5 * plain + 3
    return {
        "turns": len(turns),
        "bare_ms": round(plain, 3),
        "lookup_ms": round(whole, 3),
        "allowed_ms": round(allowed, 3),
        "turns_within": sum(slow <= 1.5 * fast + 3 for fast, slow in turns),
        "ratio": round(whole / plain, 2),
        "least_ratio": round(min(slow / fast for fast, slow in turns), 2),
        "problems": [] if whole <= allowed else [f"{whole:.2f} ms where {allowed:.2f} are allowed"],
    }


def _crowd(url: str) -> dict[str, Any]:
    """Many lookups of many customers, all at once, over a small pool."""
    asking = [f"crowd-{n % _CUSTOMERS}" for n in range(_LOOKUPS)]
    store = _store(url)

    def ask(customer: str) -> str:
        try:
            found = store.lookup(f"SELECT {OWNER}, n FROM {_CROWD}", customer_id=customer)  # noqa: S608 - our own names
        except DeskError as error:
            return str(error)
        own = len(found.rows) == _EACH and {row[0] for row in found.rows} == {customer}
        return "" if own else f"{customer} was shown {found.rows}"

    connections: list[int] = []
    with ThreadPoolExecutor(_LOOKUPS) as threads, psycopg.connect(url, autocommit=True) as watcher:
        waiting = [threads.submit(ask, customer) for customer in asking]
        while not all(one.done() for one in waiting):
            counted = watcher.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'citedesk'"
            ).fetchone()
            connections.append(int(counted[0]) if counted else 0)
    problems = [told for one in waiting if (told := one.result())]
    if max(connections, default=0) > _POOL:
        problems.append(f"{max(connections)} connections of a pool of {_POOL}")
    store.close()
    return {
        "lookups": len(asking),
        "customers": len(set(asking)),
        "wrong": len(problems),
        "most_connections": max(connections, default=0),
        "problems": problems,
    }
