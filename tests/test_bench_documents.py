"""The benchmarks of the documents, each over a folder of a few lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from evals.bench import __main__ as bench
from evals.bench import scale
from tools.stores.embedder import OnnxEmbedder

_PAGES = {
    "returns": ("Returns", "An unused boat can be returned within 30 days of purchase."),
    "warranty": ("Warranty", "The warranty on a hull lasts 24 months."),
    "hire": ("Hire", "Hiring a canoe for a day costs €30."),
    "discount": ("Internal: discounts", "Staff may give a discount of 15 percent on paddles."),
}


@pytest.fixture(autouse=True)
def _one_embedder(monkeypatch: pytest.MonkeyPatch, embedder: OnnxEmbedder) -> None:
    """The session's embedder in the place of one more that is prepared for each folder."""
    monkeypatch.setattr(OnnxEmbedder, "load", staticmethod(lambda *_: embedder))


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    """What a benchmark prints with --json."""
    assert bench.main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def lines(file: Path, rows: list[dict[str, Any]]) -> None:
    """Write JSON lines."""
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_retrieval_measures_every_stage_of_any_beir_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each stage has its metrics and times; what is easily found is found, and a wrong gold is not."""
    lines(tmp_path / "corpus.jsonl", [{"_id": key, "title": t, "text": x} for key, (t, x) in _PAGES.items()])
    queries = {"q1": "warranty on a hull", "q2": "returning an unused boat", "q3": "canoe hire for a day"}
    lines(tmp_path / "queries.jsonl", [{"_id": key, "text": text} for key, text in queries.items()])
    golds = "q1\twarranty\t1\nq2\treturns\t1\nq3\tnowhere\t1\nq3\twarranty\t0\n"
    (tmp_path / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{golds}")
    found = run(capsys, "retrieval", "--data", str(tmp_path), "--store", str(tmp_path / "kept"))
    assert [one["stage"] for one in found] == ["sparse", "dense", "hybrid", "full: hybrid and rewrites"]
    for one in found:
        assert (
            one["ndcg_at_10"]
            == one["recall_at_5"]
            == one["all_golds_at_10"]
            == pytest.approx(2 / 3, abs=1e-3)
        )
        assert 0 < one["p50_ms"] <= one["p95_ms"]


def test_bank_asks_a_company_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, database_url: str
) -> None:
    """Gold documents, facts and refusals are scored; what is internal is kept for staff alone."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE bench_bank")
    monkeypatch.setenv("DESK_DATABASE_URL", make_conninfo(database_url, dbname="bench_bank"))
    monkeypatch.setenv("DESK_READER_ROLE", "bench_reader")
    documents = [{"id": key, "title": title, "content": text} for key, (title, text) in _PAGES.items()]
    lines(tmp_path / "documents.jsonl", documents)
    users = {"u1": {"user_id": "u1", "name": "Ann"}}
    (tmp_path / "db.json").write_text(json.dumps({"users": {"data": users}, "empty": {"data": {}}}))
    asked = [
        ("docs", "How long does the warranty on a hull last?", ["warranty"], ["24 months"]),
        ("docs", "What discount may staff give on paddles?", ["discount"], ["15 percent"]),
        ("unanswerable", "Who won the regatta in 1987?", [], []),
    ]
    lines(
        tmp_path / "questions_open.jsonl",
        [
            {"id": f"q{n}", "kind": kind, "question": question, "gold_docs": golds, "facts": facts}
            | {"customer_id": None, "alt_docs": [], "must_not": []}
            for n, (kind, question, golds, facts) in enumerate(asked)
        ],
    )
    found = run(capsys, "bank", "--data", str(tmp_path), "--home", str(tmp_path / "home"))
    told = {(one["id"], one["staff"]): (one["kept"], one["right"]) for one in found}
    assert told == {
        ("q0", True): (True, True),
        ("q0", False): (True, True),
        ("q1", True): (True, True),
        ("q1", False): (False, False),
        ("q2", True): (None, True),
        ("q2", False): (None, True),
    }


def test_scale_grows_a_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each size goes on from the one before, and a search by comparing with all finds the nearest."""
    monkeypatch.setattr(scale, "_QUERIES", 5)
    found = run(capsys, "scale", "--sizes", "60,40", "--folder", str(tmp_path / "grown"))
    assert [one["passages"] for one in found] == [40, 60]
    assert [one["recall_at_10"] for one in found] == [1.0, 1.0]
    for one in found:
        assert one["per_second"] > 0
        assert one["times_faster"] > 0
        assert one["peak_mb"] > 0
        assert 0 < one["hybrid_p50_ms"] <= one["hybrid_p95_ms"]
    assert sum(1 for _ in (tmp_path / "grown" / "corpus.jsonl").open()) == 60


@pytest.mark.parametrize("name", ["retrieval", "bank"])
def test_absent_data_are_one_clear_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and what to give."""
    assert bench.main([name, "--data", str(tmp_path / "nowhere")]) == 2
    told = capsys.readouterr().err
    assert "--data" in told
    assert told.count("\n") == 1
