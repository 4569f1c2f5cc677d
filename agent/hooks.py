"""What the SDK's runs tell the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from agents import RunHooks, Tool
from agents.items import ModelResponse
from openai.types.responses import ResponseFunctionToolCall

from agent.account import Account
from agent.answer import Event, Searching
from agent.release import step_record
from tools.context import SOURCE_OF_TOOL, DeskContext

Emit = Callable[[Event], None]


class QuestionHooks(RunHooks[DeskContext]):
    """Keeps the account of one question, and tells of tools as they begin and end.

    Args:
        context: The question's context.
        account: What it costs.
        model: The name of the model that is run, for its price.
        emit: Told of each event.
    """

    def __init__(self, context: DeskContext, account: Account, model: str, emit: Emit) -> None:
        self._context = context
        self._account = account
        self._model = model
        self._emit = emit
        self._told: set[int] = set()
        self._asked_at = 0.0

    async def on_llm_start(self, *_: Any) -> None:
        """Count a model call, before it is made.

        Raises:
            BudgetSpent: None is left.
        """
        self._account.begin_call()
        self._asked_at = asyncio.get_running_loop().time()

    async def on_llm_end(self, context: Any, agent: Any, response: ModelResponse) -> None:  # noqa: ARG002
        """Count what the call took, and the tools that it asks for.

        Raises:
            BudgetSpent: It asks for more of them than are left.
        """
        self._account.spend("model", asyncio.get_running_loop().time() - self._asked_at)
        self._account.add(self._model, response.usage)
        self._account.ask_for_tools(
            sum(isinstance(item, ResponseFunctionToolCall) for item in response.output)
        )

    async def on_tool_start(self, context: Any, agent: Any, tool: Tool) -> None:  # noqa: ARG002
        """Tell that a source is searched."""
        self._emit(Searching(tool=tool.name, source=SOURCE_OF_TOOL.get(tool.name, tool.name)))

    async def on_tool_end(self, context: Any, agent: Any, tool: Tool, result: object) -> None:  # noqa: ARG002
        """Tell of the steps that have ended."""
        for step in list(self._context.steps):
            if id(step) not in self._told:
                self._told.add(id(step))
                self._account.spend("tools", step.seconds)
                self._emit(step_record(step))
