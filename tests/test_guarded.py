"""What stands between the model and every tool."""

from __future__ import annotations

import asyncio
import json
import threading
from uuid import uuid4

from agents import Agent, FunctionTool, RunContextWrapper, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool_context import ToolContext
from hypothesis import given
from hypothesis import strategies as st

from agent.desk import SupportDesk
from agent.guarded import Breaker, guarded
from agent.settings import Settings
from tools.context import DeskContext, Sources
from tools.tool_use import ToolUse

released = threading.Event()
_together = threading.Barrier(2)


@function_tool
def web_search(ctx: RunContextWrapper[DeskContext], query: str) -> str:
    """Do what the query says.

    Args:
        query: What to do.
    """
    use = ToolUse(ctx.context, "web_search", {"query": query})
    if not ctx.context.searches_left:
        return use.spent()
    if query == "down":
        return use.unavailable("no route", "the web source is unavailable.")
    if query == "hang":
        released.wait()
    use.done(1, 1)
    return f"found {query}"


def call(tool: FunctionTool, desk: DeskContext, query: str) -> str:
    return asyncio.run(_call(tool, desk, query))


async def _call(tool: FunctionTool, desk: DeskContext, query: str) -> str:
    arguments = json.dumps({"query": query})
    ctx = ToolContext(context=desk, tool_name=tool.name, tool_call_id=uuid4().hex, tool_arguments=arguments)
    return str(await tool.on_invoke_tool(ctx, arguments))


def test_a_call_goes_through() -> None:
    """Within the bounds a tool does what it did, and records its one step."""
    desk = DeskContext(Sources())
    assert call(guarded(web_search, Breaker(), 5), desk, "x") == "found x"
    assert [(step.found, step.error) for step in desk.steps] == [(1, None)]


def test_searches_side_by_side_are_counted_before_they_end() -> None:
    """Forty calls at once take no more than the searches there are, and the others are told."""
    desk = DeskContext(Sources(), max_searches=5)
    tool = guarded(web_search, Breaker(), 5)

    async def all_at_once() -> list[str]:
        return await asyncio.gather(*(_call(tool, desk, f"q{number}") for number in range(40)))

    told = asyncio.run(all_at_once())
    assert sum(one.startswith("found") for one in told) == 5
    assert sum(one.startswith("Budget spent:") for one in told) == 35
    assert desk.searches_left == 0


def test_a_source_that_hangs_is_unavailable() -> None:
    """A call that takes too long ends, and is told as a source out of reach."""
    desk = DeskContext(Sources())
    told = []

    async def hang() -> None:
        told.append(await _call(guarded(web_search, Breaker(), 0.01), desk, "hang"))
        released.set()

    asyncio.run(hang())
    assert told[0].startswith("Unavailable: the web source")
    assert desk.steps[0].was_unavailable
    assert "DESK_SOURCE_TIMEOUT" in (desk.steps[0].error or "")


def test_a_source_that_keeps_failing_is_left_alone() -> None:
    """After three failures it is not asked; after the rest one call tries it, and when that works all do."""
    now = 0.0
    breaker = Breaker(clock=lambda: now)
    tool = guarded(web_search, breaker, 5)
    for _ in range(3):
        assert "down" not in call(tool, DeskContext(Sources()), "down")
    desk = DeskContext(Sources())
    assert call(tool, desk, "x") == (
        "Unavailable: the web source is down. Say that it could not be reached, not that nothing was found."
    )
    assert desk.steps[0].was_unavailable
    now = 30.0
    assert call(tool, DeskContext(Sources()), "down").startswith("Unavailable: the web source is unav")
    assert "is down" in call(tool, DeskContext(Sources()), "x")
    now = 60.0
    assert call(tool, DeskContext(Sources()), "x") == "found x"
    assert call(tool, DeskContext(Sources()), "y") == "found y"


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 40)), max_size=40))
def test_the_breaker_never_shuts_a_working_source_out(calls: list[tuple[bool, float]]) -> None:
    """It only refuses after three failures in a row, and never for longer than its rest."""
    now, failed, last = 0.0, 0, 0.0
    breaker = Breaker(clock=lambda: now)
    for well, passed in calls:
        now += passed
        if breaker.lets_through():
            breaker.ended(well=well)
            failed = 0 if well else failed + 1
            last = now
        else:
            assert failed >= 3
            assert now - last < 30


def test_the_desks_tools_are_guarded() -> None:
    """A question whose model asks for forty searches at once ends in a refusal, with no search beyond."""
    calls = [function_call("web_search", {"query": f"q{n}"}, call_id=uuid4().hex) for n in range(20)]
    desk = SupportDesk(
        Settings(max_searches=3), Sources(), ScriptedModel([calls, *[[assistant_message("Hm.")]] * 2])
    )
    tools = [guarded(web_search, Breaker(), 5)]
    desk.agent = Agent(name="desk", model=desk.agent.model, tools=tools)  # type: ignore[arg-type]
    answer = desk.ask_sync("What is new?")
    assert answer.status == "refused"
    assert sum(step.kept for step in answer.steps) == 3
    assert len(answer.steps) == 20
