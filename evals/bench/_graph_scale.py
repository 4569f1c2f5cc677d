"""A graph of a million edges in the store, in networkx and in an embedded graph database, asked the same."""

from __future__ import annotations

import csv
import gc
import importlib.util
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import psycopg

from tools.stores.graph import GraphStore
from tools.stores.graph_types import EdgeSpec, Entity, EntitySpec, Relation
from tools.stores.postgres import open_pool

_PER_THING = 5  # edges for each thing
_HOPS = 3
_PATH_HOPS = 6
_MANY = 100_000  # so many things the store may give here, to be compared with those that give all
_HUB_TIMES = 5  # that the hub's dependents are asked for
_HUB_PATHS = 50  # that are asked for from it
_LIBRARIES = ("networkx", "ladybug")

Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class _Engine:
    """A graph that was built, and how it is asked.

    Attributes:
        facts: What building took, and what is known of it.
        dependents: How many things need one, directly or through others.
        path: A shortest way between two things; what it gives is not looked at.
        bounded: The same within the bounds of a question, where the engine has such.
        close: Ends it.
    """

    facts: dict[str, Any]
    dependents: Callable[[int], int]
    path: Callable[[tuple[int, int]], object]
    bounded: _Engine | None = None
    close: Callable[[], None] = lambda: None


def missing() -> str:
    """The libraries that are compared with and not installed."""
    return " ".join(name for name in _LIBRARIES if importlib.util.find_spec(name) is None)


def run(url: str, edges: int, queries: int, scratch: Path) -> dict[str, Any]:
    """Build the same graph three times and ask each the same questions."""
    pairs = _pairs(edges)
    draw = random.Random(1)  # noqa: S311 - the same questions every time
    things = 1 + max(max(pair) for pair in pairs)
    hub = Counter(dst for _, dst in pairs).most_common(1)[0][0]
    starts = [draw.randrange(things) for _ in range(queries)]
    ends = [(draw.randrange(things), draw.randrange(things)) for _ in range(queries)]
    told = {"things": things, "edges": len(pairs), "edges_to_the_largest_hub": _degree(pairs, hub)}
    asked = {hub, *starts, *(number for pair in ends for number in pair)}
    engines: dict[str, Callable[[], _Engine]] = {
        "citedesk": lambda: _store(url, pairs, asked, hub),
        "networkx": lambda: _networkx(pairs),
        "ladybug": lambda: _ladybug(pairs, scratch),
    }
    return {**told, **{name: _asked(build(), starts, ends, hub) for name, build in engines.items()}}


def _asked(engine: _Engine, starts: Sequence[int], ends: Pairs, hub: int) -> dict[str, Any]:
    """The same questions to each engine, those at the largest hub last."""
    told = {
        **engine.facts,
        "dependents": _timed(engine.dependents, starts),
        "path": _timed(engine.path, ends),
        "at_the_hub": _at_hub(engine, ends, hub),
    }
    if engine.bounded is not None:
        told["at_the_hub_within_bounds"] = engine.bounded.facts | _at_hub(engine.bounded, ends, hub)
    engine.close()
    return told


def _at_hub(engine: _Engine, ends: Pairs, hub: int) -> dict[str, Any]:
    return {
        "told": engine.dependents(hub),
        "dependents": _timed(engine.dependents, [hub] * _HUB_TIMES),
        "path": _timed(engine.path, [(hub, end) for _, end in ends[:_HUB_PATHS]]),
    }


def _degree(pairs: Pairs, node: int) -> int:
    return sum(dst == node for _, dst in pairs)


def _pairs(edges: int) -> Pairs:
    """Each new thing needs some earlier ones, those that many need already the more often (Barabási and
    Albert, Science 1999), so that there are hubs.
    """
    draw = random.Random(0)  # noqa: S311 - the same graph every time
    ends = [0]
    pairs: set[tuple[int, int]] = set()
    thing = 1
    while len(pairs) < edges:
        for _ in range(_PER_THING):
            other = draw.choice(ends) if draw.random() < 0.7 else draw.randrange(thing)
            pairs.add((thing, other))
            ends.append(other)
        thing += 1
    return sorted(pairs)[:edges]


def _timed(work: Callable[[Any], object], asked: Sequence[Any]) -> dict[str, float]:
    seconds = []
    for one in asked:
        began = time.perf_counter()
        work(one)
        seconds.append(1000 * (time.perf_counter() - began))
    return {"p50_ms": median(seconds), "p95_ms": quantiles(seconds, n=20)[-1]}


def _memory() -> float:
    """What this process holds now, in MB."""
    gc.collect()
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize() / 1e6


def _store(url: str, pairs: Pairs, asked: Collection[int], hub: int) -> _Engine:
    before = _memory()
    began = time.perf_counter()
    store = GraphStore(open_pool(url), "scale", max_nodes=_MANY, max_visited=_MANY)
    names = sorted({end for pair in pairs for end in pair})
    store.replace_source(
        "made",
        [EntitySpec(f"Unit {number}", "unit") for number in names],
        [EdgeSpec(f"Unit {src}", "needs", f"Unit {dst}", "made") for src, dst in pairs],
        [Relation("needs", "needs", "is needed by")],
    )
    seconds = time.perf_counter() - began
    held = _memory() - before
    things = {number: _thing(store, number) for number in asked}

    def engine(of: GraphStore, facts: dict[str, Any], bounded: _Engine | None = None) -> _Engine:
        return _Engine(
            facts,
            lambda number: len(of.closure(things[number], "needs", "in", _HOPS).reached),
            lambda pair: of.path(things[pair[0]], things[pair[1]], _PATH_HOPS),
            bounded,
            of.close,
        )

    small = GraphStore(store._pool, "scale")
    cut = small.closure(things[hub], "needs", "in", _HOPS).cut
    facts = {"build_s": seconds, "loader_mb": held, "disk_mb": _size(url)}
    return engine(store, facts, engine(small, {"cut": str(cut)}))


def _thing(store: GraphStore, number: int) -> Entity:
    return next(one.entity for one in store.find_mentions(f"Unit {number}"))


def _size(url: str) -> float:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relnamespace = 'scale'::regnamespace AND relkind = 'r'"
        ).fetchone()
    return float(row[0]) / 1e6 if row else 0.0


def _networkx(pairs: Pairs) -> _Engine:
    import networkx as nx

    before = _memory()
    began = time.perf_counter()
    graph = nx.DiGraph(pairs)
    both = nx.Graph(pairs)
    facts = {"build_s": time.perf_counter() - began, "memory_mb": _memory() - before}
    back = graph.reverse(copy=False)
    return _Engine(
        facts,
        lambda node: sum(1 for _ in nx.bfs_edges(back, node, depth_limit=_HOPS)),
        lambda pair: nx.bidirectional_shortest_path(both, *pair),
    )


def _ladybug(pairs: Pairs, scratch: Path) -> _Engine:
    import ladybug

    before = _memory()
    nodes, edges = scratch / "nodes.csv", scratch / "edges.csv"
    with nodes.open("w", newline="") as file:
        csv.writer(file).writerows([number] for number in sorted({end for pair in pairs for end in pair}))
    with edges.open("w", newline="") as file:
        csv.writer(file).writerows(pairs)
    began = time.perf_counter()
    connection: Any = ladybug.Connection(ladybug.Database(str(scratch / "graph.lbug")))
    connection.execute("CREATE NODE TABLE Unit(id INT64 PRIMARY KEY)")
    connection.execute("CREATE REL TABLE Needs(FROM Unit TO Unit)")
    connection.execute(f"COPY Unit FROM '{nodes}'")
    connection.execute(f"COPY Needs FROM '{edges}'")
    seconds = time.perf_counter() - began

    def rows(query: str, **given: int) -> list[Any]:
        return list(connection.execute(query, given).get_all())

    dependents = f"MATCH (a:Unit)-[:Needs* SHORTEST 1..{_HOPS}]->(b:Unit) WHERE b.id = $id RETURN count(a)"
    path = (
        f"MATCH p = (a:Unit)-[:Needs* SHORTEST 1..{_PATH_HOPS}]-(b:Unit)"
        " WHERE a.id = $one AND b.id = $two RETURN length(p)"
    )
    return _Engine(
        {"version": ladybug.__version__, "build_s": seconds, "memory_mb": _memory() - before},
        lambda node: int(rows(dependents, id=node)[0][0]),
        lambda pair: rows(path, one=pair[0], two=pair[1]),
    )
