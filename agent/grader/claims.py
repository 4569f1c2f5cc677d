"""A draft as claims: each sentence that states something, with the ids that it cites."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Set
from dataclasses import dataclass

from agent.grader import frames, gaps
from agent.grader.meaning import is_fragment
from agent.grader.text import TEXT_LIMIT, Block, blocks, link_targets, plain, sentences

_GROUP = re.compile(
    r"[\[【]\s*((?:[A-Za-z]{0,2}\d{1,5}|[A-Za-z]\d{1,5})(?:\s*(?:,|;|&|and|\s)\s*[A-Za-z]{0,2}\d{1,5}){0,20})\s*[\]】]"
)
_ID = re.compile(r"[A-Za-z]{0,2}\d{1,5}")
_GAP = re.compile(r"\s+(?=[.!?,;:](?:\s|$))")
_SPEAKS = re.compile(r"[^\W_]")
# Controls, turned direction and tags: with them a reader sees another text than the one that was graded.
_HIDDEN = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")
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


def read_draft(
    draft: str,
    question: str = "",
    topics: Set[str] = frozenset(),
    unreached: Collection[str] | None = None,
) -> Draft:
    """Cut a draft into claims.

    Args:
        draft: The text that is to be shown.
        question: The customer's words; a question back or a "not found" may only name what they name.
        topics: Keys that a heading may use without stating anything: the question's and the sources' titles.
        unreached: The sources that were not reached, of which alone a draft may say so; None when not known.
    """
    if len(draft) > TEXT_LIMIT or _HIDDEN.search(draft):
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
            if _tells_a_gap(piece.text, block, topics, question, unreached):
                not_found = True
                continue
            if _states_nothing(piece.text, block, parts[index + 1 :], topics, question):
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


def _tells_a_gap(
    text: str, block: Block, topics: Set[str], question: str, unreached: Collection[str] | None
) -> bool:
    words = _words(text)
    return (
        block.kind != "heading"
        and not link_targets(text)
        and (gaps.is_not_found(words, question, topics) or gaps.is_unreached(words, unreached))
    )


def _states_nothing(text: str, block: Block, rest: list[Block], topics: Set[str], question: str) -> bool:
    words = _words(text)
    if link_targets(text):
        return False  # where a link leads is said, whatever its words
    if block.kind == "heading":
        if rest and rest[0].kind == "row" and _heads(text, rest):
            return True  # a table's header is read with each of its rows
        return frames.is_lead_in(words, topics)
    return frames.is_courtesy(words) or frames.is_question_back(words, question)


def _heads(header: str, rest: list[Block]) -> bool:
    """Whether each word of a table's header is read with some row below: not so over an empty column."""
    rows = list(itertools.takewhile(lambda block: block.kind == "row", rest))
    read_with = {name for row in rows for name, _ in row.cells}
    return {cell.strip() for cell in header.strip().strip("|").split("|") if cell.strip()} <= read_with


def _with_lead(block: Block, text: str, topics: Set[str]) -> str:
    """A list item with the line that leads into it, unless that line only announces the list.

    A fragment says something only together with what stands above: "lid" under "Free parts".
    """
    lead = _words(_GROUP.sub(" ", block.lead if block.kind == "item" else "")).rstrip(": ")
    last = sentences(lead)
    lead = lead[last[-1][0] : last[-1][1]] if last else ""
    if not lead and block.kind != "heading" and is_fragment(text):
        lead = _words(_GROUP.sub(" ", block.heading)).rstrip(": ")
    if not lead or frames.is_lead_in(lead, frozenset() if is_fragment(text) else topics):
        return text
    return f"{lead} {text}"


def _with_bare_answers(claims: list[Claim], text: str, question: str) -> list[Claim]:
    """A sentence that is only "Yes." or "No." is read with the sentence behind it.

    "Sure" is politeness before a statement; alone it agrees to what was asked, and is a claim.
    """
    joined: list[Claim] = []
    waiting: Claim | None = None
    polite: list[Claim] = []
    for claim in claims:
        if waiting is not None:
            between = text[waiting.start : waiting.end].strip()
            claim = Claim(f"{between} {claim.text}", claim.citations, waiting.start, claim.end)
            waiting = None
        answer, rest = frames.split_answer(_words(claim.text), question)
        if answer and not _SPEAKS.search(rest):
            waiting = claim
        elif _SPEAKS.search(rest) or link_targets(claim.text):
            joined.append(claim)
        elif _SPEAKS.search(_words(claim.text)):
            polite.append(claim)
    return [*joined, waiting] if waiting else joined or polite
