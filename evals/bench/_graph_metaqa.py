"""MetaQA's questions about films: with the chain of relations given, and read from the question's words."""

from __future__ import annotations

import re
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

from agent.desk import SupportDesk
from agent.models import open_model
from agent.settings import EXTRACTIVE, Settings
from agent.sources import open_embedder
from tools.context import Sources
from tools.graph_ask import Question
from tools.graph_lookup import look
from tools.ingest.edges import load_graph
from tools.stores.embedder import Embedder
from tools.stores.graph import GraphStore
from tools.stores.graph_types import Entity, Hop
from tools.stores.postgres import open_pool

FOLDER = "graph_metaqa"
_WORDS = Path(__file__).with_name("graph_metaqa.yaml")
_RELATION = {
    "actor": "starred_actors",
    "director": "directed_by",
    "writer": "written_by",
    "genre": "has_genre",
    "language": "in_language",
    "tag": "has_tags",
    "tags": "has_tags",
    "year": "release_year",
}


@dataclass(frozen=True)
class Item:
    """One question of the set: its words without the brackets around the name, the chain that it was made
    from, and the right answers.
    """

    text: str
    name: str
    hops: tuple[Hop, ...]
    gold: frozenset[str]


@dataclass
class Report:
    """The numbers of one number of hops; every share is in [0, 1].

    Attributes:
        chain_equal: The chain given, the answers are exactly the gold set.
        chain_contains: They contain the gold set.
        chain_as_triples: They are exactly what a walk over the file's own triples gives.
        not_in_triples: The gold set has an answer that no such triple leads to.
        same_name: The triples lead to more than the gold set has: films that share a name are one thing.
        text_hits: Only the words given, the first answer is right.
        desk_hits: The same through the whole desk with the extractive model: routed, graded, released.
        desk_answered: How many of those it answered at all.
    """

    questions: int
    chain_equal: float = 0.0
    chain_contains: float = 0.0
    chain_as_triples: float = 0.0
    not_in_triples: float = 0.0
    same_name: float = 0.0
    chain_ms: float = 0.0
    text_hits: float = 0.0
    text_ms: float = 0.0
    desk_questions: int = 0
    desk_hits: float = 0.0
    desk_answered: float = 0.0
    desk_ms: float = 0.0
    examples: list[str] = field(default_factory=list)


def run(data: Path, url: str, asked_of_desk: int, home: Path) -> dict[str, Any]:
    """Load the graph and measure; `asked_of_desk` questions of each kind go through the whole desk."""
    folder = data / FOLDER
    settings = Settings(home=home, model=EXTRACTIVE)
    embedder = open_embedder(settings)
    store = GraphStore(open_pool(url), "metaqa", max_nodes=1000)
    try:
        started = time.perf_counter()
        with _beside(folder) as file:
            loaded = load_graph(file, store)
        seconds = time.perf_counter() - started
        walk = _Triples(folder / "kb.tsv")
        desk = SupportDesk(settings, Sources(graph=store), open_model(settings, lambda: embedder))
        reports = {
            f"{hops}-hop": vars(_measure(_items(folder, hops), store, walk, embedder, desk, asked_of_desk))
            for hops in (1, 2)
        }
        return {"load_seconds": seconds, "things": loaded.entities, "edges": loaded.edges, **reports}
    finally:
        store.close()


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """The graph's words in one folder with the triples that they speak of."""
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch, "graph.yaml")
        shutil.copy(_WORDS, file)
        Path(scratch, "kb.tsv").symlink_to((folder / "kb.tsv").resolve())
        yield file


def _items(folder: Path, hops: int) -> list[Item]:
    items = []
    for line in (folder / f"test_{hops}-hop_1000.tsv").read_text(encoding="utf-8").splitlines():
        asked, answers, kind = line.split("\t")
        name = re.findall(r"\[(.*?)\]", asked)[0]
        ends = kind.split("_to_")
        chain = [
            Hop(_RELATION[b], "out") if a == "movie" else Hop(_RELATION[a], "in") for a, b in pairwise(ends)
        ]
        text = asked.replace("[", "").replace("]", "")
        items.append(Item(text, name, tuple(chain), frozenset(answers.split("|"))))
    return items


class _Triples:
    """The file's triples in memory, walked in the plainest way: what the store must agree with."""

    def __init__(self, file: Path) -> None:
        self._ends: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for line in file.read_text(encoding="utf-8").splitlines():
            src, relation, dst = line.split("\t")
            name = relation.replace(" ", "_")
            self._ends[src, name, "out"].add(dst)
            self._ends[dst, name, "in"].add(src)

    def follow(self, start: str, hops: Sequence[Hop]) -> set[str]:
        here = {start}
        for hop in hops:
            here = {end for name in here for end in self._ends[name, hop.relation, hop.direction]} - {start}
        return here


def _measure(
    items: Sequence[Item],
    store: GraphStore,
    walk: _Triples,
    embedder: Embedder,
    desk: SupportDesk,
    asked_of_desk: int,
) -> Report:
    report = Report(len(items))
    _chains(report, items, store, walk)
    _texts(report, items, store, embedder)
    _through_the_desk(report, items[:: max(1, len(items) // asked_of_desk)] if asked_of_desk else (), desk)
    return report


def _chains(report: Report, items: Sequence[Item], store: GraphStore, walk: _Triples) -> None:
    found, seconds = [], []
    for item in items:
        start = _start(store, item.name)
        began = time.perf_counter()
        found.append({one.name for one in store.chain(start, item.hops).found} if start else set())
        seconds.append(time.perf_counter() - began)
    plain = [walk.follow(item.name, item.hops) for item in items]
    report.chain_equal = mean(a == item.gold for a, item in zip(found, items, strict=True))
    report.chain_contains = mean(a >= item.gold for a, item in zip(found, items, strict=True))
    report.chain_as_triples = mean(a == b for a, b in zip(found, plain, strict=True))
    report.not_in_triples = mean(bool(item.gold - b) for b, item in zip(plain, items, strict=True))
    report.same_name = mean(b > item.gold for b, item in zip(plain, items, strict=True))
    report.chain_ms = 1000 * median(seconds)


def _start(store: GraphStore, name: str) -> Entity | None:
    named = [one for mention in store.find_mentions(name) for one in (mention.entity, *mention.alternatives)]
    return next((one for one in named if one.name == name), None)


def _texts(report: Report, items: Sequence[Item], store: GraphStore, embedder: Embedder) -> None:
    hits, seconds = [], []
    for item in items:
        began = time.perf_counter()
        answer = look(store, Question(item.text), item.text, embedder=embedder)
        seconds.append(time.perf_counter() - began)
        first = next((name for one in answer.findings for name in one.names), None)
        hits.append(first in item.gold)
        if first not in item.gold and len(report.examples) < 20:
            report.examples.append(f"{item.text}: {first or answer.missing}")
    report.text_hits, report.text_ms = mean(hits), 1000 * median(seconds)


def _through_the_desk(report: Report, items: Sequence[Item], desk: SupportDesk) -> None:
    hits, answered, seconds = [], [], []
    for item in items:
        answer = desk.ask_sync(item.text)
        cited = [one.locator.get("found") or [] for one in answer.citations]
        first = next((name for names in cited for name in names if name in answer.text), None)
        hits.append(answer.status == "answered" and first in item.gold)
        answered.append(answer.status == "answered")
        seconds.append(answer.usage.seconds)
    if items:
        report.desk_questions = len(items)
        report.desk_hits, report.desk_answered = mean(hits), mean(answered)
        report.desk_ms = 1000 * median(seconds)
