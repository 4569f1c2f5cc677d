"""Names of things as vectors: the last resort for a name that no spelling of a known one explains.

Vectors are kept beside the names and read into memory once for each version of the graph, 16 bits a number:
38 MB for 50,000 names. Beyond that a database's own vector index should hold them; see `docs/graph.md`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tools.stores.graph_tables import create
from tools.stores.graph_types import Audience, Entity, Mention

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder
    from tools.stores.graph import GraphStore

MOST = 50_000
"""Names that are kept as vectors; in a graph with more of them none are."""

# Set on the first half of the made-up names: `python -m evals.bench graph aliases`.
_LIKE = 0.50  # a name nearer than this to the text may be meant
_SURE = 0.60  # one nearer than this is, where no other comes near
_APART = 0.15  # by so much the next thing must be farther away
_OFFERED = 3
_BATCH = 256
_TELLING = re.compile(r"[^\W\d_]{4}")  # a code has no meaning

_MISSING = """
SELECT DISTINCT s.text FROM surface s LEFT JOIN name_vector v ON v.text = s.text AND v.embedder = %s
WHERE v.text IS NULL ORDER BY 1
"""
_GONE = """
DELETE FROM name_vector v
WHERE embedder <> %s OR NOT EXISTS (SELECT FROM surface s WHERE s.text = v.text)
"""
_ALL = """
SELECT v.vector, e.id, e.name, e.kind, e.public
FROM name_vector v JOIN surface s USING (text) JOIN entity n ON n.id = s.entity
JOIN entity e ON e.id = coalesce(n.same_as, n.id) WHERE v.embedder = %s
"""


@dataclass(frozen=True)
class _Held:
    """The vectors of one version of a graph: shape (names, dimensions), and the thing of each."""

    version: int
    vectors: npt.NDArray[np.float16]
    things: Sequence[Entity]
    public: npt.NDArray[np.bool_]


_HELD: WeakKeyDictionary[GraphStore, _Held] = WeakKeyDictionary()


def learn(store: GraphStore, embedder: Embedder, progress: Callable[[str], None] = lambda _: None) -> int:
    """Keep the names that are new as vectors, and forget those that are gone; how many were new.

    None are kept of a graph with more than `MOST` names.

    Raises:
        SourceUnavailable: The database is down or refuses.
    """
    with store.connected() as connection:
        create(connection, store.schema)
        connection.execute(_GONE, [embedder.name])
        row = connection.execute("SELECT count(DISTINCT text) FROM surface").fetchone()
        if row is None or row[0] > MOST:
            connection.execute("TRUNCATE name_vector")
            return 0
        missing = [text for (text,) in connection.execute(_MISSING, [embedder.name]) if _TELLING.search(text)]
    for start in range(0, len(missing), _BATCH):
        progress(f"learning {start} of {len(missing)} names")
        texts = missing[start : start + _BATCH]
        vectors = embedder.embed(texts).astype(np.float16)
        with store.connected() as connection, connection.cursor() as cursor:
            create(connection, store.schema)
            cursor.executemany(
                "INSERT INTO name_vector VALUES (%s, %s, %s) ON CONFLICT (text) DO UPDATE"
                " SET embedder = excluded.embedder, vector = excluded.vector",
                [(text, embedder.name, one.tobytes()) for text, one in zip(texts, vectors, strict=True)],
            )
            cursor.execute("UPDATE version SET number = number + 1")
    return len(missing)


def near(store: GraphStore, text: str, embedder: Embedder, audience: Audience) -> list[Entity]:
    """The few things whose names mean about what a text does, nearest first.

    Raises:
        SourceUnavailable: The database is down or slow.
    """
    return [thing for thing, cosine in _nearest(store, text, embedder, audience) if cosine >= _LIKE]


def meant(store: GraphStore, text: str, embedder: Embedder, audience: Audience) -> Mention | None:
    """The thing whose name means what a text does, with others that are about as near; None when none does.

    Raises:
        SourceUnavailable: The database is down or slow.
    """
    found = _nearest(store, text, embedder, audience)
    if not found or found[0][1] < _SURE:
        return None
    (best, top), *others = found
    close = tuple(thing for thing, cosine in others if cosine > top - _APART)
    return Mention(best, text.strip(), 0, len(text), "meaning", round(top, 4), close)


def _nearest(
    store: GraphStore, text: str, embedder: Embedder, audience: Audience
) -> list[tuple[Entity, float]]:
    """The few nearest things, each with the cosine of its nearest name."""
    held = _held(store, embedder)
    if not held.things:
        return []
    cosines = held.vectors.astype(np.float32) @ embedder.embed([text])[0]
    best: dict[Entity, float] = {}
    for place in np.argsort(-cosines)[: 20 * _OFFERED]:
        if audience == "internal" or held.public[place]:
            best.setdefault(held.things[place], float(cosines[place]))
    return list(best.items())[:_OFFERED]


def _held(store: GraphStore, embedder: Embedder) -> _Held:
    with store.reading() as connection:
        row = connection.execute("SELECT number FROM version").fetchone()
        version = int(row[0]) if row else 0
        held = _HELD.get(store)
        if held is None or held.version != version:
            rows = connection.execute(_ALL, [embedder.name]).fetchall()
            vectors = np.frombuffer(b"".join(one[0] for one in rows), np.float16)
            held = _Held(
                version,
                vectors.reshape(len(rows), embedder.dimensions if rows else 0),
                [Entity(*one[1:4]) for one in rows],
                np.array([one[4] for one in rows], bool),
            )
            _HELD[store] = held
        return held
