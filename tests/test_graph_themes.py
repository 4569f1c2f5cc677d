"""Themes of a graph: found, kept while nothing changed, told, and written by a model that is checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations, count

import pytest

from agent.commands.graph_model import Budget
from agent.commands.graph_themes import made_themes
from agent.prices import PriceTable
from agent.settings import Settings
from agent.testing import ModelServer, Text
from tools.graph_ask import Question
from tools.graph_lookup import look
from tools.ingest.graph_themes import refresh
from tools.stores.graph import GraphStore
from tools.stores.graph_themes import GraphThemes
from tools.stores.graph_types import Audience, EdgeSpec, EntitySpec, Kind, Relation, Share
from tools.stores.postgres import open_pool

_SCHEMAS = count()
HAS = Relation("has", "suffers from", "troubles")
NEAR = Relation("near", "stands beside", "stands beside")
KINDS = [Kind("fault", ("problem",)), Kind("pump", ())]


@pytest.fixture
def store(database_url: str) -> Iterator[GraphStore]:
    """Two groups of things that one edge joins; the second is internal."""
    made = GraphStore(open_pool(database_url), f"themes_{next(_SCHEMAS)}")
    fill(made)
    yield made
    made.close()


def fill(store: GraphStore, *more: tuple[str, str]) -> None:
    """Pumps with faults, of which Leak troubles most, and mowers, of which only the staff knows."""
    pumps = [(f"Pump P{n}", "Leak") for n in (1, 2, 3)] + [(f"Pump P{n}", "Noise") for n in (1, 2)]
    mowers = [(f"Mower {name}", fault) for name in "XYZ" for fault in ("Rust", "Stall")]
    edges = [EdgeSpec(a, "has", b, "pumps.md") for a, b in [*pumps, *more]]
    edges += [EdgeSpec(a, "has", b, "inside.md", "internal") for a, b in [*mowers, ("Pump P3", "Rust")]]
    for kind in ("Pump", "Mower"):
        audience: Audience = "public" if kind == "Pump" else "internal"
        names = sorted({edge.src for edge in edges if edge.src.startswith(kind)})
        edges += [EdgeSpec(a, "near", b, f"{kind}s.md", audience) for a, b in combinations(names, 2)]
    kinds = {edge.dst: "fault" for edge in edges if edge.relation == "has"}
    ends = {name for edge in edges for name in (edge.src, edge.dst)}
    things = [EntitySpec(name, kinds.get(name, name.split()[0].lower())) for name in sorted(ends)]
    store.replace({"all": Share(things, edges)}, [HAS, NEAR], KINDS)


def test_groups_are_found_for_each_audience(store: GraphStore) -> None:
    """What is connected most among itself is a theme; to the public nothing internal is, not even a name."""
    refresh(store)
    kept = GraphThemes(store)
    (public,) = kept.all("public", 0)
    assert (public.things, public.connections, public.parent) == (5, 8, None)
    assert "Mower" not in public.summary
    inside = kept.all("internal", 0)
    assert [one.things for one in inside] == [5, 5]
    assert sum(one.connections for one in inside) == 17  # the edge between the two is in neither
    assert public.summary.startswith("The most connected things are Pump P1 (4 connections), ")
    assert "The most connected faults are Leak (3 connections) and Noise (2 connections)." in public.summary


def test_a_large_group_is_divided(database_url: str) -> None:
    """What is too large to be told has parts on the next level, each of which names what it is a part of."""
    ring = [(f"n{n}", f"n{(n + step) % 120}") for n in range(120) for step in (1, 2)]
    names = [EntitySpec(f"n{n}", "node") for n in range(120)]
    made = GraphStore(open_pool(database_url), f"themes_{next(_SCHEMAS)}")
    share = Share(names, [EdgeSpec(a, "has", b, "ring.md") for a, b in ring])
    try:
        made.replace({"ring": share}, [HAS])
        refresh(made)
        found = GraphThemes(made).all("public")
    finally:
        made.close()
    tops = {one.number for one in found if one.level == 0}
    assert sum(one.things for one in found if one.level == 0) == 120
    assert all(one.parent in tops for one in found if one.level == 1)


def test_only_what_changed_is_written_anew(store: GraphStore) -> None:
    """A group whose edges are what they were keeps its summary, also a model's; the other gets a new one."""
    refresh(store)
    kept = GraphThemes(store)
    (pumps,) = kept.all("public", 0)
    mowers = next(one for one in kept.all("internal", 0) if one.digest != pumps.digest)
    kept.write(mowers.digest, "About mowers.", "m")
    assert refresh(store).changed == 0
    fill(store, ("Pump P3", "Noise"))
    assert not kept.fresh()
    assert refresh(store).changed == 1
    assert kept.fresh()
    assert {one.summary for one in kept.all("internal", 0)} >= {"About mowers."}


def test_what_is_most_common_is_told(store: GraphStore) -> None:
    """A question for what is most common gives the things of the kind asked for, most connected first."""
    refresh(store)
    for asked in ("what are the most common problems with Pump P2", "most frequent problems"):
        answer = look(store, Question(asked), asked)
        told = "The most connected faults are Leak (3 connections) and Noise (2 connections)."
        assert answer.findings[0].text.count(told) == 1
        assert answer.findings[0].names == ("Leak", "Noise")
        assert {edge.stated_in for edge in answer.findings[0].edges} <= {("pumps.md",), ("Pumps.md",)}
        assert answer.notes == ()
    fill(store, ("Pump P3", "Noise"))
    assert "themes are older than the graph" in look(store, Question("Pump P1", find="themes"), "").notes[0]


def test_without_themes_that_is_said(store: GraphStore) -> None:
    """Asked for themes that were never made, the way to them is told; other questions go on as before."""
    assert "`desk graph build --themes`" in look(store, Question("all", find="themes"), "").missing
    assert look(store, Question("most common problems of Pump P1"), "").about == "Pump P1"


def test_a_model_writes_what_the_grader_finds_supported(
    store: GraphStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of a model's summary only what the edges say is kept; nothing of use leaves the extractive one."""
    refresh(store)
    said = ["Pump P1 suffers from Leak. Pump P1 costs 300 euros.", "Everything is fine with all mowers."]
    with ModelServer(*(Text(json.dumps({"summary": one})) for one in said)) as server:
        settings = Settings(openai_api_key="any", openai_base_url=server.base_url, model="m", model_retries=0)
        budget = Budget("m", PriceTable(), None, yes=True)
        themed = made_themes(store, settings, budget, [], print, asked=False, model=True)
        assert len(server.requests) == 2

    assert "2 themes in 2 calls of m" in capsys.readouterr().err
    assert themed is not None
    assert (themed.written, themed.left) == (1, 0)
    assert "1 written by m, 0 left" in themed.told(budget)
    assert GraphThemes(store).unwritten() == []
    (pumps,) = GraphThemes(store).all("public", 0)
    assert (pumps.summary, pumps.written_by) == ("Pump P1 suffers from Leak.", "m")
