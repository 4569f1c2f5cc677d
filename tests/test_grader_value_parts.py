"""Values taken apart: what of a date or a range may stand elsewhere in the evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader.meaning import read
from agent.grader.value_parts import value_parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("2 November 2018", {"year=2018", "month=11", "day=11-02"}),
        ("November 2", {"month=11", "day=11-02"}),
        ("May 2018", {"year=2018", "month=05"}),
        ("2018", {"year=2018"}),
        ("November", {"month=11"}),
        ("4 to 7 percent", {"percent=4", "percent=7"}),
        ("$90 million", {"money:USD=90000000"}),
        ("they may march", set()),
    ],
)
def test_each_part_of_a_value_stands_alone(text: str, parts: set[str]) -> None:
    """A date is its year, month and day, a range its ends; a word that is no value has no part."""
    assert {part for key in read(text).keys for part in value_parts(key)} == parts


@given(st.text(max_size=40))
def test_every_value_has_parts(text: str) -> None:
    """Whatever is read, each part is a kind with an amount."""
    for value in read(text).values:
        assert value_parts(value.key)
        assert all(part.partition("=")[2] for part in value_parts(value.key))
