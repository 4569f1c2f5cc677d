"""Which passages were read for edges, what was found in them, and the words they are found again by."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

Edge = tuple[str, str, str]
TABLES = """
CREATE TABLE IF NOT EXISTS passage (
    source text NOT NULL, number int NOT NULL, digest text NOT NULL, tokens text[] NOT NULL,
    found jsonb NOT NULL, PRIMARY KEY (source, number));
CREATE INDEX IF NOT EXISTS passage_tokens ON passage USING gin (tokens);
CREATE TABLE IF NOT EXISTS extracted (digest text PRIMARY KEY, found jsonb NOT NULL);
"""


@dataclass(frozen=True)
class ReadPassage:
    """A passage as it was read.

    Attributes:
        source: The document's name among the graph's sources.
        number: Its place in the document.
        digest: Of all that it was read by, the names that stand in it aside.
        tokens: See `graph_lexicon.tokens`.
        found: The edges that it states: source, relation, end.
    """

    source: str
    number: int
    digest: str
    tokens: Sequence[str] = ()
    found: Sequence[Edge] = field(default_factory=tuple)


def read(connection: psycopg.Connection[Any], sources: Sequence[str]) -> list[ReadPassage]:
    """The passages of these sources as they were read last; without their tokens."""
    rows = connection.execute(
        "SELECT source, number, digest, found FROM passage WHERE source = ANY (%s) ORDER BY source, number",
        [list(sources)],
    )
    return [
        ReadPassage(source, number, digest, (), tuple((a, b, c) for a, b, c in found))
        for source, number, digest, found in rows
    ]


def having(
    connection: psycopg.Connection[Any], prefix: str, wanted: Iterable[Sequence[str]]
) -> set[tuple[str, int]]:
    """The passages, by source and number, that have all of some tokens.

    Args:
        prefix: Only sources whose names begin so.
        wanted: Lists of tokens; a passage with all of one list is given.
    """
    found: set[tuple[str, int]] = set()
    for each in {tuple(one) for one in wanted}:
        rows = connection.execute(
            "SELECT source, number FROM passage WHERE tokens @> %s AND starts_with(source, %s)",
            [list(each), prefix],
        )
        found |= set(rows.fetchall())
    return found


def write(cursor: psycopg.Cursor[Any], sources: Sequence[str], passages: Sequence[ReadPassage]) -> None:
    """Put these passages in the place of all that was read of these sources."""
    cursor.execute("DELETE FROM passage WHERE source = ANY (%s)", [list(sources)])
    with cursor.copy("COPY passage (source, number, digest, tokens, found) FROM STDIN") as copy:
        for one in passages:
            found = json.dumps([list(edge) for edge in one.found])
            copy.write_row((one.source, one.number, one.digest, list(one.tokens), found))


def extracted(connection: psycopg.Connection[Any], digests: Sequence[str]) -> dict[str, tuple[Edge, ...]]:
    """What a language model said about passages, by their digests; those that none has read are left out."""
    rows = connection.execute("SELECT digest, found FROM extracted WHERE digest = ANY (%s)", [list(digests)])
    return {digest: tuple((a, b, c) for a, b, c in found) for digest, found in rows}


def keep(connection: psycopg.Connection[Any], found: Mapping[str, Sequence[Edge]]) -> None:
    """Keep what a language model said about passages."""
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO extracted VALUES (%s, %s) ON CONFLICT (digest) DO UPDATE SET found = excluded.found",
            [(digest, json.dumps([list(edge) for edge in edges])) for digest, edges in found.items()],
        )
