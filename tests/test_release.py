"""What a reader is shown of a refusal."""

from __future__ import annotations

import pytest

from agent.answer import Usage
from agent.release import refuse
from tools.context import DeskContext, Sources, Step


@pytest.mark.parametrize(("customer", "kept", "told"), [(None, 0, True), ("C-1", 0, False), (None, 1, False)])
def test_somebody_unknown_is_told_why_the_records_gave_nothing(
    customer: str | None, kept: int, told: bool
) -> None:
    """Nothing found in the records is not the same as nothing there when nobody is signed in."""
    context = DeskContext(Sources(), customer_id=customer)
    context.record(Step("sql_lookup", {"sql": "SELECT * FROM my_orders"}, found=kept, kept=kept))
    assert ("not signed in" in refuse("not_found", context, Usage()).text) is told


def test_a_source_that_is_down_is_named_and_not_called_empty() -> None:
    """A refusal says which source could not be reached, and gives that as its reason."""
    context = DeskContext(Sources(), customer_id="C-1")
    context.record(Step("sql_lookup", {}, error="unavailable: the database does not answer"))
    answer = refuse("unavailable", context, Usage())
    assert "could not reach our records" in answer.text
    assert answer.refusal is not None
    assert answer.refusal.reason == "unavailable"
