"""Finds the things that a text names, by looking its word sequences up in the index of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import psycopg
from rapidfuzz import fuzz

from tools.relevance import content_words
from tools.stores.graph_names import (
    Word,
    can_be_misspelt,
    fold,
    key,
    likeness,
    spelling_keys,
    squeezed,
    words,
)
from tools.stores.graph_types import Entity, Match, Mention

_LONGEST = 12  # words of a name that are looked for
_SPARE = 2  # words more than the longest name has: people write one word as two
_SPELLINGS = 3  # meanings tried for a misspelt word
_READINGS = 8  # meanings tried for a sequence of words
_SAME_NAME = 9  # things of one name that are told apart
_SUGGESTED = 60  # of 100: below this likeness a suggestion only confuses (rapidfuzz's weighted ratio)
_NAME_WORDS = 4  # in a text no longer than this, some words of a name are taken for the name
_ARTICLES = frozenset(["the", "a", "an", "my", "your", "our", "this", "that"])

_BY_KEY = """
SELECT k.key, s.text, s.is_name, s.id, s.name, s.kind
FROM unnest(%s::text[]) AS k (key) CROSS JOIN LATERAL (
    SELECT s.text, s.is_name, e.id, e.name, e.kind FROM surface s JOIN entity n ON n.id = s.entity
    JOIN entity e ON e.id = coalesce(n.same_as, n.id)
    WHERE s.key = k.key AND (e.public OR %s) ORDER BY s.is_name DESC, e.name LIMIT %s) s
"""
_BY_WORD = """
SELECT DISTINCT s.text, s.words, s.id, s.name, s.kind
FROM unnest(%s::text[]) AS w (word) CROSS JOIN LATERAL (
    SELECT s.text, s.words, e.id, e.name, e.kind FROM surface s JOIN entity n ON n.id = s.entity
    JOIN entity e ON e.id = coalesce(n.same_as, n.id)
    WHERE s.words @> ARRAY[w.word] AND (e.public OR %s) LIMIT 200) s
"""
_BY_PAIR = """
SELECT DISTINCT s.text, s.words, s.id, s.name, s.kind
FROM unnest(%s::text[], %s::text[]) AS w (one, two) CROSS JOIN LATERAL (
    SELECT s.text, s.words, e.id, e.name, e.kind FROM surface s JOIN entity n ON n.id = s.entity
    JOIN entity e ON e.id = coalesce(n.same_as, n.id)
    WHERE s.words @> ARRAY[w.one, w.two] AND (e.public OR %s) LIMIT 50) s
"""
_SPELT_LIKE = """
SELECT DISTINCT t.typed, s.word
FROM unnest(%s::text[], %s::text[]) AS t (typed, key) JOIN spelling s USING (key)
"""

Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class _Reading:
    """One way to read some adjacent words as a name: which words, and how sure the spelling is."""

    first: int
    last: int
    likeness: float


@dataclass(frozen=True)
class _Candidate:
    entity: Entity
    surface: str
    is_name: bool
    likeness: float


def find(connection: Connection, text: str, *, staff: bool) -> list[Mention]:
    """The things named in the text, in the order in which they stand there, each once.

    Of overlapping names the one with most words wins, then the one spelt best.
    """
    spoken = words(text)
    if not spoken:
        return []
    forms = _forms(connection, [word.form for word in spoken])
    readings = _readings(forms, _width(connection))
    found: dict[tuple[int, int], list[_Candidate]] = {}
    rows = connection.execute(_BY_KEY, [list(readings), staff, _SAME_NAME]).fetchall()
    for joined, surface, is_name, number, name, kind in rows:
        for one in readings[joined]:
            candidate = _Candidate(Entity(number, name, kind), surface, is_name, one.likeness)
            found.setdefault((one.first, one.last), []).append(candidate)
    mentions = [_mention(text, spoken, *span, candidates) for span, candidates in found.items()]
    chosen = _longest(mentions, spoken)
    if not chosen and (partial := _by_some_words(connection, text, forms, staff=staff)):
        return partial
    return _longest([*chosen, *_by_part(connection, text, spoken, chosen, staff=staff)], spoken)


def suggest(connection: Connection, text: str, *, staff: bool, limit: int = 3) -> list[Entity]:
    """Things whose names share a word with the text, most alike first."""
    forms = _forms(connection, [word.form for word in words(text)])
    return list(dict.fromkeys(entity for _, _, entity in _sharing(connection, text, forms, staff=staff)))[
        :limit
    ]


def _forms(connection: Connection, forms: Sequence[str]) -> list[dict[str, float]]:
    """For each word what it may mean, with its likeness: itself, or the names' words that it misspells."""
    pairs = [(form, shared) for form in dict.fromkeys(forms) for shared in spelling_keys(form)]
    near: dict[str, dict[str, float]] = {}
    if pairs:
        typed, shared_keys = zip(*pairs, strict=True)
        for form, meant in connection.execute(_SPELT_LIKE, [list(typed), list(shared_keys)]):
            if can_be_misspelt(form) and (alike := likeness(form, meant)):
                near.setdefault(form, {})[meant] = alike
    return [_meanings(form, near.get(form, {})) for form in forms]


def _meanings(form: str, near: dict[str, float]) -> dict[str, float]:
    if form in near or not near:
        return {form: 1.0}
    best = sorted(near.items(), key=lambda pair: (-pair[1], pair[0]))[:_SPELLINGS]
    return {form: 1.0, **dict(best)}


def _width(connection: Connection) -> int:
    row = connection.execute("SELECT max(cardinality(words)) FROM surface").fetchone()
    return min(_LONGEST, ((row and row[0]) or 0) + _SPARE)


def _readings(forms: Sequence[dict[str, float]], width: int) -> dict[str, list[_Reading]]:
    readings: dict[str, list[_Reading]] = {}
    for first in range(len(forms)):
        for last in range(first, min(first + width, len(forms))):
            for choice in _choices(forms[first : last + 1]):
                alike = 1.0
                for _, part in choice:
                    alike *= part
                readings.setdefault(key(form for form, _ in choice), []).append(_Reading(first, last, alike))
    return readings


def _choices(forms: Sequence[dict[str, float]]) -> Iterable[tuple[tuple[str, float], ...]]:
    for number, choice in enumerate(product(*(meaning.items() for meaning in forms))):
        if number == _READINGS:
            return
        yield choice


def _mention(
    text: str, spoken: Sequence[Word], first: int, last: int, candidates: Sequence[_Candidate]
) -> Mention:
    start, end = spoken[first].start, spoken[last].end
    written = text[start:end]
    around = {spoken[place].form for place in (first - 1, last + 1) if 0 <= place < len(spoken)}

    def rank(one: _Candidate) -> tuple[float, bool, int, bool]:
        kind_beside = bool({fold(word) for word in one.entity.kind.split()} & around)
        spelt = (one.surface == written) + (squeezed(one.surface) == squeezed(written))
        return one.likeness, kind_beside, spelt, one.is_name

    best = max(map(rank, candidates))
    kept = {one.entity: one for one in candidates if rank(one) == best}
    entities = list(kept)
    chosen = kept[entities[0]]
    match, score = _graded(chosen, written)
    return Mention(entities[0], written, start, end, match, score, tuple(entities[1:]))


def _graded(candidate: _Candidate, written: str) -> tuple[Match, float]:
    if candidate.likeness < 1:
        return "typo", round(0.95 * candidate.likeness, 4)
    return ("exact", 1.0) if squeezed(candidate.surface) == squeezed(written) else ("normalised", 0.95)


def _longest(mentions: Sequence[Mention], spoken: Sequence[Word]) -> list[Mention]:
    def size(mention: Mention) -> int:
        return sum(mention.start <= word.start < mention.end for word in spoken)

    taken: list[Mention] = []
    for mention in sorted(mentions, key=lambda one: (-size(one), -one.score, one.start)):
        if all(mention.end <= other.start or other.end <= mention.start for other in taken):
            taken.append(mention)
    in_order = sorted(taken, key=lambda one: one.start)
    return list({mention.entity: mention for mention in reversed(in_order)}.values())[::-1]


def _by_some_words(
    connection: Connection, text: str, forms: Sequence[dict[str, float]], *, staff: bool
) -> list[Mention]:
    """A short text that is part of a name: the thing it can mean, or all of them as alternatives."""
    bare = [meanings for meanings in forms if not _ARTICLES & meanings.keys()]
    if not 0 < len(bare) <= _NAME_WORDS:
        return []
    whole = [
        entity
        for _, parts, entity in _sharing(connection, text, bare, staff=staff)
        if all(parts & meanings.keys() for meanings in bare)
    ]
    entities = list(dict.fromkeys(whole))[:_SAME_NAME]
    if not entities:
        return []
    mention = Mention(entities[0], text.strip(), 0, len(text), "partial", 0.8)
    return [replace(mention, alternatives=tuple(entities[1:]))]


def _by_part(
    connection: Connection, text: str, spoken: Sequence[Word], chosen: Sequence[Mention], *, staff: bool
) -> list[Mention]:
    """Names of which the code stands in the text, or all but the code, where only one is such: `FS-4` for
    `Filter Set FS-4`, `the dental chair` for `Dental Chair DC-5`. Beside a name one plain word is not enough.
    """
    free = [not any(one.start <= word.start < one.end for one in chosen) for word in spoken]
    forms = [word.form if is_free else "" for word, is_free in zip(spoken, free, strict=True)]
    found: dict[tuple[int, int], list[Entity]] = {}
    telling = {fold(word) for word in content_words(text).values()}
    if chosen:
        both = {pair for pair in pairwise(forms) if all(pair)}
        pairs = sorted(pair for pair in both if telling & {*pair} or any(map(str.isdigit, pair)))
        rows = connection.execute(_BY_PAIR, [[a for a, _ in pairs], [b for _, b in pairs], staff])
    else:
        told = {form for form in forms if form in telling or any(letter.isdigit() for letter in form)}
        rows = connection.execute(_BY_WORD, [sorted(told), staff])
    for surface, _, number, name, kind in rows:
        for part in _parts(surface):
            for first in range(len(forms) - len(part) + 1):
                if forms[first : first + len(part)] == part:
                    found.setdefault((first, first + len(part) - 1), []).append(Entity(number, name, kind))
    mentions = []
    for (first, last), things in found.items():
        alone = first == last and forms[first].isalpha()
        if len(set(things)) == 1 and not (chosen and alone):
            start, end = spoken[first].start, spoken[last].end
            mentions.append(Mention(things[0], text[start:end], start, end, "partial", 0.8))
    return mentions


def _parts(surface: str) -> Iterable[list[str]]:
    """A name's plain words and its codes, each folded; none where it has not both."""
    coded = [part for part in surface.split() if re.search(r"\d", part)]
    plain = [part for part in surface.split() if part not in coded]
    if coded and plain:
        yield [word.form for word in words(" ".join(plain))]
        if re.search(r"[^\W\d_]", coded[0]) and not coded[1:]:
            yield [word.form for word in words(coded[0])]


def _sharing(
    connection: Connection, text: str, forms: Sequence[dict[str, float]], *, staff: bool
) -> list[tuple[float, set[str], Entity]]:
    """Names that share a word with the text, most alike first: likeness of 100, the name's words, thing."""
    asked = sorted({form for meanings in forms for form in meanings} - _ARTICLES)
    found = [
        (float(fuzz.WRatio(squeezed(text), squeezed(surface))), set(parts), Entity(number, name, kind))
        for surface, parts, number, name, kind in connection.execute(_BY_WORD, [asked, staff])
    ]
    found = [one for one in found if one[0] >= _SUGGESTED]
    return sorted(found, key=lambda one: (-one[0], one[2].name))
