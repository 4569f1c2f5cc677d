"""`python -m evals.bench loop`: what the desk's loop costs beside the bare SDK loop with the same tools.

Questions of the demo company are asked once with the extractive model. The calls that it made and its words
are then replayed by a scripted model through the desk and through a bare SDK agent with the same tools and
context, each plain and streamed: so that all do the same searches, and the difference is the desk's own work:
grading, accounting, bounds, traces.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any
from uuid import uuid4

from agents import Agent, Model, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call

from agent import SupportDesk
from agent.answer import Answer
from agent.settings import Settings
from demo.build import build
from demo.web_server import serve
from evals.cases import AnswerCase, answer_cases
from tools.context import DeskContext


def main(argv: Sequence[str] | None = None) -> int:
    """Print the median milliseconds of each way and the ratios; returns 1 when nothing was answered."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench loop", description=__doc__)
    parser.add_argument("--questions", type=int, default=20, help="how many of the answer cases to ask")
    parser.add_argument("--rounds", type=int, default=5, help="how often each is replayed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    cases = [
        case for case in answer_cases() if case.expect == "answered" and not (case.before or case.held_out)
    ]
    settings = Settings.load()
    build(settings)
    with serve() as url, SupportDesk.open(settings.model_copy(update={"web_url": url})) as desk:
        report = asyncio.run(_measure(desk, cases, options.questions, options.rounds))
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        for name, value in report.items():
            print(f"{name:>24}  {value:g}")
    return 0 if report["questions"] else 1


async def _measure(
    desk: SupportDesk, cases: Sequence[AnswerCase], questions: int, rounds: int
) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in _WAYS}
    asked = 0
    calls: list[int] = []
    for case in cases:
        if asked == questions:
            break
        answer = await desk.ask(case.question, customer_id=case.customer, staff=case.staff)
        tools = [step.tool for step in answer.steps]
        if answer.status != "answered" or not tools or len(set(tools)) < len(tools):
            continue  # of two searches in one source at a time either can be numbered first
        asked += 1
        calls.append(answer.usage.model_calls)
        await _once(desk, case, answer, _desk)  # what was never asked before is slower
        taken: dict[str, list[float]] = {name: [] for name in _WAYS}
        for _ in range(rounds):
            for name, way in _WAYS.items():
                taken[name].append(await _once(desk, case, answer, way))
        for name, seconds in taken.items():
            times[name].append(median(seconds))
    if not asked:
        return {"questions": 0}
    told = {f"{name} ms": round(1000 * median(seconds), 2) for name, seconds in times.items()}
    ratios = {
        f"desk / bare, {how}": round(
            median(
                one / bare for one, bare in zip(times[f"desk, {how}"], times[f"bare, {how}"], strict=True)
            ),
            3,
        )
        for how in ("plain", "streamed")
    }
    return {"questions": asked, "model calls": sum(calls) / asked, **told, **ratios}


async def _once(desk: SupportDesk, case: AnswerCase, answer: Answer, way: Callable[..., Any]) -> float:
    own = desk.agent.model
    desk.agent.model = model = _script(answer)
    begun = time.perf_counter()
    try:
        await way(desk, case, model)
    finally:
        desk.agent.model = own
    return time.perf_counter() - begun


async def _bare(desk: SupportDesk, case: AnswerCase, model: Model) -> None:
    agent, context = _bare_agent(desk, case, model)
    await Runner.run(agent, case.question, context=context, run_config=RunConfig(tracing_disabled=True))


async def _bare_streamed(desk: SupportDesk, case: AnswerCase, model: Model) -> None:
    agent, context = _bare_agent(desk, case, model)
    result = Runner.run_streamed(
        agent, case.question, context=context, run_config=RunConfig(tracing_disabled=True)
    )
    async for _event in result.stream_events():
        pass


def _bare_agent(desk: SupportDesk, case: AnswerCase, model: Model) -> tuple[Agent[DeskContext], DeskContext]:
    agent = Agent(name="bare", instructions=desk.agent.instructions, model=model, tools=desk.agent.tools)
    return agent, desk.context(customer_id=case.customer, staff=case.staff)


async def _desk(desk: SupportDesk, case: AnswerCase, _: Model) -> None:
    answer = await desk.ask(case.question, customer_id=case.customer, staff=case.staff)
    if answer.status != "answered":
        raise RuntimeError(f"{case.id} was not answered again")


async def _desk_streamed(desk: SupportDesk, case: AnswerCase, _: Model) -> None:
    async for _event in desk.stream(case.question, customer_id=case.customer, staff=case.staff):
        pass


_WAYS: dict[str, Callable[..., Any]] = {
    "bare, plain": _bare,
    "bare, streamed": _bare_streamed,
    "desk, plain": _desk,
    "desk, streamed": _desk_streamed,
}


def _script(answer: Answer) -> ScriptedModel:
    steps: list[Any] = [
        [function_call(step.tool, dict(step.arguments), call_id=f"replay-{uuid4().hex}")]
        for step in answer.steps
    ]
    return ScriptedModel([*steps, [assistant_message(answer.text)]])
