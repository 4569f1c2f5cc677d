"""Blocks and sentences: how both a draft and a piece of evidence are cut, with spans into the original
text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agent.grader.words import word_set

TEXT_LIMIT = 40_000
"""Characters of one text that are read; what lies beyond can support nothing, and a longer draft fails."""

Kind = Literal["heading", "item", "row", "prose"]
Cells = tuple[tuple[str, str], ...]

_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+")
_ITEM = re.compile(r"[ \t]*(?:[-*+•–][ \t]+|\(?\d{1,3}[.)][ \t]+(?=\D))")
_QUOTE = re.compile(r"(?:[ \t]*>[ \t]?)+")
_RULE = re.compile(r"[\s|:*_=+-]*")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})")
_BOLD_LINE = re.compile(r"[ \t]*(\*\*|__)(?P<inner>[^*_\n]{1,80}?)(?<![.!?]):?\1:?[ \t]*")
_TERMINAL = re.compile(r"[.!?…]+[\"'”’»)\]*_]*(?=\s|$)|[。！？]+")
_BREAK = re.compile(r"\s*\n\s*(?:>[ \t]?)*|\A(?:>[ \t]?)+")

# After these a full stop does not end the sentence, whatever follows; the second set only before a digit.
_ABBREVIATIONS = word_set(
    "e.g i.e mr mrs ms dr prof vs approx incl excl fig st cf ca resp sr jr gen sgt dept est"
)
_BEFORE_DIGIT = word_set(
    "no nos max min tel art sec vol pp p ed ver jan feb mar apr jun jul aug sep sept oct nov dec"
)
_LAST_WORD = re.compile(r"[^\s(\[\"'“‘]+$")

_LINK = re.compile(r"!?\[([^\[\]\n]{0,300})\]\(\s*<?([^\s()<>]{0,500})>?(?:\s+\"[^\"\n]{0,200}\")?\s*\)")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]{1,500})>")
_EMPHASIS = re.compile(r"(?<![^\W_])(?:\*{1,3}|_{1,3})(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3})(?![^\W_])|`+")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_MARKED = re.compile("[*_`~<>\\[\\]\\\\\n\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, list item, table row or paragraph.

    Attributes:
        kind: What it is.
        start: Where its words begin in the text, after any marker.
        end: Where they end.
        lead: The line that introduces a list and ends with a colon, for its items; else empty.
        heading: The nearest heading above.
        cells: A table row's (header, value) pairs.
    """

    kind: Kind
    start: int
    end: int
    lead: str = ""
    heading: str = ""
    cells: Cells = ()


def blocks(text: str) -> list[Block]:
    """Cut a text into blocks, in order. Lines of a wrapped paragraph belong together."""
    found: list[Block] = []
    heading, lead = "", ""
    header: tuple[str, ...] = ()
    previous_blank, wrapped = True, False
    for start, end in _lines(text):
        line = text[start:end]
        fence = _FENCE.match(line)
        if not line.strip() or fence:
            if fence and line[fence.end() :].strip():  # mostly a language's name, but it can be anything
                found.append(Block("heading", start + fence.end(), end))
            previous_blank, wrapped, header = True, False, ()
            continue
        quoted = _QUOTE.match(line)
        if quoted:
            start, line = start + quoted.end(), line[quoted.end() :]
        if line.lstrip().startswith("|") or (header and "|" in line):
            cells = tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
            if not _RULE.fullmatch(line):
                if header:
                    names = header + tuple(f"column {n + 1}" for n in range(len(header), len(cells)))
                    pairs = tuple((h, c) for h, c in zip(names, cells, strict=False) if c)
                    found.append(Block("row", start, end, heading=heading, cells=pairs))
                else:
                    header = cells
                    found.append(Block("heading", start, end, heading=heading))
            previous_blank = wrapped = False
            continue
        header = ()
        if _RULE.fullmatch(line):
            previous_blank, wrapped = True, False
            continue
        mark = _HEADING.match(line)
        bold = _BOLD_LINE.fullmatch(line)
        item = None if bold else _ITEM.match(line)
        if mark or bold:
            begin = start + (mark.end() if mark else 0)
            heading, lead = text[begin:end].strip(" #*_:"), ""
            found.append(Block("heading", begin, end))
            wrapped = False
        elif item:
            before = found[-1] if found else None
            if before is None or before.kind != "item":
                words = (
                    text[before.start : before.end].rstrip(" *_") if before and before.kind == "prose" else ""
                )
                lead = words if words.endswith(":") else ""
            found.append(Block("item", start + item.end(), end, lead, heading))
            wrapped = True
        elif wrapped and not previous_blank and found and _continues(text, found[-1], line):
            last = found[-1]
            found[-1] = Block(last.kind, last.start, end, last.lead, last.heading)
        else:
            lead = ""
            found.append(Block("prose", start, end, heading=heading))
            wrapped = True
        previous_blank = False
    return found


def _lines(text: str) -> Iterator[tuple[int, int]]:
    position = 0
    for line in text[:TEXT_LIMIT].splitlines(keepends=True):
        yield position, position + len(line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"))
        position += len(line)


def _continues(text: str, block: Block, line: str) -> bool:
    """Whether a line goes on with the paragraph above: after a long line, or in the middle of a sentence."""
    above = text[block.start : block.end].rsplit("\n", 1)[-1].strip()
    first = line.lstrip()[:1]
    if above.endswith(":"):
        return False
    if above.endswith(",") or (first == "(" and not _TERMINAL.search(above[-3:])):
        return True
    return len(above) >= 40 or first.islower() or (not first.isalnum() and first not in "*_[\"“'‘(")


def sentences(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """Spans of the sentences in `text[start:end]`, without outer space. Ends are kept on their sentence."""
    stop = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    begin = start
    for match in _TERMINAL.finditer(text, start, stop):
        if match.end() >= stop or _ends(text, match, begin, stop):
            _add(text, begin, match.end(), spans)
            begin = match.end()
    _add(text, begin, stop, spans)
    return spans


def _add(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))


def _ends(text: str, match: re.Match[str], begin: int, stop: int) -> bool:
    after = text[match.end() : min(stop, match.end() + 200)].lstrip()
    following = after.lstrip("\"'“‘«([*_")[:1]
    if match[0][0] in "。！？":
        return True
    word = _LAST_WORD.search(text, max(begin, match.start() - 30), match.start())
    last = word[0].lower() if word else ""
    if following.islower() and (match[0] != "." or len(last) < 4 or not last[-1].isalpha()):
        return False
    if match[0] != ".":
        return True
    if last in _ABBREVIATIONS or (
        len(last) == 1 and word is not None and word[0].isupper() and last not in "iv"
    ):
        return False
    return not (last in _BEFORE_DIGIT and following.isdigit())


def plain(text: str) -> str:
    """The words of Markdown without emphasis, link targets, escapes and invisible characters."""
    if not _MARKED.search(text):
        return text
    text = _INVISIBLE.sub("", text)
    text = _LINK.sub(r"\1", text)
    text = _AUTOLINK.sub(r"\1", text)
    text = _EMPHASIS.sub("", text)
    return _ESCAPE.sub(r"\1", _BREAK.sub(" ", text))


def link_targets(text: str) -> list[str]:
    """The addresses behind the Markdown links of a text."""
    return [match[2] for match in _LINK.finditer(text) if match[2]]
