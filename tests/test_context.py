"""What a question's tools share."""

from __future__ import annotations

from tools.context import DeskContext, Sources, Step


def test_steps_stand_in_the_order_in_which_they_began() -> None:
    """Tools that run side by side end in any order; the steps are told as they were asked."""
    context = DeskContext(Sources())
    for tool, began in (("web_search", 2.0), ("sql_lookup", 1.0), ("graph_query", 2.0)):
        context.record(Step(tool, {}, started=began))
    assert [step.tool for step in context.steps] == ["sql_lookup", "web_search", "graph_query"]
