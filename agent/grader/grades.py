"""What a grade is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from agent.answer import Verdict

Stage = Literal["ids", "gate", "veto", "judge", "second"]


@dataclass(frozen=True)
class Place:
    """Where words stand: `text[start:end]` of the evidence with this id."""

    id: str
    start: int
    end: int


@dataclass(frozen=True)
class Opinion:
    """What the second judge said of a claim.

    Attributes:
        supported: Whether it held that the evidence says the claim.
        reason: Why, in its own words; never shown to a customer.
        quote: The words of the evidence that it gave, or an empty string.
        accepted: Whether the host let its word count: the quote stands in the evidence cited, and the judge
            saw through the claim that the host had made up.
    """

    supported: bool
    reason: str
    quote: str
    accepted: bool


@dataclass(frozen=True)
class ClaimGrade:
    """One claim of a draft, graded.

    Attributes:
        text: The sentence, without its ids.
        citations: The ids that it cites, in order.
        verdict: `supported`, `unsupported`, `contradicted`, `uncited`, `unknown_id` or `uncertain`.
        score: How likely it is that the evidence says it, in [0, 1]; 1 when supported, 0 when a row or a
            limit says otherwise. It orders what is uncertain, and decides nothing.
        reason: Why, in one line.
        stage: Where it was decided: `ids`, `gate` (the source's own words), `veto` (something is wrong or
            missing), `judge` (neither, so rules cannot decide it) or `second` (the second judge's word).
        quote: The sentence of the evidence that comes nearest, as it stands there; empty when none does.
        span: Where the sentence stands in the draft: its start and end, without the ids behind it.
        place: Where the quote stands in the evidence; None where there is no quote, or no ids.
        opinion: The second judge's, where it was asked.
    """

    text: str
    citations: tuple[str, ...]
    verdict: Verdict
    score: float
    reason: str
    stage: Stage
    quote: str = ""
    span: tuple[int, int] = (0, 0)
    place: Place | None = None
    opinion: Opinion | None = None


@dataclass(frozen=True)
class Conflict:
    """Two pieces of evidence that say different things of the same matter.

    Attributes:
        claim: Which claim rests on it: its place in the grade's claims, from 0.
        stated: Where the words stand that the claim rests on.
        other: Where another piece says otherwise; the newer or more specific of the two comes first in
            `first`.
        first: The id that should be told first.
        reason: What differs, in one line.
    """

    claim: int
    stated: Place
    other: Place
    first: str
    reason: str


@dataclass(frozen=True)
class Grade:
    """A draft, graded.

    Attributes:
        claims: Every claim, in the order of the draft; empty for small talk.
        passed: Whether the draft may be shown: it says something, every claim is supported, and it does not
            answer about something else than was asked.
        not_found: Whether the draft says that something could not be found.
        off_target: Why the draft is about something else than was asked, in one line; empty when it is not.
        open_parts: Parts of the question that the draft neither answers nor declares open.
        conflicts: Where the evidence contradicts what a supported claim says.
    """

    claims: tuple[ClaimGrade, ...]
    passed: bool
    not_found: bool = False
    off_target: str = ""
    open_parts: tuple[str, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
