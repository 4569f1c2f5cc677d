"""What stands around a statement, and what does not: speakers, denials, cases."""

from __future__ import annotations

import pytest

from agent.grader.files import grade_claim


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("The kettle explodes.", "Customers say that the kettle explodes."),
        ("The kettle explodes.", "They say that the kettle explodes."),
        ("The kettle explodes.", "You may say that the kettle explodes."),
        ("The kettle explodes.", "The guarantee team may state that the kettle explodes."),
        ("Gift cards can be returned.", "False: gift cards can be returned."),
        ("Gift cards can be returned.", "Wrong - gift cards can be returned."),
        ("Gift cards can be returned.", "Wrong! Gift cards can be returned."),
        ("Open the lid while it is hot.", "Never: open the lid while it is hot."),
        ("Iron shirts are sold.", "No-iron shirts are sold."),
        ("Show fees are charged.", "No-show fees are charged."),
        ("It is dangerous.", 'A customer wrote: "The kettle leaks. It is dangerous. Nobody helps."'),
        ("Refunds take a year.", "One says: “It is slow. Refunds take a year. Avoid it.” We do not agree."),
        ("The battery is charged.", "The battery is charging."),
        ("Your refund is processed.", "Your refund is still processing."),
        ("Emma was paying.", "Emma was paid."),
    ],
)
def test_what_a_source_denies_or_others_say_is_not_said(claim: str, evidence: str) -> None:
    """A speaker who is not ours, a "false" or "no-" in front and the voice of a verb are part of what is
    said."""
    assert grade_claim(claim, [evidence]).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "question"),
    [
        ("From Norway, returns are free.", "Are returns from Norway free?"),
        ("Based on your premium plan, returns are free.", "I have the premium plan, are returns free?"),
        ("Per kettle, returns are free.", "What do returns cost per kettle?"),
        ("The recall shows that returns are free.", "What about the recall?"),
    ],
)
def test_a_frame_adds_no_case(claim: str, question: str) -> None:
    """What only the question names cannot be put before a statement as if the source spoke of it."""
    assert grade_claim(claim, ["Returns are free."], question).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Based on our policy, returns are free.", "Returns are free."),
        ("It says that returns are free.", "Returns are free."),
        ("Gift cards are final.", "No, gift cards are final."),
        ("Gift cards are final.", "Yes - gift cards are final."),
        ("The battery is charging.", "The battery is charging."),
        ("Order O-1 is processing.", "order id: O-1; status: processing"),
        ("Order id: O-1; status: processing.", "order id: O-1; status: processing"),
    ],
)
def test_a_frame_of_ours_may_come_and_go(claim: str, evidence: str) -> None:
    """Our own sources may be named, and an answer's yes or no may go."""
    assert grade_claim(claim, [evidence]).verdict == "supported"
