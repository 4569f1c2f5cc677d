"""Shares with intervals, and the control that sees no evidence."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from evals.bench._claim_sets import Example
from evals.bench._control import claim_only
from evals.bench._shares import auroc, bootstrap, share

_SCORES = st.lists(st.integers(0, 5).map(float), min_size=1, max_size=12)


@given(_SCORES, _SCORES)
def test_auroc_is_the_chance_of_the_right_order(good: list[float], bad: list[float]) -> None:
    """It is the share of pairs in the right order, ties counting half."""
    pairs = [(one > other) + 0.5 * (one == other) for one in good for other in bad]
    assert math.isclose(auroc(good, bad), sum(pairs) / len(pairs))


def test_nothing_to_count_is_no_number() -> None:
    """An empty side gives no number, and no interval."""
    assert math.isnan(auroc([], [1.0]))
    assert math.isnan(share([]))
    assert str(bootstrap([], share)) == "-"


@given(st.lists(st.booleans(), min_size=1, max_size=40))
def test_an_interval_holds_its_share(flags: list[bool]) -> None:
    """The middle of the resamples is around the share, within [0, 1], and the same at each call."""
    found = bootstrap(flags, share)
    assert 0 <= found.low <= found.high <= 1
    assert found.value == share(flags)
    assert found == bootstrap(flags, share)


def test_the_control_finds_what_the_claims_give_away() -> None:
    """A word that only bad claims have is found without evidence; where there is none, nothing is."""
    told = [
        Example(f"It is {'un' * (n % 2)}safe indeed.", (), n % 2 == 0, group=str(n // 2)) for n in range(40)
    ]
    assert claim_only(told) == 1.0
    same = [Example("It is safe.", (), n % 2 == 0, group=str(n // 2)) for n in range(40)]
    assert claim_only(same) == 0.5
    assert math.isnan(claim_only(told[::2]))
