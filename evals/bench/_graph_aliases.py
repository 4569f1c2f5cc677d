"""Other words for the demo company's things: how many find what is meant, and by which kind of match."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from agent.settings import Settings
from agent.sources import open_embedder
from demo.build import FOLDER
from tools.graph_ask import Question, named_things
from tools.ingest.edges import load_graph
from tools.stores.embedder import Embedder
from tools.stores.graph import GraphStore
from tools.stores.graph_meanings import learn
from tools.stores.graph_types import Mention
from tools.stores.postgres import open_pool

_CASES = Path(__file__).with_name("graph_aliases.yaml")


def run(url: str, home: Path) -> dict[str, Any]:
    """Shares, in [0, 1], with the matches by spelling alone beside those with meaning as the last resort."""
    cases = yaml.safe_load(_CASES.read_text(encoding="utf-8"))
    embedder = open_embedder(Settings(home=home))
    store = GraphStore(open_pool(url), "aliases")
    load_graph(FOLDER / "graph.yaml", store)
    learn(store, embedder)
    found: dict[str, Any] = {}
    for part in ("look", "test"):
        for told, by in (("spelling", None), ("with_meaning", embedder)):
            pairs = [(name, _named(store, text, by)) for text, name in cases[part].items()]
            found[f"{part}_{told}"] = _shares(pairs)
    nothing = [_named(store, text, embedder) for text in cases["none"]]
    found["none"] = {
        "names": len(nothing),
        "read_as_something": sum(one is not None and one.clear for one in nothing) / len(nothing),
        "asked_back": sum(one is not None and not one.clear for one in nothing) / len(nothing),
    }
    store.close()
    return found


def _named(store: GraphStore, text: str, embedder: Embedder | None) -> Mention | None:
    mentions = named_things(store, Question(text), store.vocabulary(), "internal", embedder)
    return mentions[0] if mentions else None


def _shares(pairs: Sequence[tuple[str, Mention | None]]) -> dict[str, Any]:
    def share(kept: Iterable[object]) -> float:
        return len(list(kept)) / len(pairs)

    clear = [(name, one) for name, one in pairs if one and one.clear]
    vague = [(name, one) for name, one in pairs if one and not one.clear]
    return {
        "names": len(pairs),
        "right": share(1 for name, one in clear if one.entity.name == name),
        "wrong": share(1 for name, one in clear if one.entity.name != name),
        "asked_back_with_it": share(
            1 for name, one in vague if name in {each.name for each in (one.entity, *one.alternatives)}
        ),
        "asked_back_without": share(
            1 for name, one in vague if name not in {each.name for each in (one.entity, *one.alternatives)}
        ),
        "matches": dict(Counter(one.match if one else "none" for _, one in pairs)),
    }
