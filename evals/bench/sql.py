"""`python -m evals.bench sql`: analytic SELECTs that people wrote, with and without the desk's two locks.

Reads `sql_postgres/` of the data folder: a schema with rows for each database, and `queries.jsonl`. Each
SELECT runs once as the superuser and once through `RecordStore.lookup`; both must return the same rows.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from evals.bench._postgres import READER, new_database, server
from tools.errors import DeskError
from tools.stores.caller import prepare
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

_SCHEMAS = """
SELECT n.nspname, count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'citedesk')
  AND n.nspname !~ '^pg_' GROUP BY 1 ORDER BY 2 DESC
"""


@dataclass(frozen=True)
class Outcome:
    """One SELECT: whether it passed, whether the rows are those without the locks, and what it took.

    Attributes:
        problem: Why it did not pass, or what differs; empty when all is well.
        seconds: Through the desk.
        bare_seconds: Without it, over the same kind of pool.
    """

    id: str
    db: str
    passed: bool
    same: bool
    problem: str
    seconds: float
    bare_seconds: float


def main(argv: Sequence[str]) -> int:
    """Run all SELECTs; returns 1 when one does not pass or gives other rows, 2 without the data."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench sql", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of data sets")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    folder = options.data / "sql_postgres"
    if not (folder / "queries.jsonl").is_file():
        print(f"no SELECTs in {folder}; give the folder with --data", file=sys.stderr)
        return 2
    lines = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    outcomes = _run(folder, [json.loads(line) for line in lines if line.strip()])
    summary = {
        "selects": len(outcomes),
        "passed": sum(one.passed for one in outcomes),
        "same": sum(one.same for one in outcomes),
        "median_milliseconds": 1000 * statistics.median(one.seconds for one in outcomes),
        "median_bare_milliseconds": 1000 * statistics.median(one.bare_seconds for one in outcomes),
    }
    failed = [asdict(one) for one in outcomes if not one.same]
    if options.json:
        print(json.dumps({**summary, "failed": failed}))
    else:
        print("\n".join(f"{name:<26}{value:.6g}" for name, value in summary.items()))
        for one in failed:
            print(f"{one['id']} ({one['db']}): {one['problem']}")
    return int(bool(failed))


def _run(folder: Path, queries: list[dict[str, Any]]) -> list[Outcome]:
    outcomes = []
    with server() as url:
        for name in sorted({query["db"] for query in queries}):
            own = new_database(url, name)
            schema = _load(own, folder / f"{name}.sql")
            store = RecordStore(
                open_pool(own), schema=schema, role=READER, statement_timeout=30, row_cap=100_000
            )
            with open_pool(own) as pool:
                outcomes += [_outcome(query, store, pool, schema) for query in queries if query["db"] == name]
            store.close()
    return outcomes


def _load(url: str, script: Path) -> str:
    """Fill a database and let the reader read it; returns the schema with the most tables."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(script.read_bytes())
        prepare(connection, READER)
        schemas = [row[0] for row in connection.execute(_SCHEMAS)]
        for schema in schemas:
            grants = "GRANT USAGE ON SCHEMA {0} TO {1}; GRANT SELECT ON ALL TABLES IN SCHEMA {0} TO {1}"
            connection.execute(sql.SQL(grants).format(sql.Identifier(schema), sql.Identifier(READER)))
        return str(schemas[0])


def _outcome(query: dict[str, Any], store: RecordStore, pool: Any, schema: str) -> Outcome:
    started = time.perf_counter()
    with pool.connection() as connection:
        connection.execute(sql.SQL("SET LOCAL search_path = {}").format(sql.Identifier(schema)))
        bare = connection.execute(query["sql"]).fetchall()
    bare_seconds = time.perf_counter() - started
    started = time.perf_counter()
    try:
        found = store.lookup(query["sql"], customer_id=None)
    except DeskError as error:
        taken = time.perf_counter() - started
        return Outcome(query["id"], query["db"], False, False, str(error), taken, bare_seconds)
    taken = time.perf_counter() - started
    # Without an ORDER BY the order is PostgreSQL's to choose.
    same = Counter(map(repr, found.rows)) == Counter(map(repr, bare)) and not found.own
    problem = (
        "" if same else f"{len(found.rows)} rows, {len(bare)} without the locks; left out: {set(found.own)}"
    )
    return Outcome(query["id"], query["db"], True, same, problem, taken, bare_seconds)
