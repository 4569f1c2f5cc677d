"""`desk ingest`: documents of your own, and a graph of your own."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from agent.commands.answers import near
from agent.commands.look import jsonable
from agent.commands.screen import complain, err, plain, print_json, say, working
from agent.settings import Settings
from agent.sources import create_graph, open_documents, open_embedder
from tools.errors import BadInput

if TYPE_CHECKING:
    from tools.ingest.documents import IngestReport, Progress
    from tools.ingest.edges import GraphReport

_SHOWN = 200  # documents named one by one


def ingest(paths: list[str], *, graph: str | None, dry_run: bool, as_json: bool) -> int:
    """Take files and folders into the documents, and a file into the graph. Returns 1 when a file failed."""
    given = paths if graph is None else [*paths, graph]
    if not given or not all(given):  # an unset variable in quotes must not mean the current folder
        raise BadInput("say what to take in: a folder, a file, or --graph FILE")
    missing = [path for path in given if not os.path.exists(path)]
    if missing:
        raise BadInput(f"there is no file or folder {', '.join(missing)}")
    if graph and dry_run:
        raise BadInput("--dry-run is for documents; leave out --graph")
    documents = _documents([Path(path) for path in paths], dry_run) if paths else None
    if documents and not as_json:
        _show(documents, dry_run)
    edges = _graph(Path(graph)) if graph else None
    if edges and not as_json:
        _show_graph(edges)
    if as_json:
        both = {"documents": documents, "graph": edges}
        print_json(jsonable(both if documents and edges else documents or edges))
    failed = documents.failed if documents else ()
    for failure in failed:
        complain(f"{failure.path}: {failure.reason}")
    return int(bool(failed))


def _documents(paths: list[Path], dry_run: bool) -> IngestReport:
    from tools.ingest import documents

    with working("opening the documents"):
        store = open_documents(Settings.load())
    with _bar() as advance:
        return documents.ingest(paths, store, progress=advance, dry_run=dry_run)


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    """A bar on standard error with the rate and the time left, if that is a terminal."""
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    console = err()
    if not console.is_terminal:
        yield lambda _: None
        return
    started = time.perf_counter()
    columns = (BarColumn(24), TaskProgressColumn(), TextColumn("{task.fields[rate]}"), TimeRemainingColumn())
    with Bars(
        *columns, TextColumn("{task.description}", markup=False), console=console, transient=True
    ) as bars:
        task = bars.add_task("reading", rate="", total=None)

        def advance(now: Progress) -> None:
            rate = now.passages / (time.perf_counter() - started)
            doing = plain(now.doing).replace("\n", " ")
            bars.update(
                task, total=now.total, completed=now.done, description=doing, rate=f"{rate:.0f} passages/s"
            )

        yield advance


def _show(report: IngestReport, dry_run: bool) -> None:
    for kind in ("added", "changed", "removed"):
        ids = getattr(report, kind)
        for doc_id in ids[:_SHOWN]:
            say(f"{kind:<8} {doc_id}")
        if len(ids) > _SHOWN:
            say(f"{kind:<8} … and {len(ids) - _SHOWN} more")
    for path in report.ignored[:_SHOWN]:
        say(f"ignored  {near(path)}: not a kind of file that is read", style="dim")
    counts = ", ".join(
        f"{len(getattr(report, kind))} {kind}" for kind in ("added", "changed", "unchanged", "removed")
    )
    note = "; a dry run, so nothing was written" if dry_run else ""
    say(f"{counts}; {report.passages} passages in {report.seconds:.1f} s{note}")
    if not (report.added or report.changed or report.unchanged or report.failed):
        say("There is no file of a kind that is read; `desk ingest --help` lists them.")


def _graph(file: Path) -> GraphReport:
    from tools.ingest.edges import load_graph
    from tools.stores.graph_meanings import learn

    settings = Settings.load()
    with working("loading the graph") as tell, contextlib.closing(create_graph(settings)) as store:
        report = load_graph(file, store)
        learn(store, open_embedder(settings), tell)
        return report


def _show_graph(report: GraphReport) -> None:
    counts = f"{report.entities} things, {report.relations} relations, {report.edges} edges"
    gone = f"{report.removed_entities} things and {report.removed_edges} edges removed"
    say(f"{report.source}: {counts}; {gone}; {report.seconds:.1f} s")
