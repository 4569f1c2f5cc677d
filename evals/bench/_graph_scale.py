"""A graph of a million edges in the store, in networkx and in an embedded graph database, asked the same."""

from __future__ import annotations

import csv
import gc
import importlib.util
import random
import resource
import time
from collections import Counter
from collections.abc import Callable, Sequence
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
_LIBRARIES = ("networkx", "ladybug")

Pairs = list[tuple[int, int]]


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
    return {
        **told,
        "citedesk": _store(url, pairs, starts, ends, hub),
        "networkx": _networkx(pairs, starts, ends, hub),
        "ladybug": _ladybug(pairs, starts, ends, hub, scratch),
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


def _once(work: Callable[[], object]) -> tuple[object, float]:
    began = time.perf_counter()
    found = work()
    return found, 1000 * (time.perf_counter() - began)


def _memory() -> float:
    """What this process holds now, in MB."""
    gc.collect()
    pages = Path("/proc/self/statm").read_text().split()[1]
    return int(pages) * resource.getpagesize() / 1e6


def _store(url: str, pairs: Pairs, starts: Sequence[int], ends: Pairs, hub: int) -> dict[str, Any]:
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
    things = {number: _thing(store, number) for number in {*starts, *(n for pair in ends for n in pair), hub}}
    bounded = GraphStore(store._pool, "scale")
    center = things[hub]
    found, hub_ms = _once(lambda: bounded.closure(center, "needs", "in", _HOPS))
    far, far_ms = _once(lambda: bounded.path(center, things[ends[0][0]], _PATH_HOPS))
    told = {
        "build_s": seconds,
        "loader_mb": held,
        "disk_mb": _size(url),
        "dependents": _timed(lambda n: store.closure(things[n], "needs", "in", _HOPS), starts),
        "path": _timed(lambda p: store.path(things[p[0]], things[p[1]], _PATH_HOPS), ends),
        "hub_dependents_ms": hub_ms,
        "hub_cut": str(found.cut),  # type: ignore[attr-defined]
        "hub_told": len(found.reached),  # type: ignore[attr-defined]
        "hub_path_ms": far_ms,
        "hub_path_edges": len(far.edges),  # type: ignore[attr-defined]
    }
    store.close()
    return told


def _thing(store: GraphStore, number: int) -> Entity:
    return next(one.entity for one in store.find_mentions(f"Unit {number}"))


def _size(url: str) -> float:
    with psycopg.connect(url) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relnamespace = 'scale'::regnamespace AND relkind = 'r'"
        ).fetchone()
    return float(row[0]) / 1e6 if row else 0.0


def _networkx(pairs: Pairs, starts: Sequence[int], ends: Pairs, hub: int) -> dict[str, Any]:
    import networkx as nx

    before = _memory()
    began = time.perf_counter()
    graph = nx.DiGraph(pairs)
    both = nx.Graph(pairs)
    seconds = time.perf_counter() - began
    back = graph.reverse(copy=False)

    def dependents(node: int) -> int:
        return sum(1 for _ in nx.bfs_edges(back, node, depth_limit=_HOPS))

    def path(pair: tuple[int, int]) -> list[int]:
        return list(nx.bidirectional_shortest_path(both, *pair))

    count, hub_ms = _once(lambda: dependents(hub))
    return {
        "build_s": seconds,
        "memory_mb": _memory() - before,
        "dependents": _timed(dependents, starts),
        "path": _timed(path, ends),
        "hub_dependents_ms": hub_ms,
        "hub_told": count,
        "hub_path_ms": _once(lambda: path((hub, ends[0][0])))[1],
    }


def _ladybug(pairs: Pairs, starts: Sequence[int], ends: Pairs, hub: int, scratch: Path) -> dict[str, Any]:
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

    def dependents(node: int) -> Any:
        query = f"MATCH (a:Unit)-[:Needs* SHORTEST 1..{_HOPS}]->(b:Unit) WHERE b.id = $id RETURN count(a)"
        return rows(query, id=node)[0][0]

    def path(pair: tuple[int, int]) -> list[Any]:
        query = (
            f"MATCH p = (a:Unit)-[:Needs* SHORTEST 1..{_PATH_HOPS}]-(b:Unit)"
            " WHERE a.id = $one AND b.id = $two RETURN length(p)"
        )
        return rows(query, one=pair[0], two=pair[1])

    count, hub_ms = _once(lambda: dependents(hub))
    return {
        "version": ladybug.__version__,
        "build_s": seconds,
        "memory_mb": _memory() - before,
        "dependents": _timed(dependents, starts),
        "path": _timed(path, ends),
        "hub_dependents_ms": hub_ms,
        "hub_told": count,
        "hub_path_ms": _once(lambda: path((hub, ends[0][0])))[1],
    }
