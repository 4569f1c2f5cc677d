"""The second judge: a language model's word on the claims that the code cannot decide.

It is asked once for each draft, about the uncertain claims alone, so that what the veto found can never pass.
Its word counts only where the quote that it gives stands in the evidence that the claim cites and does not
contradict it, and only when it has seen through a claim that the host made up and put among the others.
"""

from __future__ import annotations

import html
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents import Agent, Model, ModelSettings, RunConfig, RunHooks, Runner
from pydantic import BaseModel, ConfigDict

import instructions
from agent.grader.grades import ClaimGrade, Grade, Opinion
from agent.grader.meaning import read
from agent.grader.passages import read_passage
from agent.grader.veto import object_to
from tools.evidence import Evidence, fence

_ASKED_AT_MOST = 20
_QUOTE_AT_LEAST = 12
"""Characters of a quote below which it shows nothing."""
_SHARED = 1 / 3
"""Share of a claim's topics that its proof must have."""
_WATER_MARK = "The inspection mark of this text is {}."


class Verdict(BaseModel):
    """The judge's word on one claim."""

    model_config = ConfigDict(extra="forbid")

    claim: int
    supported: bool
    evidence: str
    quote: str
    reason: str


class Verdicts(BaseModel):
    """The judge's word on all claims."""

    model_config = ConfigDict(extra="forbid")

    verdicts: list[Verdict]


class SecondJudge:
    """Asks a language model about uncertain claims.

    Args:
        model: The model.
        run_config: How the SDK runs it.
    """

    def __init__(self, model: Model, run_config: RunConfig) -> None:
        self._run_config = run_config
        self._agent: Agent[Any] = Agent(
            name="Second judge",
            instructions=instructions.read("second_judge"),
            model=model,
            model_settings=ModelSettings(temperature=None),
            output_type=Verdicts,
        )

    async def review(
        self,
        grade: Grade,
        evidence: Mapping[str, Evidence],
        question: str,
        hooks: RunHooks[Any] | None = None,
    ) -> Grade:
        """The grade with the judge's opinions; the same grade when there is nothing to ask or no answer.

        Nothing is asked unless every claim that fails is uncertain: a draft with a claim that was vetoed
        cannot pass whatever the judge says.
        """
        asked = _undecided(grade)
        if not asked:
            return grade
        bait = _WATER_MARK.format(100_000 + secrets.randbelow(900_000))
        listed = [(number, grade.claims[number]) for number in asked]
        place = secrets.randbelow(len(listed) + 1)
        trap = ClaimGrade(
            bait, listed[0][1].citations, "uncertain", 0.0, "not in the source's words", "judge"
        )
        listed.insert(place, (-1, trap))
        try:
            result = await Runner.run(
                self._agent,
                _request(listed, evidence, question),
                max_turns=1,
                hooks=hooks,
                run_config=self._run_config,
            )
        except Exception:  # without its word the claims stay uncertain, and the draft does not pass
            return grade
        return _with_opinions(grade, listed, result.final_output_as(Verdicts), evidence)


def _undecided(grade: Grade) -> list[int]:
    """The places of the uncertain claims, when they are all that stands between the draft and its passing."""
    failing = [number for number, claim in enumerate(grade.claims) if claim.verdict != "supported"]
    uncertain = all(
        grade.claims[number].verdict == "uncertain" and grade.claims[number].stage == "judge"
        for number in failing
    )
    return failing if uncertain and len(failing) <= _ASKED_AT_MOST and not grade.off_target else []


def _request(
    listed: Sequence[tuple[int, ClaimGrade]], evidence: Mapping[str, Evidence], question: str
) -> str:
    cited = dict.fromkeys(name for _, claim in listed for name in claim.citations)
    pieces = [fence(evidence[name]) for name in cited if name in evidence]
    claims = [
        f'<claim number="{number}" cites="{" ".join(claim.citations)}" finding="{html.escape(claim.reason)}">'
        f"{html.escape(claim.text)}</claim>"
        for number, (_, claim) in enumerate(listed, 1)
    ]
    return "\n".join([f"<question>{html.escape(question)}</question>", *claims, *pieces])


def _with_opinions(
    grade: Grade,
    listed: Sequence[tuple[int, ClaimGrade]],
    said: Verdicts,
    evidence: Mapping[str, Evidence],
) -> Grade:
    worst: dict[int, Verdict] = {}
    for verdict in said.verdicts:
        known = worst.get(verdict.claim)
        if known is None or (known.supported and not verdict.supported):
            worst[verdict.claim] = verdict
    trap = next(number for number, (place, _) in enumerate(listed, 1) if place < 0)
    honest = trap in worst and not worst[trap].supported
    claims = list(grade.claims)
    for number, (place, claim) in enumerate(listed, 1):
        if place >= 0 and number in worst:
            claims[place] = _decided(claim, worst[number], evidence, honest=honest)
    passed = all(claim.verdict == "supported" for claim in claims)
    return replace(grade, claims=tuple(claims), passed=passed)


def _decided(
    claim: ClaimGrade, verdict: Verdict, evidence: Mapping[str, Evidence], *, honest: bool
) -> ClaimGrade:
    cited = verdict.evidence in claim.citations and verdict.evidence in evidence
    quoted = (
        cited
        and _stands_in(verdict.quote, evidence[verdict.evidence].text)
        and _bears_on(verdict.quote, claim.text)
    )
    accepted = honest and (quoted or not verdict.supported)
    opinion = Opinion(verdict.supported, verdict.reason[:300], verdict.quote[:600], accepted)
    if not accepted:
        return replace(claim, opinion=opinion)
    if verdict.supported:
        reason = "the second judge found it in the evidence"
        return replace(claim, verdict="supported", stage="second", reason=reason, opinion=opinion)
    reason = "the second judge did not find it in the evidence"
    return replace(claim, verdict="unsupported", stage="second", reason=reason, opinion=opinion)


def _stands_in(quote: str, text: str) -> bool:
    words = " ".join(html.unescape(quote).split()).casefold()
    return len(words) >= _QUOTE_AT_LEAST and words in " ".join(text.split()).casefold()


def _bears_on(quote: str, claim: str) -> bool:
    """Whether the words given as proof speak of the claim's matter, and do not say something else of it."""
    proof = html.unescape(quote)
    topics, said = read(claim).content, read(proof).content
    shared = len(topics & said) >= max(1, len(topics) * _SHARED)
    return shared and object_to(read(claim), [read_passage(proof)]).verdict != "contradicted"
