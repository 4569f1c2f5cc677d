"""From a graded draft to what a reader is shown: the answer with its sources, or an honest refusal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from agent.answer import Answer, Citation, GradedClaim, Refusal, RefusalReason, StepRecord, Usage
from agent.grader import Grade
from tools.context import DeskContext, Step
from tools.evidence import Evidence
from tools.row_text import sentence_list

_QUOTE_LIMIT = 300

_READER_WORD = {
    "documents": "our help documents",
    "records": "our records",
    "graph": "our map of products and services",
    "web": "the web",
}


def release(draft: str, grade: Grade, context: DeskContext, usage: Usage) -> Answer:
    """The answer for a draft whose grade has passed."""
    claims = graded_claims(grade)
    if claims:
        citations = tuple(_citations(grade, context.ledger.citable()))
        return Answer(
            status="answered",
            text=draft.strip(),
            citations=citations,
            claims=claims,
            steps=step_records(context.steps),
            usage=usage,
        )
    if grade.not_found:
        return refuse(not_found_reason(context.steps), context, usage, missing=draft.strip())
    return Answer(status="conversational", text=draft.strip(), steps=step_records(context.steps), usage=usage)


def refuse(
    reason: RefusalReason,
    context: DeskContext,
    usage: Usage,
    *,
    missing: str = "",
    claims: tuple[GradedClaim, ...] = (),
) -> Answer:
    """A refusal in the host's own words: no word of an unverified draft is in its text."""
    checked = checked_sources(context.steps)
    return Answer(
        status="refused",
        text=_refusal_text(reason, checked, down_sources(context.steps)) + _unknown_caller(context),
        claims=claims,
        steps=step_records(context.steps),
        refusal=Refusal(reason=reason, checked=checked, missing=missing or context.question),
        usage=usage,
    )


def graded_claims(grade: Grade) -> tuple[GradedClaim, ...]:
    """The grader's findings in the shape that a caller gets."""
    return tuple(
        GradedClaim(
            text=claim.text,
            citations=claim.citations,
            verdict=claim.verdict,
            score=claim.score,
            reason=claim.reason,
        )
        for claim in grade.claims
    )


def step_records(steps: Iterable[Step]) -> tuple[StepRecord, ...]:
    """The tools' steps in the shape that a caller gets."""
    return tuple(StepRecord(**asdict(step)) for step in steps)


def checked_sources(steps: Iterable[Step]) -> tuple[str, ...]:
    """The sources that were looked at, each once, in the order of first use."""
    return tuple(dict.fromkeys(step.source for step in steps))


def down_sources(steps: Iterable[Step]) -> tuple[str, ...]:
    """The sources that could not be reached."""
    return checked_sources(step for step in steps if step.was_unavailable)


def not_found_reason(steps: list[Step]) -> RefusalReason:
    """`unavailable` when a source was down and no other gave anything, else `not_found`."""
    if down_sources(steps) and not any(step.kept for step in steps):
        return "unavailable"
    return "not_found"


def _refusal_text(reason: RefusalReason, checked: tuple[str, ...], down: tuple[str, ...]) -> str:
    looked = sentence_list([_READER_WORD.get(name, name) for name in checked if name not in down])
    out_of_reach = sentence_list([_READER_WORD.get(name, name) for name in down])
    if reason == "unavailable":
        return (
            f"I could not reach {out_of_reach} just now, so I cannot answer that. Please try again shortly."
        )
    tail = f" I could not reach {out_of_reach}." if down else ""
    if reason == "budget":
        where = f" I had looked in {looked}." if looked else ""
        return f"I could not finish checking an answer within the limits of one question.{where}{tail}"
    if reason == "unsupported":
        where = f" I looked in {looked}." if looked else ""
        return f"I could not verify an answer to that, and I would rather say so than guess.{where}{tail}"
    where = f" in {looked}" if looked else ""
    return f"I could not find an answer to that{where}, and I would rather say so than guess.{tail}"


def _unknown_caller(context: DeskContext) -> str:
    """What a caller who is not signed in should know when the records gave nothing."""
    records = [step for step in context.steps if step.source == "records"]
    if context.customer_id is not None or not records or any(step.kept for step in records):
        return ""
    return " You are not signed in, so I cannot see anything that belongs to one customer."


def _citations(grade: Grade, evidence: dict[str, Evidence]) -> Iterable[Citation]:
    quotes: dict[str, str] = {}
    for claim in grade.claims:
        for evidence_id in claim.citations:
            quotes.setdefault(evidence_id, claim.quote or "")
    for evidence_id, quote in quotes.items():
        item = evidence[evidence_id]
        words = quote if quote and quote in item.text else item.text
        yield Citation(
            id=item.id,
            source=item.source,
            title=item.title,
            locator=item.locator,
            quote=words if len(words) <= _QUOTE_LIMIT else words[: _QUOTE_LIMIT - 1].rstrip() + "…",
        )
