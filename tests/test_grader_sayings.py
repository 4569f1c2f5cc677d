"""What may be left out of a sentence, and what not."""

from __future__ import annotations

import pytest

from agent.grader.files import grade_claim


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("You get 30 days.", "You get 30 days of free storage."),
        ("The battery gives 8 hours.", "The battery gives 8 hours of standby."),
        ("Delivery is free.", "Delivery is free; orders below €50 cost €5."),
        ("Delivery is free.", "Delivery is free; orders of over 20 kg are €9."),
        ("Parking is free.", "Parking is free; after 2 hours it is €3 an hour."),
        ("All kettles can be returned.", "All kettles can be returned; the K3 is an exception."),
        ("All kettles can be returned.", "All kettles can be returned; the K3 is excluded."),
        ("Returns are free.", "Returns are free, and clearance goods are excluded."),
        ("Returns are free.", "Returns are free,\nExcept for clearance."),
        ("Returns are free.", "Returns are free\n(clearance goods excepted)."),
        ("La livraison est gratuite.", "La livraison est gratuite; sauf pour la Norvège."),
        ("Die Lieferung ist kostenlos.", "Die Lieferung ist kostenlos; außer nach Norwegen."),
    ],
)
def test_what_bears_on_the_rest_may_not_go(claim: str, evidence: str) -> None:
    """A bound or exception behind a semicolon, "and" or a line's end, in any language, and what days are
    of."""
    assert grade_claim(claim, [evidence]).verdict != "supported"


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("Refunds are paid within 5 days.", "Refunds are paid within 5 days of arrival."),
        ("Delivery is free.", "Delivery is free; the parcel is insured."),
        ("Delivery is free.", "Delivery is free, and the parcel is insured."),
    ],
)
def test_what_is_of_its_own_may_go(claim: str, evidence: str) -> None:
    """A clause beside another, and the beginning of a term."""
    assert grade_claim(claim, [evidence]).verdict == "supported"
