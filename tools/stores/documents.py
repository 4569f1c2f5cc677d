"""The documents: passages in LanceDB, found by their words, by their meaning, or by both."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from tools.errors import ConfigurationError
from tools.relevance import codes
from tools.stores import lance
from tools.stores.embedder import Embedder, Vectors
from tools.stores.passage import Collection, Passage, PassageHit, set_back
from tools.stores.versions import Edition, superseded

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.expr import Expr

Mode = Literal["hybrid", "dense", "sparse"]
Reranker = Callable[[str, Sequence[str]], Sequence[float]]

_TABLE = "passages"
_RRF_K = 60  # Cormack, Clarke and Büttcher, "Reciprocal rank fusion", SIGIR 2009
_CANDIDATES = 50  # results of each kind that are fused
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
        self._superseded: dict[str, tuple[int, frozenset[str]]] = {}

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
                they are ranked by it.

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
        audience: str = "public",
    ) -> list[PassageHit]:
        """The `k` best passages for `query`, best first.

        Superseded versions come after everything that is in force, unless `version` or the query names them.

        Args:
            query: Any text; it is never parsed as a query language.
            k: How many.
            mode: `hybrid` fuses both rankings by reciprocal rank (k = 60), `dense` goes by meaning alone,
                `sparse` by words alone.
            category: Only this category, in any case.
            version: Only this version.
            audience: `internal` sees everything, any other value only what is public.

        Raises:
            SourceUnavailable: The store cannot be read, or the query cannot be embedded.
        """
        vector = self.embedder.embed([query])[0]
        with lance.reaching(self._uri):
            table = self._table()
            if table is None:
                return []
            where = lance.condition(category, version, audience)
            limit = max(_CANDIDATES, 4 * k)
            dense = lance.dense(table, vector, where, limit) if mode != "sparse" else []
            sparse = lance.sparse(table, _searchable(query), where, limit) if mode != "dense" else []
            old = self._old(table, audience) if version is None else frozenset()
        hits = _fuse(dense, sparse, vector, mode, old)
        if self._reranker is not None and hits:
            scores = self._reranker(query, [f"{hit.passage.place}\n{hit.passage.text}" for hit in hits])
            hits = [replace(hit, score=float(score)) for hit, score in zip(hits, scores, strict=True)]
        hits.sort(key=lambda hit: (set_back(hit, query), -hit.score, hit.passage.id))
        return hits[:k]

    def replace(self, doc_id: str, passages: Sequence[Passage]) -> None:
        """Put `passages` in the place of what the document had, at once or not at all."""
        self.replace_all({doc_id: passages})

    def replace_all(self, documents: Mapping[str, Sequence[Passage]]) -> None:
        """The same for several documents, in one transaction.

        Raises:
            ConfigurationError: The store was filled by another embedder.
            SourceUnavailable: The store cannot be written, or the texts cannot be embedded.
        """
        passages = [passage for of_one in documents.values() for passage in of_one]
        vectors = self.embedder.embed([f"{passage.place}\n{passage.text}" for passage in passages])
        with lance.reaching(self._uri):
            table = self._table() or self._create()
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
            if table is None:
                return
            lance.committed(lambda: lance.index_vectors(table))
            lance.committed(lambda: table.optimize(cleanup_older_than=timedelta(days=1)))

    def count(self) -> int:
        """How many passages there are."""
        with lance.reaching(self._uri):
            table = self._table()
            return 0 if table is None else int(table.count_rows())

    def hashes(self) -> dict[str, str]:
        """The hash of every document by its id."""
        return {row["doc_id"]: row["doc_hash"] for row in self._scan(["doc_id", "doc_hash"])}

    def paths(self) -> dict[str, str]:
        """The file of every document by its id."""
        return {row["doc_id"]: row["path"] for row in self._scan(["doc_id", "path"])}

    def collections(self, audience: str = "public") -> list[Collection]:
        """The documents that `audience` may see by category, in alphabetical order."""
        titles: dict[str, dict[str, str]] = {}
        for row in self._scan(["doc_id", "category", "title"], lance.condition(None, None, audience)):
            titles.setdefault(row["category"], {})[row["doc_id"]] = row["title"]
        return [
            Collection(category, len(of_one), tuple(sorted(of_one.values())))
            for category, of_one in sorted(titles.items())
        ]

    def _scan(self, columns: list[str], where: Expr | None = None) -> list[lance.Row]:
        with lance.reaching(self._uri):
            table = self._table()
            return [] if table is None else lance.read(table, columns, where)

    def _old(self, table: Any, audience: str) -> frozenset[str]:
        version = int(table.version)
        read_at, old = self._superseded.get(audience, (-1, frozenset()))
        if read_at != version:
            names = [item.name for item in fields(Edition)]
            rows = lance.read(table, names, lance.condition(None, None, audience))
            old = superseded({Edition(**row) for row in rows})
            self._superseded[audience] = (version, old)
        return old

    def _table(self) -> Any:
        """The table, or None when nothing was ever put in."""
        if self._opened is None:
            if _TABLE not in self._connection.list_tables().tables:
                return None
            table = self._connection.open_table(_TABLE)
            filled_by = (table.schema.metadata or {}).get(_EMBEDDER, b"").decode()
            if filled_by != self.embedder.name:
                raise ConfigurationError(
                    f"DESK_EMBEDDER: the documents in {self._uri} were embedded with "
                    f"{filled_by or 'an unknown model'}, not {self.embedder.name}; choose that one, "
                    "or ingest into another DESK_HOME or DESK_DOCUMENTS_URI"
                )
            self._opened = table
        return self._opened

    def _create(self) -> Any:
        schema = _schema(self.embedder)
        table = lance.committed(lambda: self._connection.create_table(_TABLE, schema=schema, exist_ok=True))
        lance.index_words(table)
        return self._table()


def _schema(embedder: Embedder) -> pa.Schema:
    import pyarrow as pa

    kinds = {"start": pa.int64(), "end": pa.int64(), "updated": pa.date32()}
    columns = [
        pa.field(item.name, kinds.get(item.name, pa.string()), nullable=item.name != "id")
        for item in fields(Passage)
    ]
    search = pa.field("search", pa.string())
    vector = pa.field("vector", pa.list_(pa.float32(), embedder.dimensions))
    return pa.schema([*columns, search, vector], metadata={_EMBEDDER: embedder.name.encode()})


def _rows(passages: Sequence[Passage], vectors: Vectors, schema: pa.Schema) -> pa.Table:
    import pyarrow as pa

    rows = [
        {**vars(passage), "search": _searchable(f"{passage.place}\n{passage.text}"), "vector": vector}
        for passage, vector in zip(passages, vectors, strict=True)
    ]
    return pa.Table.from_pylist(rows, schema=schema)


def _searchable(text: str) -> str:
    """The text with its codes once more as single words: the index would take `AB-12` apart."""
    words = set(re.findall(r"[^\W_]+", text.lower()))
    return f"{text}\n{' '.join(sorted(codes(text) - words))}"


def _fuse(
    dense: list[lance.Row],
    sparse: list[lance.Row],
    vector: Vectors,
    mode: Mode,
    old: frozenset[str],
) -> list[PassageHit]:
    fused: dict[str, float] = {}
    for ranking in (dense, sparse):
        for rank, row in enumerate(ranking, start=1):
            fused[row["id"]] = fused.get(row["id"], 0.0) + 1 / (_RRF_K + rank)
    bm25 = {row["id"]: float(row["_score"]) for row in sparse}
    names = [item.name for item in fields(Passage)]
    hits = []
    for row in {row["id"]: row for row in (*dense, *sparse)}.values():
        own = np.asarray(row["vector"], np.float32)
        cosine, words = float(own @ vector), bm25.get(row["id"], 0.0)
        score = {"hybrid": fused[row["id"]], "dense": cosine, "sparse": words}[mode]
        passage = Passage(**{name: row[name] for name in names})
        hits.append(PassageHit(passage, score, cosine, words, passage.doc_id in old, own))
    return hits
