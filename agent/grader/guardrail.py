"""The grader as an output guardrail of the Agents SDK."""

from __future__ import annotations

from typing import Any

from agents import Agent, GuardrailFunctionOutput, OutputGuardrail, RunContextWrapper

from agent.grader.grades import ClaimGrade, Grade
from agent.grader.support import grade
from tools.context import DeskContext
from tools.tool_use import customer_question


def grade_draft(draft: str, context: DeskContext, question: str) -> Grade:
    """Grade a draft against what this question's tools found. Never raises.

    Args:
        draft: The text that is to be shown.
        context: The question's context: its ledger, clock and the sources that were not reached.
        question: The customer's words.
    """
    # An exception would not stop a draft from being shown: only a verdict does.
    try:
        return grade(
            draft, context.ledger.citable(), question, now=context.clock(), unreached=context.unreached()
        )
    except Exception as error:
        reason = f"the draft could not be graded: {type(error).__name__}"
        return Grade((ClaimGrade(draft[:200], (), "uncertain", 0.0, reason, "judge"),), passed=False)


def _check(
    run: RunContextWrapper[DeskContext],
    agent: Agent[Any],  # noqa: ARG001 - the SDK's signature
    output: Any,
) -> GuardrailFunctionOutput:
    try:
        question = customer_question(run)
    except Exception:  # without one the grade is stricter
        question = ""
    result = grade_draft(str(output), run.context, question)
    return GuardrailFunctionOutput(output_info=_described(result), tripwire_triggered=not result.passed)


def _described(result: Grade) -> dict[str, Any]:
    bad = [f"{claim.text}: {claim.reason}" for claim in result.claims if claim.verdict != "supported"]
    return {
        "grade": result,
        "passed": result.passed,
        "not_found": result.not_found,
        "claims": [vars(claim) for claim in result.claims],
        "reason": "; ".join(bad) or result.off_target or ("" if result.passed else "the draft says nothing"),
    }


grade_guardrail: OutputGuardrail[DeskContext] = OutputGuardrail(guardrail_function=_check, name="grade")
"""Trips unless every claim of the draft is supported. Its `output_info` is a dict: `grade` (the `Grade`),
`passed`, `not_found`, `claims` (as dicts) and `reason`."""
