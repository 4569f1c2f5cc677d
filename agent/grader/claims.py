"""A draft as claims: each sentence that states something, with the ids that it cites."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass

from agent.grader import frames
from agent.grader.text import TEXT_LIMIT, Block, blocks, plain, sentences

_GROUP = re.compile(
    r"[\[【]\s*((?:[A-Za-z]{0,2}\d{1,5}|[A-Za-z]\d{1,5})(?:\s*(?:,|;|&|and|\s)\s*[A-Za-z]{0,2}\d{1,5}){0,20})\s*[\]】]"
)
_ID = re.compile(r"[A-Za-z]{0,2}\d{1,5}")
_GAP = re.compile(r"\s+(?=[.!?,;:](?:\s|$))")
_SPEAKS = re.compile(r"[^\W_]")
CLAIM_LIMIT = 200


@dataclass(frozen=True)
class Claim:
    """A statement of the draft.

    Attributes:
        text: The sentence without its ids; for a list item, with the line that leads into it.
        citations: The ids that it cites, in order; from the end of its paragraph when it has none of its own.
        start: Where the sentence begins in the draft.
        end: Where it ends, without the ids behind it.
    """

    text: str
    citations: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Draft:
    """What a draft says: its claims, whether it tells of a gap, and whether it says anything at all."""

    claims: tuple[Claim, ...]
    not_found: bool
    speaks: bool = True


@dataclass
class _Piece:
    text: str
    ids: list[str]
    start: int
    end: int


def read_draft(draft: str, question: str = "", topics: Set[str] = frozenset()) -> Draft:
    """Cut a draft into claims.

    Args:
        draft: The text that is to be shown.
        question: The customer's words; a question back or a "not found" may only name what they name.
        topics: Keys that a heading may use without stating anything: the question's and the sources' titles.
    """
    if len(draft) > TEXT_LIMIT:
        return Draft((Claim(draft[:200], (), 0, len(draft)),), False)
    bare, groups = _without_ids(draft)
    claims: list[Claim] = []
    not_found = False
    parts = blocks(bare)
    lead_ids: tuple[str, ...] = ()
    for index, block in enumerate(parts):
        pieces = _pieces(block, bare, groups)
        before_list = index + 1 < len(parts) and parts[index + 1].kind == "item" and block.kind != "item"
        if before_list:
            lead_ids = tuple(pieces[-1].ids) if pieces else ()
        if block.kind == "item" and pieces and not any(piece.ids for piece in pieces) and block.lead:
            pieces[-1].ids.extend(lead_ids)
        last_ids = pieces[-1].ids if pieces else []
        for position, piece in enumerate(pieces):
            leads = before_list and block.kind == "prose" and position == len(pieces) - 1
            if leads and piece.text.rstrip("*_ ").endswith(":"):
                continue  # read with each of its items
            if _states_nothing(piece.text, block, parts[index + 1 :], topics, question):
                not_found = not_found or frames.is_not_found(_words(piece.text), question)
                continue
            text = _with_lead(block, piece.text, topics) if position == 0 else piece.text
            claims.append(Claim(text, tuple(dict.fromkeys(piece.ids or last_ids)), piece.start, piece.end))
    return Draft(
        tuple(_with_bare_answers(claims, bare, question)[:CLAIM_LIMIT]),
        not_found,
        _SPEAKS.search(bare) is not None,
    )


def _without_ids(draft: str) -> tuple[str, list[tuple[int, list[str]]]]:
    """The draft with ids blanked out, at unchanged positions, and where they stood."""
    groups: list[tuple[int, list[str]]] = []

    def blank(match: re.Match[str]) -> str:
        groups.append((match.start(), [found.upper() for found in _ID.findall(match[1])]))
        return " " * len(match[0])

    return _GROUP.sub(blank, draft), groups


def _pieces(block: Block, text: str, groups: list[tuple[int, list[str]]]) -> list[_Piece]:
    """The sentences of a block, each with the ids that stand in or behind it."""
    if block.kind == "row":
        words = "; ".join(f"{header}: {cell}" for header, cell in block.cells)
        ids = [found for position, group in groups if block.start <= position < block.end for found in group]
        return [_Piece(words, ids, block.start, block.end)]
    spans = [
        (start, end)
        for start, end in sentences(text, block.start, block.end)
        if _SPEAKS.search(text, start, end)
    ]
    pieces = [_Piece(_tidy(text[start:end]), [], start, end) for start, end in spans]
    if not pieces:
        return []
    for position, group in groups:
        if block.start <= position <= block.end:
            owner = pieces[0]
            for piece in pieces:
                if piece.start <= position:
                    owner = piece
            owner.ids.extend(group)
    return pieces


def _tidy(text: str) -> str:
    """The sentence as it stands, without the gap that an id before the full stop leaves."""
    return _GAP.sub("", " ".join(text.split()))


def _words(text: str) -> str:
    return " ".join(plain(text).split())


def _states_nothing(text: str, block: Block, rest: list[Block], topics: Set[str], question: str) -> bool:
    words = _words(text)
    if block.kind == "heading":
        if rest and rest[0].kind == "row":
            return True  # a table's header is read with each of its rows
        return frames.is_lead_in(words, topics)
    return (
        frames.is_courtesy(words)
        or frames.is_not_found(words, question)
        or frames.is_question_back(words, question)
    )


def _with_lead(block: Block, text: str, topics: Set[str]) -> str:
    """A list item with the line that leads into it, unless that line only announces the list."""
    if block.kind != "item" or not block.lead:
        return text
    lead = _words(_GROUP.sub(" ", block.lead)).rstrip(": ")
    last = sentences(lead)
    lead = lead[last[-1][0] : last[-1][1]] if last else ""
    return text if frames.is_lead_in(lead, topics) else f"{lead} {text}"


def _with_bare_answers(claims: list[Claim], text: str, question: str) -> list[Claim]:
    """A sentence that is only "Yes." or "No." is read with the sentence behind it."""
    joined: list[Claim] = []
    waiting: Claim | None = None
    for claim in claims:
        if waiting is not None:
            between = text[waiting.start : waiting.end].strip()
            claim = Claim(f"{between} {claim.text}", claim.citations, waiting.start, claim.end)
            waiting = None
        answer, rest = frames.split_answer(_words(claim.text), question)
        if answer and not _SPEAKS.search(rest):
            waiting = claim
        elif _SPEAKS.search(rest):
            joined.append(claim)
    return [*joined, waiting] if waiting else joined
