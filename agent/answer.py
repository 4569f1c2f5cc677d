"""What a caller gets back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["answered", "refused", "conversational"]
Verdict = Literal["supported", "unsupported", "contradicted", "uncited", "unknown_id", "uncertain"]
RefusalReason = Literal["not_found", "unsupported", "unavailable", "budget"]


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


class Citation(_Frozen):
    """A source that the answer leans on, with the words cut out of it by the host."""

    id: str
    source: str
    title: str
    locator: Mapping[str, Any]
    quote: str


class GradedClaim(_Frozen):
    """One sentence of the answer and what the grader found."""

    text: str
    citations: tuple[str, ...]
    verdict: Verdict
    score: float
    reason: str


class StepRecord(_Frozen):
    """One use of a tool; see `tools.context.Step`."""

    tool: str
    arguments: Mapping[str, Any]
    found: int
    kept: int
    best_score: float | None
    seconds: float
    error: str | None


class Refusal(_Frozen):
    """Why nothing was answered: the reason, the sources that were looked at, and what is missing."""

    reason: RefusalReason
    checked: tuple[str, ...]
    missing: str


class Usage(_Frozen):
    """What the question cost; seconds are wall time."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0


class Answer(_Frozen):
    """The desk's answer: graded, cited, or honestly refused. `desk ask --json` prints it."""

    status: Status
    text: str
    citations: tuple[Citation, ...] = ()
    claims: tuple[GradedClaim, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    refusal: Refusal | None = None
    usage: Usage = Field(default_factory=Usage)
