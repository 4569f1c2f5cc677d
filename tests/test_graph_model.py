"""A language model reads passages for the graph, over real HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Literal

import pytest

from agent.commands.graph_model import Budget, read_with_model, told
from agent.models.asking import asking
from agent.prices import Price, PriceTable
from agent.settings import Settings
from agent.testing import HttpError, ModelServer, Text
from tests.test_graph_build import PLAN, Shelf
from tools.errors import BadInput, ConfigurationError, SourceUnavailable
from tools.ingest.graph_build import Builder
from tools.ingest.graph_model import Room, Spent
from tools.stores.graph import GraphStore
from tools.stores.postgres import open_pool

_SCHEMAS = count()
EVERY = [("Booking", "needs", "Billing")]
PRICES = PriceTable(models=(Price(name="m", input=1.0, output=10.0),))


@pytest.fixture
def store(database_url: str) -> Iterator[GraphStore]:
    """An empty graph."""
    made = GraphStore(open_pool(database_url), f"model_{next(_SCHEMAS)}")
    yield made
    made.close()


def answer(*passages: list[tuple[str, str, str]]) -> Text:
    """An answer about the passages in order."""
    edges = [[{"src": a, "relation": b, "dst": c} for a, b, c in one] for one in passages]
    return Text(json.dumps({"passages": [{"number": n, "edges": one} for n, one in enumerate(edges, 1)]}))


def settings(server: ModelServer, api: Literal["responses", "chat"] = "responses") -> Settings:
    """The desk's settings with this server as the model."""
    return Settings(
        openai_api_key="any", openai_base_url=server.base_url, api=api, model="m", model_retries=0
    )


def builder(store: GraphStore, folder: Path, shelf: Shelf) -> Builder:
    """Builds from the shelf."""
    file = folder / "graph.yaml"
    file.write_text(PLAN, encoding="utf-8")
    return Builder(file, store, shelf)


def shelf(documents: int) -> Shelf:
    """Documents that state one connection in words that only a model understands."""
    return Shelf(
        {f"{n}.md": f"# N{n}\n\nBilling stands behind Booking, number {n}.\n" for n in range(documents)}
    )


def no_limit(sent: int, got: int) -> int | None:
    """No limit in tokens."""
    return None


def read(made: Builder, server: ModelServer, room: Room = no_limit) -> Spent:
    """Have the server's model read what is unread."""
    with asking(settings(server), "graph_edges") as ask:
        return made.read_with_model(ask, room)[0]


def edges(store: GraphStore, name: str) -> set[str]:
    """What the graph says of a thing."""
    return {edge.sentence for edge in store.neighbours(store.find_mentions(name)[0].entity).edges}


@pytest.mark.parametrize("api", ["responses", "chat"])
def test_what_the_model_says_is_checked(
    store: GraphStore, tmp_path: Path, api: Literal["responses", "chat"]
) -> None:
    """An edge counts when both names stand in the passage and are known; it names the passage it is from."""
    passages = Shelf({"a.md": "# Calls\n\nWithout Billing, no call of Booking ever comes back.\n"})
    said = answer(
        [
            ("Booking", "needs", "Billing"),
            ("Booking", "needs", "Web Portal"),
            ("Booking", "needs", "Moon"),
            ("Booking", "fits", "Billing"),
            ("Booking", "adores", "Billing"),
        ]
    )
    with ModelServer(said) as server, asking(settings(server, api), "graph_edges") as ask:
        spent, _ = builder(store, tmp_path, passages).read_with_model(ask, no_limit)
        (request,) = server.requests
    assert (spent.passages, spent.left) == (1, 0)
    assert spent.input_tokens > 0
    (edge,) = store.neighbours(store.find_mentions("Booking")[0].entity).edges
    assert (edge.sentence, edge.stated_in) == ("Booking needs Billing.", ("a.md#Calls",))
    sent = json.dumps(request.body)
    assert "Without Billing" in sent
    assert '"enum": ["needs", "fits"]' in sent


def test_nothing_is_asked_twice_and_what_changed_is_asked_again(store: GraphStore, tmp_path: Path) -> None:
    """Each passage is read once; an edge of a passage that changed is gone until it is read again."""
    documents = shelf(8)
    with ModelServer(answer(*[EVERY] * 6), answer(*[EVERY] * 2)) as server:
        made = builder(store, tmp_path, documents)
        assert made.estimate_model().calls == 2
        read(made, server)
        assert made.estimate_model().passages == 0
        assert made.build().passages == 0
        assert edges(store, "Booking") == {"Booking needs Billing."}
        documents.texts = {"0.md": "# N0\n\nBilling stands beside Booking.\n"}
        made.build()
        assert edges(store, "Booking") == set()
        server.add(answer([("Billing", "needs", "Booking")]))
        read(made, server)
        assert edges(store, "Booking") == {"Billing needs Booking."}
        assert len(server.requests) == 3


def test_an_answer_of_no_use_is_asked_for_in_halves(store: GraphStore, tmp_path: Path) -> None:
    """One passage that a model cannot answer for does not keep the others from being read."""
    made = builder(store, tmp_path, shelf(2))
    with ModelServer(Text("no JSON"), Text("none again"), answer(EVERY)) as server:
        spent = read(made, server)
        assert (spent.passages, spent.left, len(server.requests)) == (1, 1, 3)
    assert made.estimate_model().passages == 1


def test_a_model_that_fails_leaves_what_was_read(store: GraphStore, tmp_path: Path) -> None:
    """The failure is one clear line, and the batches before it are not asked for again."""
    made = builder(store, tmp_path, shelf(12))
    with ModelServer(answer(*[EVERY] * 6), HttpError(500, "down")) as server:
        with pytest.raises(SourceUnavailable, match="answered with status 500"):
            read(made, server)
        assert made.estimate_model().passages == 6
        server.add(answer(*[EVERY] * 6))
        assert read(made, server).left == 0


def test_the_cost_is_told_and_its_cap_is_kept(
    store: GraphStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it will cost stands on the screen before the first call, and no call may go over the cap."""
    made = builder(store, tmp_path, shelf(12))
    ahead = made.estimate_model()
    cost = (ahead.input_tokens + 10 * ahead.output_tokens) / 1_000_000
    cap = 0.52 * cost
    with ModelServer(answer(*[EVERY] * 6), otherwise=HttpError(500, "too much")) as server:
        budget = Budget("m", PRICES, limit=cap, yes=True)
        (done,) = read_with_model([made], settings(server), budget, print)
        (request,) = server.requests
    said = capsys.readouterr().err
    assert f"12 passages in 2 calls of m, about {ahead.input_tokens} tokens in" in said
    assert f"{cost:.4f} USD, and no more than {cap:g}" in said
    assert (done.spent.passages, done.spent.left) == (6, 6)
    assert done.cost is not None
    assert done.cost <= cap
    assert 0 < request.body["max_output_tokens"] * 10 / 1_000_000 <= cap
    assert "6 passages read by m, 6 left" in told(done, budget)


def test_nothing_is_spent_unasked(store: GraphStore, tmp_path: Path) -> None:
    """Without a terminal it has to be said; a cap needs a price; and there has to be a model."""
    made = builder(store, tmp_path, shelf(1))
    with ModelServer() as server:
        with pytest.raises(BadInput, match="say --yes"):
            read_with_model([made], settings(server), Budget("m", PRICES, None, yes=False), print)
        with pytest.raises(BadInput, match="--max-cost: m has no price; give it one in DESK_PRICES"):
            Budget.of(settings(server), 1.0, yes=True)
        assert server.requests == []
    with pytest.raises(ConfigurationError, match="--model needs a language model"):
        read_with_model([made], Settings(), Budget("m", PRICES, None, yes=True), print)
