"""Shares with their intervals, as every benchmark of claims reports them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Share:
    """A measure in [0, 1] with the middle 95% of its bootstrap; NaN where there is nothing to count."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return "-" if math.isnan(self.value) else f"{self.value:.3f} ({self.low:.2f}-{self.high:.2f})"


def bootstrap(
    items: Sequence[T], measure: Callable[[Sequence[T]], float], rounds: int = 400, seed: int = 0
) -> Share:
    """A measure over items with its percentile interval (Efron and Tibshirani, An Introduction to the
    Bootstrap, 1993, section 13.3).

    Resamples for which the measure is not defined (NaN) are passed over.
    """
    draw = random.Random(seed)  # noqa: S311 - no secret hangs on it
    found = sorted(
        value
        for value in (measure(draw.choices(items, k=len(items))) for _ in range(rounds if items else 0))
        if not math.isnan(value)
    )
    if not found:
        return Share(math.nan, math.nan, math.nan)
    return Share(measure(items), found[int(0.025 * len(found))], found[int(0.975 * (len(found) - 1))])


def share(flags: Sequence[bool]) -> float:
    """The share that is true; NaN of nothing."""
    return sum(flags) / len(flags) if flags else math.nan


def auroc(good: Sequence[float], bad: Sequence[float]) -> float:
    """The chance that a good one scores above a bad one, ties counting half; NaN when one side is empty.

    By ranks, as the statistic of Mann and Whitney (1947).
    """
    if not good or not bad:
        return math.nan
    order = sorted([(score, True) for score in good] + [(score, False) for score in bad])
    total, place = 0.0, 0
    while place < len(order):
        end = place
        while end < len(order) and order[end][0] == order[place][0]:
            end += 1
        rank = (place + 1 + end) / 2
        total += rank * sum(is_good for _, is_good in order[place:end])
        place = end
    return (total - len(good) * (len(good) + 1) / 2) / (len(good) * len(bad))
