"""A folder of files to the documents store, again and again: only what changed is done."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.errors import BadInput
from tools.ingest.passages import split_passages
from tools.ingest.readers import SUFFIXES, content_hash, read_document
from tools.stores.documents import DocumentStore
from tools.stores.passage import Passage

Progress = Callable[[str], None]

_BATCH = 256  # passages per transaction


@dataclass(frozen=True)
class Failure:
    """A file that was not taken in, and why; what the store had of it stays."""

    path: str
    reason: str


@dataclass(frozen=True)
class IngestReport:
    """What became of the files.

    Attributes:
        added, changed, unchanged, removed: Ids of documents.
        failed: Files that were not taken in.
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


@dataclass(frozen=True)
class _File:
    path: Path
    doc_id: str


def ingest(
    paths: Iterable[str | Path],
    store: DocumentStore,
    *,
    progress: Progress | None = None,
    dry_run: bool = False,
) -> IngestReport:
    """Take in files, and folders with all that is below them.

    A document's id is its path relative to the folder that was given. Documents whose file is no longer
    there are removed, but only below the folders given. Hidden files and folders are left out.

    Args:
        paths: Files and folders.
        store: Where the passages go.
        progress: Called with one line for every document that is read.
        dry_run: Read everything and report what would be done, without writing.

    Raises:
        BadInput: A path does not exist or is a file of a kind that is not read; nothing was done.
        SourceUnavailable: The store could not be written; what was done before stays.
    """
    started = time.perf_counter()
    roots = [_checked(Path(path)) for path in paths]
    known_hashes, known_paths = store.hashes(), store.paths()
    files, failures, ignored = _listed(roots, known_paths)
    outcome: dict[str, list[str]] = {"added": [], "changed": [], "unchanged": []}
    batch: dict[str, list[Passage]] = {}
    written = 0
    for file in files:
        try:
            digest = content_hash(file.path)
            if known_hashes.get(file.doc_id) == digest and known_paths.get(file.doc_id) == str(file.path):
                outcome["unchanged"].append(file.doc_id)
                continue
            if progress:
                progress(f"reading {file.doc_id}")
            passages = _passages(file, digest)
        except BadInput as error:
            failures.append(Failure(str(file.path), str(error)))
            continue
        outcome["changed" if file.doc_id in known_hashes else "added"].append(file.doc_id)
        written += len(passages)
        batch[file.doc_id] = passages
        if sum(map(len, batch.values())) >= _BATCH:
            _write(store, batch, dry_run)
    _write(store, batch, dry_run)
    removed = _vanished(roots, files, known_paths)
    _write(store, {doc_id: [] for doc_id in removed}, dry_run)
    if not dry_run and (written or removed):
        store.optimise()
    return IngestReport(
        added=tuple(outcome["added"]),
        changed=tuple(outcome["changed"]),
        unchanged=tuple(outcome["unchanged"]),
        removed=tuple(removed),
        failed=tuple(failures),
        passages=written,
        seconds=time.perf_counter() - started,
        ignored=tuple(ignored),
    )


def _checked(path: Path) -> Path:
    if not path.exists():
        raise BadInput(f"{path} does not exist; give a file or a folder of documents")
    if path.is_file() and path.suffix.lower() not in SUFFIXES:
        kinds = ", ".join(sorted(suffix[1:] for suffix in SUFFIXES))
        raise BadInput(f"{path} is not a document that can be read; these can: {kinds}")
    return path.resolve()


def _listed(roots: Sequence[Path], known: dict[str, str]) -> tuple[list[_File], list[Failure], list[str]]:
    """The files to read with their ids, those whose id is taken, and those of other kinds."""
    ids = {path: doc_id for doc_id, path in known.items()}
    owners = {doc_id: Path(path) for doc_id, path in known.items()}
    files: dict[Path, _File] = {}
    failures, ignored = [], []
    for root in roots:
        for path in _walk(root):
            if path.is_symlink() and not path.resolve().is_relative_to(root):
                reason = "it is a link to a file outside the folder; give that file itself"
                failures.append(Failure(str(path), reason))
                continue
            if path.suffix.lower() not in SUFFIXES:
                if not (path.suffix == ".yaml" and path.with_suffix("").exists()):
                    ignored.append(str(path))
                continue
            # A file that is known from another folder keeps its id.
            relative = path.relative_to(root if root.is_dir() else root.parent).as_posix()
            doc_id = ids.get(str(path), relative)
            owner = owners.setdefault(doc_id, path)
            if owner != path and owner.exists():
                reason = f"{owner} has the same id, {doc_id}; give the folder above both"
                failures.append(Failure(str(path), reason))
            elif path not in files:
                owners[doc_id] = path
                files[path] = _File(path, doc_id)
    return list(files.values()), failures, ignored


def _walk(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _passages(file: _File, digest: str) -> list[Passage]:
    document = read_document(file.path, file.doc_id)
    passages = []
    for number, span in enumerate(split_passages(document.text, document.begin)):
        headings = span.headings
        if headings and _words(headings[0]) == _words(document.title):
            headings = headings[1:]
        passages.append(
            Passage(
                id=f"{file.doc_id}#{number}",
                doc_id=file.doc_id,
                title=document.title,
                heading=" > ".join(headings),
                text=document.text[span.start : span.end],
                start=span.start,
                end=span.end,
                category=document.category,
                version=document.version,
                audience=document.audience,
                updated=document.updated,
                path=str(file.path),
                doc_hash=digest,
            )
        )
    if not passages:
        raise BadInput("it has no text")
    return passages


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _vanished(roots: Sequence[Path], files: Sequence[_File], known: dict[str, str]) -> list[str]:
    """The documents below the folders given whose file is gone."""
    folders = [root for root in roots if root.is_dir()]
    listed = {file.doc_id for file in files}
    return sorted(
        doc_id
        for doc_id, path in known.items()
        if doc_id not in listed
        and not Path(path).exists()
        and any(Path(path).is_relative_to(folder) for folder in folders)
    )


def _write(store: DocumentStore, batch: dict[str, list[Passage]], dry_run: bool) -> None:
    if batch and not dry_run:
        store.replace_all(batch)
    batch.clear()
