"""How much of a claim the evidence holds, as one number that orders what the rules leave uncertain.

A logistic function of a few features, with weights in `score.json` that `python -m evals.train_score` fits.
The number decides nothing: a claim is released by its verdict alone, and the score of one that the veto
found wrong can be high when all the rest of it is in the evidence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from agent.grader.alignment import TURNS, Aligned, Source, align, read_source
from agent.grader.forms import is_thing
from agent.grader.lexicon import base_form, words_of
from agent.grader.meaning import MODALS, NEGATIONS, Sentence, is_content, read
from agent.grader.opposites import has_opposite
from agent.grader.passages import Passage
from agent.grader.text import blocks, sentences
from agent.grader.value_parts import value_parts
from agent.grader.words import word_set

_STEM = 5
_WINDOW = 3
"""Adjacent sentences that are read together."""
_UNITS = 1_000
_LONG = 1_000
_FEW = frozenset({"number=1", "number=2", "number=3"})
"""Numbers that are counted rather than read: "two friends"."""
_BEFORE_VERBS = word_set("to you we i he she it they who that which not be was have had") | MODALS

COUNTS = (
    "values_missing", "values_rival", "names_missing", "persons_missing", "thoughts_missing",
    "others_missing", "turns_missing", "negations_missing", "denied", "opposites",
)  # fmt: skip
FEATURES = (*COUNTS, "near")


def features(claims: Sequence[Sentence], passages: Sequence[Passage]) -> dict[str, float] | None:
    """The features of a claim, of one or more sentences, by name; None when it or the evidence says nothing.

    What its sentences have that the evidence has not, counted (as the log of one more): values, by the share
    of their parts that is missing; values of which another of the kind is there; names; nouns for persons;
    words of thinking and perceiving, which a summary of anything uses; other common words that do not stand
    like the name of a thing; words that turn the meaning; negations; words that it denies and the evidence
    does not; opposites. And how much of its topics the nearest sentences have, in [0, 1], for the sentence of
    which they have least.
    """
    held = _held(tuple(passage.text for passage in passages))
    spoken = [claim for claim in claims if any(is_content(key) for key in claim.keys)]
    if not held.sentences or not spoken:
        return None
    counts = dict.fromkeys(COUNTS, 0.0)
    near = 1.0
    for claim in spoken:
        words = align(claim, held.source)
        topics = [word.near for word in words if word.key not in TURNS]
        near = min(near, sum(topics) / max(1, len(topics)))
        for name, count in (*_missing(claim, words, held), *_values(claim, held.source)):
            counts[name] += count
        counts["opposites"] += _opposites(claim, held)
    return {**{name: math.log1p(count) for name, count in counts.items()}, "near": near}


def score(claims: Sequence[Sentence], passages: Sequence[Passage]) -> float:
    """How likely it is that the evidence says all of a claim, in (0, 1); 0 when either says nothing."""
    found = features(claims, passages)
    if found is None:
        return 0.0
    weights = _weights()
    lean = weights["bias"] + sum(weights[name] * value for name, value in found.items())
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, lean))))


@cache
def _weights() -> dict[str, float]:
    told = files(__package__).joinpath("score.json").read_text(encoding="utf-8")
    return {name: float(weight) for name, weight in json.loads(told).items()}


@lru_cache(maxsize=512)
def _sentences(text: str) -> tuple[Sentence, ...]:
    """Everything that a text says or asks, sentence by sentence, headings and cells included."""
    found = []
    for block in blocks(text):
        for start, end in sentences(text, block.start, block.end):
            found += [read(text[place : min(end, place + _LONG)]) for place in range(start, end, _LONG)]
    return tuple(one for one in found if one.keys)


@dataclass(frozen=True)
class _Held:
    """All the evidence that a claim is held against.

    Attributes:
        sentences: Its sentences.
        source: The same, ready to lay claims beside.
        stems: Of each sentence the stems of its topics.
        windows: Of each sentence those of it and the next ones, which are read together.
        everything: Those of all.
    """

    sentences: tuple[Sentence, ...]
    source: Source
    stems: tuple[frozenset[str], ...]
    windows: tuple[frozenset[str], ...]
    everything: frozenset[str]


@lru_cache(maxsize=64)
def _held(texts: tuple[str, ...]) -> _Held:
    """Read the evidence. Remembered: many claims are held against the same."""
    units = tuple(sentence for text in texts for sentence in _sentences(text))[:_UNITS]
    stems = tuple(frozenset(map(_stem, unit.content)) for unit in units)
    windows = tuple(frozenset[str]().union(*stems[n : n + _WINDOW]) for n in range(len(stems)))
    return _Held(units, read_source(units), stems, windows, frozenset[str]().union(*stems))


def _stem(key: str) -> str:
    return key[:_STEM] if len(key) > _STEM and key.isalpha() else key


Counts = tuple[tuple[str, float], ...]


def _missing(claim: Sentence, words: Sequence[Aligned], held: _Held) -> Counts:
    """What the evidence has not of a sentence's words."""
    named = set(map(base_form, claim.names))
    common = [word for word in words if word.key not in named and not value_parts(word.key)]
    return (
        ("names_missing", sum(_stem(key) not in held.everything for key in claim.names)),
        ("persons_missing", sum(1 - word.anywhere for word in common if word.key in words_of("person"))),
        ("thoughts_missing", sum(1 - word.anywhere for word in common if word.key in words_of("thought"))),
        ("others_missing", _others(claim, held.everything)),
        ("turns_missing", sum(1 - word.anywhere for word in words if word.key in TURNS - NEGATIONS)),
        ("negations_missing", sum(1 - word.anywhere for word in words if word.key in NEGATIONS)),
        ("denied", sum(word.denied for word in words)),
    )


def _others(claim: Sentence, everything: frozenset[str]) -> int:
    """Common words that the evidence has not and that do not stand like the name of a thing."""
    count = 0
    for place, key in enumerate(claim.keys):
        if is_thing(key) and key not in claim.names and _stem(key) not in everything:
            before = claim.keys[place - 1] if place else ""
            last = place + 1 == len(claim.keys) or not is_content(claim.keys[place + 1])
            count += not (last and before not in _BEFORE_VERBS)
    return count


def _values(claim: Sentence, source: Source) -> Counts:
    kinds = {part.split("=")[0] for part in source.parts}
    missing = rival = 0.0
    for value in claim.values:
        parts = value_parts(value.key)
        if parts and value.key not in _FEW:
            lack = sum(part not in source.parts for part in parts) / len(parts)
            missing += lack
            rival += lack * any(part.split("=")[0] in kinds for part in parts)
    return ("values_missing", missing), ("values_rival", rival)


def _opposites(claim: Sentence, held: _Held) -> int:
    """Words whose opposite stands, and they do not, in the adjacent sentences that have most of the claim."""
    topics = {_stem(key) for key in claim.keys if is_content(key)}
    best = max(
        range(len(held.stems)),
        key=lambda n: (len(topics & held.windows[n]), len(topics & held.stems[n])),
    )
    near = frozenset(key for unit in held.sentences[best : best + _WINDOW] for key in unit.keys)
    return sum(key not in near and has_opposite(key, near) for key in set(claim.keys))
