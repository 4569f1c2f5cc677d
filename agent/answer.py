"""What a caller gets back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["answered", "refused", "conversational"]
Verdict = Literal["supported", "unsupported", "contradicted", "uncited", "unknown_id", "uncertain"]
RefusalReason = Literal["not_found", "unsupported", "unavailable", "budget", "declined"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Citation(_Frozen):
    """A source that the answer leans on, with the words cut out of it by the host."""

    id: str
    source: str
    title: str
    locator: Mapping[str, Any]
    quote: str


class SecondOpinion(_Frozen):
    """What the second judge said of a sentence, and whether its word counted."""

    supported: bool
    accepted: bool
    reason: str
    quote: str


class GradedClaim(_Frozen):
    """One sentence of the answer and what the grader found.

    `stage` is where that was decided: `ids`, `gate`, `veto`, `judge` or `second`; see `agent.grader.grades`.
    """

    text: str
    citations: tuple[str, ...]
    verdict: Verdict
    score: float
    reason: str
    stage: str = ""
    second: SecondOpinion | None = None


class StepRecord(_Frozen):
    """One use of a tool; see `tools.context.Step`."""

    tool: str
    arguments: Mapping[str, Any]
    found: int
    kept: int
    best_score: float | None
    seconds: float
    error: str | None
    rewrites: tuple[str, ...] = ()
    scores: tuple[float, ...] = ()
    missing: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()


class Searching(_Frozen):
    """A tool begins to look into a source; its `StepRecord` follows when it is done."""

    tool: str
    source: str


class Sentence(_Frozen):
    """Text that may be shown at once: it has passed the grader together with all that was shown before it.

    It begins with the space or line break that sets it off. Put together, the sentences of a stream are the
    text of its answer, to the letter.
    """

    text: str


class Refusal(_Frozen):
    """Why nothing was answered.

    Attributes:
        reason: `not_found`, `unsupported` (no draft passed the grader), `unavailable` (a source is down),
            `budget` (a bound was reached) or `declined` (the model or its provider would not answer).
        checked: The sources that were looked at.
        missing: What was asked and not answered.
        found: The titles of what was found all the same, each once.
    """

    reason: RefusalReason
    checked: tuple[str, ...]
    missing: str
    found: tuple[str, ...] = ()


class Usage(_Frozen):
    """What the question cost.

    Attributes:
        model_calls: Requests to a model, those of helpers too.
        input_tokens: Tokens sent.
        cached_input_tokens: Those of them that the provider had in its cache.
        output_tokens: Tokens made.
        cost: Money by the price table, or None when it has no price for a model that was used.
        currency: Of the cost, such as `USD`.
        seconds: Wall time.
        stages: Seconds spent in the `model`, the `tools` (added up, also when they ran side by side) and the
            `grade`.
    """

    model_calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    currency: str = "USD"
    seconds: float = 0.0
    stages: Mapping[str, float] = Field(default_factory=dict)


class Answer(_Frozen):
    """The desk's answer: graded, cited, or honestly refused. `desk ask --json` prints it.

    `incomplete` tells why a streamed answer ends before the draft did: the rest could not be verified, and
    the text says so in its last line. `trace_id` is what `desk trace` takes.
    """

    status: Status
    text: str
    citations: tuple[Citation, ...] = ()
    claims: tuple[GradedClaim, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    refusal: Refusal | None = None
    incomplete: RefusalReason | None = None
    usage: Usage = Field(default_factory=Usage)
    trace_id: str | None = None


Event = Searching | StepRecord | Sentence | Answer
"""What a stream yields; the `Answer` comes last."""
