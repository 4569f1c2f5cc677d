"""The graph store, on a real PostgreSQL."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from itertools import count

import pytest

from tools.errors import BadInput, SourceUnavailable
from tools.stores.graph import GraphStore
from tools.stores.graph_types import EdgeSpec, Entity, EntitySpec, Relation
from tools.stores.postgres import open_pool

_SCHEMAS = count()

NEEDS = Relation("needs", "needs", "is needed by")
FITS = Relation("fits", "fits", "takes")
THINGS = [
    EntitySpec("Bike M2", "bike", ("M2",)),
    EntitySpec("Bike M2 Sport", "bike", ("M2 Sport",)),
    EntitySpec("Saddle S-10", "part"),
    EntitySpec("Saddle S-11", "part"),
    EntitySpec("Café Router", "service"),
    EntitySpec("Booking", "service", ("Booking Service",)),
    EntitySpec("Booking Desk", "team", ("Booking",)),
    EntitySpec("Billing", "service"),
    EntitySpec("Vault DB", "database"),
    EntitySpec("Web Portal", "service"),
    EntitySpec("Secret Ledger", "database"),
]
EDGES = [
    EdgeSpec("Saddle S-10", "fits", "Bike M2", "parts.md#Saddles"),
    EdgeSpec("Saddle S-10", "fits", "Bike M2 Sport", "parts.md#Saddles"),
    EdgeSpec("Web Portal", "needs", "Booking", "map.md#Front"),
    EdgeSpec("Booking", "needs", "Billing", "map.md#Back"),
    EdgeSpec("Booking", "needs", "Billing", "notes.md#Money", "internal"),
    EdgeSpec("Billing", "needs", "Vault DB", "map.md#Back"),
    EdgeSpec("Billing", "needs", "Secret Ledger", "notes.md#Money", "internal"),
]


@pytest.fixture(scope="module")
def stores(database_url: str) -> Iterator[list[GraphStore]]:
    """Opened stores, closed when the module is done."""
    opened: list[GraphStore] = []
    yield opened
    for store in opened:
        store.close()


def opened(database_url: str, stores: list[GraphStore], **bounds: float) -> GraphStore:
    """A store over a schema of its own."""
    store = GraphStore(open_pool(database_url), f"graph_{next(_SCHEMAS)}", **bounds)  # type: ignore[arg-type]
    stores.append(store)
    store.prepare()
    return store


@pytest.fixture(scope="module")
def graph(database_url: str, stores: list[GraphStore]) -> GraphStore:
    """A small graph that no test changes."""
    store = opened(database_url, stores)
    store.replace_source("demo", THINGS, EDGES, [NEEDS, FITS])
    return store


def named(store: GraphStore, text: str) -> Entity:
    """The one thing that a text names."""
    (mention,) = store.find_mentions(text, audience="internal")
    return mention.entity


@pytest.mark.parametrize(
    ("text", "name", "match"),
    [
        ("Bike M2", "Bike M2", "exact"),
        ("how heavy is the bike m2?", "Bike M2", "exact"),
        ("Bike M2 Sport", "Bike M2 Sport", "exact"),
        ("the M2-Sport", "Bike M2 Sport", "normalised"),
        ("m2sport", "Bike M2 Sport", "normalised"),
        ("two saddles s10", "Saddle S-10", "normalised"),
        ("is the cafe router down", "Café Router", "normalised"),
        ("webportals", "Web Portal", "normalised"),
        ("the Web Portal's colour", "Web Portal", "normalised"),
        ("why is the web protal slow", "Web Portal", "typo"),
        ("biling", "Billing", "typo"),
        ("vault", "Vault DB", "partial"),
        ("portal", "Web Portal", "partial"),
    ],
)
def test_a_name_is_found_in_other_clothes(graph: GraphStore, text: str, name: str, match: str) -> None:
    """Case, plural, punctuation, spacing, accents and typing mistakes do not hide a name."""
    (mention,) = graph.find_mentions(text)
    assert (mention.entity.name, mention.match, mention.clear) == (name, match, True)


def test_the_longest_name_wins(graph: GraphStore) -> None:
    """`Bike M2 Sport` is not read as `Bike M2`, and both can be named side by side."""
    found = graph.find_mentions("Is the saddle of the Bike M2 Sport the same as that of the Bike M2?")
    assert [mention.entity.name for mention in found] == ["Bike M2 Sport", "Bike M2"]


def test_a_mention_says_where_it_stands(graph: GraphStore) -> None:
    """Start and end cut the mentioned words out of the text."""
    text = "Does the web-portal need Vault DB?"
    found = graph.find_mentions(text)
    assert [text[one.start : one.end] for one in found] == ["web-portal", "Vault DB"]
    assert [one.text for one in found] == ["web-portal", "Vault DB"]


def test_a_code_is_not_found_inside_a_longer_one(graph: GraphStore) -> None:
    """`M2` is neither `M20` nor part of a serial number."""
    assert graph.find_mentions("What about the M20 or number XM2-2403 of 2024?") == []


def test_the_kind_beside_a_name_decides(graph: GraphStore) -> None:
    """A name that is also another thing's alias means the thing of the kind that stands beside it."""
    assert named(graph, "who is in the Booking team").name == "Booking Desk"
    assert named(graph, "is Booking down").name == "Booking"


def test_an_unclear_name_gives_alternatives(graph: GraphStore) -> None:
    """Part of several names is told as unclear, with everything that it may mean."""
    (mention,) = graph.find_mentions("the saddle")
    assert not mention.clear
    assert {mention.entity.name, *(one.name for one in mention.alternatives)} == {
        "Saddle S-10",
        "Saddle S-11",
    }


def test_a_name_without_its_code_is_enough(database_url: str, stores: list[GraphStore]) -> None:
    """In a question a name's words do, or its code; beside another name one plain word does not."""
    graph = opened(database_url, stores)
    names = ["Dental Chair DC-5", "Compressor CP-7", "Pump P-1", "Pump P-2", "Filter Set"]
    graph.replace_source("all", [EntitySpec(name, "device") for name in names], [], [])

    def found(text: str) -> list[str]:
        return [one.entity.name for one in graph.find_mentions(text)]

    assert found("which parts of the dental chairs can be washed") == ["Dental Chair DC-5"]
    assert found("what is wrong when the compressor hums all day") == ["Compressor CP-7"]
    assert found("does the filter set of the dental chair fit") == ["Filter Set", "Dental Chair DC-5"]
    assert found("does the filter set of the compressor fit") == ["Filter Set"]
    assert found("why does the pump hum all day long") == []
    assert found("who supplies the filter set of cp 7") == ["Filter Set", "Compressor CP-7"]


def test_nothing_is_named_and_something_is_suggested(graph: GraphStore) -> None:
    """A sentence without a name names nothing; a word of a name leads to suggestions."""
    text = "please tell me about a saddle that is comfortable on long tours"
    assert graph.find_mentions(text) == []
    assert {one.name for one in graph.suggest(text)} == {"Saddle S-10", "Saddle S-11"}
    assert graph.suggest("the weather tomorrow") == []
    assert graph.find_mentions("?! …") == []


def test_a_closure_goes_nearest_first_and_says_how_far(graph: GraphStore) -> None:
    """What depends on a thing is found through others too, each with its hops and its edge."""
    found = graph.closure(named(graph, "Vault DB"), "needs", "in", 5)
    assert [(one.hops, one.entity.name) for one in found.reached] == [
        (1, "Billing"),
        (2, "Booking"),
        (3, "Web Portal"),
    ]
    assert [edge.sentence for edge in found.edges][1] == "Booking needs Billing."
    assert found.cut is None


def test_a_closure_that_stops_early_says_so(
    graph: GraphStore, database_url: str, stores: list[GraphStore]
) -> None:
    """Too few hops, too many things and no time left are each told apart from "this is all"."""
    vault = named(graph, "Vault DB")
    assert graph.closure(vault, "needs", "in", 2).cut == "hops"
    assert graph.closure(vault, "needs", "in", 3).cut is None

    small = opened(database_url, stores, max_nodes=2)
    small.replace_source("demo", THINGS, EDGES, [NEEDS, FITS])
    found = small.closure(named(small, "Vault DB"), "needs", "in", 5)
    assert (len(found.reached), found.cut) == (2, "nodes")

    hasty = opened(database_url, stores, statement_timeout=0)  # the deadline is there before the first hop
    hasty.replace_source("demo", THINGS, EDGES, [NEEDS, FITS])
    vault, portal = named(hasty, "Vault DB"), named(hasty, "Web Portal")
    assert (hasty.closure(vault, "needs", "in", 5).reached, hasty.path(vault, portal).edges) == ((), ())
    assert (hasty.closure(vault, "needs", "in", 5).cut, hasty.path(vault, portal).cut) == ("time", "time")


def test_cycles_end(database_url: str, stores: list[GraphStore]) -> None:
    """Things that need each other are reached once, and the start is not reached at all."""
    store = opened(database_url, stores)
    ring = [EntitySpec(name, "node") for name in ("Ada", "Bert", "Cleo")]
    edges = [
        EdgeSpec(a.name, "needs", b.name, "x.md#X") for a, b in zip(ring, ring[1:] + ring[:1], strict=True)
    ]
    store.replace_source("ring", ring, edges, [NEEDS])
    found = store.closure(named(store, "Ada"), "needs", "out", 9)
    assert [one.entity.name for one in found.reached] == ["Bert", "Cleo"]
    assert found.cut is None


def test_a_path_is_shortest_and_keeps_the_edges_way(graph: GraphStore) -> None:
    """A path may go against edges, but every edge is told the way it is."""
    found = graph.path(named(graph, "Vault DB"), named(graph, "Web Portal"))
    assert [edge.sentence for edge in found.edges] == [
        "Billing needs Vault DB.",
        "Booking needs Billing.",
        "Web Portal needs Booking.",
    ]
    shared = graph.path(named(graph, "Bike M2 Sport"), named(graph, "Bike M2"))
    assert [edge.src for edge in shared.edges] == ["Saddle S-10", "Saddle S-10"]


def test_a_path_keeps_to_its_bounds(graph: GraphStore) -> None:
    """Too few hops, the wrong way, another relation, or nothing between them: no path, and why."""
    portal, vault, saddle = (named(graph, name) for name in ("Web Portal", "Vault DB", "Saddle S-10"))
    assert graph.path(portal, vault, 2).cut == "hops"
    assert graph.path(portal, vault, 3).edges
    assert graph.path(portal, vault, direction="out").edges
    assert graph.path(portal, vault, direction="in") == graph.path(portal, vault, relation="fits")
    assert graph.path(portal, vault, direction="in").edges == ()
    assert (graph.path(portal, saddle).edges, graph.path(portal, saddle).cut) == ((), None)
    assert graph.path(portal, portal).edges == ()


def test_paths_and_closures_agree_with_a_plain_walk(database_url: str, stores: list[GraphStore]) -> None:
    """On a tangled graph every path is as short, and every closure as large, as a walk in memory finds."""
    store = opened(database_url, stores)
    chance = random.Random(7)  # noqa: S311 - the same tangle every time
    names = [f"Node {number}" for number in range(25)]
    pairs = {tuple(chance.sample(names, 2)) for _ in range(34)}
    things = [EntitySpec(name, "node") for name in names]
    store.replace_source("x", things, [EdgeSpec(a, "needs", b, "x#y") for a, b in sorted(pairs)], [NEEDS])
    entities = {name: named(store, name) for name in names}
    for start in names[:8]:
        for direction in ("out", "in", "any"):
            steps = [pair for pair in pairs if direction != "in"]
            steps += [(b, a) for a, b in pairs if direction != "out"]
            far = {start: 0}
            queue = [start]
            for here in queue:
                fresh = [b for a, b in steps if a == here and b not in far]
                far |= dict.fromkeys(fresh, far[here] + 1)
                queue += dict.fromkeys(fresh)
            found = store.closure(entities[start], "needs", direction, 25)
            assert {one.entity.name: one.hops for one in found.reached} | {start: 0} == far
            for end in names:
                way = store.path(entities[start], entities[end], 25, direction=direction)
                assert len(way.edges) == far.get(end, 0)
                assert all((edge.src, edge.dst) in pairs for edge in way.edges)


def test_neighbours_give_both_directions_and_every_statement(graph: GraphStore) -> None:
    """The facts of a thing are the edges from it and to it, each with the passages that state it."""
    found = graph.neighbours(named(graph, "the Booking service"), audience="internal")
    assert {edge.sentence: edge.stated_in for edge in found.edges} == {
        "Web Portal needs Booking.": ("map.md#Front",),
        "Booking needs Billing.": ("map.md#Back", "notes.md#Money"),
    }
    one = graph.neighbours(named(graph, "Saddle S-10"), "fits", "out", limit=1)
    assert (len(one.reached), one.cut) == (1, "nodes")
    assert graph.neighbours(named(graph, "Saddle S-10"), "no such relation").reached == ()


def test_the_public_sees_only_what_is_public(graph: GraphStore) -> None:
    """An edge that only internal passages state, its thing and its passage are hidden from customers."""
    assert graph.find_mentions("Secret Ledger") == []
    assert graph.suggest("the secret ledger of the firm") == []
    billing = named(graph, "Billing")
    assert [edge.dst for edge in graph.closure(billing, "needs").edges] == ["Vault DB"]
    assert len(graph.closure(billing, "needs", audience="internal").edges) == 2
    ((edge,), (again,)) = (
        graph.neighbours(named(graph, "is Booking down"), "needs", "out", audience=audience).edges
        for audience in ("public", "internal")
    )
    assert (edge.stated_in, again.stated_in) == (("map.md#Back",), ("map.md#Back", "notes.md#Money"))
    secret = named(graph, "Secret Ledger")
    assert graph.path(billing, secret).edges == ()
    assert sum(graph.kinds().values()) == sum(graph.kinds(audience="internal").values()) - 1


def test_a_source_replaces_only_its_own(database_url: str, stores: list[GraphStore]) -> None:
    """What another source states too stays; what nobody states any more goes; twice is the same as once."""
    store = opened(database_url, stores)
    assert store.replace_source("one", THINGS, EDGES, [NEEDS, FITS]).removed_edges == 0
    store.replace_source("two", [*THINGS[:3], EntitySpec("Pump", "part")], EDGES[:1], [FITS])
    again = store.replace_source("one", THINGS, EDGES, [NEEDS, FITS])
    assert (again.entities, again.edges, again.removed_entities, again.removed_edges) == (11, 6, 0, 0)
    gone = store.replace_source("one", [], [], [])
    assert (gone.removed_entities, gone.removed_edges) == (8, 5)
    assert [one.name for one in store.relations()] == ["fits"]
    saddle = named(store, "Saddle S-10")
    assert [edge.sentence for edge in store.neighbours(saddle).edges] == ["Saddle S-10 fits Bike M2."]
    assert store.find_mentions("biling") == []


def test_aliases_and_kinds_follow_the_source(database_url: str, stores: list[GraphStore]) -> None:
    """A renamed alias is found and the old one is not; the kind is the last one given."""
    store = opened(database_url, stores)
    store.replace_source("one", [EntitySpec("Pump", "part", ("inflator",))], [], [])
    store.replace_source("one", [EntitySpec("Pump", "accessory", ("blower",))], [], [])
    assert named(store, "blower") == named(store, "Pump")
    assert named(store, "Pump").kind == "accessory"
    assert store.find_mentions("inflator") == []


def test_a_bad_edge_changes_nothing(database_url: str, stores: list[GraphStore]) -> None:
    """An edge to an unknown thing or over an unknown relation is refused as a whole, by name."""
    store = opened(database_url, stores)
    store.replace_source("one", THINGS, EDGES, [NEEDS, FITS])
    with pytest.raises(BadInput, match="Unknown Thing"):
        store.replace_source("one", THINGS, [EdgeSpec("Bike M2", "needs", "Unknown Thing", "x#y")], [NEEDS])
    with pytest.raises(BadInput, match="likes"):
        store.replace_source("one", THINGS, [EdgeSpec("Bike M2", "likes", "Billing", "x#y")], [NEEDS])
    with pytest.raises(BadInput, match="must not be empty"):
        store.replace_source("one", [EntitySpec(" ", "part")], [], [])
    assert len(store.closure(named(store, "Vault DB"), "needs", "in", 9).reached) == 3


def test_a_hub_is_cut_and_not_enumerated(database_url: str, stores: list[GraphStore]) -> None:
    """Thousands of things around one end a closure at its bound, and a path over the hub is still found."""
    store = opened(database_url, stores, max_nodes=50)
    spokes = [EntitySpec(f"Spoke {number}", "spoke") for number in range(5000)]
    edges = [EdgeSpec(one.name, "needs", "Hub", "x.md#X") for one in spokes]
    store.replace_source("wheel", [EntitySpec("Hub", "hub"), *spokes], edges, [NEEDS])
    found = store.closure(named(store, "Hub"), "needs", "in", 3)
    assert (len(found.reached), found.cut) == (50, "nodes")
    way = store.path(named(store, "Spoke 17"), named(store, "Spoke 4711"))
    assert [edge.sentence for edge in way.edges] == ["Spoke 17 needs Hub.", "Spoke 4711 needs Hub."]
    tight = GraphStore(store._pool, store.schema, max_visited=100)
    assert tight.path(named(store, "Hub"), named(store, "Spoke 4711"), direction="out").cut is None
    assert tight.path(named(store, "Hub"), named(store, "Hub"), direction="out").edges == ()


def test_readers_see_the_old_or_the_new_graph(database_url: str, stores: list[GraphStore]) -> None:
    """While a source is replaced again and again, a reader finds all of it every time."""
    store = opened(database_url, stores)
    store.replace_source("one", THINGS, EDGES, [NEEDS, FITS])
    vault = named(store, "Vault DB")
    done = threading.Event()

    def write() -> None:
        for _ in range(5):
            store.replace_source("one", THINGS, EDGES, [NEEDS, FITS])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    sizes = set()
    while not done.is_set():
        sizes.add(len(store.closure(vault, "needs", "in", 9).reached))
    writer.join()
    assert sizes <= {3}


def test_a_missing_graph_and_a_dead_database_are_unavailable(
    database_url: str, stores: list[GraphStore]
) -> None:
    """Neither is the same as finding nothing."""
    empty = GraphStore(open_pool(database_url), "never_prepared")
    stores.append(empty)
    with pytest.raises(SourceUnavailable, match="never_prepared"):
        empty.relations()
    dead = GraphStore(open_pool("postgresql://nobody@127.0.0.1:1/none", timeout=0.2))
    stores.append(dead)
    with pytest.raises(SourceUnavailable, match="graph"):
        dead.find_mentions("Bike")
