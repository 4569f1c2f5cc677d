"""The documents: passages in LanceDB, found by their words, by their meaning, or by both."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from tools.errors import ConfigurationError
from tools.stores import lance
from tools.stores.embedder import Embedder, Vectors
from tools.stores.fusion import COLUMNS, Mode, fuse, searchable
from tools.stores.passage import Collection, Known, Passage, PassageHit, set_back
from tools.stores.rerank import Reranker
from tools.stores.versions import OVERVIEW_COLUMNS, Overview

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "passages-2"
"""The table's name, counted up when its columns change: an older one is left alone, and filled anew."""

_CANDIDATES = 50  # results of each kind that are fused
_AT_ONCE = 4  # searches by words that run beside those by meaning
_RERANKED = 20  # of these the reranker sees the best
_EMBEDDED_AT_ONCE = 64  # texts, between two signs of progress
_EMBEDDER = b"citedesk.embedder"


class DocumentStore:
    """Passages with their vectors. Safe to use from several threads and several processes."""

    def __init__(
        self, connection: Any, uri: str, embedder: Embedder, reranker: Reranker | None = None
    ) -> None:
        self.embedder = embedder
        self._connection = connection
        self._uri = uri
        self._reranker = reranker
        self._opened: Any = None
        self._read: tuple[int, Overview] = (-1, Overview())
        self._made = False
        self._beside = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="words")

    @classmethod
    def open(
        cls,
        uri: str,
        embedder: Embedder,
        *,
        storage_options: Mapping[str, str] | None = None,
        reranker: Reranker | None = None,
    ) -> DocumentStore:
        """Open the store at `uri`, a folder or an object store's address such as `s3://bucket/desk`.

        Args:
            uri: Where the passages are; nothing is written before the first `replace`.
            embedder: What made, or will make, the vectors.
            storage_options: LanceDB's options for an object store.
            reranker: Called with the query and the texts of the best passages; gives a score for each, and
                they are ranked by it. See `tools.stores.rerank`.

        Raises:
            ConfigurationError: The store was filled by another embedder.
            SourceUnavailable: `uri` cannot be read.
        """
        with lance.reaching(uri):
            connection = lance.connect(uri, storage_options)
            store = cls(connection, uri, embedder, reranker)
            store._table()
            return store

    def close(self) -> None:
        """Let go of the table. The store opens it again when it is used."""
        self._opened = None

    def search(
        self,
        query: str,
        *,
        k: int = 5,
        mode: Mode = "hybrid",
        category: str | None = None,
        version: str | None = None,
        updated_since: date | None = None,
        audience: str = "public",
    ) -> list[PassageHit]:
        """The `k` best passages for `query`, best first.

        Superseded versions come after everything that is in force, unless `version` or the query names them.

        Args:
            query: Any text; it is never parsed as a query language.
            k: How many.
            mode: `hybrid` adds up both scores (`tools.stores.fusion`), `dense` goes by meaning alone,
                `sparse` by words alone.
            category: Only this category, in any case.
            version: Only this version.
            updated_since: Only documents that say that they were updated on this day or later.
            audience: `internal` sees everything, any other value only what is public.

        Raises:
            SourceUnavailable: The store cannot be read, or the query cannot be embedded.
        """
        with lance.reaching(self._uri):
            table = self._table()
            if table is None:
                return []
            where = lance.condition(category, version, updated_since, audience)
            limit = max(_CANDIDATES, 4 * k)
            by_words = None
            if mode != "dense":
                by_words = self._beside.submit(lance.sparse, table, searchable(query), COLUMNS, where, limit)
            vector = self.embedder.embed([query])[0]
            by_meaning = lance.dense(table, vector, COLUMNS, where, limit) if mode != "sparse" else None
            old = self._overview(table).superseded(audience) if version is None else frozenset()
            found = by_meaning, by_words.result() if by_words else None
        hits = fuse(found, query, vector, mode, old)
        hits.sort(key=lambda hit: (set_back(hit, query), -hit.score, hit.passage.id))
        return hits[:k] if self._reranker is None else self._reranked(query, hits[: max(k, _RERANKED)])[:k]

    def _reranked(self, query: str, hits: Sequence[PassageHit]) -> list[PassageHit]:
        if self._reranker is None or not hits:
            return list(hits)
        scores = self._reranker(query, [f"{hit.passage.place}\n{hit.passage.text}" for hit in hits])
        scored = [replace(hit, score=float(score)) for hit, score in zip(hits, scores, strict=True)]
        return sorted(scored, key=lambda hit: (set_back(hit, query), -hit.score, hit.passage.id))

    def replace(self, doc_id: str, passages: Sequence[Passage]) -> None:
        """Put `passages` in the place of what the document had, at once or not at all."""
        self.replace_all({doc_id: passages})

    def replace_all(
        self,
        documents: Mapping[str, Sequence[Passage]],
        embedded: Callable[[int], None] | None = None,
    ) -> None:
        """The same for several documents, in one transaction.

        Args:
            documents: The passages of each document, by its id.
            embedded: Called while the texts are embedded, with how many more are done.

        Raises:
            ConfigurationError: The store was filled by another embedder.
            SourceUnavailable: The store cannot be written, or the texts cannot be embedded.
        """
        passages = [passage for of_one in documents.values() for passage in of_one]
        vectors = self._embed(passages, embedded)
        with lance.reaching(self._uri):
            table = self._writable()
            gone = lance.any_of("doc_id", list(documents))
            if not passages:
                lance.committed(lambda: table.delete(gone))
                return
            rows = _rows(passages, vectors, table.schema)
            lance.committed(
                lambda: (
                    table.merge_insert("id")
                    .when_matched_update_all()
                    .when_not_matched_insert_all()
                    .when_not_matched_by_source_delete(gone)
                    .execute(rows)
                )
            )

    def _embed(self, passages: Sequence[Passage], embedded: Callable[[int], None] | None) -> Vectors:
        vectors = np.zeros((len(passages), self.embedder.dimensions), np.float32)
        for start in range(0, len(passages), _EMBEDDED_AT_ONCE):
            some = passages[start : start + _EMBEDDED_AT_ONCE]
            vectors[start : start + len(some)] = self.embedder.embed(
                [f"{passage.place}\n{passage.text}" for passage in some]
            )
            if embedded:
                embedded(len(some))
        return vectors

    def remove(self, doc_id: str) -> None:
        """Forget a document; nothing happens when it is not there."""
        with lance.reaching(self._uri):
            table = self._table()
            if table is not None:
                lance.committed(lambda: table.delete(lance.any_of("doc_id", [doc_id])))

    def optimise(self) -> None:
        """Bring the indexes up to date, once much has changed. Searches are right without it, but slower."""
        with lance.reaching(self._uri):
            table = self._table()
            if table is not None:
                lance.freshen(table)

    def count(self) -> int:
        """How many passages there are."""
        with lance.reaching(self._uri):
            table = self._table()
            return 0 if table is None else int(table.count_rows())

    def known(self) -> dict[str, Known]:
        """Every document by its id."""
        found: dict[str, Known] = {}
        with lance.reaching(self._uri):
            table = self._table()
            for batch in () if table is None else lance.first_passages(table, ["doc_id", *Known._fields]):
                ids, *held = (batch[name].to_pylist() for name in ("doc_id", *Known._fields))
                # A file of many documents has its name in memory once.
                paths = map(sys.intern, held[0])
                found.update(zip(ids, map(Known, paths, held[1]), strict=True))
        return found

    def passages(self, doc_ids: Sequence[str]) -> list[Passage]:
        """The passages of some documents, in order."""
        names = [item.name for item in fields(Passage)]
        with lance.reaching(self._uri):
            table = self._table()
            if table is None or not doc_ids:
                return []
            query = table.search().select(names).where(lance.any_of("doc_id", doc_ids))
            found = [Passage(**row) for batch in query.to_batches() for row in batch.to_pylist()]
        return sorted(found, key=lambda one: (one.doc_id, one.number))

    def collections(self, audience: str = "public") -> list[Collection]:
        """The documents that `audience` may see by category, in alphabetical order."""
        with lance.reaching(self._uri):
            table = self._table()
            return [] if table is None else self._overview(table).collections(audience)

    def _overview(self, table: Any) -> Overview:
        version = int(table.version)
        read_at, known = self._read
        if read_at != version:
            known = Overview.of(lance.first_passages(table, OVERVIEW_COLUMNS))
            self._read = (version, known)
        return known

    def _table(self) -> Any:
        """The table, or None when nothing was ever put in."""
        if self._opened is None:
            table = lance.open_table(self._connection, TABLE)
            if table is None:
                return None
            filled_by = (table.schema.metadata or {}).get(_EMBEDDER, b"").decode()
            if filled_by != self.embedder.name:
                raise ConfigurationError(
                    f"DESK_EMBEDDER: the documents in {self._uri} were embedded with "
                    f"{filled_by or 'an unknown model'}, not {self.embedder.name}; choose that one, "
                    "or ingest into another DESK_HOME or DESK_DOCUMENTS_URI"
                )
            self._opened = table
        return self._opened

    def _writable(self) -> Any:
        """The table with its key and its index of words: made, or finished where a maker was cut off."""
        if not self._made:
            if self._table() is None:
                schema = _schema(self.embedder)
                lance.committed(lambda: self._connection.create_table(TABLE, schema=schema, exist_ok=True))
            lance.index_words(self._table())
            self._made = True
        return self._table()


def _schema(embedder: Embedder) -> pa.Schema:
    import pyarrow as pa

    kinds = {"start": pa.int64(), "end": pa.int64(), "number": pa.int32(), "updated": pa.date32()}
    columns = [
        pa.field(item.name, kinds.get(item.name, pa.string()), nullable=item.name != "id")
        for item in fields(Passage)
    ]
    columns[0] = columns[0].with_metadata(lance.KEY)
    search = pa.field("search", pa.string())
    vector = pa.field("vector", pa.list_(pa.float32(), embedder.dimensions))
    return pa.schema([*columns, search, vector], metadata={_EMBEDDER: embedder.name.encode()})


def _rows(passages: Sequence[Passage], vectors: Vectors, schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    rows = [
        {**vars(passage), "search": searchable(f"{passage.place}\n{passage.text}"), "vector": vector}
        for passage, vector in zip(passages, vectors, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=schema)
