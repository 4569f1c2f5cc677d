"""An ingest that is killed, and two at once: real processes, really killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from evals.bench.scale import WordVectors
from tools.ingest.documents import ingest
from tools.stores.documents import TABLE, DocumentStore, _schema

# Small transactions, so that a kill falls between, before, after and into several of them.
_CHILD = """
import sys
from evals.bench.scale import WordVectors
from tools.ingest import documents
from tools.stores.documents import DocumentStore

documents._BATCH = 6
store = DocumentStore.open(sys.argv[2], WordVectors())
report = documents.ingest([sys.argv[1]], store, progress=lambda now: print(now.doing, flush=True))
print("done", len(report.failed), flush=True)
"""
_DOCUMENTS = 24
_PARTS = 4  # passages of each document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of documents of several passages each."""
    root = tmp_path / "docs"
    root.mkdir()
    _write(root, "first")
    return root


def _write(root: Path, word: str) -> None:
    for number in range(_DOCUMENTS):
        parts = [f"# Part {part}\n\nThe {word} text of {number}.\n" for part in range(_PARTS)]
        (root / f"{number}.md").write_text("\n".join(parts))


def _start(folder: Path, store: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _CHILD, str(folder), str(store)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _kill_after(child: subprocess.Popen[str], lines: int) -> None:
    """Kill the child when it has told so many lines, or when it has ended."""
    assert child.stdout is not None
    for number, _ in enumerate(child.stdout, 1):
        if number == lines:
            os.kill(child.pid, signal.SIGKILL)
            break
    child.wait()
    child.stdout.close()


def _documents(store: Path) -> dict[str, list[tuple[int, str]]]:
    """The passages of every document that stands in the store."""
    found: dict[str, list[tuple[int, str]]] = defaultdict(list)
    opened = DocumentStore.open(str(store), WordVectors())
    for hit in opened.search("part text", k=1000, mode="dense"):
        found[hit.passage.doc_id].append((hit.passage.number, hit.passage.text.split("The ")[1].split()[0]))
    return {doc_id: sorted(passages) for doc_id, passages in found.items()}


def test_killed_at_any_moment_no_document_is_half(folder: Path, tmp_path: Path) -> None:
    """After each kill every document is whole, in its old form or its new one; the last run does the rest."""
    store = tmp_path / "store"
    chance = random.Random(os.environ.get("CI") and 1)  # noqa: S311 - the moments differ from run to run
    for word, kills in (("first", 1), ("second", 2)):
        _write(folder, word)
        before = _documents(store)
        for _ in range(kills):
            _kill_after(_start(folder, store), chance.randint(1, _DOCUMENTS))
            standing = _documents(store)
            assert standing.keys() >= before.keys()
            for passages in standing.values():
                assert [number for number, _ in passages] == list(range(_PARTS))
                assert len({said for _, said in passages}) == 1
        report = ingest([folder], DocumentStore.open(str(store), WordVectors()))
        assert not report.failed
        whole = [(number, word) for number in range(_PARTS)]
        assert _documents(store) == {f"{number}.md": whole for number in range(_DOCUMENTS)}


def test_two_at_once_leave_each_document_once(folder: Path, tmp_path: Path) -> None:
    """Two processes that take in the same folder end well, and nothing is there twice."""
    store = tmp_path / "store"
    children = [_start(folder, store) for _ in range(2)]
    told = [child.communicate()[0].splitlines() for child in children]
    assert [lines[-1] for lines in told] == ["done 0", "done 0"]
    assert DocumentStore.open(str(store), WordVectors()).count() == _DOCUMENTS * _PARTS
    assert set(_documents(store)) == {f"{number}.md" for number in range(_DOCUMENTS)}
    again = ingest([folder], DocumentStore.open(str(store), WordVectors()))
    assert (again.added, again.changed, again.passages) == ((), (), 0)


@pytest.mark.parametrize("made", ["a folder", "a table"])
def test_what_a_maker_left_half_made_is_finished(made: str, folder: Path, tmp_path: Path) -> None:
    """A store whose maker came no further than the table without its indexes, or its folder, is filled."""
    store = tmp_path / "store"
    if made == "a folder":
        (store / f"{TABLE}.lance").mkdir(parents=True)
    else:
        opened = DocumentStore.open(str(store), WordVectors())
        opened._connection.create_table(TABLE, schema=_schema(opened.embedder))
    assert not ingest([folder], DocumentStore.open(str(store), WordVectors())).failed
    assert len(_documents(store)) == _DOCUMENTS
