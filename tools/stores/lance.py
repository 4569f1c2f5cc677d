"""LanceDB's side of the documents: filters, the two searches, indexes, commits and errors."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, TypeVar

from tools.errors import SourceUnavailable
from tools.stores.embedder import Vectors

if TYPE_CHECKING:
    import pyarrow as pa
    from lancedb.expr import Expr

T = TypeVar("T")

_FLAT_LIMIT = 5_000  # rows; up to here a scan takes 10 ms, at ten times that 30 times as long
_VECTOR_INDEX = "vector_idx"  # LanceDB's own name for it
_COMMIT_TRIES = 10

KEY = {"lance-schema:unenforced-primary-key:position": "1"}
"""The metadata of the column that is the key (Lance's table format). It is there as soon as the table is.

Without a key two processes that write the same document would both insert it.
"""


def connect(uri: str, storage_options: Mapping[str, str] | None) -> Any:
    """A connection whose tables always show what other processes have written."""
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb

    options = dict(storage_options) if storage_options else None
    return lancedb.connect(uri, read_consistency_interval=timedelta(0), storage_options=options)


def open_table(connection: Any, name: str) -> Any:
    """The table, or None when there is none.

    A list of the tables already names one that another process is about to make.
    """
    try:
        return connection.open_table(name)
    except ValueError as error:
        if "not found" in str(error):
            return None
        raise


def index_words(table: Any) -> None:
    """Index the words of `search`, where that is still to be done."""
    from lancedb.index import FTS

    if not table.list_indices():
        committed(lambda: table.create_index("search", config=FTS(with_position=True), replace=True))


def condition(
    category: str | None, version: str | None, updated_since: date | None, audience: str
) -> Expr | None:
    """What a passage must fulfil; None when everything will do.

    Conditions are expressions and never SQL: LanceDB's parser takes a backslash for an escape, which quoting
    does not take care of.
    """
    from lancedb.expr import col, lit

    terms = [] if audience == "internal" else [col("audience") == lit("public")]
    if category is not None:
        terms.append(col("category").lower() == lit(category.strip().lower()))
    if version is not None:
        terms.append(col("version") == lit(version.strip()))
    if updated_since is not None:
        terms.append(col("updated") >= lit(updated_since))
    return reduce(lambda left, right: left.and_(right), terms) if terms else None


def any_of(column: str, values: Sequence[str]) -> Expr:
    """The condition that `column` is one of `values`."""
    from lancedb.expr import col

    return col(column).isin(list(values))


def first_passages(table: Any, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """One row for each document, some thousands at a time."""
    from lancedb.expr import col, lit

    query = table.search().select(list(columns)).where(col("number") == lit(0))
    yield from query.to_batches()


def dense(table: Any, vector: Vectors, columns: list[str], where: Expr | None, limit: int) -> pa.Table:
    """The rows nearest to `vector`."""
    query = table.search(vector, vector_column_name="vector").distance_type("cosine").limit(limit)
    return _found(query, [*columns, "_distance"], where)


def sparse(table: Any, words: str, columns: list[str], where: Expr | None, limit: int) -> pa.Table:
    """The rows that share words with `words`, by BM25 (`_score`). Nothing in `words` is an operator."""
    from lancedb.query import MatchQuery

    match = MatchQuery(words, "search")  # type: ignore[call-arg]  # its defaults are hidden from checkers
    return _found(table.search(match).limit(limit), [*columns, "_score"], where)


def _found(query: Any, columns: list[str], where: Expr | None) -> pa.Table:
    # Filtered before ranking: afterwards, what may not be seen would have taken places of the limit.
    query = query.select(columns)
    return (query.where(where, prefilter=True) if where is not None else query).to_arrow()


def freshen(table: Any) -> None:
    """Bring the indexes up to date; beyond `_FLAT_LIMIT` rows the vectors have one, and what is filtered by.

    Inverted lists of vectors in 8 bits: on 50,000 passages they are made in 3 seconds, where a graph (HNSW)
    took 180, and find 0.99 of the 50 nearest in 10 ms, where a scan takes 350. Their number follows from the
    rows when they are made, so they are made anew whenever the rows have doubled.
    """
    from lancedb.index import Bitmap, BTree, IvfSq

    rows = table.count_rows()
    if rows > _FLAT_LIMIT:
        known = {column for index in table.list_indices() for column in index.columns}
        stats = table.index_stats(_VECTOR_INDEX) if "vector" in known else None
        if stats is None or int(stats.num_indexed_rows).bit_length() < rows.bit_length():
            committed(
                lambda: table.create_index("vector", config=IvfSq(distance_type="cosine"), replace=True)
            )
        for column, config in (("id", BTree()), ("doc_id", BTree()), ("audience", Bitmap())):
            if column not in known:
                committed(partial(table.create_index, column, config=config))
    committed(lambda: table.optimize(cleanup_older_than=timedelta(days=1)))


def committed(write: Callable[[], T]) -> T:
    """Run a write again while another writer gets in first, which LanceDB reports and does not wait for."""
    for attempt in range(_COMMIT_TRIES):
        try:
            return write()
        except (RuntimeError, OSError, ValueError) as error:
            if "conflict" not in str(error).lower() or attempt == _COMMIT_TRIES - 1:
                raise
            time.sleep(random.uniform(0.01, 0.05) * (attempt + 1))  # noqa: S311 - to spread writers
    raise AssertionError("the last attempt returns or raises")


@contextmanager
def reaching(uri: str) -> Iterator[None]:
    """Turn LanceDB's many errors into one kind, without their text: it can quote what was asked."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        reason = f"the store at {uri} cannot be used ({type(error).__name__}); see DESK_DOCUMENTS_URI"
        raise SourceUnavailable("documents", reason) from error
