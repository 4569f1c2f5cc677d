"""How what some sources state is put in the place of what they stated before.

Only what these sources touch is looked at again, so that one changed document costs the same in a large graph
as in a small one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import psycopg
from psycopg import sql

from tools.errors import BadInput
from tools.stores import graph_passages, graph_same
from tools.stores.graph_names import key, spelling_keys, squeezed, words
from tools.stores.graph_passages import ReadPassage
from tools.stores.graph_tables import create
from tools.stores.graph_types import EntitySpec, Kind, Relation, Replaced, Share

_STAGE = """
CREATE TEMP TABLE new_surface (source text, name text, kind text, text text, is_name boolean, key text,
    words text[]) ON COMMIT DROP;
CREATE TEMP TABLE new_edge (source text, src text, rel text, dst text, stated_in text, public boolean,
    since date, until date) ON COMMIT DROP;
CREATE TEMP TABLE new_spelling (key text, word text) ON COMMIT DROP;
CREATE TEMP TABLE gone_spelling (key text, word text) ON COMMIT DROP;
CREATE TEMP TABLE old_word (word text) ON COMMIT DROP;
CREATE TEMP TABLE touched (id bigint) ON COMMIT DROP;
CREATE TEMP TABLE touched_edge (src bigint, rel smallint, dst bigint) ON COMMIT DROP;
"""

_TAKE_OUT = (
    "INSERT INTO pg_temp.touched SELECT entity FROM surface WHERE source = ANY (%(sources)s)",
    "INSERT INTO pg_temp.old_word"
    " SELECT DISTINCT unnest(words) FROM surface WHERE source = ANY (%(sources)s)",
    "INSERT INTO pg_temp.touched_edge SELECT src, rel, dst FROM statement WHERE source = ANY (%(sources)s)",
    "DELETE FROM surface WHERE source = ANY (%(sources)s)",
    "DELETE FROM statement WHERE source = ANY (%(sources)s)",
    "DELETE FROM source WHERE name = ANY (%(sources)s)",
)
# Counted afresh after each table that grows: plans made for the empty ones would take minutes.
_PUT_IN = """
ANALYZE pg_temp.new_surface, pg_temp.new_edge, pg_temp.old_word;
INSERT INTO entity (name, kind, public)
    SELECT DISTINCT ON (name) name, kind, true FROM pg_temp.new_surface WHERE is_name ON CONFLICT DO NOTHING;
INSERT INTO surface SELECT s.source, e.id, s.text, s.is_name, s.key, s.words, s.kind
    FROM pg_temp.new_surface s JOIN entity e USING (name);
INSERT INTO pg_temp.touched SELECT e.id FROM pg_temp.new_surface s JOIN entity e USING (name) WHERE s.is_name;
ANALYZE entity, surface, pg_temp.touched;
"""
# A kind that is known to somebody goes before one that nobody knows; among several the first by name.
_KINDS = """
UPDATE entity e SET kind = s.kind FROM (
    SELECT entity, coalesce(min(nullif(kind, %(any)s)), %(any)s) AS kind FROM surface
    WHERE is_name AND entity IN (SELECT id FROM pg_temp.touched) GROUP BY entity) s
WHERE s.entity = e.id AND e.kind <> s.kind
"""
_EDGES = """
CREATE TEMP TABLE resolved ON COMMIT DROP AS
    SELECT coalesce(a.same_as, a.id) AS src, r.id AS rel, coalesce(b.same_as, b.id) AS dst, n.source,
           n.stated_in, bool_or(n.public) AS public, a.id AS said_src, b.id AS said_dst, n.since, n.until
    FROM pg_temp.new_edge n JOIN entity a ON a.name = n.src JOIN relation r ON r.name = n.rel
    JOIN entity b ON b.name = n.dst
    GROUP BY a.id, r.id, b.id, n.source, n.stated_in, n.since, n.until;
INSERT INTO pg_temp.touched_edge SELECT src, rel, dst FROM pg_temp.resolved;
INSERT INTO edge
    SELECT src, rel, dst, bool_or(public), CASE WHEN bool_or(until IS NULL) THEN NULL ELSE max(until) END
    FROM pg_temp.resolved GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING;
INSERT INTO statement SELECT * FROM pg_temp.resolved;
ANALYZE edge, statement, pg_temp.touched_edge;
"""
SETTLE = """
CREATE TEMP TABLE told ON COMMIT DROP AS
    SELECT t.src, t.rel, t.dst, count(s.src) AS times, bool_or(s.public) AS public,
           CASE WHEN bool_or(s.until IS NULL) THEN NULL ELSE max(s.until) END AS until
    FROM (SELECT DISTINCT src, rel, dst FROM pg_temp.touched_edge) t
    LEFT JOIN statement s USING (src, rel, dst) GROUP BY 1, 2, 3;
DELETE FROM edge e USING pg_temp.told t
    WHERE (t.src, t.rel, t.dst) = (e.src, e.rel, e.dst) AND t.times = 0;
UPDATE edge e SET public = t.public, until = t.until FROM pg_temp.told t
    WHERE (t.src, t.rel, t.dst) = (e.src, e.rel, e.dst) AND t.times > 0
      AND (e.public, e.until) IS DISTINCT FROM (t.public, t.until);
INSERT INTO pg_temp.touched SELECT src FROM pg_temp.told UNION SELECT dst FROM pg_temp.told;
UPDATE entity e SET public = s.public FROM (
    SELECT n.id, EXISTS (SELECT FROM edge WHERE src = n.id AND public)
              OR EXISTS (SELECT FROM edge WHERE dst = n.id AND public)
              OR NOT (EXISTS (SELECT FROM edge WHERE src = n.id)
                      OR EXISTS (SELECT FROM edge WHERE dst = n.id)) AS public
    FROM (SELECT DISTINCT id FROM pg_temp.touched) n) s
WHERE s.id = e.id AND e.public <> s.public;
UPDATE entity e SET public = c.public FROM entity c WHERE c.id = e.same_as AND e.public <> c.public;
"""
_DROP_EDGES = "SELECT count(*) FROM pg_temp.told WHERE times = 0"
_DROP_ENTITIES = """
DELETE FROM entity e WHERE id IN (SELECT id FROM pg_temp.touched)
    AND NOT EXISTS (SELECT FROM surface s WHERE s.entity = e.id)
"""
_DROP_RELATIONS = """
DELETE FROM relation r WHERE name <> ALL (%s) AND NOT EXISTS (SELECT FROM edge e WHERE e.rel = r.id)
"""
_GONE_WORDS = """
SELECT o.word FROM pg_temp.old_word o WHERE NOT EXISTS (SELECT FROM surface s WHERE s.words @> ARRAY[o.word])
"""
_SPELLINGS = """
DELETE FROM spelling s USING pg_temp.gone_spelling g WHERE (g.key, g.word) = (s.key, s.word);
INSERT INTO spelling SELECT key, word FROM pg_temp.new_spelling ON CONFLICT DO NOTHING;
ANALYZE spelling;
"""

ANY_KIND = "thing"
"""The kind of a thing of which no source says what it is."""


def replace(
    connection: psycopg.Connection[Any],
    schema: str,
    shares: Mapping[str, Share],
    relations: Sequence[Relation],
    kinds: Sequence[Kind] = (),
    passages: Sequence[ReadPassage] = (),
) -> Replaced:
    """Put each share in the place of all that its source stated before, within the caller's transaction.

    What other sources state stays. What none states any more goes. Missing tables are made.

    Raises:
        BadInput: An edge names an entity or a relation that is not among those given; or a name is empty.
    """
    for share in shares.values():
        _check(relations, share)
    create(connection, schema)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE version SET number = number + 1")
        _write_words(cursor, relations, kinds)
        cursor.execute(_STAGE)
        surfaces = [row for source, share in shares.items() for row in _surfaces(source, share.entities)]
        _copy(cursor, "new_surface", surfaces)
        _copy(cursor, "new_edge", _edges(shares))
        for statement in _TAKE_OUT:
            cursor.execute(statement, {"sources": list(shares)})
        cursor.execute(_PUT_IN)
        cursor.execute(_KINDS, {"any": ANY_KIND})
        graph_same.settle(cursor)
        cursor.execute(_EDGES)
        cursor.execute(SETTLE)
        (removed_edges,) = cursor.execute(_DROP_EDGES).fetchone() or (0,)
        removed_entities = cursor.execute(_DROP_ENTITIES).rowcount
        cursor.execute(_DROP_RELATIONS, [[one.name for one in relations]])
        _write_spellings(cursor, surfaces)
        graph_passages.write(cursor, list(shares), passages)
        cursor.executemany(
            "INSERT INTO source (name, digest) VALUES (%s, %s)",
            [(name, share.digest) for name, share in shares.items() if share.entities or share.digest],
        )
    stated = {(edge.src, edge.relation, edge.dst) for share in shares.values() for edge in share.edges}
    names = {entity.name for share in shares.values() for entity in share.entities}
    return Replaced(len(names), len(relations), len(stated), removed_entities, int(removed_edges))


_DECIDE = """
INSERT INTO decision (name, other, same) VALUES (%(name)s, %(other)s, %(same)s)
ON CONFLICT (name, other) DO UPDATE SET same = excluded.same, decided_at = now()
"""


def decide(connection: psycopg.Connection[Any], schema: str, name: str, other: str, *, same: bool) -> None:
    """See `GraphSources.decide`; within the caller's transaction."""
    create(connection, schema)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE version SET number = number + 1")
        cursor.execute(_STAGE)
        for one in (name, other):
            found = cursor.execute("SELECT id FROM entity WHERE name = %s", [one]).fetchone()
            if found is None:
                raise BadInput(f"there is nothing called {one!r} in the graph; write the name as it is told")
            cursor.execute("INSERT INTO pg_temp.touched VALUES (%s)", found)
        cursor.execute("DELETE FROM decision WHERE (name, other) = (%s, %s)", [other, name])
        cursor.execute(_DECIDE, {"name": name, "other": other, "same": same})
        graph_same.settle(cursor)
        cursor.execute(SETTLE)


def _write_words(cursor: psycopg.Cursor[Any], relations: Sequence[Relation], kinds: Sequence[Kind]) -> None:
    cursor.executemany(
        "INSERT INTO relation (name, forward, inverse, more) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (name) DO UPDATE"
        " SET forward = excluded.forward, inverse = excluded.inverse, more = excluded.more",
        [(one.name, one.forward, one.inverse, json.dumps(_more(one))) for one in relations],
    )
    cursor.executemany(
        "INSERT INTO kind (name, words) VALUES (%s, %s)"
        " ON CONFLICT (name) DO UPDATE SET words = excluded.words",
        [(one.name, list(one.words)) for one in kinds],
    )


def _more(relation: Relation) -> dict[str, Any]:
    """What is seldom said of a relation, by the names of the fields; see `graph_walk.relations`."""
    fields = ("also", "also_inverse", "source_kinds", "target_kinds", "single")
    return {name: value for name in fields if (value := getattr(relation, name))}


def _write_spellings(cursor: psycopg.Cursor[Any], surfaces: Sequence[_Surface]) -> None:
    meant = {form for *_, forms in surfaces for form in forms}
    gone = {word for (word,) in cursor.execute(_GONE_WORDS)}
    _copy(cursor, "new_spelling", _spellings(meant))
    _copy(cursor, "gone_spelling", _spellings(gone - meant))
    cursor.execute(_SPELLINGS)


def _check(relations: Sequence[Relation], share: Share) -> None:
    known = {entity.name for entity in share.entities}
    names = {relation.name for relation in relations}
    for entity in share.entities:
        for name in (entity.name, *entity.aliases):
            if not squeezed(name):
                raise BadInput("a name must not be empty")
    for edge in share.edges:
        missing = next((name for name in (edge.src, edge.dst) if name not in known), None)
        if missing is not None:
            raise BadInput(f"the edge {edge.src} {edge.relation} {edge.dst} names no known entity: {missing}")
        if edge.relation not in names:
            raise BadInput(
                f"the edge {edge.src} {edge.relation} {edge.dst} names no known relation: {edge.relation}"
            )


_Surface = tuple[str, str, str, str, bool, str, list[str]]


def _surfaces(source: str, entities: Iterable[EntitySpec]) -> Iterator[_Surface]:
    for entity in {one.name: one for one in entities}.values():
        for text in dict.fromkeys((entity.name, *entity.aliases)):
            forms = [word.form for word in words(text)] or [
                squeezed(text)
            ]  # some names are signs, such as `$`
            codes = [a + b for a, b in pairwise(forms) if (a + b).isalnum() and not (a + b).isalpha()]
            yield (
                source,
                entity.name,
                entity.kind or ANY_KIND,
                text,
                text == entity.name,
                key(forms),
                forms + codes,
            )


def _edges(shares: Mapping[str, Share]) -> Iterator[tuple[Any, ...]]:
    for source, share in shares.items():
        for e in share.edges:
            public = e.audience == "public"
            yield source, e.src, e.relation, e.dst, e.stated_in, public, e.since, e.until


def _spellings(meant: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every word of every name, under the forms its misspellings share."""
    return ((shared, form) for form in sorted(meant) for shared in spelling_keys(form))


def _copy(cursor: psycopg.Cursor[Any], table: str, rows: Iterable[Sequence[Any]]) -> None:
    with cursor.copy(sql.SQL("COPY pg_temp.{} FROM STDIN").format(sql.Identifier(table))) as copy:
        for row in rows:
            copy.write_row(row)
