"""The graph's tables, and how one source's share of them is replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import psycopg
from psycopg import sql

from tools.errors import BadInput
from tools.stores.graph_names import key, spelling_keys, words
from tools.stores.graph_types import EdgeSpec, EntitySpec, Relation, Replaced

# `public` on edge and entity repeats what the statements say, so that no walk has to join them: an edge is
# public when a public passage states it, an entity when a public edge touches it or no edge at all.
_TABLES = """
CREATE TABLE IF NOT EXISTS relation (
    id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE, forward text NOT NULL, inverse text NOT NULL);
CREATE TABLE IF NOT EXISTS entity (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE, kind text NOT NULL, public boolean NOT NULL DEFAULT false);
CREATE TABLE IF NOT EXISTS surface (
    source text NOT NULL, entity bigint NOT NULL REFERENCES entity ON DELETE CASCADE,
    text text NOT NULL, is_name boolean NOT NULL, key text NOT NULL, words text[] NOT NULL,
    PRIMARY KEY (source, entity, text));
CREATE INDEX IF NOT EXISTS surface_key ON surface (key);
CREATE INDEX IF NOT EXISTS surface_entity ON surface (entity);
CREATE INDEX IF NOT EXISTS surface_words ON surface USING gin (words);
CREATE INDEX IF NOT EXISTS surface_length ON surface (cardinality(words));
CREATE TABLE IF NOT EXISTS spelling (key text, word text, PRIMARY KEY (key, word));
CREATE TABLE IF NOT EXISTS edge (
    src bigint NOT NULL REFERENCES entity, rel smallint NOT NULL REFERENCES relation,
    dst bigint NOT NULL REFERENCES entity, public boolean NOT NULL DEFAULT false,
    PRIMARY KEY (src, rel, dst));
CREATE INDEX IF NOT EXISTS edge_back ON edge (dst, rel, src);
CREATE TABLE IF NOT EXISTS statement (
    src bigint, rel smallint, dst bigint,
    source text NOT NULL, stated_in text NOT NULL, public boolean NOT NULL,
    PRIMARY KEY (src, rel, dst, source, stated_in),
    FOREIGN KEY (src, rel, dst) REFERENCES edge ON DELETE CASCADE);
CREATE INDEX IF NOT EXISTS statement_source ON statement (source);
"""

_STAGE = """
CREATE TEMP TABLE new_entity (name text, kind text) ON COMMIT DROP;
CREATE TEMP TABLE new_surface (name text, text text, is_name boolean, key text, words text[]) ON COMMIT DROP;
CREATE TEMP TABLE new_edge (src text, rel text, dst text, stated_in text, public boolean) ON COMMIT DROP;
CREATE TEMP TABLE new_spelling (key text, word text) ON COMMIT DROP;
"""

# Counted afresh after each table that grows: plans made for the empty ones, those of the foreign keys too,
# would take minutes where these take seconds.
_FILL = """
ANALYZE pg_temp.new_entity, pg_temp.new_surface, pg_temp.new_edge, pg_temp.new_spelling;
INSERT INTO entity (name, kind) SELECT name, kind FROM pg_temp.new_entity
    ON CONFLICT (name) DO UPDATE SET kind = excluded.kind WHERE entity.kind <> excluded.kind;
ANALYZE entity, relation;
DELETE FROM surface WHERE source = {source};
INSERT INTO surface SELECT {source}, e.id, s.text, s.is_name, s.key, s.words
    FROM pg_temp.new_surface s JOIN entity e USING (name);
CREATE TEMP TABLE resolved ON COMMIT DROP AS
    SELECT a.id AS src, r.id AS rel, b.id AS dst, n.stated_in, bool_or(n.public) AS public
    FROM pg_temp.new_edge n JOIN entity a ON a.name = n.src JOIN relation r ON r.name = n.rel
    JOIN entity b ON b.name = n.dst GROUP BY 1, 2, 3, 4;
DELETE FROM statement WHERE source = {source};
INSERT INTO edge (src, rel, dst) SELECT DISTINCT src, rel, dst FROM pg_temp.resolved ON CONFLICT DO NOTHING;
ANALYZE surface, edge;
INSERT INTO statement SELECT src, rel, dst, {source}, stated_in, public FROM pg_temp.resolved;
ANALYZE statement;
INSERT INTO spelling SELECT key, word FROM pg_temp.new_spelling ON CONFLICT DO NOTHING;
"""

_DROP_EDGES = """
DELETE FROM edge e WHERE NOT EXISTS (
    SELECT FROM statement s WHERE (s.src, s.rel, s.dst) = (e.src, e.rel, e.dst))
"""
_DROP_ENTITIES = "DELETE FROM entity e WHERE NOT EXISTS (SELECT FROM surface s WHERE s.entity = e.id)"
_DROP_RELATIONS = """
DELETE FROM relation r WHERE name <> ALL (%s) AND NOT EXISTS (SELECT FROM edge e WHERE e.rel = r.id)
"""

_TIDY = """
CREATE TEMP TABLE meant ON COMMIT DROP AS
    SELECT unnest(words) AS word FROM surface UNION SELECT key FROM surface;
DELETE FROM spelling s WHERE NOT EXISTS (SELECT FROM pg_temp.meant m WHERE m.word = s.word);
UPDATE edge e SET public = s.public
    FROM (SELECT src, rel, dst, bool_or(public) AS public FROM statement GROUP BY 1, 2, 3) s
    WHERE (s.src, s.rel, s.dst) = (e.src, e.rel, e.dst) AND e.public <> s.public;
UPDATE entity e SET public = s.public
    FROM (SELECT n.id, coalesce(bool_or(t.public), true) AS public FROM entity n LEFT JOIN (
              SELECT src AS id, public FROM edge UNION ALL SELECT dst, public FROM edge) t USING (id)
          GROUP BY n.id) s
    WHERE s.id = e.id AND e.public <> s.public;
ANALYZE spelling;
"""

_LOCK = "SELECT pg_advisory_xact_lock(hashtext('graph of ' || %s))"


def create(connection: psycopg.Connection[Any], schema: str) -> None:
    """Create what is missing of the schema and its tables."""
    connection.execute(_LOCK, [schema])
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(schema)))
    use(connection, schema)
    connection.execute(_TABLES)


def use(connection: psycopg.Connection[Any], schema: str) -> None:
    """Let unqualified names mean this schema until the transaction ends."""
    connection.execute(
        sql.SQL("SET LOCAL search_path = {}, pg_catalog, pg_temp").format(sql.Identifier(schema))
    )


def replace(
    connection: psycopg.Connection[Any],
    schema: str,
    source: str,
    relations: Sequence[Relation],
    entities: Sequence[EntitySpec],
    edges: Sequence[EdgeSpec],
) -> Replaced:
    """Put this in the place of all that `source` stated before, within the caller's transaction.

    What other sources state stays. What none states any more goes.

    Raises:
        BadInput: An edge names an entity or a relation that is not among those given; or a name has no letter
            or digit.
    """
    _check(relations, entities, edges)
    connection.execute(_LOCK, [schema])
    use(connection, schema)
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO relation (name, forward, inverse) VALUES (%s, %s, %s) ON CONFLICT (name) DO UPDATE"
            " SET forward = excluded.forward, inverse = excluded.inverse",
            [(one.name, one.forward, one.inverse) for one in relations],
        )
        cursor.execute(_STAGE)
        surfaces = list(_surfaces(entities))
        _copy(cursor, "new_entity", {one.name: (one.name, one.kind) for one in entities}.values())
        _copy(cursor, "new_surface", surfaces)
        _copy(
            cursor,
            "new_edge",
            ((e.src, e.relation, e.dst, e.stated_in, e.audience == "public") for e in edges),
        )
        _copy(cursor, "new_spelling", _spellings(surfaces))
        cursor.execute(sql.SQL(_FILL).format(source=sql.Literal(source)))
        removed_edges = cursor.execute(_DROP_EDGES).rowcount
        removed_entities = cursor.execute(_DROP_ENTITIES).rowcount
        cursor.execute(_DROP_RELATIONS, [[one.name for one in relations]])
        cursor.execute(_TIDY)
    stated = {(edge.src, edge.relation, edge.dst) for edge in edges}
    names = {entity.name for entity in entities}
    return Replaced(len(names), len(relations), len(stated), removed_entities, removed_edges)


def _check(relations: Sequence[Relation], entities: Sequence[EntitySpec], edges: Sequence[EdgeSpec]) -> None:
    known = {entity.name for entity in entities}
    kinds = {relation.name for relation in relations}
    for entity in entities:
        for name in (entity.name, *entity.aliases):
            if not words(name):
                raise BadInput(f"the name {name!r} has no letter or digit to find it by")
    for edge in edges:
        missing = next((name for name in (edge.src, edge.dst) if name not in known), None)
        if missing is not None:
            raise BadInput(f"the edge {edge.src} {edge.relation} {edge.dst} names no known entity: {missing}")
        if edge.relation not in kinds:
            raise BadInput(
                f"the edge {edge.src} {edge.relation} {edge.dst} names no known relation: {edge.relation}"
            )


def _surfaces(entities: Iterable[EntitySpec]) -> Iterator[tuple[str, str, bool, str, list[str]]]:
    for entity in {one.name: one for one in entities}.values():
        for text in dict.fromkeys((entity.name, *entity.aliases)):
            forms = [word.form for word in words(text)]
            codes = [a + b for a, b in pairwise(forms) if (a + b).isalnum() and not (a + b).isalpha()]
            yield entity.name, text, text == entity.name, key(forms), forms + codes


def _spellings(surfaces: Iterable[tuple[str, str, bool, str, list[str]]]) -> Iterator[tuple[str, str]]:
    """Every word of every name, and every name as one word, under the forms its misspellings share."""
    meant = {form for *_, joined, forms in surfaces for form in (joined, *forms)}
    return ((shared, form) for form in meant for shared in spelling_keys(form))


def _copy(cursor: psycopg.Cursor[Any], table: str, rows: Iterable[Sequence[Any]]) -> None:
    with cursor.copy(sql.SQL("COPY pg_temp.{} FROM STDIN").format(sql.Identifier(table))) as copy:
        for row in rows:
            copy.write_row(row)
