"""`desk ingest`: documents of your own, and a graph of your own."""

from __future__ import annotations

from pathlib import Path

from agent.commands.look import jsonable
from agent.commands.screen import complain, print_json, say, working
from agent.settings import Settings
from agent.sources import open_documents
from tools.errors import BadInput


def ingest(paths: list[Path], *, dry_run: bool, as_json: bool) -> int:
    """Take files and folders into the documents. Returns 1 when a file could not be read."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise BadInput(f"there is no file or folder {', '.join(missing)}")
    from tools.ingest import documents

    with working("opening the documents") as tell:
        store = open_documents(Settings.load())
        report = documents.ingest(paths, store, progress=tell, dry_run=dry_run)
    if as_json:
        print_json(jsonable(report))
    else:
        verb = "would be " if dry_run else ""
        say(
            f"{report.added} {verb}added, {report.changed} {verb}changed, {report.unchanged} unchanged, "
            f"{report.removed} {verb}removed; {report.passages} passages, {report.seconds:.1f} s"
        )
    for failure in report.failed:
        complain(f"{failure.path}: {failure.reason}")
    return 1 if report.failed else 0
