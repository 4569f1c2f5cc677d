"""What stands under a line that limits it, and what may be joined into one sentence."""

from __future__ import annotations

import pytest

from agent.grader.files import grade_claim


@pytest.mark.parametrize(
    "evidence",
    [
        "In Belgium:\n\n- Returns are free.\n\nIn Norway:\n\n- Returns cost €9.",
        "For members:\n\n- Returns are free.",
        "Until 2024:\n\n- Returns are free.",
        "Common myths:\n\n- Returns are free.",
        "## Common myths\n\nReturns are free. Pots explode.",
        "These statements are false:\n\n- Returns are free.",
        "Our former policy:\n\n- Returns are free.",
        "## Without a receipt\n\nReturns are free.",
        "A gift is given in these cases:\n\n- Returns are free.",
        "A gift is given when one of these is so:\n\n- Returns are free.",
    ],
)
def test_what_the_line_above_limits_is_not_said_bare(evidence: str) -> None:
    """A place, a group, a time, a myth or a case in the line or heading above cannot be lost."""
    assert grade_claim("Returns are free.", [evidence]).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Returns are free.", "## Wrong use\n\nReturns are free."),
        ("Returns are free.", "## When to return\n\n- Returns are free."),
        ("In Belgium returns are free.", "In Belgium:\n\n- Returns are free."),
        ("Without a receipt you get a voucher.", "## Without a receipt\n\nYou get a voucher."),
        ("You need the box and the receipt.", "You need:\n\n- the box\n- the receipt"),
    ],
)
def test_what_is_said_with_its_line_passes(claim: str, evidence: str) -> None:
    """A heading that only names the subject limits nothing, and a limit may be told with what it limits."""
    assert grade_claim(claim, [evidence]).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The K2 has a lid and is dishwasher safe.", ["The K2 has a lid.", "# K3\n\n- is dishwasher safe"]),
        ("Members pay €5 and get free parking.", ["Members pay €5.", "# Guests\n\n- Get free parking"]),
        (
            "Members pay €5, and it is refunded within 14 days.",
            ["Members pay €5.", "The deposit is €20. It is refunded within 14 days."],
        ),
        (
            "Cards are final and they can be returned.",
            ["Cards are final. Pots are new. They can be returned."],
        ),
    ],
)
def test_a_clause_does_not_change_its_subject(claim: str, evidence: list[str]) -> None:
    """What has no subject of its own, or a pronoun, is of what stood before it in its source."""
    assert grade_claim(claim, evidence).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The deposit is €20, and it is refunded.", ["The deposit is €20. It is refunded."]),
        ("Members pay €5, and guests pay €9.", ["Members pay €5.", "Guests pay €9."]),
        ("The K2 has a lid and is safe.", ["The K2 has a lid.", "The K2 is safe."]),
    ],
)
def test_clauses_with_their_subjects_are_joined(claim: str, evidence: list[str]) -> None:
    """Each said for itself, of a shared beginning, or right behind what its pronoun is of."""
    assert grade_claim(claim, evidence).verdict == "supported"
