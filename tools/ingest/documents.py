"""Files to the documents store, again and again: only what changed is done."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tools.errors import BadInput
from tools.ingest import files
from tools.ingest.files import Failure, Listed, Unread
from tools.ingest.passages import split_passages
from tools.ingest.readers import Document
from tools.stores.documents import DocumentStore
from tools.stores.passage import Known, Passage

_BATCH = 1024  # passages per transaction: what one costs grows with the store
_TOLD = 1000  # unchanged documents between two signs of progress
_FRESHEN = 50_000  # passages after which a long run brings the indexes up to date


@dataclass(frozen=True)
class Progress:
    """How far an ingest is.

    Attributes:
        doing: What is being done, in a few words.
        done, total: Bytes of the files given, done with when their passages are embedded.
        passages: How many were written.
    """

    doing: str
    done: int
    total: int
    passages: int


@dataclass(frozen=True)
class IngestReport:
    """What became of the files.

    Attributes:
        added, changed, unchanged, removed: Ids of documents.
        failed: Files, or pieces of them, that were not taken in.
        passages: How many passages were written.
        seconds: Wall time.
        ignored: Files of kinds that are not read.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    failed: tuple[Failure, ...] = ()
    passages: int = 0
    seconds: float = 0.0
    ignored: tuple[str, ...] = ()


def ingest(
    paths: Iterable[str | Path],
    store: DocumentStore,
    *,
    progress: Callable[[Progress], None] | None = None,
    dry_run: bool = False,
) -> IngestReport:
    """Take in files, and folders with all that is below them.

    A document's id is its path relative to the folder that was given; one of a file of many has its own id in
    that file behind it. Documents whose file is no longer there, or that are no longer in their file, are
    removed, but only below the paths given. Hidden files and folders are left out.

    Every transaction holds whole documents: a run cut off at any moment leaves each one as it was or as it
    is now, and the next run does the rest. Memory is bounded by a transaction, the largest file that is not
    JSON lines, and some hundred bytes for every document that there is.

    Args:
        paths: Files and folders.
        store: Where the passages go.
        progress: Called with every document that is read, while passages are written, and now and then while
            what is unchanged is passed over.
        dry_run: Read everything and report what would be done, without writing.

    Raises:
        BadInput: A path does not exist or is a file of a kind that is not read; nothing was done.
        SourceUnavailable: The store could not be written; what was done before stays.
    """
    started = time.perf_counter()
    roots = [files.checked(Path(path)) for path in paths]
    known = store.known()
    found = files.listing(roots, known)
    run = _Run(store, known, progress, dry_run, sum(file.size for file in found.files), [*found.failures])
    whole = {str(file.path) for file in found.files if run.take(file) and files.of_many(file.path)}
    run.write()
    run.remove(_vanished(roots, whole, run.known))
    run.finish()
    return IngestReport(
        **{name: tuple(ids) for name, ids in run.outcome.items()},
        failed=tuple(run.failures),
        passages=run.passages,
        seconds=time.perf_counter() - started,
        ignored=found.ignored,
    )


@dataclass
class _Run:
    """One ingest under way. What is still in `known` was not met so far."""

    store: DocumentStore
    known: dict[str, Known]
    progress: Callable[[Progress], None] | None
    dry_run: bool
    total: int
    failures: list[Failure]
    outcome: dict[str, list[str]] = field(
        default_factory=lambda: {"added": [], "changed": [], "unchanged": [], "removed": []}
    )
    batch: dict[str, list[Passage]] = field(default_factory=dict)
    waiting: int = 0  # passages in the batch
    pending: int = 0  # bytes of the files that they are from
    passages: int = 0
    done: int = 0
    fresh: bool = True

    def take(self, file: Listed) -> bool:
        """Take in the documents of a file; whether all of them could be read."""
        failed = len(self.failures)
        try:
            for found in files.documents(file):
                if isinstance(found, Failure):
                    self.failures.append(found)
                else:
                    self._document(file, found)
        except BadInput as error:
            self.failures.append(Failure(str(file.path), str(error)))
        return len(self.failures) == failed

    def _document(self, file: Listed, found: Unread) -> None:
        held = self.known.pop(found.doc_id, None)
        if held == Known(str(file.path), found.digest):
            self.done += found.size
            self.outcome["unchanged"].append(found.doc_id)
            if len(self.outcome["unchanged"]) % _TOLD == 0:
                self._tell("comparing")
            return
        self._tell(f"reading {found.doc_id}")
        try:
            passages = _passages(str(file.path), found, found.read())
        except BadInput as error:
            where = f", {found.doc_id.removeprefix(file.doc_id)}" if files.of_many(file.path) else ""
            self.failures.append(Failure(f"{file.path}{where}", str(error)))
            self.done += found.size
            return
        self.outcome["added" if held is None else "changed"].append(found.doc_id)
        self.batch[found.doc_id] = passages
        self.waiting += len(passages)
        self.pending += found.size
        if self.waiting >= _BATCH:
            self.write()

    def write(self) -> None:
        """Write what was read so far."""
        before, done = self.passages, self.done
        if self.batch and not self.dry_run:
            self.store.replace_all(self.batch, self._embedded)
            self.fresh = False
        self.passages, self.done = before + self.waiting, done + self.pending
        self.batch.clear()
        self.waiting = self.pending = 0
        if self.passages // _FRESHEN > before // _FRESHEN:
            self.finish()

    def remove(self, doc_ids: Sequence[str]) -> None:
        """Take documents out of the store."""
        self.outcome["removed"].extend(doc_ids)
        for start in range(0, 0 if self.dry_run else len(doc_ids), _BATCH):
            self.store.replace_all({doc_id: [] for doc_id in doc_ids[start : start + _BATCH]})
            self.fresh = False

    def finish(self) -> None:
        """Bring the indexes up to date, if anything was written."""
        if not self.fresh:
            self._tell("indexing")
            self.store.optimise()
            self.fresh = True

    def _embedded(self, passages: int) -> None:
        self.passages += passages
        self.done += round(self.pending * passages / self.waiting)
        self._tell("embedding")

    def _tell(self, doing: str) -> None:
        if self.progress:
            self.progress(Progress(doing, self.done, self.total, self.passages))


def _passages(path: str, found: Unread, document: Document) -> list[Passage]:
    passages = []
    for number, span in enumerate(split_passages(document.text, document.begin)):
        headings = span.headings
        if headings and _words(headings[0]) == _words(document.title):
            headings = headings[1:]
        passages.append(
            Passage(
                id=f"{found.doc_id}#{number}",
                doc_id=found.doc_id,
                title=document.title,
                heading=" > ".join(headings),
                text=document.text[span.start : span.end],
                start=span.start,
                end=span.end,
                category=document.category,
                version=document.version,
                audience=document.audience,
                updated=document.updated,
                path=path,
                doc_hash=found.digest,
                number=number,
                language=document.language,
            )
        )
    if not passages:
        raise BadInput("it has no text")
    return passages


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _vanished(roots: Sequence[Path], whole: set[str], left: dict[str, Known]) -> list[str]:
    """The documents that are gone: from a file of many that was read in whole, or with their file."""
    folders = [root for root in roots if root.is_dir()]
    there: dict[str, bool] = {}
    gone = []
    for doc_id, held in left.items():
        path = Path(held.path)
        if held.path not in there:
            below = any(path.is_relative_to(folder) for folder in folders)
            there[held.path] = held.path not in whole and (path.exists() or not below)
        if not there[held.path]:
            gone.append(doc_id)
    return sorted(gone)
