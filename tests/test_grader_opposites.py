"""Opposites: listed, or made by a negating prefix."""

import pytest

from agent.grader.meaning import key_of
from agent.grader.opposites import has_opposite, opposite


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("increase", "decrease", True),
        ("accepted", "refuses", True),
        ("usual", "unusual", True),
        ("arm", "unarm", False),  # too short to tell a prefix by
        ("increase", "raise", False),
        ("open", "open", False),
    ],
)
def test_opposites_are_so_both_ways(one: str, other: str, expected: bool) -> None:
    """Words are opposites of each other, in any inflection, or neither is."""
    assert opposite(key_of(one), key_of(other)) is expected
    assert opposite(key_of(other), key_of(one)) is expected


def test_an_opposite_is_found_among_others() -> None:
    """One opposite among many words is enough."""
    assert has_opposite("usual", {"road", "unusual"})
    assert not has_opposite("usual", {"road", "usual"})
