"""Whether an answer rests on what has changed since the graph was built, and that it says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from agents.tool_context import ToolContext

import tools.graph_fresh as graph_fresh
from tests.test_graph_build import PLAN, Shelf, Works
from tools.context import DeskContext, Sources
from tools.graph_fresh import Freshness
from tools.graph_query import build
from tools.ingest.documents import ingest
from tools.ingest.graph_build import Builder
from tools.stores.documents import DocumentStore
from tools.stores.embedder import Embedder


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> Shelf:
    """Two documents; a look at the sources holds for no time."""
    monkeypatch.setattr(graph_fresh, "_KEPT", 0.0)
    return Shelf(
        {"a.md": "# A\n\nBooking needs Billing.\n", "b.md": "# B\n\nBilling needs the Web Portal.\n"}
    )


@pytest.fixture
def works(database_url: str, tmp_path: Path, shelf: Shelf) -> Iterator[Works]:
    """A graph built from them."""
    made = Works(database_url, tmp_path)
    made.builder(shelf).build()
    yield made
    made.store.close()


def note(works: Works, shelf: Shelf, name: str) -> str | None:
    """What is said beside the edges of a thing."""
    edges = works.store.neighbours(works.store.find_mentions(name)[0].entity, direction="out").edges
    return Freshness(works.store, cast("Any", shelf)).note(edges)


def test_only_what_an_answer_rests_on_counts(works: Works, shelf: Shelf) -> None:
    """A changed document is named beside its own edges and no others, until the graph is built again."""
    assert note(works, shelf, "Booking") is None
    shelf.texts["a.md"] = "# A\n\nBooking needs nothing.\n"
    said = note(works, shelf, "Booking")
    assert said is not None
    assert said.startswith("a.md changed since the graph was built")
    assert "desk graph build" in said
    assert note(works, shelf, "Billing") is None
    works.builder(shelf).build()
    assert note(works, shelf, "Booking") is None


def test_a_document_that_is_gone_is_told(works: Works, shelf: Shelf) -> None:
    """What is no longer there has changed too."""
    del shelf.texts["b.md"]
    assert "b.md changed" in str(note(works, shelf, "Billing"))


def test_a_changed_graph_file_is_told(works: Works, shelf: Shelf) -> None:
    """Edges that the file itself declares are out of date when the file is another one."""
    edge = "edges: [{src: Booking, relation: needs, dst: Web Portal, stated_in: wiki, audience: public}]\n"
    works.builder(shelf, PLAN + edge).build()
    assert note(works, shelf, "Booking") is None
    works.file.write_text(PLAN, encoding="utf-8")
    assert "works changed" in str(note(works, shelf, "Booking"))


async def test_an_answer_from_a_stale_graph_says_so(
    works: Works, shelf: Shelf, tmp_path: Path, embedder: Embedder
) -> None:
    """The tool's answer carries the note once a document that it rests on was taken in anew."""
    file = tmp_path / "docs" / "a.md"
    file.parent.mkdir()
    file.write_text(shelf.texts["a.md"], encoding="utf-8")
    documents = DocumentStore.open(str(tmp_path / "store"), embedder)
    ingest([file.parent], documents)
    Builder(works.file, works.store, documents).build()
    sources = Sources(graph=works.store, documents=documents)
    tool = build(sources)

    async def asked() -> str:
        given = json.dumps({"entity": "Booking", "other": None, "relation": None, "direction": "out"})
        desk = DeskContext(sources)
        context = ToolContext(context=desk, tool_name="graph_query", tool_call_id="1", tool_arguments=given)
        return str(await tool.on_invoke_tool(context, given))

    assert "changed since" not in await asked()
    file.write_text("# A\n\nBooking needs nothing.\n", encoding="utf-8")
    ingest([file.parent], documents)
    assert "<note>a.md changed since the graph was built" in await asked()
