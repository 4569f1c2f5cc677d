"""What a grade is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from agent.answer import Verdict

Stage = Literal["ids", "gate", "veto", "judge"]


@dataclass(frozen=True)
class ClaimGrade:
    """One claim of a draft, graded.

    Attributes:
        text: The sentence, without its ids.
        citations: The ids that it cites, in order.
        verdict: `supported`, `unsupported`, `contradicted`, `uncited`, `unknown_id` or `uncertain`.
        score: How much of it the evidence holds, in [0, 1]; 1 when supported.
        reason: Why, in one line.
        stage: Where it was decided: `ids`, `gate` (the source's own words), `veto` (something is wrong or
        missing)
            or `judge` (neither, so it cannot be decided by rules).
        quote: The sentence of the evidence that comes nearest, as it stands there; empty when none does.
    """

    text: str
    citations: tuple[str, ...]
    verdict: Verdict
    score: float
    reason: str
    stage: Stage
    quote: str = ""


@dataclass(frozen=True)
class Grade:
    """A draft, graded.

    Attributes:
        claims: Every claim, in the order of the draft; empty for small talk.
        passed: Whether the draft may be shown: it says something, and every claim is supported.
        not_found: Whether the draft says that something could not be found.
    """

    claims: tuple[ClaimGrade, ...]
    passed: bool
    not_found: bool = False
