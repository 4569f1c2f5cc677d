"""Statements that contradict each other or have ended, and how answers tell them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from itertools import count

import pytest

from tools.graph_ask import Answer, Question
from tools.graph_lookup import look
from tools.stores.graph import GraphStore
from tools.stores.graph_types import Audience, EdgeSpec, EntitySpec, Relation, Share
from tools.stores.postgres import open_pool

_SCHEMAS = count()
RELATIONS = [
    Relation("owned_by", "is owned by", "owns", single=True),
    Relation("needs", "needs", "is needed by"),
]
EDGES = [
    EdgeSpec("Billing", "owned_by", "Red", "old.md", since=date(2023, 5, 1)),
    EdgeSpec("Billing", "owned_by", "Blue", "new.md", since=date(2025, 2, 1)),
    EdgeSpec("Billing", "owned_by", "Green", "inside.md", "internal"),
    EdgeSpec("Portal", "owned_by", "Blue", "new.md", since=date(2025, 2, 1)),
    EdgeSpec("Portal", "owned_by", "Red", "old.md", since=date(2023, 5, 1), until=date(2025, 2, 1)),
    EdgeSpec("Search", "needs", "Index", "old.md", until=date(2025, 2, 1)),
    EdgeSpec("Search", "needs", "Portal", "old.md", until=date(2027, 1, 1)),
    EdgeSpec("Store", "needs", "Index", "old.md", until=date(2025, 2, 1)),
    EdgeSpec("Queue", "needs", "Index", "old.md", until=date(2025, 2, 1)),
    EdgeSpec("Queue", "needs", "Index", "new.md"),
]


@pytest.fixture
def store(database_url: str) -> Iterator[GraphStore]:
    """Services whose owners and needs changed, as seen in the summer of 2026."""
    made = GraphStore(open_pool(database_url), f"times_{next(_SCHEMAS)}", today=lambda: date(2026, 7, 1))
    names = sorted({name for edge in EDGES for name in (edge.src, edge.dst)})
    made.replace({"all": Share([EntitySpec(name, "thing") for name in names], EDGES)}, RELATIONS)
    yield made
    made.close()


def asked(store: GraphStore, name: str, relation: str, audience: Audience = "public") -> Answer:
    """What one relation of a thing gives."""
    return look(store, Question(name, relation=relation, direction="out"), "", audience)


def test_sources_that_disagree_are_told_with_their_times(store: GraphStore) -> None:
    """Two owners at once cannot both be right: each is told with its place and day, the latest first."""
    (finding,) = asked(store, "Billing", "owned_by").findings
    ways = "Billing is owned by Blue (new.md, since 2025-02-01) and Red (old.md, since 2023-05-01)."
    assert f"The sources disagree: {ways}" in finding.text
    assert "The latest statement says that Billing is owned by Blue." in finding.text
    assert "Green" not in finding.text
    assert "Green (inside.md)" in asked(store, "Billing", "owned_by", "internal").findings[0].text


def test_a_contradiction_is_seen_from_the_other_side_too(store: GraphStore) -> None:
    """Asked what a team owns, the answer says where another source names another owner, with its edge."""
    (finding,) = look(store, Question("Red", relation="owned_by", direction="in"), "").findings
    assert "The sources disagree: Billing is owned by Blue" in finding.text
    assert {(edge.src, edge.dst) for edge in finding.edges} == {("Billing", "Red"), ("Billing", "Blue")}


def test_what_has_ended_is_told_beside_what_holds(store: GraphStore) -> None:
    """An earlier owner is no contradiction: it is told with the days from which and until which it was."""
    (finding,) = asked(store, "Portal", "owned_by").findings
    assert finding.names == ("Blue",)
    assert "disagree" not in finding.text
    assert "Portal is owned by Red from 2023-05-01 until 2025-02-01." in finding.text


def test_only_what_has_ended_is_told_as_such(store: GraphStore) -> None:
    """Where nothing holds any more, what did is found, and the answer says that it no longer does."""
    answer = asked(store, "Store", "needs")
    assert answer.findings[0].text == "Store needs Index until 2025-02-01."
    assert answer.notes == ("this no longer holds, and nothing that does is known.",)


def test_what_will_end_says_when(store: GraphStore) -> None:
    """An edge with a last day tells it; one that another source states without an end does not end."""
    (finding,) = asked(store, "Search", "needs").findings
    assert finding.text == "Search needs Portal. Search needs Portal until 2027-01-01."
    assert asked(store, "Queue", "needs").findings[0].text == "Queue needs Index."
