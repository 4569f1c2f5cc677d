"""A claim laid beside the evidence word by word: what is there, what is near, and what is denied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.grader.lexicon import base_form
from agent.grader.meaning import NEGATIONS, Sentence, is_content
from agent.grader.value_parts import value_parts
from agent.grader.words import word_set
from tools.relevance import english_stem

TURNS = NEGATIONS | word_set("""
    only all every each some most many few both must may might should more less before after until unless
    if without but although always up down over under above below first last than least
    """)
"""Words without a topic that are compared all the same."""
_STEMMED = 0.9
"""How well a word is matched by one derived from it."""
_SENTENCES = 8
"""Of the evidence, those that have most of the claim."""
_BESIDE = 3
"""Words of the claim before and behind one that tell its place."""
_SPAN = 5
"""How far from it they may stand in the evidence."""
_SCOPE = 4
"""Keys before a word in which a negation denies it."""


@dataclass(frozen=True)
class Source:
    """Sentences of evidence, made ready to lay claims beside.

    Attributes:
        keys: Of each sentence the keys in their base forms.
        places: Of each sentence the places in `keys` of the words that are compared.
        stems: All words that are compared, by their stems.
        parts: Those that tell a value, by its parts.
    """

    keys: tuple[tuple[str, ...], ...]
    places: tuple[tuple[int, ...], ...]
    stems: dict[str, set[str]]
    parts: dict[str, set[str]]


@dataclass(frozen=True)
class Aligned:
    """One word of a claim beside the evidence.

    Attributes:
        key: The word, in its base form.
        anywhere: How well the evidence has it, in [0, 1].
        near: How well the sentences that come nearest to the claim have it, in [0, 1].
        denied: Whether the claim denies it, and the evidence does not where most of what stands around it
            in the claim stands around it there.
    """

    key: str
    anywhere: float
    near: float
    denied: bool


Hits = list[tuple[int, int, float]]
"""Words of a sentence of the evidence, words of the claim (both by number), and how well they match."""
Matched = dict[str, list[tuple[int, float]]]
"""For each word of the evidence the words of the claim that it may stand for, and how well."""


@lru_cache(maxsize=128)
def read_source(sentences: tuple[Sentence, ...]) -> Source:
    """Make the sentences of all the evidence ready. Remembered: many claims are held against the same."""
    keys = tuple(tuple(map(base_form, sentence.keys)) for sentence in sentences)
    places = tuple(_compared(some) for some in keys)
    stems: dict[str, set[str]] = {}
    parts: dict[str, set[str]] = {}
    for word in {some[at] for some, here in zip(keys, places, strict=True) for at in here}:
        stems.setdefault(_stem(word), set()).add(word)
        for part in value_parts(word):
            parts.setdefault(part, set()).add(word)
    return Source(keys, places, stems, parts)


def align(claim: Sentence, source: Source) -> list[Aligned]:
    """Every word of the claim that is compared, laid beside the evidence."""
    keys = tuple(map(base_form, claim.keys))
    places = _compared(keys)
    words = [keys[at] for at in places]
    found = {word: _matches(word, source) for word in words}
    matched: Matched = {}
    for number, word in enumerate(words):
        for other, weight in found[word].items():
            matched.setdefault(other, []).append((number, weight))
    nearest = _nearest(source, matched)
    hits = {at: _hits(source, at, matched) for at in nearest}
    here = {source.keys[at][place] for at in nearest for place in source.places[at]}
    return [
        Aligned(
            word,
            _anywhere(word, found[word], source),
            max((weight for other, weight in found[word].items() if other in here), default=0.0),
            _is_denied(keys, places[number]) and not _denied_there(number, len(words), hits, source),
        )
        for number, word in enumerate(words)
    ]


def _compared(keys: Sequence[str]) -> tuple[int, ...]:
    return tuple(at for at, key in enumerate(keys) if is_content(key) or key in TURNS)


@lru_cache(maxsize=50_000)
def _stem(key: str) -> str:
    return english_stem(key) if key.isalpha() and key not in TURNS else key


def _matches(key: str, source: Source) -> dict[str, float]:
    """The words of the evidence that may stand for a key, with how well, in (0, 1]."""
    found: dict[str, float] = {}
    parts = value_parts(key)
    for part in parts:
        for other in source.parts.get(part, ()):
            found[other] = found.get(other, 0.0) + 1 / len(parts)
    for other in source.stems.get(_stem(key), ()):
        found[other] = 1.0 if other == key else _STEMMED
    return found


def _anywhere(word: str, found: dict[str, float], source: Source) -> float:
    parts = value_parts(word)
    if parts:  # each of them may stand elsewhere
        return sum(part in source.parts for part in parts) / len(parts)
    return max(found.values(), default=0.0)


def _nearest(source: Source, matched: Matched) -> list[int]:
    """The sentences that have most of the claim, best first."""
    shares = []
    for at, places in enumerate(source.places):
        best: dict[int, float] = {}
        for place in places:
            for number, weight in matched.get(source.keys[at][place], ()):
                best[number] = max(weight, best.get(number, 0.0))
        if best:
            shares.append((-sum(best.values()), at))
    return [at for _, at in sorted(shares)[:_SENTENCES]]


def _hits(source: Source, at: int, matched: Matched) -> Hits:
    return [
        (order, number, weight)
        for order, place in enumerate(source.places[at])
        for number, weight in matched.get(source.keys[at][place], ())
    ]


def _denied_there(number: int, count: int, hits: dict[int, Hits], source: Source) -> bool:
    """Whether the evidence denies a word where most of its surroundings are; so too when it has no place."""
    around = {
        other: 1 / abs(other - number)
        for other in range(max(0, number - _BESIDE), min(count, number + _BESIDE + 1))
        if other != number
    }
    best, denied = 0.0, True
    for at, some in hits.items():
        for order, own, weight in some:
            if own != number:
                continue
            held: dict[int, float] = {}
            for other_order, other, other_weight in some:
                if other in around and 0 < abs(other_order - order) <= _SPAN:
                    held[other] = max(other_weight, held.get(other, 0.0))
            support = weight * sum(around[other] * one for other, one in held.items())
            if support > best:
                best, denied = support, _is_denied(source.keys[at], source.places[at][order])
    return denied


def _is_denied(keys: Sequence[str], at: int) -> bool:
    return any(key in NEGATIONS for key in keys[max(0, at - _SCOPE) : at])
