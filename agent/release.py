"""From a graded draft to what a reader is shown: the answer with its sources, or an honest refusal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from agent.answer import (
    Answer,
    Citation,
    GradedClaim,
    Refusal,
    RefusalReason,
    SecondOpinion,
    StepRecord,
    Usage,
)
from agent.grader import Grade
from agent.grader.grades import Opinion
from tools.context import DeskContext, Step
from tools.evidence import Evidence
from tools.row_text import sentence_list

_QUOTE_LIMIT = 300
_LAST_LINE = "I could not verify anything else."

_READER_WORD = {
    "documents": "our help documents",
    "records": "our records",
    "graph": "our map of products and services",
    "web": "the web",
}


def release(
    draft: str,
    grade: Grade,
    context: DeskContext,
    usage: Usage,
    *,
    incomplete: RefusalReason | None = None,
) -> Answer:
    """The answer for a draft whose grade has passed; `incomplete` says why there is not more of it."""
    claims = graded_claims(grade)
    if claims:
        citations = tuple(_citations(grade, context.ledger.citable()))
        return Answer(
            status="answered",
            text=draft.strip(),
            citations=citations,
            claims=claims,
            steps=step_records(context.steps),
            incomplete=incomplete,
            usage=usage,
        )
    if grade.not_found:
        return refuse(not_found_reason(context.steps), context, usage, missing=draft.strip())
    return Answer(status="conversational", text=draft.strip(), steps=step_records(context.steps), usage=usage)


def conclude(said: str) -> str:
    """What was shown, with an honest last line in place of the rest."""
    return f"{said}\n\n{_LAST_LINE}"


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
        text=_refusal_text(reason, context.steps) + _unknown_caller(context),
        claims=claims,
        steps=step_records(context.steps),
        refusal=Refusal(
            reason=reason,
            checked=checked,
            missing=missing or context.question,
            found=tuple(dict.fromkeys(item.title for item in context.ledger.citable().values())),
        ),
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
            stage=claim.stage,
            second=_second(claim.opinion),
        )
        for claim in grade.claims
    )


def _second(opinion: Opinion | None) -> SecondOpinion | None:
    if opinion is None:
        return None
    return SecondOpinion(
        supported=opinion.supported,
        accepted=opinion.accepted,
        reason=opinion.reason,
        quote=opinion.quote,
    )


def step_records(steps: Iterable[Step]) -> tuple[StepRecord, ...]:
    """The tools' steps in the shape that a caller gets."""
    return tuple(map(step_record, steps))


def step_record(step: Step) -> StepRecord:
    """One step in the shape that a caller gets."""
    return StepRecord(**asdict(step))


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


def _refusal_text(reason: RefusalReason, steps: list[Step]) -> str:
    down = down_sources(steps)
    checked = [name for name in checked_sources(steps) if name not in down]
    out_of_reach = _named(down)
    if reason == "unavailable":
        return (
            f"I could not reach {out_of_reach} just now, so I cannot answer that. Please try again shortly."
        )
    tail = f" I could not reach {out_of_reach}." if down else ""
    if reason == "declined":
        return "I cannot help with that."
    if reason == "budget":
        told = _found_where(checked, steps)
        return f"I could not finish checking an answer within the limits of one question.{told}{tail}"
    looked = _named(checked)
    if reason == "unsupported":
        where = f" I looked in {looked}." if looked else ""
        return f"I could not verify an answer to that, and I would rather say so than guess.{where}{tail}"
    where = f" in {looked}" if looked else ""
    return f"I could not find an answer to that{where}, and I would rather say so than guess.{tail}"


def _found_where(checked: Iterable[str], steps: Iterable[Step]) -> str:
    """In which of the sources something was found to go by, and in which nothing."""
    full = [name for name in checked if any(step.kept for step in steps if step.source == name)]
    empty = [name for name in checked if name not in full]
    something = f" I had found something in {_named(full)}" if full else " I had found nothing"
    if full and empty:
        return f"{something}, and nothing in {_named(empty)}."
    if full:
        return f"{something}."
    return f"{something} in {_named(empty)}." if empty else ""


def _named(sources: Iterable[str]) -> str:
    return sentence_list([_READER_WORD.get(name, name) for name in sources])


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
