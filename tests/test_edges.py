"""The YAML loader of the graph, and the demo company's graph."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
import yaml

from tools.errors import BadInput
from tools.ingest.edges import load_graph
from tools.stores.graph import GraphStore
from tools.stores.postgres import open_pool

_SCHEMAS = count()
DEMO = Path(__file__).parent.parent / "demo"

GOOD = """
source: bikes
relations:
  fits: {forward: "fits", inverse: "takes"}
entities:
  - {name: "Bike M2", kind: bike, aliases: ["M2"]}
  - {name: "Saddle S-10", kind: part}
  - {name: "Bell", kind: part}
edges:
  - {src: "Saddle S-10", relation: fits, dst: "Bike M2", stated_in: "parts.md#Saddles"}
  - {src: "Bell", relation: fits, dst: "Bike M2", stated_in: "inside.md#Bells"}
"""


@pytest.fixture
def graph(database_url: str) -> Iterator[GraphStore]:
    """An empty graph store that nobody prepared."""
    store = GraphStore(open_pool(database_url), f"edges_{next(_SCHEMAS)}")
    yield store
    store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The documents that the good graph points at, one of them internal."""
    (tmp_path / "parts.md").write_text("# Parts\n\n## Saddles\n\nSaddle S-10 fits Bike M2.\n")
    (tmp_path / "inside.md").write_text("---\naudience: internal\n---\n# Bells\n\nBell fits Bike M2.\n")
    return tmp_path


def written(folder: Path, text: str) -> Path:
    """The text as a graph file beside the documents."""
    path = folder / "graph.yaml"
    path.write_text(text)
    return path


def test_loading_twice_is_loading_once(folder: Path, graph: GraphStore) -> None:
    """The second time nothing is added and nothing removed, and things keep their ids."""
    path = written(folder, GOOD)
    first = load_graph(path, graph)
    before = graph.find_mentions("M2")
    second = load_graph(path, graph)
    assert (first.source, first.entities, first.relations, first.edges) == ("bikes", 3, 1, 2)
    assert (second.entities, second.edges, second.removed_entities, second.removed_edges) == (3, 2, 0, 0)
    assert graph.find_mentions("M2") == before


def test_what_the_file_drops_is_dropped(folder: Path, graph: GraphStore) -> None:
    """An edge and a thing that are no longer in the file are no longer in the graph."""
    load_graph(written(folder, GOOD), graph)
    shorter = "\n".join(line for line in GOOD.splitlines() if "Bell" not in line)
    report = load_graph(written(folder, shorter), graph)
    assert (report.removed_entities, report.removed_edges) == (1, 1)
    assert graph.find_mentions("Bell", audience="internal") == []


def test_an_edge_is_as_public_as_the_passage_that_states_it(folder: Path, graph: GraphStore) -> None:
    """The audience comes from the document's front matter, unless the edge says it itself."""
    load_graph(written(folder, GOOD), graph)
    (bike,) = (one.entity for one in graph.find_mentions("M2"))
    assert [edge.src for edge in graph.neighbours(bike).edges] == ["Saddle S-10"]
    assert len(graph.neighbours(bike, audience="internal").edges) == 2
    load_graph(written(folder, GOOD.replace('Bells"}', 'Bells", audience: public}')), graph)
    assert len(graph.neighbours(bike).edges) == 2


def test_a_document_that_is_not_at_hand_needs_an_audience(folder: Path, graph: GraphStore) -> None:
    """Without the passage nobody knows who may read it, so that the edge must say it."""
    text = GOOD.replace("inside.md", "https://wiki.example/bells")
    with pytest.raises(BadInput, match=r"edges 2: https://wiki.example/bells is not there.*audience"):
        load_graph(written(folder, text), graph)
    load_graph(written(folder, text.replace('Bells"}', 'Bells", audience: internal}')), graph)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('dst: "Bike M2", stated_in: "inside', 'dst: "Bike M3", stated_in: "inside', r"edges 2: 'Bike M3'"),
        (
            '"Saddle S-10", relation: fits',
            '"Saddle S-10", relation: fit',
            r"edges 1: 'fit' is not a relation",
        ),
        ('"Bell", kind: part', '"Bike M2", kind: part', r"'Bike M2' is declared twice"),
        ('"Bell", kind: part', '"Bell"', r"entities 3, kind: field required"),
        ("inverse:", "backward:", r"relations fits, inverse: field required"),
        (', stated_in: "parts.md#Saddles"', "", r"edges 1, stated_in: field required"),
        ('"Bell", kind: part', '"Bell", kind: part, color: red', r"entities 3, color: extra inputs"),
        ("entities:", "entities: [", r"not valid YAML in line \d+"),
        ("source: bikes", "source: [1]", r"source: input should be a valid string"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_one_line(
    folder: Path, graph: GraphStore, old: str, new: str, says: str
) -> None:
    """Each mistake names the file and the place, on one line, and the graph stays as it was."""
    load_graph(written(folder, GOOD), graph)
    assert old in GOOD
    with pytest.raises(BadInput, match=says) as caught:
        load_graph(written(folder, GOOD.replace(old, new)), graph)
    assert "\n" not in str(caught.value)
    assert "graph.yaml" in str(caught.value)
    assert len(graph.neighbours(graph.find_mentions("M2")[0].entity, audience="internal").edges) == 2


def test_a_file_that_cannot_be_read(tmp_path: Path, graph: GraphStore) -> None:
    """A missing file, an empty one, one that is no text, and a list in the place of a graph."""
    with pytest.raises(BadInput, match="cannot be read"):
        load_graph(tmp_path / "none.yaml", graph)
    (tmp_path / "bytes.yaml").write_bytes(b"\xff\xfe\x00a")
    with pytest.raises(BadInput, match="not UTF-8"):
        load_graph(tmp_path / "bytes.yaml", graph)
    for text in ("", "- 1\n"):
        with pytest.raises(BadInput, match=r"graph\.yaml: the file"):
            load_graph(written(tmp_path, text), graph)


def sections(path: Path) -> dict[str, str]:
    """The text under each heading of a Markdown file, up to the next heading."""
    parts = re.split(r"^#+ +(.+?) *$", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_demo_graph_is_stated_by_its_documents() -> None:
    """Every edge points at a heading that exists, in a section in which both names and the phrase stand."""
    graph = yaml.safe_load((DEMO / "graph.yaml").read_text(encoding="utf-8"))
    read: dict[str, dict[str, str]] = {}
    for edge in graph["edges"]:
        file, _, heading = edge["stated_in"].partition("#")
        assert (DEMO / file).is_file(), edge
        text = read.setdefault(file, sections(DEMO / file)).get(heading)
        assert text is not None, edge
        for name in (edge["src"], edge["dst"]):
            assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), edge
        verb, _, rest = graph["relations"][edge["relation"]]["forward"].partition(" ")
        assert rest in text, edge
        assert verb[:2] in text or verb == "is", edge


def test_the_demo_graph_loads(graph: GraphStore) -> None:
    """The demo company has a graph worth asking, of which customers see one part and staff another."""
    report = load_graph(DEMO / "graph.yaml", graph)
    assert report.entities >= 150
    assert report.edges >= 300
    assert report.relations >= 12
    public, internal = graph.kinds(), graph.kinds(audience="internal")
    assert 0 < sum(public.values()) < sum(internal.values())
    assert "service" not in public
