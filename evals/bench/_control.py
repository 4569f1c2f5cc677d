"""The control: what can be told of a set's labels from the claims alone, without any evidence."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from agent.grader.meaning import read
from evals.bench._claim_sets import Example

_FOLDS = 5


def claim_only(examples: Sequence[Example], seed: int = 0) -> float:
    """Balanced accuracy of naive Bayes over the claims' words and word pairs; NaN with one label alone.

    Multinomial with add-one smoothing (Manning, Raghavan and Schuetze, Introduction to Information
    Retrieval, 2008, section 13.2), equal priors, five folds that keep the claims of one document together.
    """
    groups = sorted({example.group for example in examples})
    random.Random(seed).shuffle(groups)  # noqa: S311 - no secret hangs on it
    fold = {group: number % _FOLDS for number, group in enumerate(groups)}
    words = [_words(example.claim) for example in examples]
    right: dict[bool, list[bool]] = {True: [], False: []}
    for held in range(_FOLDS):
        counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for example, keys in zip(examples, words, strict=True):
            if fold[example.group] != held:
                counts[example.good].update(keys)
        size = {label: sum(counts[label].values()) + len(counts[label]) + 1 for label in counts}
        for example, keys in zip(examples, words, strict=True):
            if fold[example.group] == held:
                lean = sum(
                    math.log((counts[True][key] + 1) / size[True] * size[False] / (counts[False][key] + 1))
                    for key in keys
                )
                right[example.good].append((lean > 0) == example.good)
    if not right[True] or not right[False]:
        return math.nan
    return sum(sum(flags) / len(flags) for flags in right.values()) / 2


def _words(claim: str) -> list[str]:
    keys = read(claim[:1000]).keys
    return [*keys, *(" ".join(pair) for pair in pairwise(keys))]
