"""Building a graph step by step, from documents, tables and records, on a real PostgreSQL."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tools.errors import BadInput, ConfigurationError
from tools.ingest.graph_build import Builder
from tools.ingest.passages import split_passages
from tools.stores.graph import GraphStore
from tools.stores.graph_sources import GraphSources
from tools.stores.graph_types import EdgeSpec, EntitySpec, Relation, Share
from tools.stores.passage import Known, Passage
from tools.stores.postgres import open_pool

_SCHEMAS = count()
PLAN = """
source: works
documents: true
relations:
  needs: {forward: "needs", inverse: "is needed by", also: ["depends on"]}
  fits: {forward: "fits", inverse: "takes", from: part, to: bike}
kinds:
  part: {columns: [part], pattern: "P-[0-9]+"}
entities:
  - {name: "Web Portal", kind: service, aliases: [Portal]}
  - {name: Booking, kind: service}
  - {name: Billing, kind: service}
  - {name: "Bike M2", kind: bike, aliases: [M2]}
"""


@dataclass
class Shelf:
    """Documents in memory, cut into passages as the desk cuts them."""

    texts: dict[str, str] = field(default_factory=dict)

    def known(self) -> Mapping[str, Known]:
        return {
            name: Known(f"/{name}", hashlib.sha256(text.encode()).hexdigest())
            for name, text in self.texts.items()
        }

    def passages(self, doc_ids: Sequence[str]) -> Iterable[Passage]:
        for name in doc_ids:
            for number, span in enumerate(split_passages(self.texts[name])):
                yield Passage(
                    id=f"{name}#{number}",
                    doc_id=name,
                    title=name,
                    heading=" > ".join(span.headings),
                    text=self.texts[name][span.start : span.end],
                    start=span.start,
                    end=span.end,
                    category="general",
                    version=None,
                    audience="internal" if name.startswith("inside") else "public",
                    updated=None,
                    path=f"/{name}",
                    doc_hash="",
                    number=number,
                )


class Works:
    """A graph store of its own with a graph file that can change."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.schema = f"build_{next(_SCHEMAS)}"
        self.store = GraphStore(open_pool(url), self.schema)
        self.file = folder / f"{self.schema}.yaml"

    def builder(self, shelf: Shelf | None = None, plan: str = PLAN, run: Any = None) -> Builder:
        self.file.write_text(plan, encoding="utf-8")
        return Builder(self.file, self.store, shelf, run)

    def dump(self) -> dict[str, list[tuple[Any, ...]]]:
        """All that is in the graph, without numbers that say nothing."""
        with psycopg.connect(self.url) as connection:
            connection.execute(f"SET search_path = {self.schema}")
            read = {
                "things": "SELECT e.name, e.kind, e.public, c.name FROM entity e LEFT JOIN entity c"
                " ON c.id = e.same_as",
                "names": "SELECT s.source, e.name, s.text, s.kind, s.key FROM surface s"
                " JOIN entity e ON e.id = s.entity",
                "edges": "SELECT a.name, r.name, b.name, d.public, d.until FROM edge d"
                " JOIN entity a ON a.id = src JOIN entity b ON b.id = dst JOIN relation r ON r.id = rel",
                "statements": "SELECT a.name, r.name, b.name, source, stated_in, s.public, x.name, y.name"
                " FROM statement s JOIN entity a ON a.id = src JOIN entity b ON b.id = dst"
                " JOIN relation r ON r.id = rel"
                " JOIN entity x ON x.id = said_src JOIN entity y ON y.id = said_dst",
                "spellings": "SELECT key, word FROM spelling",
                "sources": "SELECT name, digest FROM source",
                "passages": "SELECT source, number, digest, found::text FROM passage",
            }
            return {name: sorted(connection.execute(query), key=repr) for name, query in read.items()}

    def edges(self) -> set[str]:
        """Every edge as a sentence."""
        return {f"{a} {rel} {b}" for a, rel, b, *_ in self.dump()["edges"]}


@pytest.fixture
def works(database_url: str, tmp_path: Path) -> Iterator[Works]:
    """An empty graph that nobody prepared."""
    made = Works(database_url, tmp_path)
    yield made
    made.store.close()


def test_documents_become_edges_with_their_place(works: Works) -> None:
    """What a passage says in a relation's own words is an edge, stated by that passage, for its audience."""
    shelf = Shelf(
        {
            "map.md": "# Map\n\n## Front\n\nThe Portal depends on Booking and Billing.\n",
            "inside.md": "# Notes\n\nBilling is needed by Booking.\n",
        }
    )
    built = works.builder(shelf).build()
    assert works.edges() == {
        "Web Portal needs Booking",
        "Web Portal needs Billing",
        "Booking needs Billing",
    }
    places = {(src, dst): (place, public) for src, _, dst, _, place, public, *_ in works.dump()["statements"]}
    assert places["Web Portal", "Booking"] == ("map.md#Front", True)
    assert places["Booking", "Billing"] == ("inside.md#Notes", False)
    assert (built.passages, built.stale.documents) == (
        2,
        ("works: document inside.md", "works: document map.md"),
    )


def test_only_what_changed_is_read_again(works: Works) -> None:
    """One document in many: its changed passage alone is looked at, and its edges follow it."""
    shelf = Shelf({f"d{n}.md": "# A\n\nBooking needs Billing.\n\n# B\n\nNothing here.\n" for n in range(20)})
    works.builder(shelf).build()
    assert works.builder(shelf).build().passages == 0
    shelf.texts["d7.md"] = "# A\n\nBooking needs the Web Portal.\n\n# B\n\nNothing here.\n"
    assert works.builder(shelf).check().documents == ("works: document d7.md",)
    assert works.builder(shelf).build().passages == 1
    assert works.edges() == {"Booking needs Billing", "Booking needs Web Portal"}
    del shelf.texts["d7.md"]
    assert works.builder(shelf).check().gone == ("works: document d7.md",)
    done = works.builder(shelf).build()
    assert (done.passages, done.removed_edges) == (0, 1)
    assert works.builder(shelf).check().fresh


def test_a_new_name_is_found_in_old_documents(works: Works) -> None:
    """A thing that is declared later has the edges that were always stated, and loses them with its name."""
    shelf = Shelf(
        {"map.md": "# Map\n\nBooking needs the Vault.\n", "other.md": "# O\n\nBilling needs Booking.\n"}
    )
    works.builder(shelf).build()
    assert works.edges() == {"Billing needs Booking"}
    built = works.builder(shelf, PLAN + "  - {name: Vault, kind: database}\n").build()
    assert (built.passages, works.edges()) == (1, {"Billing needs Booking", "Booking needs Vault"})
    works.builder(shelf).build()
    assert works.edges() == {"Billing needs Booking"}


def test_things_that_documents_introduce(works: Works) -> None:
    """Names in a column of a kind, or of a kind's pattern, are things for all documents."""
    table = "# Parts\n\n| Part | Fits |\n| --- | --- |\n| Bell | Bike M2 |\n| Horn | M2 |\n"
    shelf = Shelf(
        {"parts.md": table, "more.md": "# More\n\nP-77 fits the M2. The Bell does not fit Billing.\n"}
    )
    works.builder(shelf).build()
    assert works.edges() == {"Bell fits Bike M2", "Horn fits Bike M2", "P-77 fits Bike M2"}
    del shelf.texts["parts.md"]
    works.builder(shelf).build()
    assert works.edges() == {"P-77 fits Bike M2"}


def test_rows_and_foreign_keys_become_edges(works: Works, database_url: str, tmp_path: Path) -> None:
    """Tables beside the file, queries and foreign keys state edges row by row, and go with their rows."""
    schema = f"{works.schema}_records"
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
        connection.execute(f"SET search_path = {schema}")
        connection.execute("CREATE TABLE makers (id int PRIMARY KEY, label text)")
        connection.execute("CREATE TABLE parts (id int PRIMARY KEY, label text, maker int REFERENCES makers)")
        connection.execute("INSERT INTO makers VALUES (1, 'Otto'), (2, 'Ada')")
        connection.execute("INSERT INTO parts VALUES (1, 'Bell', 1), (2, 'Horn', 2)")

        def run(statement: str) -> tuple[list[str], list[Any]]:
            cursor = connection.execute(statement)
            return [column.name for column in cursor.description or ()], cursor.fetchall()

        (tmp_path / "fits.csv").write_text("name,for,from\nBell,M2;M3,2024-02-01\n", encoding="utf-8")
        plan = (
            "source: shop\nrelations:\n  fits: {forward: fits, inverse: takes, from: part, to: bike}\n"
            "  made_by: {forward: is made by, inverse: makes}\n"
            "tables:\n  - {file: fits.csv, audience: public,"
            " edges: [{src: name, relation: fits, dst: for, since: from, split: ';'}]}\n"
            "queries:\n  - {name: horns, audience: internal, sql: \"SELECT label, 'M2' AS bike FROM parts"
            " WHERE label = 'Horn'\", edges: [{src: label, relation: fits, dst: bike}]}\n"
            "foreign_keys: {audience: internal, name: {parts: label, makers: label},"
            " kind: {parts: part, makers: maker}, relation: {parts.maker: made_by}}\n"
        )
        works.builder(None, plan, run).build()
        assert works.edges() == {
            "Bell fits M2",
            "Bell fits M3",
            "Horn fits M2",
            "Bell made_by Otto",
            "Horn made_by Ada",
        }
        stated = {place for *_, place, _, _, _ in works.dump()["statements"]}
        assert {"fits.csv#row 1", "records: horns#Horn", "records: parts.maker#Bell"} <= stated
        assert works.builder(None, plan, run).check().fresh
        connection.execute("DELETE FROM parts WHERE label = 'Horn'")
        assert works.builder(None, plan, run).check().parts == (
            "shop: records horns",
            "shop: records parts",
            "shop: records parts.maker",
        )
        works.builder(None, plan, run).build()
        assert works.edges() == {"Bell fits M2", "Bell fits M3", "Bell made_by Otto"}
        with pytest.raises(BadInput, match=r"parts.label is no foreign key; there are parts.maker"):
            works.builder(None, plan.replace("parts.maker", "parts.label"), run).build()
    with pytest.raises(ConfigurationError, match="DESK_DATABASE_URL"):
        works.builder(None, plan, None).build()


def test_a_bad_file_leaves_nothing_behind(works: Works, tmp_path: Path) -> None:
    """A mistake anywhere is told before anything is made or changed."""
    (tmp_path / "bad.csv").write_text("name,for\nBell,M2\n", encoding="utf-8")
    plan = (
        PLAN + "tables: [{file: bad.csv, audience: public, edges: [{src: nme, relation: fits, dst: for}]}]\n"
    )
    with pytest.raises(BadInput, match="there is no column 'nme'; there are name, for"):
        works.builder(Shelf(), plan).build()
    with psycopg.connect(works.url) as connection:
        assert connection.execute("SELECT to_regnamespace(%s)", [works.schema]).fetchone() == (None,)


NAMES = [
    "Web Portal",
    "Portal",
    "Booking",
    "Billing",
    "Bike M2",
    "M2",
    "P-1",
    "P-22",
    "Bell",
    "Vault",
    "vaults",
]
PHRASES = ["needs", "depends on", "is needed by", "fits", "takes", "does not need"]
SENTENCES = st.builds("{} {} {}.".format, *map(st.sampled_from, (NAMES, PHRASES, NAMES)))
TABLES = st.builds(
    "| Part | Fits |\n| --- | --- |\n| {} | {} |".format, *map(st.sampled_from, (NAMES, NAMES))
)
TEXTS = st.lists(st.one_of(SENTENCES, TABLES), min_size=1, max_size=3).map(
    lambda parts: "\n\n".join(f"# Part {n}\n\n{part}" for n, part in enumerate(parts))
)
FILES = st.sampled_from(["a.md", "b.md", "inside.md"])
EDITS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), FILES, TEXTS),
        st.tuples(st.just("delete"), FILES, st.just("")),
        st.tuples(st.just("rename"), FILES, FILES),
        st.tuples(st.just("declare"), st.just(""), st.sampled_from(["", "Vault", "Bell"])),
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EDITS)
def test_step_by_step_is_the_same_as_from_scratch(database_url: str, tmp_path: Path, edits: Any) -> None:
    """After any edits, deletions, renames and declarations the graph is the one that is built afresh."""
    shelf = Shelf({"a.md": "# A\n\nBooking needs Billing.", "b.md": "# B\n\nP-1 fits M2."})
    stepped, afresh = Works(database_url, tmp_path), Works(database_url, tmp_path)
    plan = PLAN
    stepped.builder(shelf, plan).build()
    for kind, name, what in edits:
        if kind == "write":
            shelf.texts[name] = what
        elif kind == "delete":
            shelf.texts.pop(name, None)
        elif kind == "rename" and name in shelf.texts:
            shelf.texts[what] = shelf.texts.pop(name)
        elif kind == "declare":
            plan = PLAN + (f"  - {{name: {what}, kind: part}}\n" if what else "")
        stepped.builder(shelf, plan).build()
    afresh.file = stepped.file
    afresh.builder(shelf, plan).build()
    try:
        assert stepped.dump() == afresh.dump()
    finally:
        stepped.store.close()
        afresh.store.close()
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(f"DROP SCHEMA {stepped.schema} CASCADE")
            connection.execute(f"DROP SCHEMA {afresh.schema} CASCADE")


def test_a_graph_of_an_older_form_is_built_anew(works: Works) -> None:
    """What an earlier version kept is not taken for up to date: the next build reads everything again."""
    shelf = Shelf({"a.md": "# A\n\nBooking needs Billing.\n"})
    works.builder(shelf).build()
    before = works.edges()
    with psycopg.connect(works.url, autocommit=True) as connection:
        connection.execute(f"COMMENT ON SCHEMA {works.schema} IS 'citedesk graph 1'")
    assert works.builder(shelf).check().documents == ("works: document a.md",)
    works.builder(shelf).build()
    assert works.edges() == before == {"Booking needs Billing"}


def test_what_ended_is_not_walked(works: Works) -> None:
    """An edge that held until a day is found before that day and not after it, and keeps its times."""
    plan = PLAN + (
        "edges: [{src: Booking, relation: needs, dst: Billing, stated_in: wiki, audience: public,"
        " since: 2024-01-01, until: 2025-01-01}]\n"
    )
    works.builder(None, plan).build()
    store = works.store
    for day, names in ((date(2024, 6, 1), ["Billing"]), (date(2025, 1, 1), [])):
        store.today = lambda day=day: day  # type: ignore[misc]
        booking = store.find_mentions("Booking")[0].entity
        found = store.neighbours(booking, "needs", "out")
        assert [one.entity.name for one in found.reached] == names
        assert [(one.edge.since, one.edge.until) for one in found.reached] == [
            (date(2024, 1, 1), date(2025, 1, 1)) for _ in names
        ]


def test_a_merge_can_be_undone(works: Works) -> None:
    """Two names of one thing share its edges; taken back, everything is as it was before."""
    shelf = Shelf({"a.md": "# A\n\nBooking needs Billing.\n\nThe Web Portal needs Vault."})
    plan = PLAN + "  - {name: Vault, kind: service}\n"
    works.builder(shelf, plan).build()
    before = works.dump()
    kept = GraphSources(works.store)
    kept.decide("Vault", "Billing", same=True)
    assert works.edges() == {"Booking needs Billing", "Web Portal needs Billing"}
    (vault,) = works.store.find_mentions("Vault")
    assert (vault.entity.name, kept.merged()) == ("Billing", {"Vault": "Billing"})
    shelf.texts["b.md"] = "# B\n\nVault needs Booking."
    works.builder(shelf, plan).build()
    assert "Billing needs Booking" in works.edges()
    del shelf.texts["b.md"]
    works.builder(shelf, plan).build()
    kept.decide("Vault", "Billing", same=False)
    assert works.dump() == before
    assert [one.same for one in kept.decisions()] == [False]
    with pytest.raises(BadInput, match="nothing called 'Valt'"):
        kept.decide("Valt", "Billing", same=True)


def test_names_that_are_written_alike_are_one_thing(works: Works) -> None:
    """Two sources that write a name differently mean one thing of one kind, unless one source lists both."""
    needs = [Relation("needs", "needs", "is needed by")]
    store = works.store

    def share(*names: str) -> Share:
        things = [EntitySpec(name, "service") for name in (*names, "Hub")]
        return Share(things, [EdgeSpec(name, "needs", "Hub", f"{name}.md") for name in names])

    store.replace({"one": share("Web Shop"), "two": share("web-shops")}, needs)
    assert works.edges() == {"Web Shop needs Hub"}
    (edge,) = store.neighbours(store.find_mentions("webshop")[0].entity).edges
    assert edge.stated_in == ("Web Shop.md", "web-shops.md")
    store.replace({"one": share("Web Shop", "web-shops")}, needs)
    assert works.edges() == {"Web Shop needs Hub", "web-shops needs Hub"}
    store.replace({"one": share("Web Shop")}, needs)
    assert works.edges() == {"Web Shop needs Hub"}
    GraphSources(store).decide("Web Shop", "web-shops", same=False)
    assert works.edges() == {"Web Shop needs Hub", "web-shops needs Hub"}
