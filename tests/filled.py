"""A real store of documents that a test writes out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tools.ingest.documents import ingest
from tools.stores.documents import DocumentStore
from tools.stores.embedder import Embedder


def filled(folder: Path, documents: Mapping[str, str], embedder: Embedder) -> DocumentStore:
    """The documents as files under `folder`, by their names, and taken in by the code of `desk ingest`."""
    for name, text in documents.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    store = DocumentStore.open(str(folder / ".store"), embedder)
    assert not ingest([folder], store).failed
    return store
