"""Which things are the same under two names.

Two names are one thing when somebody decided so, or when they differ in nothing but case, accents, plural and
punctuation, are of one kind, and no single source lists both: a source that does means two things. The
statements keep what they named, so that taking a decision back restores what was there before.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import psycopg

_DECIDED = "SELECT d.name, d.other, d.same FROM decision d"
_NEAR = """
WITH base AS (
    SELECT id FROM pg_temp.touched
    UNION SELECT id FROM entity WHERE same_as IN (SELECT id FROM pg_temp.touched)
    UNION SELECT same_as FROM entity WHERE same_as IS NOT NULL AND id IN (SELECT id FROM pg_temp.touched)
    UNION SELECT id FROM entity WHERE name = ANY (%s)),
keys AS (SELECT DISTINCT key FROM surface WHERE is_name AND entity IN (SELECT id FROM base)),
shared AS (SELECT s.key FROM surface s JOIN keys USING (key) WHERE s.is_name
           GROUP BY s.key HAVING count(DISTINCT s.entity) > 1),
whole AS (SELECT s.entity AS id FROM surface s JOIN shared USING (key) WHERE s.is_name
          UNION SELECT id FROM entity WHERE name = ANY (%s)
          UNION SELECT id FROM entity WHERE same_as IS NOT NULL AND id IN (SELECT id FROM base)
          UNION SELECT id FROM entity WHERE same_as IN (SELECT id FROM base))
SELECT e.id, e.name, e.kind, e.same_as, min(s.key), array_agg(s.source)
FROM entity e JOIN surface s ON s.entity = e.id AND s.is_name
WHERE e.id IN (SELECT id FROM whole) GROUP BY e.id
"""
_MOVED = "CREATE TEMP TABLE moved (id bigint, same_as bigint) ON COMMIT DROP"
_MOVE = """
UPDATE entity e SET same_as = m.same_as FROM pg_temp.moved m WHERE m.id = e.id;
INSERT INTO pg_temp.touched SELECT id FROM pg_temp.moved UNION SELECT same_as FROM pg_temp.moved
    WHERE same_as IS NOT NULL;
"""
_OWNERS = """
INSERT INTO pg_temp.touched_edge
    SELECT src, rel, dst FROM edge WHERE src = ANY (%(were)s)
    UNION SELECT src, rel, dst FROM edge WHERE dst = ANY (%(were)s)
"""
_RESOLVE = """
CREATE TEMP TABLE anew ON COMMIT DROP AS
    SELECT s.ctid AS place, coalesce(a.same_as, a.id) AS src, s.rel, coalesce(b.same_as, b.id) AS dst
    FROM (SELECT DISTINCT src, rel, dst FROM pg_temp.touched_edge) t JOIN statement s USING (src, rel, dst)
    JOIN entity a ON a.id = s.said_src JOIN entity b ON b.id = s.said_dst
    WHERE (s.src, s.dst) <> (coalesce(a.same_as, a.id), coalesce(b.same_as, b.id));
UPDATE statement s SET src = n.src, dst = n.dst FROM pg_temp.anew n WHERE s.ctid = n.place;
INSERT INTO edge (src, rel, dst) SELECT DISTINCT src, rel, dst FROM pg_temp.anew ON CONFLICT DO NOTHING;
INSERT INTO pg_temp.touched_edge SELECT src, rel, dst FROM pg_temp.anew;
"""


@dataclass(frozen=True)
class _Thing:
    id: int
    name: str
    kind: str
    same_as: int | None
    key: str
    sources: frozenset[str]


def settle(cursor: psycopg.Cursor[Any]) -> None:
    """Decide again which of the touched things are the same as others, and move their edges accordingly."""
    decided = cursor.execute(_DECIDED).fetchall()
    names = sorted({name for pair in decided for name in pair[:2]})
    rows = cursor.execute(_NEAR, [names, names]).fetchall()
    things = [_Thing(row[0], row[1], row[2], row[3], row[4], frozenset(row[5])) for row in rows]
    wanted = _same(things, decided)
    changed = [one for one in things if wanted.get(one.id) != one.same_as]
    if not changed:
        return
    ids = [one.id for one in changed]
    cursor.execute(_MOVED)
    cursor.executemany(
        "INSERT INTO pg_temp.moved VALUES (%s, %s)", [(number, wanted.get(number)) for number in ids]
    )
    cursor.execute(_MOVE)
    were = [one.same_as or one.id for one in changed] + ids
    cursor.execute(_OWNERS, {"were": were})
    cursor.execute(_RESOLVE)


def _same(things: Iterable[_Thing], decided: Iterable[tuple[str, str, bool]]) -> dict[int, int]:
    """For each thing that is the same as a better named one, that one."""
    by_name = {one.name: one for one in things}
    heads: dict[str, str] = {}  # union-find: each name's way to the name that stands for its group

    def head(name: str) -> str:
        while name in heads:
            name = heads[name]
        return name

    apart = set()
    chosen = set()
    for name, other, same in sorted(decided):
        if name not in by_name or other not in by_name:
            continue
        if not same:
            apart.add(frozenset((name, other)))
        elif head(name) != head(other):
            heads[head(name)] = head(other)
            chosen.add(head(other))
    for first, second in _alike(by_name.values()):
        if frozenset((first, second)) in apart or head(first) == head(second):
            continue
        best, worse = sorted((head(first), head(second)), key=lambda one: (one not in chosen, one))
        heads[worse] = best
    return {by_name[name].id: by_name[head(name)].id for name in heads}


def _alike(things: Iterable[_Thing]) -> Iterable[tuple[str, str]]:
    """Pairs that are written alike, of one kind, and listed by no source side by side."""
    groups: dict[tuple[str, str], list[_Thing]] = {}
    for one in things:
        groups.setdefault((one.key, one.kind), []).append(one)
    for group in groups.values():
        for first, second in combinations(sorted(group, key=lambda one: one.name), 2):
            if not first.sources & second.sources:
                yield first.name, second.name
