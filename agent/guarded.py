"""What stands between the model and a tool: the count of searches, a time limit, a circuit breaker."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agents import FunctionTool
from agents.tool_context import ToolContext

from tools.context import SOURCE_OF_TOOL, DeskContext
from tools.tool_use import ToolUse

_TOLD = "Say that it could not be reached, not that nothing was found."


@dataclass
class Breaker:
    """Leaves a source alone for a while that has failed several times in a row, whoever asked.

    After the rest one call is let through: when it works all are, when it fails the rest begins anew.
    See M. Nygard, Release It!, "Circuit Breaker".

    Attributes:
        failures: How many in a row open it.
        rest: Seconds for which it stays open.
        clock: Gives seconds.
    """

    failures: int = 3
    rest: float = 30.0
    clock: Callable[[], float] = time.monotonic
    _failed: int = 0
    _until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def lets_through(self) -> bool:
        """Whether the source may be asked now."""
        with self._lock:
            if self._failed < self.failures:
                return True
            now = self.clock()
            if now < self._until:
                return False
            self._until = now + self.rest  # this one is the trial; the others wait for how it ends
            return True

    def ended(self, *, well: bool) -> None:
        """A call has ended."""
        with self._lock:
            self._failed = 0 if well else self._failed + 1
            if not well:
                self._until = self.clock() + self.rest


def guarded(tool: FunctionTool, breaker: Breaker, seconds: float) -> FunctionTool:
    """The tool within bounds: the question's searches, `seconds` for each call, and the source's breaker.

    A call that is stopped is told to the model in the words that every tool uses, and recorded as a step.
    """
    source = SOURCE_OF_TOOL.get(tool.name, tool.name)

    async def invoke(ctx: ToolContext[DeskContext], arguments: str) -> Any:
        use = ToolUse(ctx.context, tool.name, _read(arguments))
        if not ctx.context.begin_search():
            return use.spent()
        if not breaker.lets_through():
            reason = f"it has failed {breaker.failures} times in a row and is left alone for a while"
            return use.unavailable(reason, f"the {source} source is down. {_TOLD}")
        well = False
        try:
            async with asyncio.timeout(seconds):
                told = await tool.on_invoke_tool(ctx, arguments)
            well = not str(told).startswith("Unavailable:")
            return told
        except TimeoutError:
            reason = f"no answer within {seconds:g} seconds; see DESK_SOURCE_TIMEOUT"
            return use.unavailable(reason, f"the {source} source gave no answer in time. {_TOLD}")
        finally:
            breaker.ended(well=well)

    return replace(tool, on_invoke_tool=invoke)


def _read(arguments: str) -> Mapping[str, Any]:
    try:
        value = json.loads(arguments)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
