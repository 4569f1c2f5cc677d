"""The grader as an output guardrail of the Agents SDK."""

from __future__ import annotations

from typing import Any

from agents import Agent, GuardrailFunctionOutput, OutputGuardrail, RunContextWrapper

from agent.grader.grades import ClaimGrade, Grade
from agent.grader.support import grade
from tools.context import DeskContext
from tools.tool_use import customer_question


def _check(
    run: RunContextWrapper[DeskContext],
    agent: Agent[Any],  # noqa: ARG001 - the SDK's signature
    output: Any,
) -> GuardrailFunctionOutput:
    # An exception would not stop the draft from being shown: only a verdict does.
    try:
        context = run.context
        result = grade(
            str(output),
            context.ledger.citable(),
            customer_question(run),
            now=context.clock(),
            unreached=context.unreached(),
        )
    except Exception as error:
        reason = f"the draft could not be graded: {type(error).__name__}"
        result = Grade((ClaimGrade(str(output)[:200], (), "uncertain", 0.0, reason, "judge"),), passed=False)
    return GuardrailFunctionOutput(output_info=_described(result), tripwire_triggered=not result.passed)


def _described(result: Grade) -> dict[str, Any]:
    bad = [f"{claim.text}: {claim.reason}" for claim in result.claims if claim.verdict != "supported"]
    return {
        "grade": result,
        "passed": result.passed,
        "not_found": result.not_found,
        "claims": [vars(claim) for claim in result.claims],
        "reason": "; ".join(bad) if bad else ("" if result.passed else "the draft says nothing"),
    }


grade_guardrail: OutputGuardrail[DeskContext] = OutputGuardrail(guardrail_function=_check, name="grade")
"""Trips unless every claim of the draft is supported. Its `output_info` is a dict: `grade` (the `Grade`),
`passed`, `not_found`, `claims` (as dicts) and `reason`."""
