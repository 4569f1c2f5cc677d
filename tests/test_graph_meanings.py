"""Names in other words: found by meaning where no spelling explains them, and only then."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import pytest

from tools.graph_ask import Question
from tools.graph_lookup import look
from tools.stores.embedder import Embedder
from tools.stores.graph import GraphStore
from tools.stores.graph_meanings import learn, meant
from tools.stores.graph_types import EdgeSpec, EntitySpec, Relation, Share
from tools.stores.postgres import open_pool

_SCHEMAS = count()
NEEDS = Relation("needs", "needs", "is needed by")
THINGS = ("Cart Service", "Tax Tables", "Coffee Grinder", "Head of Engineering", "Stock DB", "Orders DB")


@pytest.fixture
def store(database_url: str, embedder: Embedder) -> Iterator[GraphStore]:
    """Some things, each with an edge; the head of engineering is internal."""
    made = GraphStore(open_pool(database_url), f"meanings_{next(_SCHEMAS)}")
    edges = [
        EdgeSpec(a, "needs", b, "a.md") for a, b in zip(THINGS, ("Tax Tables", "Stock DB"), strict=False)
    ]
    edges += [EdgeSpec("Orders DB", "needs", "Coffee Grinder", "a.md")]
    edges += [EdgeSpec("Head of Engineering", "needs", "Orders DB", "inside.md", "internal")]
    made.replace({"all": Share([EntitySpec(name, "thing") for name in THINGS], edges)}, [NEEDS])
    learn(made, embedder)
    yield made
    made.close()


def test_a_name_in_other_words_is_found_and_said(store: GraphStore, embedder: Embedder) -> None:
    """What only means the same is read as that thing, beside a note of how it was read."""
    answer = look(store, Question("coffee mill"), "", embedder=embedder)
    assert answer.about == "Coffee Grinder"
    assert answer.notes == ('"coffee mill" was read as Coffee Grinder.',)
    assert look(store, Question("coffee mill", other="orders db"), "", embedder=embedder).findings
    assert look(store, Question("coffee mill"), "").missing.startswith("no entity named")


def test_spelling_goes_before_meaning(store: GraphStore, embedder: Embedder) -> None:
    """A misspelt name is the thing that is spelt like it, whatever else it may mean."""
    answer = look(store, Question("Cofee Grindre"), "", embedder=embedder)
    assert answer.about == "Coffee Grinder"
    assert store.find_mentions("Cofee Grindre")[0].match == "typo"


def test_what_may_be_two_things_is_asked_back(store: GraphStore, embedder: Embedder) -> None:
    """Of two names that mean about the same, or one that is not near enough, none is taken."""
    for text, names in (("database", ("Stock DB", "Orders DB")), ("dishwasher", ("Coffee Grinder",))):
        answer = look(store, Question(text), "", embedder=embedder)
        assert answer.findings == ()
        assert "did you mean" in answer.missing
        assert all(name in answer.missing for name in names)


@pytest.mark.parametrize("text", ["payroll accounting", "what is needed for the coffee mill?"])
def test_what_names_nothing_stays_unknown(store: GraphStore, embedder: Embedder, text: str) -> None:
    """Neither other things nor whole questions are taken for a name."""
    assert look(store, Question(text), text, embedder=embedder).findings == ()


def test_customers_are_offered_nothing_internal(store: GraphStore, embedder: Embedder) -> None:
    """A thing that only internal documents name is found for staff alone."""
    staff = meant(store, "chief engineer", embedder, "internal")
    assert staff is not None
    assert staff.entity.name == "Head of Engineering"
    public = meant(store, "chief engineer", embedder, "public")
    assert public is None or "Head of Engineering" not in {
        one.name for one in (public.entity, *public.alternatives)
    }


def test_names_are_learned_once(store: GraphStore, embedder: Embedder) -> None:
    """Only new names are turned into vectors, and those that are gone are no longer found."""
    assert learn(store, embedder) == 0
    store.replace(
        {"all": Share([EntitySpec("Stock DB", "thing"), EntitySpec("Return Portal", "thing")])}, [NEEDS]
    )
    assert learn(store, embedder) == 1
    gone = meant(store, "coffee mill", embedder, "internal")
    assert gone is None or gone.entity.name != "Coffee Grinder"
