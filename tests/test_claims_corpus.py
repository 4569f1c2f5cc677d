"""The corpus of claims over the demo company: its size, its labels, and what the grader makes of it."""

from __future__ import annotations

from collections import Counter

from agent.grader.files import grade_claim
from evals.claims.kinds import KINDS
from evals.claims.pairs import pairs, written


def test_it_is_large_varied_and_the_same_each_time() -> None:
    """At least 400 pairs, ids once each, half of the made kinds kept apart, and no draw of chance in it."""
    corpus = pairs()
    assert len(corpus) >= 400
    assert len({pair.id for pair in corpus}) == len(corpus)
    assert abs(sum(kind.apart for kind in KINDS) - len(KINDS) / 2) <= 2
    assert corpus == pairs()
    assert {pair.good for pair in written()} == {True, False}


def test_a_bad_claim_does_not_stand_in_its_evidence() -> None:
    """No corruption gives back the source's own sentence with the source's own passage."""
    for pair in pairs():
        if not pair.good:
            assert not any(f" {pair.claim} " in f" {text} " for text in pair.evidence), pair.id


def test_the_grader_stops_the_bad_and_passes_the_good() -> None:
    """On the kinds that may be looked at: none of the bad, and all of the sources' own sentences."""
    passed: Counter[tuple[bool, bool]] = Counter()
    for pair in pairs(per_kind=6):
        if not pair.apart:
            released = grade_claim(pair.claim, list(pair.evidence), pair.question).verdict == "supported"
            passed[pair.good, released] += 1
            assert pair.good or not released, pair
            assert released or pair.kind not in ("verbatim", "marked_up", "numbers_in_words", "framed"), pair
    assert passed[True, True] > 10 * passed[True, False]
