"""How much of a claim the evidence holds, as one number that orders what the rules leave uncertain.

A logistic function of a few features, with weights in `score.json` that `python -m evals.train_score` fits.
The number decides nothing: what the gate passes has 1, what the veto found stays below one half.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from agent.grader.forms import is_thing
from agent.grader.meaning import CONDITIONS, MODALS, NEGATIONS, Sentence, is_content, read
from agent.grader.opposites import opposite
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
_SCOPE = 5
"""Keys behind a negation that it can deny."""
_BEFORE_VERBS = word_set("to you we i he she it they who that which not be was have had") | MODALS
_JOINTS = word_set("and but which who that while where when after before because")

FEATURES = (
    "one_sentence", "three_sentences", "anywhere", "worst_part", "values_missing", "values_rival",
    "names_missing", "things_missing", "others_missing", "special_near", "negation_added", "negation_lost",
    "opposites", "conditions", "length",
)  # fmt: skip


def features(claim: Sentence, passages: Sequence[Passage]) -> dict[str, float] | None:
    """The features of a claim by name; None when it or the evidence says nothing.

    Shares of its topics (in [0, 1]) that one sentence has, three adjacent ones, and all; the same share by
    three sentences for its worst part; how much of its values is missing (all counts as the log of one more),
    and how much of what has a rival of its kind; missing names, and common words that stand like the name
    of a thing or otherwise; the share of values and names near its other words; negations that the evidence has
    not, and that it has more; opposites; conditions that the evidence has not; topics (log).
    """
    units = [sentence for passage in passages for sentence in _sentences(passage.text)][:_UNITS]
    topics = [_stem(key) for key in dict.fromkeys(claim.keys) if is_content(key)]
    if not units or not topics:
        return None
    has = [frozenset(map(_stem, unit.content)) for unit in units]
    everything = frozenset[str]().union(*has)
    near = [frozenset[str]().union(*has[n : n + _WINDOW]) for n in range(len(has))]
    best = max(range(len(has)), key=lambda n: (_share(topics, near[n]), _share(topics, has[n])))
    closest = units[max(range(len(has)), key=lambda n: _share(topics, has[n]))]
    written = frozenset(part for unit in units for key in unit.keys for part in value_parts(key))
    kinds = {key.split("=")[0] for key in written}
    lacks = [(value.key, _lack(value.key, written)) for value in claim.values if value.key not in _FEW]
    special = [_stem(key) for key in claim.content if "=" in key or key in claim.names]
    absent = list(_absent(claim, everything))
    window = frozenset(key for unit in units[best : best + _WINDOW] for key in unit.keys)
    keys = {key for unit in units for key in unit.keys}
    return {
        "one_sentence": max(_share(topics, one) for one in has),
        "three_sentences": _share(topics, near[best]),
        "anywhere": _share(topics, everything),
        "worst_part": min(max(_share(part, one) for one in near) for part in _parts(claim)),
        "values_missing": math.log1p(sum(lack for _, lack in lacks)),
        "values_rival": math.log1p(
            sum(lack for key, lack in lacks if any(part.split("=")[0] in kinds for part in value_parts(key)))
        ),
        "names_missing": math.log1p(sum(_stem(key) not in everything for key in claim.names)),
        "things_missing": math.log1p(sum(thing for thing in absent)),
        "others_missing": math.log1p(sum(not thing for thing in absent)),
        "special_near": _share(special, near[best]) if special else 1.0,
        "negation_added": float(sum(not _denied(scope, units) for scope in _scopes(claim))),
        "negation_lost": float(_lost(claim, closest)),
        "opposites": float(_opposites(claim, window)),
        "conditions": float(len({key for key in claim.keys if key in CONDITIONS} - keys)),
        "length": math.log(len(topics)),
    }


def score(claim: Sentence, passages: Sequence[Passage]) -> float:
    """How likely it is that the evidence says the claim, in (0, 1); 0 when one of the two says nothing."""
    found = features(claim, passages)
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


def _stem(key: str) -> str:
    return key[:_STEM] if len(key) > _STEM and key.isalpha() else key


def _share(topics: Sequence[str], held: frozenset[str]) -> float:
    return sum(key in held for key in topics) / len(topics)


def _lack(key: str, written: frozenset[str]) -> float:
    """The share of a value that the evidence has nowhere."""
    parts = value_parts(key)
    return sum(part not in written for part in parts) / len(parts)


def _parts(claim: Sentence) -> list[list[str]]:
    """The claim cut at punctuation and joints, each part with two topics at least."""
    cuts = {place for place, _ in claim.breaks} | {n for n, key in enumerate(claim.keys) if key in _JOINTS}
    parts: list[list[str]] = [[]]
    for place, key in enumerate(claim.keys):
        if place in cuts and len(parts[-1]) > 1:
            parts.append([])
        if is_content(key):
            parts[-1].append(_stem(key))
    if len(parts) > 1 and len(parts[-1]) < 2:
        last = parts.pop()
        parts[-1] += last
    return parts


def _scopes(sentence: Sentence) -> list[list[str]]:
    """For each negation the words behind it that it can deny."""
    return [
        [_stem(word) for word in sentence.keys[place + 1 : place + 1 + _SCOPE] if is_thing(word)][:2]
        for place, key in enumerate(sentence.keys)
        if key in NEGATIONS
    ]


def _denied(words: list[str], units: Sequence[Sentence]) -> bool:
    return any(
        set(words) & set(scope) for unit in units if NEGATIONS & set(unit.keys) for scope in _scopes(unit)
    )


def _lost(claim: Sentence, closest: Sentence) -> int:
    own = {word for scope in _scopes(claim) for word in scope}
    said = set(map(_stem, claim.content))
    return sum(bool(set(scope) & said) and not set(scope) & own for scope in _scopes(closest))


def _opposites(claim: Sentence, near: frozenset[str]) -> int:
    return sum(key not in near and any(opposite(key, other) for other in near) for key in set(claim.keys))


def _absent(claim: Sentence, everything: frozenset[str]) -> Iterator[bool]:
    """For each common word that the evidence has not, whether it stands like the name of a thing."""
    keys = claim.keys
    for place, key in enumerate(keys):
        if is_thing(key) and key not in claim.names and _stem(key) not in everything:
            before = keys[place - 1] if place else ""
            last = place + 1 == len(keys) or not is_content(keys[place + 1])
            yield last and before not in _BEFORE_VERBS
