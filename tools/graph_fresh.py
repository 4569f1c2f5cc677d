"""Whether what an answer rests on has changed since the graph was built."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from tools.row_text import sentence_list
from tools.stores.graph_sources import DOCUMENT, GraphSources
from tools.stores.graph_types import Edge

if TYPE_CHECKING:
    from tools.stores.documents import DocumentStore
    from tools.stores.graph import GraphStore

_KEPT = 30.0  # seconds for which a look at all sources holds
_TOLD = 3  # changed sources that are named


class Freshness:
    """Knows which sources of a graph have changed since it was built. Safe to use from many threads."""

    def __init__(self, store: GraphStore, documents: DocumentStore | None = None) -> None:
        self._kept = GraphSources(store)
        self._documents = documents
        self._looked = (float("-inf"), frozenset[str]())

    def note(self, edges: Iterable[Edge]) -> str | None:
        """What to say beside these edges when a source of theirs has changed; None when none has.

        Raises:
            SourceUnavailable: The graph or the documents cannot be read.
        """
        sources = {source for edge in edges for source in edge.sources}
        changed = sorted(sources & self._stale()) if sources else []
        if not changed:
            return None
        told = [name.partition(DOCUMENT)[2] or name for name in changed]
        more = f" and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
        return (
            f"{sentence_list(told[:_TOLD])}{more} changed since the graph was built, so that this may be "
            "out of date; `desk graph build` reads it again."
        )

    def _stale(self) -> frozenset[str]:
        at, found = self._looked
        if time.monotonic() - at > _KEPT:
            found = frozenset(self._look())
            self._looked = (time.monotonic(), found)
        return found

    def _look(self) -> Iterable[str]:
        plans = self._kept.plans()
        if not plans:
            return
        digests = self._kept.digests()
        yield from (one.source for one in plans if _digest(Path(one.file)) not in ("", one.digest))
        if self._documents is None:
            return
        known = self._documents.known()
        for name, digest in digests.items():
            if DOCUMENT in name:
                now = known.get(name.partition(DOCUMENT)[2])
                if now is None or not digest.startswith(f"{now.doc_hash} "):
                    yield name


def _digest(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError:
        return ""
