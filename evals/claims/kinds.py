"""The kinds of claims: a rule each that makes claims out of sentences, and whether they are good or bad."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evals.claims.sources import Piece, Said

Made = tuple[str, tuple[Piece, ...]]
"""A claim and the pieces of evidence that it cites."""
Rule = Callable[[Said, random.Random], Iterator[Made]]


@dataclass(frozen=True)
class Kind:
    """How claims of one kind are made.

    Attributes:
        name: What it is called in the report.
        good: Whether its claims follow from their evidence.
        apart: Whether it is kept apart: its numbers are looked at when all else is done, and nothing is tuned
            on its claims.
        rule: Makes the claims of this kind out of one sentence; none where the sentence does not lend itself.
    """

    name: str
    good: bool
    apart: bool
    rule: Rule


KINDS: list[Kind] = []


def kind(*, good: bool = False, apart: bool = False) -> Callable[[Rule], Rule]:
    """Register a rule under the name of its function."""

    def register(rule: Rule) -> Rule:
        KINDS.append(Kind(rule.__name__, good, apart, rule))
        return rule

    return register
