"""The graph's tables.

No table refers to another by a foreign key: everything is written by `graph_write` within one transaction
under one lock, and checking a million edges again, row by row, would take most of the time of loading them.
"""

from __future__ import annotations

from typing import Any

import psycopg
from psycopg import sql

from tools.stores import graph_passages

# `public` and `until` on edge and entity repeat what the statements say, so that no walk has to join them: an
# edge is public when a public passage states it and lasts as long as its last statement; an entity is public
# when a public edge touches it or no edge at all. The ends of an edge are the things that were found to be
# meant; `said_src` and `said_dst` those that the statement names, so that a merge can be undone.
_TABLES = """
CREATE TABLE IF NOT EXISTS relation (
    id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE, forward text NOT NULL, inverse text NOT NULL,
    more jsonb NOT NULL DEFAULT '{}');
CREATE TABLE IF NOT EXISTS version (number bigint NOT NULL);
INSERT INTO version VALUES (0);
CREATE TABLE IF NOT EXISTS kind (name text PRIMARY KEY, words text[] NOT NULL);
CREATE TABLE IF NOT EXISTS source (
    name text PRIMARY KEY, digest text NOT NULL, loaded_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS entity (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE, kind text NOT NULL, public boolean NOT NULL DEFAULT false, same_as bigint);
CREATE INDEX IF NOT EXISTS entity_same ON entity (same_as) WHERE same_as IS NOT NULL;
CREATE TABLE IF NOT EXISTS surface (
    source text NOT NULL, entity bigint NOT NULL, text text NOT NULL, is_name boolean NOT NULL,
    key text NOT NULL, words text[] NOT NULL, kind text NOT NULL);
CREATE INDEX IF NOT EXISTS surface_key ON surface (key);
CREATE INDEX IF NOT EXISTS surface_entity ON surface (entity);
CREATE INDEX IF NOT EXISTS surface_source ON surface (source);
CREATE INDEX IF NOT EXISTS surface_words ON surface USING gin (words);
CREATE INDEX IF NOT EXISTS surface_length ON surface (cardinality(words));
CREATE TABLE IF NOT EXISTS name_vector (text text PRIMARY KEY, embedder text NOT NULL, vector bytea NOT NULL);
CREATE TABLE IF NOT EXISTS spelling (key text, word text, PRIMARY KEY (key, word));
CREATE TABLE IF NOT EXISTS edge (
    src bigint NOT NULL, rel smallint NOT NULL, dst bigint NOT NULL,
    public boolean NOT NULL DEFAULT false, until date, PRIMARY KEY (src, rel, dst));
CREATE INDEX IF NOT EXISTS edge_back ON edge (dst, rel, src);
CREATE TABLE IF NOT EXISTS statement (
    src bigint NOT NULL, rel smallint NOT NULL, dst bigint NOT NULL,
    source text NOT NULL, stated_in text NOT NULL, public boolean NOT NULL,
    said_src bigint NOT NULL, said_dst bigint NOT NULL, since date, until date);
CREATE INDEX IF NOT EXISTS statement_edge ON statement (src, rel, dst);
CREATE INDEX IF NOT EXISTS statement_source ON statement (source);
CREATE TABLE IF NOT EXISTS plan (source text PRIMARY KEY, file text NOT NULL, digest text NOT NULL);
CREATE TABLE IF NOT EXISTS decision (
    name text, other text, same boolean NOT NULL, decided_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (name, other));
CREATE TABLE IF NOT EXISTS theme (
    audience text NOT NULL, number int NOT NULL, level smallint NOT NULL, parent int, digest text NOT NULL,
    title text NOT NULL, summary text NOT NULL, written_by text NOT NULL, asked boolean NOT NULL,
    things int NOT NULL, connections int NOT NULL, PRIMARY KEY (audience, number));
CREATE INDEX IF NOT EXISTS theme_digest ON theme (digest);
CREATE TABLE IF NOT EXISTS theme_member (
    audience text NOT NULL, theme int NOT NULL, entity bigint NOT NULL, degree int NOT NULL,
    PRIMARY KEY (audience, theme, entity));
CREATE INDEX IF NOT EXISTS theme_member_entity ON theme_member (entity);
CREATE TABLE IF NOT EXISTS themes_of (version bigint NOT NULL);
"""

_FORM = "citedesk graph 6"  # raise it when the tables change: a graph of an older form is loaded anew
_FORM_OF = "SELECT obj_description(to_regnamespace(quote_ident(%s)), 'pg_namespace')"
_OLDER = """
DROP TABLE IF EXISTS version, passage, plan, kind, source, relation, surface, spelling, statement, edge,
    entity, theme, theme_member, themes_of, name_vector CASCADE
"""
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('graph of ' || %s))"


def create(connection: psycopg.Connection[Any], schema: str) -> None:
    """Create the schema and its tables where they are missing, and keep other writers out from here on.

    Tables of an older form are emptied: what filled them has to be loaded again. What somebody decided and
    what a language model was paid for stays.
    """
    connection.execute(_LOCK, [schema])
    if is_current(connection, schema):
        use(connection, schema)
        return
    name = sql.Identifier(schema)
    connection.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(name))
    use(connection, schema)
    connection.execute(_OLDER)
    connection.execute(_TABLES)
    connection.execute(graph_passages.TABLES)
    connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(name, sql.Literal(_FORM)))


def is_current(connection: psycopg.Connection[Any], schema: str) -> bool:
    """Whether the schema holds tables of this form."""
    row = connection.execute(_FORM_OF, [schema]).fetchone()
    return row is not None and row[0] == _FORM


def use(connection: psycopg.Connection[Any], schema: str) -> None:
    """Let unqualified names mean this schema until the transaction ends."""
    connection.execute(
        sql.SQL("SET LOCAL search_path = {}, pg_catalog, pg_temp").format(sql.Identifier(schema))
    )
