"""A claim laid beside the evidence word by word: what is there, what is near, and what is denied."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, repeat

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
_DENIED = 40
"""Denied words of one claim that are looked for; a sentence that is worth reading has fewer."""
_HITS = 16
"""Places of one word that are looked at."""
_SCOPE = 4
"""Keys before a word in which a negation denies it."""


@dataclass(frozen=True)
class Source:
    """Sentences of evidence, made ready to lay claims beside.

    Attributes:
        keys: Of each sentence the keys in their base forms.
        places: Of each sentence the places in `keys` of the words that are compared.
        words: Of each sentence these words.
        stems: All words that are compared, by their stems.
        parts: Those that tell a value, by its parts.
    """

    keys: tuple[tuple[str, ...], ...]
    places: tuple[tuple[int, ...], ...]
    words: tuple[frozenset[str], ...]
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


Fits = dict[str, dict[str, float]]
"""For each word of the claim those of the evidence that may stand for it, with how well, in (0, 1]."""


def read_source(sentences: Sequence[Sentence]) -> Source:
    """Make the sentences of evidence ready."""
    keys = tuple(tuple(map(base_form, sentence.keys)) for sentence in sentences)
    places = tuple(_compared(some) for some in keys)
    words = tuple(frozenset(some[at] for at in here) for some, here in zip(keys, places, strict=True))
    stems: dict[str, set[str]] = {}
    parts: dict[str, set[str]] = {}
    for word in frozenset[str]().union(*words):
        stems.setdefault(_stem(word), set()).add(word)
        for part in value_parts(word):
            parts.setdefault(part, set()).add(word)
    return Source(keys, places, words, stems, parts)


def align(claim: Sentence, source: Source) -> list[Aligned]:
    """Every word of the claim that is compared, laid beside the evidence."""
    keys = tuple(map(base_form, claim.keys))
    places = _compared(keys)
    words = [keys[at] for at in places]
    fits = {word: _matches(word, source) for word in words}
    nearest = _nearest(source, Counter(words), fits)
    here = frozenset[str]().union(*(source.words[at] for at in nearest))
    denied = [number for number, at in enumerate(places) if _is_denied(keys, at)][:_DENIED]
    astray = {number for number in denied if not _denied_there(number, words, fits, nearest, source)}
    return [
        Aligned(
            word,
            _anywhere(word, fits[word], source),
            max((weight for other, weight in fits[word].items() if other in here), default=0.0),
            number in astray,
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


def _nearest(source: Source, words: Counter[str], fits: Fits) -> list[int]:
    """The sentences that have most of the claim, best first."""
    stands_for: dict[str, list[tuple[str, float]]] = {}
    for word, found in fits.items():
        for other, weight in found.items():
            stands_for.setdefault(other, []).append((word, weight))
    shares = []
    for at, others in enumerate(source.words):
        best: dict[str, float] = {}
        for other in others & stands_for.keys():
            for word, weight in stands_for[other]:
                best[word] = max(weight, best.get(word, 0.0))
        if best:
            shares.append((-sum(words[word] * weight for word, weight in best.items()), at))
    return [at for _, at in sorted(shares)[:_SENTENCES]]


def _denied_there(
    number: int, words: Sequence[str], fits: Fits, nearest: Sequence[int], source: Source
) -> bool:
    """Whether the evidence denies a word where most of its surroundings are; so too when it has no place."""
    beside = range(max(0, number - _BESIDE), min(len(words), number + _BESIDE + 1))
    around = [(fits[words[other]], 1 / abs(other - number)) for other in beside if other != number]
    own = fits[words[number]]
    best, denied = 0.0, True
    for at, place in islice(_places_of(own, nearest, source), _HITS):
        told = [source.keys[at][here] for here in source.places[at]]
        span = told[max(0, place - _SPAN) : place] + told[place + 1 : place + 1 + _SPAN]
        held = sum(weight * max(map(fit.get, span, repeat(0.0)), default=0.0) for fit, weight in around)
        if own[told[place]] * held > best:
            best, denied = own[told[place]] * held, _is_denied(source.keys[at], source.places[at][place])
    return denied


def _places_of(fit: Mapping[str, float], nearest: Sequence[int], source: Source) -> Iterator[tuple[int, int]]:
    """Where words that may stand for one stand: the sentence, and which of its words that are compared."""
    for at in nearest:
        if fit.keys() & source.words[at]:
            for place, here in enumerate(source.places[at]):
                if source.keys[at][here] in fit:
                    yield at, place


def _is_denied(keys: Sequence[str], at: int) -> bool:
    return any(key in NEGATIONS for key in keys[max(0, at - _SCOPE) : at])
