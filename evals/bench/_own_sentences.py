"""The sentences that the desk's own model writes at its first try, with the grader's verdict on each."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from agents import OutputGuardrailTripwireTriggered, Runner

from agent import SupportDesk
from agent.grader import ClaimGrade, Grade
from agent.settings import Settings
from demo.build import build
from demo.web_server import serve
from evals.cases import AnswerCase, RoutingCase, answer_cases, routing_cases


def own_sentences() -> list[ClaimGrade]:
    """The graded claims of every first draft over the cases that may be looked at, before any repair."""
    every: list[RoutingCase | AnswerCase] = [*routing_cases(), *answer_cases()]
    cases = [case for case in every if not case.held_out and not case.before]
    settings = Settings.load()
    build(settings)
    with serve() as url, SupportDesk.open(settings.model_copy(update={"web_url": url})) as desk:
        grades = asyncio.run(_grades(desk, cases))
    return [claim for grade in grades for claim in grade.claims]


async def _grades(desk: SupportDesk, cases: Sequence[RoutingCase | AnswerCase]) -> list[Grade]:
    found: list[Grade] = []
    for case in cases:
        context = desk.context(case.customer, case.staff, question=case.question)
        try:
            result = await Runner.run(
                desk.agent, case.question, context=context, run_config=desk.run_config, max_turns=10
            )
            told = result.output_guardrail_results[0].output.output_info
        except OutputGuardrailTripwireTriggered as tripped:
            told = tripped.guardrail_result.output.output_info
        found.append(told["grade"])
    return found
