"""Which files and folders hold which documents, each with an id and a hash of its content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.errors import BadInput
from tools.ingest import collections, readers
from tools.ingest.readers import Document, file_bytes, folder, read_document, sidecar
from tools.stores.passage import Known

SUFFIXES = readers.SUFFIXES | collections.SUFFIXES
_FORM = "3"  # part of every hash: raise it when the same file would make other passages


@dataclass(frozen=True)
class Failure:
    """A file, or a piece of one, that was not taken in, and why; what the store had of it stays."""

    path: str
    reason: str


@dataclass(frozen=True)
class Listed:
    """A file to read: where it is, the id of what it holds, and its size in bytes."""

    path: Path
    doc_id: str
    size: int


@dataclass(frozen=True)
class Listing:
    """What was found below the paths given: files to read, what cannot be, and files of other kinds."""

    files: tuple[Listed, ...]
    failures: tuple[Failure, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True)
class Unread:
    """A document that was found and not yet converted.

    Attributes:
        doc_id: Its id; that of a document in a file of many is the file's, `#`, and its own in there.
        digest: A hash of all that its passages depend on.
        size: How much of the file it takes, in bytes.
        read: Converts it; raises BadInput when it cannot be used.
    """

    doc_id: str
    digest: str
    size: int
    read: Callable[[], Document]


def checked(path: Path) -> Path:
    """The path made absolute.

    Raises:
        BadInput: It does not exist or is a file of a kind that is not read.
    """
    if not path.exists():
        raise BadInput(f"{path} does not exist; give a file or a folder of documents")
    if path.is_file() and path.suffix.lower() not in SUFFIXES:
        kinds = ", ".join(sorted(suffix[1:] for suffix in SUFFIXES))
        raise BadInput(f"{path} is not a document that can be read; these can: {kinds}")
    return path.resolve()


def listing(roots: Sequence[Path], known: Mapping[str, Known]) -> Listing:
    """The files below `roots`. A file that is known from another folder keeps its id.

    Args:
        roots: Absolute files and folders.
        known: The documents that there are, by id.
    """
    ids = {held.path: _file_id(doc_id, held.path) for doc_id, held in known.items()}
    owners = {doc_id: Path(path) for path, doc_id in ids.items()}
    files: dict[Path, Listed] = {}
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
            relative = path.relative_to(root if root.is_dir() else root.parent).as_posix()
            doc_id = ids.get(str(path), relative)
            owner = owners.setdefault(doc_id, path)
            if owner != path and owner.exists():
                reason = f"{owner} has the same id, {doc_id}; give the folder above both"
                failures.append(Failure(str(path), reason))
            elif path not in files:
                owners[doc_id] = path
                files[path] = Listed(path, doc_id, _size(path))
    return Listing(tuple(files.values()), tuple(failures), tuple(ignored))


def documents(file: Listed) -> Iterator[Unread | Failure]:
    """The documents of a file. A file of many can have pieces that are none: each is a failure of its own.

    Raises:
        BadInput: The file as a whole cannot be read.
    """
    if not of_many(file.path):
        yield Unread(
            file.doc_id, _file_hash(file.path), file.size, lambda: read_document(file.path, file.doc_id)
        )
        return
    seen: set[str] = set()
    for record in collections.records(file.path, folder(file.doc_id)):
        if isinstance(record, collections.Broken):
            yield Failure(f"{file.path}, {record.place}", record.reason)
        elif record.key in seen:
            yield Failure(f"{file.path}, {record.place}", f"the id {record.key!r} stands there before")
        else:
            seen.add(record.key)
            digest = _digest(record.content)
            yield Unread(f"{file.doc_id}#{record.key}", digest, record.size, record.read)


def of_many(path: Path) -> bool:
    """Whether a file holds documents with ids of their own, so that one that is not in it is gone."""
    return path.suffix.lower() in collections.SUFFIXES


def _file_id(doc_id: str, path: str) -> str:
    """The id of the file that holds a document."""
    name = os.path.basename(path)  # for every document of the store; a `Path` would take six times as long
    head, of_many, _ = doc_id.partition(f"{name}#")
    return head + name if of_many else doc_id


def _file_hash(path: Path) -> str:
    beside = sidecar(path)
    return _digest(file_bytes(path), file_bytes(beside) if beside.exists() else b"")


def _digest(*contents: bytes) -> str:
    digest = hashlib.sha256(_FORM.encode())
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()[:32]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # said again, and reported, when it is read
        return 0


def _walk(root: Path) -> Iterator[Path]:
    if root.is_file():
        yield root
        return
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in sorted(names) if not name.startswith("."))
