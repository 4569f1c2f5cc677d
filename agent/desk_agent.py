"""The SDK agent whose tools are described anew for each question."""

from __future__ import annotations

from dataclasses import dataclass

from agents import Agent, RunContextWrapper, Tool

from tools.context import DeskContext
from tools.tool_use import DescribedTool, customer_question

_MESSAGES = 3


@dataclass
class DeskAgent(Agent[DeskContext]):
    """An agent that tells of a large source what bears on the question, under a plain `Runner` too."""

    async def get_all_tools(self, run_context: RunContextWrapper[DeskContext]) -> list[Tool]:
        """The tools, as they are described for this run's question."""
        said = _said(run_context)
        tools = await super().get_all_tools(run_context)
        return [tool.for_question(said) if isinstance(tool, DescribedTool) else tool for tool in tools]


def _said(run_context: RunContextWrapper[DeskContext]) -> str:
    """The question, with the customer's messages just before it: "and the other one?" is about theirs."""
    messages = [
        str(item.get("content", ""))
        for item in run_context.turn_input
        if isinstance(item, dict) and item.get("role") == "user"
    ]
    return "\n".join([customer_question(run_context), *messages[-_MESSAGES:]])
