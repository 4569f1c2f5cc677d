"""Files of many documents each."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tools.ingest.documents import IngestReport, ingest
from tools.stores.documents import DocumentStore
from tools.stores.embedder import OnnxEmbedder


@pytest.fixture
def store(tmp_path: Path, embedder: OnnxEmbedder) -> DocumentStore:
    """An empty store."""
    return DocumentStore.open(str(tmp_path / "store"), embedder)


def _lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path


def _outcome(report: IngestReport) -> tuple[tuple[str, ...], ...]:
    return report.added, report.changed, report.unchanged, report.removed


def test_each_line_is_a_document(store: DocumentStore, tmp_path: Path) -> None:
    """Its id, title and metadata are its own; other names for id and text are known."""
    file = _lines(
        tmp_path / "faq.jsonl",
        {
            "id": "a",
            "title": "Locks",
            "text": "A lock is free.",
            "category": "bikes",
            "updated": "2026-03-01",
        },
        {
            "_id": 7,
            "title": "Helmets",
            "content": "Helmets are for hire.",
            "audience": "internal",
            "language": "en",
        },
    )
    assert ingest([file], store).added == ("faq.jsonl#a", "faq.jsonl#7")
    locks, helmets = sorted(
        store.search("lock helmet", audience="internal"), key=lambda hit: -len(hit.passage.title)
    )
    assert locks.passage.title == "Helmets"
    assert (locks.passage.audience, locks.passage.category, locks.passage.language) == (
        "internal",
        "general",
        "en",
    )
    assert (helmets.passage.category, helmets.passage.updated) == ("bikes", date(2026, 3, 1))
    assert helmets.passage.path == str(file)


def test_only_the_lines_that_changed_are_done(store: DocumentStore, tmp_path: Path) -> None:
    """A line that is new, other or gone is a document added, changed or removed; their order is nothing."""
    a, b, c = ({"id": key, "text": f"Bike {key} is red."} for key in "abc")
    file = _lines(tmp_path / "bikes.jsonl", a, b)
    ingest([file], store)
    _lines(file, c, {**b, "text": "Bike b is blue."})
    report = ingest([file], store)
    assert _outcome(report) == (("bikes.jsonl#c",), ("bikes.jsonl#b",), (), ("bikes.jsonl#a",))
    assert sorted(store.known()) == ["bikes.jsonl#b", "bikes.jsonl#c"]
    assert ingest([file], store).unchanged == ("bikes.jsonl#c", "bikes.jsonl#b")


def test_broken_line_is_reported_and_nothing_is_lost(store: DocumentStore, tmp_path: Path) -> None:
    """Each broken line is named with its reason; while one is, no document of the file is taken for gone."""
    file = _lines(
        tmp_path / "bikes.jsonl", {"id": "a", "text": "A red bike."}, {"id": "b", "text": "A blue bike."}
    )
    ingest([file], store)
    file.write_text(
        '{"id": "a", "text": "A red bike."}\n{"id": "b", "te\n["no"]\n{"text": "no id"}\n\n'
        '{"id": "a", "text": "twice"}\n{"id": "d", "text": ""}\n{"id": "e", "text": 5}\n'
        '{"id": "f", "text": "F."}\n'
    )
    report = ingest([file], store)
    assert (report.added, report.removed) == (("bikes.jsonl#f",), ())
    assert [(one.path.rpartition(", ")[2], one.reason.partition(";")[0]) for one in report.failed] == [
        ("line 2", "it is not JSON"),
        ("line 3", "it is not an object"),
        ("line 4", "it has no id"),
        ("line 6", "the id 'a' stands there before"),
        ("#d", "no text could be read from it"),
        ("#e", "its text is not a string"),
    ]
    assert "bikes.jsonl#b" in store.known()


def test_file_of_many_that_is_gone_takes_its_documents_along(store: DocumentStore, tmp_path: Path) -> None:
    """When the file is no longer in its folder, all its documents go."""
    folder = tmp_path / "docs"
    folder.mkdir()
    file = _lines(folder / "bikes.jsonl", {"id": "a", "text": "Red."}, {"id": "b", "text": "Blue."})
    ingest([folder], store)
    file.unlink()
    assert ingest([folder], store).removed == ("bikes.jsonl#a", "bikes.jsonl#b")


def _export() -> dict[str, Any]:
    return {
        "sections": [{"id": 5, "name": "Returns"}],
        "articles": [
            {
                "id": 1,
                "locale": "en-us",
                "title": "Bringing a bike back",
                "body": "<h2>When</h2><p>Within <b>three</b> hours.</p>",
                "section_id": 5,
                "updated_at": "2026-03-01T10:00:00Z",
                "draft": False,
            },
            {
                "id": 1,
                "locale": "de",
                "title": "Rückgabe",
                "body": "<p>Binnen drei Stunden.</p>",
                "section_id": 5,
            },
            {"id": 2, "title": "Secret", "body": "<p>Not yet.</p>", "draft": True},
            {"id": 3, "title": "Staff", "body": "<p>The key is under the mat.</p>", "user_segment_id": 9},
            {"id": 4, "title": "Nothing", "body": ""},
        ],
    }


def test_help_centre_gives_its_articles(store: DocumentStore, tmp_path: Path) -> None:
    """HTML becomes Markdown, the section the category; each language is a document, drafts are none."""
    file = tmp_path / "help.json"
    file.write_text(json.dumps(_export()), encoding="utf-8")
    report = ingest([file], store)
    assert report.added == ("help.json#1.en-us", "help.json#1.de", "help.json#3")
    assert [one.reason for one in report.failed] == ["its body is empty"]
    (hit,) = store.search("bringing a bike back", k=1)
    assert hit.passage.text == "## When\n\nWithin **three** hours."
    assert (hit.passage.title, hit.passage.heading, hit.passage.category) == (
        "Bringing a bike back",
        "When",
        "Returns",
    )
    assert (hit.passage.language, hit.passage.updated) == ("en-us", date(2026, 3, 1))
    assert {
        one.passage.audience
        for one in store.search("key mat", audience="internal")
        if "key" in one.passage.text
    } == {"internal"}


@pytest.mark.parametrize(
    ("content", "reason"), [("{", "not JSON"), ('{"a": 1}', "no articles"), ("3", "no articles")]
)
def test_json_of_another_kind_is_one_clear_reason(
    store: DocumentStore, tmp_path: Path, content: str, reason: str
) -> None:
    """A file that holds no articles says what to give instead."""
    (tmp_path / "other.json").write_text(content)
    (failure,) = ingest([tmp_path / "other.json"], store).failed
    assert reason in failure.reason
    assert ".jsonl" in failure.reason
