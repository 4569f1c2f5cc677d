"""The SDK agent whose tools are described anew for each question."""

from __future__ import annotations

from dataclasses import dataclass

from agents import Agent, RunContextWrapper, Tool

from tools.context import DeskContext
from tools.tool_use import DescribedTool, customer_question


@dataclass
class DeskAgent(Agent[DeskContext]):
    """An agent that tells of a large source what bears on the question, under a plain `Runner` too."""

    async def get_all_tools(self, run_context: RunContextWrapper[DeskContext]) -> list[Tool]:
        """The tools, as they are described for this run's question."""
        question = customer_question(run_context)
        tools = await super().get_all_tools(run_context)
        return [tool.for_question(question) if isinstance(tool, DescribedTool) else tool for tool in tools]
