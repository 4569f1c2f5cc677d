"""Rows of records and tables: whether a sentence says of a row what stands in it, column by column."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.grader.meaning import DOING, NEGATIONS, TURNING, agree, is_content, read
from agent.grader.words import word_set

Keys = tuple[str, ...]

_CELL = re.compile(r"(?:\A|;\s+)([^\W_][\w /()%.'’-]{0,60}?):\s+")
# Words between columns and values that say nothing of their own.
_FILLER = word_set("be was have had and with of it you we on at in for there i this")
_BE = word_set("be was have had")
_YES = frozenset({("yes",), ("true",)})
_NO = frozenset({("no",), ("false",)})
_UNCLEAR = "it does not say which column a value belongs to"
_NO_VALUE = "no value is given"
_LIMIT = 400


@dataclass(frozen=True)
class Cell:
    """A column's words and its value's, as keys."""

    column: Keys
    value: Keys

    @property
    def kind(self) -> str:
        """The kind of a single value, or `words`."""
        return self.value[0].split("=")[0] if len(self.value) == 1 and "=" in self.value[0] else "words"


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes:
        cells: Its cells as keys.
        written: The same cells as they are written.
        title: The keys of what the row is called; they may stand in a sentence about it.
        quote: Its text.
        vocabulary: Every key that a sentence about it can use.
        table: Whether a table holds it, where only the header says what a value means.
    """

    cells: tuple[Cell, ...]
    written: tuple[tuple[str, str], ...]
    title: frozenset[str]
    quote: str
    vocabulary: frozenset[str]
    table: bool = False


@dataclass(frozen=True)
class Reading:
    """What a row says to a sentence: supported, contradicted, or neither; and why."""

    supported: bool
    contradicted: bool = False
    reason: str = ""


def cells_of(text: str) -> tuple[tuple[str, str], ...]:
    """`column: value; column: value` as pairs; empty when a text is anything else."""
    marks = list(_CELL.finditer(text))
    if not marks or marks[0].start() != 0:
        return ()
    if len(marks) == 1 and (len(text) > 100 or "\n" in text or ". " in text):
        return ()
    if any(len(mark[1].split()) > 5 for mark in marks):
        return ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return tuple((mark[1], text[mark.end() : end].strip()) for mark, end in zip(marks, ends, strict=True))


def _column(name: str) -> Keys:
    """The keys of a column's name; "on" at its end goes, as it does before a date in a sentence."""
    keys = read(name).keys
    return keys[:-1] if len(keys) > 1 and keys[-1] == "on" else keys


def _value(text: str) -> Keys:
    """The keys of a value; "processing" is said with "is" before it."""
    keys = read(text).keys
    return (DOING, *keys) if keys and text.split()[0].lower().endswith("ing") and len(keys) == 1 else keys


def make_row(cells: Sequence[tuple[str, str]], title: str, quote: str, *, table: bool = False) -> Row:
    """A row from its (column, value) pairs as written."""
    read_cells = tuple(
        Cell(_column(column), _value(value.rstrip(".") if value.count(".") == 1 else value))
        for column, value in cells
    )
    kept = [pair for pair in zip(read_cells, cells, strict=True) if pair[0].value]
    words = frozenset(key for key in read(title).keys if is_content(key) and "=" not in key)
    keys = {key for cell, _ in kept for key in (*cell.column, *cell.value)}
    keys |= {f"date=--{key[-5:]}" for key in keys if key.startswith("date=")}
    return Row(
        tuple(cell for cell, _ in kept),
        tuple((name, value) for _, (name, value) in kept),
        words,
        quote,
        words | keys | _FILLER | NEGATIONS,
        table,
    )


@dataclass(frozen=True)
class _Item:
    """A run of the sentence: a mention of columns, or a value that stands in these cells."""

    column: bool
    cells: frozenset[int]
    words: Keys
    start: int
    weak: bool = False


def read_row(keys: Keys, row: Row, *, identified: bool = False) -> Reading:
    """Whether the row says this.

    Args:
        keys: The sentence.
        row: The row.
        identified: Whether the sentence must say which row it is about, by its first cell or a code.
    """
    if not row.vocabulary.issuperset(keys):
        return Reading(False)
    mismatch = ""
    for count, items in enumerate(_interpretations(keys, row)):
        if count >= _LIMIT:
            break
        if (identified and not any(_identifies(item) for item in items)) or not _speaks(items, keys):
            continue
        said = {place for item in items for place in range(item.start, item.start + len(item.words))}
        denied = sum(key in NEGATIONS for place, key in enumerate(keys) if place not in said)
        reason = _bind(items, row, denied)
        if reason == "":
            return Reading(True)
        if mismatch in ("", _UNCLEAR, _NO_VALUE):
            mismatch = reason
    return Reading(False, mismatch not in ("", _UNCLEAR, _NO_VALUE), mismatch)


def gainsays(keys: Keys, content: frozenset[str], row: Row) -> str:
    """What the row says of a column that the sentence names with another value; empty when there is none."""
    others = {key for cell in row.cells for key in (*cell.column, *cell.value)} | row.title
    left = content - others
    for number, cell in enumerate(row.cells):
        size = len(cell.column)
        named = bool(cell.column) and any(
            keys[i : i + size] == cell.column for i in range(len(keys) - size + 1)
        )
        given = any(agree(keys[i : i + len(cell.value)], cell.value) for i in range(len(keys)))
        thing = set(cell.column) <= row.title
        if named and not given and not thing and left and len(left) <= max(1, len(content) // 2):
            return f"the row says {row.written[number][0]}: {row.written[number][1]}"
    return ""


def _interpretations(keys: Keys, row: Row) -> Iterator[list[_Item]]:
    """Every way to read the sentence as columns and values of the row, with no content word left over."""
    options = [list(_options(keys, index, row)) for index in range(len(keys))]

    def walk(index: int, items: list[_Item]) -> Iterator[list[_Item]]:
        if index >= len(keys):
            yield items
            return
        for item in options[index]:
            yield from walk(index + len(item.words), [*items, item])
        key = keys[index]
        if key in _FILLER or key in NEGATIONS or (key in row.title and not items):
            yield from walk(index + 1, items)

    yield from walk(0, [])


def _options(keys: Keys, index: int, row: Row) -> Iterator[_Item]:
    values: dict[Keys, set[int]] = {}
    columns: dict[Keys, tuple[set[int], set[int]]] = {}
    for number, cell in enumerate(row.cells):
        for value in _spoken(cell.value, keys[index - 1 : index]):
            if agree(keys[index : index + len(value)], value):
                values.setdefault(value, set()).add(number)
        for run in _runs(cell.column) if len(row.cells) > 1 else filter(None, [cell.column]):
            if keys[index : index + len(run)] == run:
                whole, part = columns.setdefault(run, (set(), set()))
                (whole if run == cell.column else part).add(number)
    for words, cells in sorted(values.items(), key=lambda entry: -len(entry[0])):
        yield _Item(False, frozenset(cells), words, index)
    for words, (whole, part) in sorted(columns.items(), key=lambda entry: -len(entry[0])):
        for named, weak in ((whole, False), (part, True)):
            if named:
                yield _Item(True, frozenset(named), words, index, weak)


def _spoken(value: Keys, before: Keys) -> Iterator[Keys]:
    """A value as a sentence has it: "processing" also without the mark of the active form."""
    yield value
    if value[0] == DOING and not set(before) & _BE:
        yield value[1:]


def _runs(column: Keys) -> Iterator[Keys]:
    """The column's name, and the parts of it that carry its topic and leave out nothing that limits it."""
    for size in range(len(column), 0, -1):
        for start in range(len(column) - size + 1):
            run = column[start : start + size]
            left = (*column[:start], *column[start + size :])
            whole = size == len(column)
            if (whole or any(is_content(key) for key in run)) and not any(
                "=" in key or key in TURNING for key in left
            ):
                yield run


def _identifies(item: _Item) -> bool:
    return not item.column and (0 in item.cells or any(key.startswith("code:") for key in item.words))


def _speaks(items: list[_Item], keys: Keys) -> bool:
    """Whether more is said than one value by itself: "Shipped." says nothing, "It is shipped." does."""
    if len(items) != 1:
        return bool(items)
    return items[0].column or bool(set(keys[: items[0].start]) & _BE)


def _bind(items: list[_Item], row: Row, denied: int) -> str:
    """Empty when every column has its value and every value its column; else what is wrong."""
    pending: list[_Item] = []
    free: list[_Item] = []
    bound: set[int] = set()
    for place, item in enumerate(items):
        before = items[place - 1] if place else None
        if item.column:
            if before in free and before is not None and _binds(item, before, row):  # "10 seats"
                free.remove(before)
                bound |= item.cells & before.cells
            else:
                pending.append(item)
            continue
        while pending and not pending[-1].cells & item.cells and _names_a_thing(pending[-1], row):
            pending.pop()
        if not pending or (_identifies(item) and not pending[-1].cells & item.cells):
            free.append(item)  # "the price of the Kettle K1 is €39": it says whose price, not what it is
        elif _binds(pending[-1], item, row):
            bound |= pending.pop().cells & item.cells
        else:
            return f"{_written(pending[-1], row)}, not what is said of it"
    for item in free:
        if not _clear(item, row, bound):
            return _UNCLEAR
    denied_cells = 0
    for item in pending:
        value = row.cells[next(iter(item.cells))].value
        if value in _NO and denied > denied_cells:
            denied_cells += 1
        elif not (value in _YES and denied == 0) and not _names_a_thing(item, row):
            return f"{_written(item, row)}, which is not said"
    if denied != denied_cells:
        return "a negation was added"
    told = bool(free or bound) or any(
        row.cells[n].value in _YES | _NO for item in pending for n in item.cells
    )
    return "" if told else _NO_VALUE


def _binds(column: _Item, value: _Item, row: Row) -> bool:
    """Whether the value stands in that column; a part of a name must fit one column of that kind only."""
    cells = column.cells & value.cells
    kinds = {row.cells[number].kind for number in cells}
    rivals = {row.cells[number].value for number in column.cells if row.cells[number].kind in kinds}
    return bool(cells) and (not column.weak or len(rivals) == 1)


def _names_a_thing(item: _Item, row: Row) -> bool:
    """Whether a part of a column's name is the kind of thing the row is about: "order" of "order id"."""
    return item.weak and any(row.cells[number].kind.startswith("code:") for number in item.cells)


def _clear(item: _Item, row: Row, bound: set[int]) -> bool:
    """Whether a value without its column can only be one: no other cell holds a value of that kind."""
    kinds = {row.cells[number].kind for number in item.cells}
    denied = any(key in NEGATIONS for number in item.cells for key in row.cells[number].column)
    if len(row.cells) == 1 or denied or (row.table and len(row.cells) > 2 and 0 not in item.cells):
        return False  # in a table it is the header that says what a value means
    if "words" in kinds:
        return True
    alike = {number for number, cell in enumerate(row.cells) if cell.kind in kinds}
    return len(alike - bound) <= 1 or len({row.cells[number].value for number in alike}) == 1


def _written(item: _Item, row: Row) -> str:
    name, value = row.written[min(item.cells)]
    return f"the row says {name}: {value}"
