"""A claim against the evidence it cites: accepted in the source's own words, vetoed, or left uncertain."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from agent.grader import frames
from agent.grader.arithmetic import without_reckoning
from agent.grader.claims import CLAIM_LIMIT, Claim, read_draft
from agent.grader.conflicts import find_conflicts
from agent.grader.gate import said_by
from agent.grader.grades import ClaimGrade, Grade, Place, Stage
from agent.grader.limits import rule_on
from agent.grader.meaning import SENTENCE_LIMIT, Sentence, read
from agent.grader.passages import PRONOUNS, Passage, directly_behind, read_passage
from agent.grader.response import off_target, open_parts
from agent.grader.text import TEXT_LIMIT, link_targets, plain
from agent.grader.veto import object_to
from agent.grader.yes_no import agrees, answers

if TYPE_CHECKING:
    from agent.answer import Verdict
    from tools.evidence import Evidence


def grade(
    draft: str,
    evidence: Mapping[str, Evidence],
    question: str = "",
    *,
    now: datetime | None = None,
    unreached: Collection[str] | None = None,
) -> Grade:
    """Grade every claim of a draft against the evidence that it cites. Never raises, and never calls out.

    Args:
        draft: The text that is to be shown, with ids in brackets behind its sentences.
        evidence: What may be cited in this turn, by id.
        question: The customer's words.
        now: The moment of the answer, for "today" and "3 days ago"; None leaves them as words.
        unreached: The sources that could not be reached, such as `web`: of these alone a draft may say so.
            None when that is not known, which lets it say so of any.
    """
    try:
        return _grade(draft, evidence, question, now, unreached)
    except Exception as error:  # whatever it is, an ungraded draft must not be shown
        claim = ClaimGrade(
            draft[:200] if isinstance(draft, str) else "",
            (),
            "uncertain",
            0.0,
            f"not graded: {type(error).__name__}",
            "judge",
        )
        return Grade((claim,), passed=False)


def _grade(
    draft: str,
    evidence: Mapping[str, Evidence],
    question: str,
    now: datetime | None,
    unreached: Collection[str] | None,
) -> Grade:
    question = question[:SENTENCE_LIMIT]
    titles = frozenset[str]().union(*(read(item.title[:200]).content for item in evidence.values()))
    parts = read_draft(draft, question, read(question).content | titles, unreached)
    graded: list[ClaimGrade] = []
    previous: ClaimGrade | None = None
    for claim in parts.claims:
        one = _grade_claim(claim, previous, evidence, question, titles, now)
        graded.append(replace(one, span=(claim.start, claim.end), place=_place(one, evidence)))
        previous = one
    fits = len(draft) <= TEXT_LIMIT and len(parts.claims) < CLAIM_LIMIT
    supported = all(claim.verdict == "supported" for claim in graded)
    missed = off_target(question, graded, evidence)
    return Grade(
        tuple(graded),
        passed=fits and parts.speaks and supported and not missed,
        not_found=parts.not_found,
        off_target=missed,
        open_parts=open_parts(question, draft, graded, evidence),
        conflicts=find_conflicts(graded, evidence),
    )


def _place(graded: ClaimGrade, evidence: Mapping[str, Evidence]) -> Place | None:
    """Where the quote stands in the evidence that the claim cites."""
    for name in graded.citations if graded.quote else ():
        start = evidence[name].text.find(graded.quote) if name in evidence else -1
        if start >= 0:
            return Place(name, start, start + len(graded.quote))
    return None


def _grade_claim(
    claim: Claim,
    previous: ClaimGrade | None,
    evidence: Mapping[str, Evidence],
    question: str,
    titles: frozenset[str],
    now: datetime | None,
) -> ClaimGrade:
    unknown = [name for name in claim.citations if name not in evidence]
    if unknown:
        reason = f"there is no evidence {', '.join(unknown)} in this turn"
        return ClaimGrade(claim.text, claim.citations, "unknown_id", 0.0, reason, "ids")
    if not claim.citations:
        return ClaimGrade(claim.text, (), "uncited", 0.0, "it cites no evidence", "ids")
    passages = [read_passage(evidence[name].text, evidence[name].title) for name in claim.citations]
    graded = judge_claim(claim.text, claim.citations, passages, question, titles, now)
    begins = read(claim.text).keys[:1]
    if graded.verdict == "supported" and previous is not None and set(begins) & PRONOUNS:
        reason = _leaning(previous, graded, passages)
        if reason:
            return ClaimGrade(claim.text, claim.citations, "uncertain", 0.5, reason, "judge", graded.quote)
    return graded


def _leaning(before: ClaimGrade, graded: ClaimGrade, passages: Sequence[Passage]) -> str:
    """Why "it" may be of something else than the sentence before speaks of; empty where it is not."""
    if not set(before.citations) & set(graded.citations):
        return "it begins with a pronoun, and the sentence before it is from another source"
    told = before.quote and graded.quote and before.quote != graded.quote
    if told and not directly_behind(before.quote, graded.quote, passages):
        return "it begins with a pronoun, and the source has it behind another sentence"
    return ""


def judge_claim(
    text: str,
    citations: tuple[str, ...],
    passages: Sequence[Passage],
    question: str,
    titles: frozenset[str] = frozenset(),
    now: datetime | None = None,
) -> ClaimGrade:
    """Grade one claim against the passages that it cites."""

    def result(verdict: Verdict, score: float, reason: str, stage: Stage, quote: str = "") -> ClaimGrade:
        return ClaimGrade(text, citations, verdict, round(score, 4), reason, stage, quote)

    if len(text) > SENTENCE_LIMIT:
        return result("uncertain", 0.0, f"longer than {SENTENCE_LIMIT} characters", "judge")
    strange = [
        target for target in link_targets(text) if not any(target in passage.text for passage in passages)
    ]
    if strange:
        return result("unsupported", 0.0, f"the address {strange[0]} is not in the source", "veto")
    asked = read(question)
    words = " ".join(plain(text).split())
    answer, rest = frames.split_answer(words, question)
    unit, sentence = said_by(_readings(rest, titles, now), passages)
    if unit is None:
        known = asked.content.union(*(passage.content for passage in passages))
        reckoned = without_reckoning(sentence, known)
        told = said_by([reckoned[0]], passages)[0] if reckoned and not answer else None
        if reckoned and told:
            return result("supported", 1.0, f"in the source's own words; {reckoned[1]}", "gate", told.quote)
        ruling = rule_on(sentence, asked, passages)
        if ruling and not ruling.holds:
            return result("contradicted", 0.0, ruling.reason, "veto", ruling.unit.quote)
        if ruling and (not answer or agrees(answer, sentence)):
            return result("supported", 1.0, ruling.reason, "gate", ruling.unit.quote)
        objection = object_to(sentence, passages)
        return result(objection.verdict, objection.score, objection.reason, objection.stage, objection.quote)
    if answer and not (answers(answer, sentence, asked) or said_by([read(words)], passages)[0]):
        return result(
            "uncertain", 0.5, f"whether that makes the answer {answer!r} is not said", "judge", unit.quote
        )
    return result("supported", 1.0, "in the source's own words", "gate", unit.quote)


def _readings(text: str, topics: frozenset[str], now: datetime | None) -> list[Sentence]:
    """The claim as it stands, without its frame, and with "today" and the like as dates."""
    texts = dict.fromkeys((text, frames.without_frame(text, topics)))
    return list(
        dict.fromkeys(read(words, moment) for words in texts for moment in dict.fromkeys((None, now)))
    )
