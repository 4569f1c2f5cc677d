"""Whether a draft answers what was asked: about the same order, product and version, and every part of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from agent.grader.forms import is_thing
from agent.grader.grades import ClaimGrade
from agent.grader.meaning import Sentence, read
from agent.grader.words import word_set
from tools.evidence import Evidence

_CODE = re.compile(
    r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])([A-Za-z]+-?\d[\w-]*)(?:\s+([A-Z][a-z]+)(?!\w))?"
)
_YEAR = re.compile(r"number=(?:19|20)\d\d")
_PART = re.compile(
    r"(?<=[?!.;])\s+|,?\s+(?:and|but|or)\s+(?:also\s+)?(?=(?:what|when|where|which|who|how|why|can|could|do|does"
    r"|did|is|are|will|would|may|must|should|has|have)\b)|\?\s*",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:what|when|where|which|who|whose|how|why|can|could|do|does|did|is|are|was|will|would|may|must|should"
    r"|has|tell|show|have(?=\s(?:i|you|we|they|the|my|your|our|any|all|these|those)\b))\b",
    re.IGNORECASE,
)
_STEM = 4
"""Letters by which two words are taken for the same topic here, where doubt must not refuse an answer."""
_GENERAL = word_set(
    """you get like want know tell show please help question thing way long much many come go
    wrong matter happen"""
)


def off_target(question: str, claims: Sequence[ClaimGrade], evidence: Mapping[str, Evidence]) -> str:
    """Why the claims are about something else than was asked; empty when that cannot be said.

    A code ("O-20017", "K2 Pro") or a year of the question counts as met when a claim or a text that a claim
    cites holds it. It is missed only when the claims name another of its kind in its stead.
    """
    if not claims:
        return ""
    told = " ".join(claim.text for claim in claims)
    cited = _texts(evidence, dict.fromkeys(name for claim in claims for name in claim.citations))
    every = _texts(evidence, evidence)
    return _other_code(question, told, cited, every) or _other_year(read(question[:1000]), told, cited)


def _texts(evidence: Mapping[str, Evidence], names: Iterable[str]) -> str:
    return " ".join(f"{evidence[name].title} {evidence[name].text}" for name in names if name in evidence)


def _other_code(question: str, told: str, cited: str, every: str) -> str:
    asked, said = list(_codes(question)), list(_codes(told))
    for code, more in asked:
        longer = f"{code} {more}" if more and f"{code} {more}" in every else ""
        if longer and longer.casefold() not in told.casefold():
            if any(_plain(other) == _plain(code) for other, _ in said):
                return f"the question is about {longer}, and the answer about {code}"
        elif _names(code, told, question) or _names(code, cited, question):
            continue
        rivals = [
            other
            for other, _ in said
            if _kind(other) == _kind(code) and not any(_plain(other) == _plain(one) for one, _ in asked)
        ]
        if rivals and (not longer or longer not in cited):
            return f"the question is about {longer or code}, and the answer about {rivals[0]}"
        wider = [f"{other} {word}" for other, word in said if word and _plain(other) == _plain(code)]
        if wider and not longer:
            return f"the question is about {code}, and the answer about {wider[0]}"
    return ""


def _names(code: str, text: str, question: str) -> bool:
    """Whether a text names the code by itself, or with a word behind it that the question has too."""
    return any(
        _plain(other) == _plain(code) and (not word or f"{code} {word}".casefold() in question.casefold())
        for other, word in _codes(text)
    )


def _codes(text: str) -> Iterator[tuple[str, str]]:
    """Each code with the capitalised word behind it, which can make another thing of it."""
    return ((match[1], match[2] or "") for match in _CODE.finditer(text))


def _plain(code: str) -> str:
    return re.sub(r"\W", "", code).casefold()


def _kind(code: str) -> str:
    return re.sub(r"\d+", "#", _plain(code))


def _other_year(asked: Sentence, told: str, cited: str) -> str:
    """`policy 2024` in the question where the claims speak of `policy 2026` alone."""
    said, held = read(told[:1000]), re.findall(r"\d+", cited)
    for thing, year in _dated(asked):
        others = {other for name, other in _dated(said) if name == thing}
        if others and year not in others and year.removeprefix("number=") not in held:
            other = min(others).removeprefix("number=")
            return f"the question is about {year.removeprefix('number=')}, and the answer about {other}"
    return ""


def _dated(sentence: Sentence) -> Iterator[tuple[str, str]]:
    """Each thing with the year beside it, before or behind."""
    for one, other in pairwise(sentence.keys):
        if is_thing(one) and _YEAR.fullmatch(other):
            yield one, other
        elif _YEAR.fullmatch(one) and is_thing(other):
            yield other, one


def open_parts(
    question: str, draft: str, claims: Sequence[ClaimGrade], evidence: Mapping[str, Evidence]
) -> tuple[str, ...]:
    """The parts of a question of which neither the draft nor what it cites says a word.

    These are questions beside one another, and things of one kind, "the K2 and the K3", of which only some
    are told of: there it is not enough that the source goes on to speak of the other.

    Args:
        question: The customer's words.
        draft: What is to be shown; a part that it declares open counts as told.
        claims: Its claims.
        evidence: What may be cited, by id.
    """
    if not claims:
        return ()
    cited = {name for claim in claims for name in claim.citations if name in evidence}
    told = f"{draft} {_texts(evidence, cited)}"
    quoted = " ".join([draft, *(claim.quote for claim in claims), *(evidence[name].title for name in cited)])
    known = " ".join(["", *re.findall(r"[^\W_]+", told.casefold()), *read(draft[:1000]).content])
    parts = [part.strip(" ,.;!?") for part in _PART.split(question)]
    parts = [part for part in parts if _ASKS.match(part) and _topics(part)]
    untold = [part for part in parts if not any(f" {topic[:_STEM]}" in known for topic in _topics(part))]
    untold = untold if len(parts) > 1 else []
    left_out = _left_out(question, quoted, _texts(evidence, evidence))
    return (*untold, *(code for code in left_out if not any(code in part for part in untold)))


def _left_out(question: str, told: str, every: str) -> list[str]:
    """The codes of the question that are told nothing of, where others of their kind are.

    "K2 Pro" is a code of its own where the evidence has it.
    """
    asked = {_plain(code): code for code in _full(question, every)}
    said = {_plain(code) for code in _full(told, every)} & asked.keys()
    kinds = {_kind(asked[plain].split()[0]) for plain in said}
    return [code for plain, code in asked.items() if plain not in said and _kind(code.split()[0]) in kinds]


def _full(text: str, every: str) -> Iterator[str]:
    """Each code of a text, with the word behind it where the evidence names a thing so."""
    for code, more in _codes(text):
        yield f"{code} {more}" if more and f"{code} {more}" in every else code


def _topics(part: str) -> set[str]:
    return {key for key in read(part[:1000]).content if is_thing(key) and key not in _GENERAL}
