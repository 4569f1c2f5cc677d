"""A leading yes or no against the question and the statement behind it."""

from __future__ import annotations

import pytest

from agent.grader.files import grade_claim


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        (
            "Yes, the K3 is cheaper than the K2.",
            "The K3 is cheaper than the K2.",
            "Is the K2 cheaper than the K3?",
        ),
        (
            "No, the K3 is not cheaper than the K2.",
            "The K3 is not cheaper than the K2.",
            "Is the K2 cheaper than the K3?",
        ),
        ("Yes, Basket depends on Login.", "Basket depends on Login.", "Does Login depend on Basket?"),
        ("Yes, Emma pays Tom.", "Emma pays Tom.", "Does Tom pay Emma?"),
        ("Yes, we ship to Norway.", "We ship to Norway.", "Do you ship from Norway?"),
        ("Yes, you may keep the box.", "You may keep the box.", "Must I keep the box?"),
        ("Yes, you can return kettles.", "You can return kettles.", "Should I return kettles?"),
        ("Yes, we may ship kettles.", "We may ship kettles.", "Do you ship kettles?"),
        (
            "Yes, owners can change the address.",
            "Owners can change the address.",
            "Can only owners change the address?",
        ),
        ("Yes, shipping is free.", "Shipping is free.", "Is shipping always free?"),
    ],
)
def test_a_yes_to_something_else_does_not_pass(claim: str, evidence: str, question: str) -> None:
    """Roles exchanged, from for to, a weaker duty, a lost "only": the statement holds, its yes does not."""
    assert grade_claim(claim, [evidence], question).verdict != "supported"
    assert grade_claim(claim.split(", ", 1)[1], [evidence], question).verdict == "supported"


@pytest.mark.parametrize(
    ("claim", "evidence", "question"),
    [
        (
            "Yes, the K3 is cheaper than the K2.",
            "The K3 is cheaper than the K2.",
            "Is the K3 cheaper than the K2?",
        ),
        ("Yes, kettles can be returned.", "Kettles can be returned.", "Can I return kettles?"),
        (
            "Yes, within 30 days, you can return a kettle.",
            "You can return a kettle within 30 days.",
            "Can I return a kettle within 30 days?",
        ),
        ("Yes, you must keep the box.", "You must keep the box.", "Do I have to keep the box?"),
        ("No, you must not keep the box.", "You must not keep the box.", "Must I keep the box?"),
        ("Yes, you may keep the box.", "You may keep the box.", "May I keep the box?"),
        ("Yes, we ship to Norway.", "We ship to Norway.", "Do you ship to Norway?"),
        ("Yes, only owners can change it.", "Only owners can change it.", "Can only owners change it?"),
    ],
)
def test_a_yes_to_what_was_asked_passes(claim: str, evidence: str, question: str) -> None:
    """The verb may stand elsewhere, and the condition in front."""
    assert grade_claim(claim, [evidence], question).verdict == "supported"
