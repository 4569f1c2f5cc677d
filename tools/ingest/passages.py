"""Markdown to passages that follow its structure, each an exact span of the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

PASSAGE_TOKENS = 200  # with the title in front this stays within the embedder's 256
WHOLE_TOKENS = (
    400  # a table or list up to here stays in one piece; its words are all found, its tail less well
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|\n{2,}")
_WORD = re.compile(r"\w+|[^\w\s]")
_LONG_WORD = 8  # characters; longer words take about one token more for each so many


@dataclass(frozen=True)
class Span:
    """A passage: `text[start:end]` of what it was cut from, and the headings above it, outermost first."""

    start: int
    end: int
    headings: tuple[str, ...]


@dataclass(frozen=True)
class _Block:
    """A paragraph, list, table or other top-level block: lines [first, last), and where it may be cut."""

    kind: str
    first: int
    last: int
    cuts: tuple[int, ...] = ()
    columns: str = ""


@dataclass(frozen=True)
class _Section:
    headings: tuple[str, ...]
    heading: _Block | None
    blocks: list[_Block]


def split_passages(text: str, begin: int = 0) -> list[Span]:
    """Cut Markdown into passages of at most about 200 tokens, in order and without overlap.

    A passage never crosses a heading, and the first of a section begins with its heading line. Tables and
    lists stay whole up to about 400 tokens, together with a paragraph that introduces them with a colon;
    beyond that they are cut between rows or items, and the later pieces of a table carry its column names as
    one more heading. Paragraphs are cut between sentences.

    Args:
        text: Markdown or plain text with `\\n` line ends.
        begin: Where the text proper starts; a front matter lies before it.

    Returns:
        Spans without surrounding white space; all other text is in one of them, except thematic breaks,
        comments, and headings that only other headings follow.
    """
    offsets = [begin]
    for line in text[begin:].split("\n"):
        offsets.append(offsets[-1] + len(line) + 1)
    sections = _sections(text[begin:])
    spans: list[Span] = []
    for place, section in enumerate(sections):
        following = sections[place + 1].headings if place + 1 < len(sections) else ()
        if section.blocks or following[: len(section.headings)] != section.headings:
            spans += _pack(text, section, offsets)
    return spans


def first_heading(text: str, begin: int = 0) -> str | None:
    """The text of the first heading of the highest level, or None when there is none."""
    for section in _sections(text[begin:]):
        if len(section.headings) == 1 and section.heading is not None:
            return section.headings[0]
    return None


def estimate_tokens(text: str) -> int:
    """About how many word pieces a text makes; within a fifth of the default embedder's count on prose."""
    words = _WORD.findall(text)
    return len(words) + sum((len(word) - 1) // _LONG_WORD for word in words)


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable("table")


def _sections(text: str) -> list[_Section]:
    path: list[tuple[int, str]] = []
    sections = [_Section((), None, [])]
    tokens = _parser().parse(text)
    lines = text.split("\n")
    reached = 0
    for place, token in enumerate(tokens):
        if token.level or not token.map:
            continue
        first, last = token.map
        # Some lines, such as link definitions, make no token.
        sections[-1].blocks.extend(_untold(lines, reached, first))
        reached = max(reached, last)
        if token.type == "heading_open":
            level = int(token.tag[1:])
            path = [(above, name) for above, name in path if above < level]
            path.append((level, _plain(tokens[place + 1])))
            heading = _Block("heading", first, last)
            sections.append(_Section(tuple(name for _, name in path), heading, []))
        elif not _silent(token):
            sections[-1].blocks.append(_block(tokens, place, first, last, lines))
    sections[-1].blocks.extend(_untold(lines, reached, len(lines)))
    return sections if sections[0].blocks else sections[1:]


def _untold(lines: Sequence[str], first: int, last: int) -> Iterator[_Block]:
    if any(line.strip() for line in lines[first:last]):
        yield _Block("paragraph", first, last)


def _silent(token: Token) -> bool:
    return token.type == "hr" or (token.type == "html_block" and token.content.lstrip().startswith("<!--"))


def _plain(inline: Token) -> str:
    kept = [child.content or " " for child in inline.children or [] if child.type != "html_inline"]
    return " ".join("".join(kept).split())


def _block(tokens: Sequence[Token], place: int, first: int, last: int, lines: Sequence[str]) -> _Block:
    kind = tokens[place].type.removesuffix("_open")
    if kind == "table":
        # Not between the names of the columns, their rule and the first row.
        return _Block(kind, first, last, tuple(range(first + 3, last)), _columns(tokens, place))
    if kind in {"bullet_list", "ordered_list"}:
        items = [
            item.map[0]
            for item in tokens[place:]
            if item.type == "list_item_open" and item.level == 1 and item.map and first < item.map[0] < last
        ]
        return _Block("list", first, last, tuple(items))
    if kind in {"fence", "code_block"}:
        return _Block("code", first, last, tuple(range(first + 1, last)))
    blank = [line + 1 for line in range(first, last - 1) if not lines[line].strip()]
    return _Block(kind, first, last, tuple(blank))


def _columns(tokens: Sequence[Token], place: int) -> str:
    names: list[str] = []
    for index in range(place, len(tokens)):
        if tokens[index].type == "thead_close":
            break
        if tokens[index].type == "th_open":
            names.append(_plain(tokens[index + 1]))
    return ", ".join(name for name in names if name)


def _pack(text: str, section: _Section, offsets: Sequence[int]) -> Iterator[Span]:
    """Fill passages with the units of a section, in order."""
    start: int | None = offsets[section.heading.first] if section.heading else None
    end = offsets[section.heading.last] if section.heading else 0
    headings = section.headings
    fresh = True  # nothing but the heading so far
    for first, last, extra, whole in _units(text, section.blocks, offsets):
        limit = WHOLE_TOKENS if whole and fresh else PASSAGE_TOKENS
        fits = start is None or estimate_tokens(text[start:last]) <= limit
        if start is not None and (extra or not fits) and not fresh:
            yield from _span(text, start, end, headings)
            start = None
        start = first if start is None else start
        end, fresh = last, False
        headings = (*section.headings, extra) if extra else section.headings
    if start is not None:
        yield from _span(text, start, end, headings)


def _units(
    text: str, blocks: Sequence[_Block], offsets: Sequence[int]
) -> Iterator[tuple[int, int, str, bool]]:
    """What is not cut further: start, end, one more heading or none, and whether it may be long."""
    lead: int | None = None
    for place, block in enumerate(blocks):
        first = offsets[block.first] if lead is None else lead
        last = min(offsets[block.last], len(text))
        follower = blocks[place + 1].kind if place + 1 < len(blocks) else ""
        introduces = block.kind == "paragraph" and text[first:last].rstrip().endswith(":")
        if introduces and follower in {"list", "table", "code"}:
            lead = first
            continue
        lead = None
        whole = block.kind in {"list", "table", "code"}
        if estimate_tokens(text[first:last]) <= (WHOLE_TOKENS if whole else PASSAGE_TOKENS):
            yield first, last, "", whole
            continue
        for number, (start, end) in enumerate(_cut(text, first, last, [offsets[cut] for cut in block.cuts])):
            yield start, end, f"Columns: {block.columns}" if number and block.columns else "", False


def _cut(text: str, first: int, last: int, cuts: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Pieces of at most about `PASSAGE_TOKENS`, cut at `cuts`, else after a sentence, a word, anywhere."""
    inside = text[first:last]
    steps = (
        list(cuts),
        [first + match.end() for match in _SENTENCE_END.finditer(inside)],
        [first + match.end() for match in re.finditer(r"\s+", inside)],
        list(range(first + 4 * PASSAGE_TOKENS, last, 4 * PASSAGE_TOKENS)),
    )
    yield from _cut_at(text, first, last, steps)


def _cut_at(text: str, first: int, last: int, steps: Sequence[list[int]]) -> Iterator[tuple[int, int]]:
    if not steps or estimate_tokens(text[first:last]) <= PASSAGE_TOKENS:
        yield first, last
        return
    bounds = [first, *(cut for cut in steps[0] if first < cut < last), last]
    start, size = first, 0
    for here, there in pairwise(bounds):
        more = estimate_tokens(text[here:there])
        if size and size + more > PASSAGE_TOKENS:
            yield from _cut_at(text, start, here, steps[1:])
            start, size = here, 0
        size += more
    yield from _cut_at(text, start, last, steps[1:])


def _span(text: str, start: int, end: int, headings: tuple[str, ...]) -> Iterator[Span]:
    inside = text[start:end]
    if inside.strip():
        left = len(inside) - len(inside.lstrip())
        yield Span(start + left, start + len(inside.rstrip()), headings)
