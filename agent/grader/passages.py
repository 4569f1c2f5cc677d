"""Evidence read once: its sentences, everything it says in its own words, and the rows of records and
tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise

from agent.grader.forms import Pairs, forms, is_thing, pairs_of
from agent.grader.frames import is_denial, without_answer, without_frame
from agent.grader.meaning import NEGATIONS, Sentence, key_of, read
from agent.grader.mentions import Row
from agent.grader.rows import cells_of, make_row
from agent.grader.sayings import FINITE, RELATIVE, sayings, turns
from agent.grader.text import Block, blocks, sentences
from agent.grader.words import word_set

Keys = tuple[str, ...]

_NO_ROWS = re.compile(r"\s*no (?:rows|results|records|matches)\b", re.IGNORECASE)
_PROHIBITION = re.compile(
    r"\b(?:never|avoid|not to|what not|(?:do|must|should|can)(?:\s?n[o'’]t|not))\b", re.IGNORECASE
)
_OPENED = re.compile(r"(?:^|(?<=[\s(]))\"(?=\S)[^\"]*$")
_DENYING = NEGATIONS | word_set("if unless except excluding only provided until when either case")
_OPENING = (
    RELATIVE | FINITE | word_set("if when where what how why while unless until once in for after before")
)
PRONOUNS = word_set("it they this these that those he she such both")
_UNTRUE = frozenset(
    key_of(word) for word in word_set("myth untrue rumour rumor misconception outdated obsolete former")
)
# In a heading, "wrong use" can be what rules are for.
_WRONG = frozenset(key_of(word) for word in word_set("false wrong incorrect"))
_OPENING_QUESTION = word_set("when what which who how why")
_CASES = word_set("for in within without until during unless outside under at")
_SPOKEN = frozenset(
    key_of(word)
    for word in word_set("message complaint review feedback question request claim quote myth rumour rumor")
)
"""Columns that hold other people's words."""
_SOME = word_set("some most many few several half another other else one")


@dataclass(frozen=True)
class Unit:
    """A sentence of the evidence: its keys, its words as they stand, and what it is a part of.

    A list item without a subject of its own, "get free shipping", is a part of its list.
    """

    sentence: Sentence
    quote: str
    above: str = ""


@dataclass
class Passage:
    """One piece of evidence, read.

    Attributes:
        text: The evidence as the model saw it.
        units: Its sentences, to compare with.
        said: Everything it says: keys to the possessives around them and the sentence they are from.
        rows: Its rows, from records or tables.
        empty: Whether it says that a lookup gave no rows.
        content: The topics of all its sentences.
        values: Every value in them, as keys.
    """

    text: str
    units: list[Unit] = field(default_factory=list)
    said: dict[Keys, list[tuple[tuple[str, ...], Unit]]] = field(default_factory=dict)
    rows: list[Row] = field(default_factory=list)
    empty: bool = False
    content: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()


@lru_cache(maxsize=512)
def read_passage(text: str, title: str = "") -> Passage:
    """Read one piece of evidence. Remembered: the same piece is cited by many claims."""
    passage = Passage(text, empty=bool(_NO_ROWS.match(text)))
    for block in blocks(text):
        quote = text[block.start : block.end]
        if block.kind == "heading":
            if _states(quote):
                _add(passage, quote, quote)
            continue
        cells = block.cells or cells_of(quote)
        if cells:
            _add_row(passage, make_row(cells, title, quote, table=block.kind == "row"))
            if block.kind == "row":
                continue
        spans = sentences(text, block.start, block.end)
        for number, (start, end) in enumerate(spans):
            sentence = text[start:end]
            if sentence.rstrip("*_\"”' ").endswith("?") or _disowned(text, spans, number):
                continue
            if number == 0 and block.kind == "item":
                if block.lead:
                    _add(passage, f"{_last(block.lead)} {sentence}", sentence)
                elif block.heading:
                    _add(passage, f"{block.heading} {sentence}", sentence)
                if _denied(block.lead or block.heading, sentence, stands=not block.lead):
                    continue  # what the line above denies or limits cannot be said alone
            if _limited(block):
                if block.kind != "item":
                    _add(passage, f"{block.heading} {sentence}", sentence)
                continue
            if not sentence.rstrip("*_ ").endswith(":"):
                _add(passage, sentence, sentence, _list_of(block, sentence))
                if number:
                    _add_named_in_full(passage, text[slice(*spans[number - 1])], sentence)
        if len(spans) > 1 and block.kind == "item" and block.lead:
            _add(passage, f"{_last(block.lead)} {quote}", quote)
    passage.content = frozenset[str]().union(*(unit.sentence.content for unit in passage.units))
    passage.values = frozenset(key for unit in passage.units for key in unit.sentence.keys if "=" in key)
    return passage


def _disowned(text: str, spans: Sequence[tuple[int, int]], number: int) -> bool:
    """Whether a sentence stands behind "Wrong!", or inside a quotation that an earlier sentence opened."""
    start = spans[number][0]
    if number and is_denial(text[slice(*spans[number - 1])]):
        return True
    before = text[spans[0][0] : start]
    return before.count("“") > before.count("”") or _OPENED.search(before) is not None


def _add_named_in_full(passage: Passage, before: str, sentence: str) -> None:
    """Record the sentence with a thing named as fully as in the one before: "keys" after "API keys"."""
    read_before, unit = read(before), Unit(read(sentence), sentence)
    keys = unit.sentence.keys
    if _SOME & set(keys):
        return
    full: dict[str, set[str]] = {}
    for one, other in pairwise(read_before.keys):
        if is_thing(one) and is_thing(other):
            full.setdefault(other, set()).add(one)
    for thing, names in full.items():
        bare = [n for n, key in enumerate(keys) if key == thing]
        if len(names) == 1 and bare and not names & set(keys):
            pairs = list(pairs_of(unit.sentence))
            for place in reversed(bare):
                pairs.insert(place, (next(iter(names)), ""))
            named = _with_keys(unit.sentence, tuple(pairs), bare)
            for saying in sayings(named):
                _record(passage, saying, unit)


def _with_keys(sentence: Sentence, pairs: Pairs, places: Sequence[int]) -> Sentence:
    """The sentence with keys put in before these places."""
    keys = tuple(key for key, _ in pairs)
    breaks = tuple((n + sum(place < n for place in places), mark) for n, mark in sentence.breaks)
    return replace(sentence, keys=keys, possessives=tuple(owner for _, owner in pairs), breaks=breaks)


def _states(heading: str) -> bool:
    """Whether a heading is a statement, as "Gift cards are final" is and "What is final" is not."""
    keys = read(heading).keys
    return len(keys) > 3 and keys[0] not in _OPENING and "?" not in heading and any(k in FINITE for k in keys)


def _last(lead: str) -> str:
    """The last sentence of the line that leads into a list, without its colon."""
    spans = sentences(lead)
    return lead[spans[-1][0] : spans[-1][1]].rstrip(" *_:") if spans else ""


def _limited(block: Block) -> bool:
    """Whether the line above says where, for whom or until when this is so, or that it is not so."""
    for above in (_last(block.lead), block.heading):
        keys = read(above).keys
        case = keys[:1] and keys[0] in _CASES and not (FINITE | _OPENING_QUESTION) & set(keys)
        if case or _UNTRUE & set(keys) or (_WRONG & set(keys) and above != block.heading):
            return True
    return False


def _list_of(block: Block, sentence: str) -> str:
    """The list that an item without a subject of its own belongs to; empty for what stands by itself."""
    keys = read(sentence).keys
    stands = any(key in FINITE for key in keys) and keys[0] not in FINITE
    return "" if stands or block.kind != "item" else f"{block.heading}\n{block.lead}\n"


def _denied(above: str, item: str, stands: bool) -> bool:
    """Whether a list item is under a line that denies or limits it, and is no whole sentence of its own.

    Args:
        above: The line that leads into the list, or the heading.
        item: The item.
        stands: Whether a whole sentence stands on its own here, as it does under a heading.
    """
    # "If you forgot it" over a list of steps limits none of them.
    denying = _DENYING - {"if", "until", "when", "case"} if stands else _DENYING
    if not any(key in denying for key in read(_last(above)).keys):
        return False
    keys = read(item).keys
    whole = any(key in FINITE for key in keys) or (len(keys) > 5 and not _PROHIBITION.search(above))
    return not (stands and whole and item.rstrip().endswith("."))


def _add_row(passage: Passage, row: Row) -> None:
    passage.rows.append(row)
    passage.units.append(Unit(read(row.quote), row.quote))
    for name, value in row.written:
        keys = read(value).keys
        sentence = len(keys) >= 4 and any(key in FINITE for key in keys)
        if (
            sentence
            and len(row.cells) > 1
            and not turns(read(name).keys)
            and not _SPOKEN & set(read(name).keys)
        ):
            for start, end in sentences(value):
                _add(passage, value[start:end], value[start:end])


def _add(passage: Passage, text: str, quote: str, above: str = "") -> None:
    unit = Unit(read(text), quote, above)
    if not unit.sentence.keys:
        return
    passage.units.append(unit)
    for sentence in {unit.sentence, read(without_frame(without_answer(text)))}:
        for pairs in sayings(sentence):
            _record(passage, pairs, unit)


def _record(passage: Passage, pairs: Pairs, unit: Unit) -> None:
    for form in (*forms(pairs), *_yearless(pairs)):
        keys = tuple(key for key, _ in form)
        passage.said.setdefault(keys, []).append((tuple(owner for _, owner in form), unit))


def _yearless(pairs: Pairs) -> Iterator[Pairs]:
    if any(key.startswith("date=2") for key, _ in pairs):
        yield tuple(
            (f"date=--{key[-5:]}" if key.startswith("date=2") else key, owner) for key, owner in pairs
        )


def find(passage: Passage, shapes: Iterable[tuple[Keys, tuple[str, ...]]]) -> Unit | None:
    """The sentence that says exactly this, or None.

    Args:
        passage: Where to look.
        shapes: Keys, each with the possessives before them, for every form of what is looked for.
    """
    for keys, owners in shapes:
        for other, unit in passage.said.get(keys, ()):
            if all(
                mine == theirs or not mine or not theirs for mine, theirs in zip(owners, other, strict=True)
            ):
                return unit
    return None


def directly_behind(one: str, other: str, passages: Iterable[Passage]) -> bool:
    """Whether a passage has the second sentence right behind the first, with others that begin with a
    pronoun between them at most, so that the second one's "it" is of the first one."""
    for passage in passages:
        start, end = passage.text.find(one), passage.text.find(other)
        between = passage.text[start + len(one) : end]
        spans = sentences(between)
        if 0 <= start < end and all(set(read(between[a:b]).keys[:1]) <= PRONOUNS for a, b in spans):
            return True
    return False


def nearest(content: frozenset[str], passages: Sequence[Passage]) -> tuple[Unit | None, float]:
    """The sentence that shares most with these keys, and the share of them that it has, in [0, 1]."""
    best: Unit | None = None
    best_rank = (0.0, 0.0)
    for passage in passages:
        for unit in passage.units:
            shared = len(content & unit.sentence.content)
            if shared:
                rank = (shared / len(content), shared / len(unit.sentence.content))
                if rank > best_rank:
                    best, best_rank = unit, rank
    return best, best_rank[0]
