"""Rows of records and tables: whether a sentence says of a row what stands in it, column by column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.grader.meaning import DOING, NEGATIONS, agree, is_content, read
from agent.grader.mentions import BE, FILLER, Cell, Item, Row, interpretations
from agent.grader.words import word_set

Keys = tuple[str, ...]

_CELL = re.compile(r"(?:\A|;\s+)([^\W_][\w /()%.'’-]{0,60}?):\s+")
_YES = frozenset({("yes",), ("true",)})
_NO = frozenset({("no",), ("false",)})
_NAMES = word_set("name model title code sku")
_UNCLEAR = "it does not say which column a value belongs to"
_NO_VALUE = "no value is given"
_LIMIT = 400


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
        words | keys | FILLER | NEGATIONS,
        table,
    )


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
    for count, items in enumerate(interpretations(keys, row)):
        if count >= _LIMIT:
            break
        if (identified and not any(_identifies(item) for item in items)) or not _speaks(items, keys):
            continue
        if _is_of_another(items, keys, row):
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


def _identifies(item: Item) -> bool:
    return not item.column and (0 in item.cells or any(key.startswith("code:") for key in item.words))


def _speaks(items: list[Item], keys: Keys) -> bool:
    """Whether more is said than one value by itself: "Shipped." says nothing, "It is shipped." does."""
    if len(items) != 1:
        return bool(items)
    return items[0].column or bool(set(keys[: items[0].start]) & BE)


def _bind(items: list[Item], row: Row, denied: int) -> str:
    """Empty when every column has its value and every value its column; else what is wrong."""
    pending: list[Item] = []
    free: list[Item] = []
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


def _binds(column: Item, value: Item, row: Row) -> bool:
    """Whether the value stands in that column; a part of a name must fit one column of that kind only."""
    cells = column.cells & value.cells
    kinds = {row.cells[number].kind for number in cells}
    rivals = {row.cells[number].value for number in column.cells if row.cells[number].kind in kinds}
    return bool(cells) and (not column.weak or len(rivals) == 1)


def _names_a_thing(item: Item, row: Row) -> bool:
    """Whether a part of a column's name is the kind of thing the row is about: "order" of "order id"."""
    return item.weak and any(row.cells[number].kind.startswith("code:") for number in item.cells)


def _clear(item: Item, row: Row, bound: set[int]) -> bool:
    """Whether a value without its column can only be one: no other cell holds a value of that kind."""
    kinds = {row.cells[number].kind for number in item.cells}
    denied = any(key in NEGATIONS for number in item.cells for key in row.cells[number].column)
    if len(row.cells) == 1 or denied or (row.table and len(row.cells) > 2 and 0 not in item.cells):
        return False  # in a table it is the header that says what a value means
    if "words" in kinds:
        return not any(number and _says_how(number, row) for number in item.cells)  # the first one is whose
    alike = {number for number, cell in enumerate(row.cells) if cell.kind in kinds}
    return len(alike - bound) <= 1 or len({row.cells[number].value for number in alike}) == 1


def _says_how(number: int, row: Row) -> bool:
    """Whether a value means little without its column: "sold in", "free from", one status of two."""
    column = row.cells[number].column
    topics = {key for key in column if is_content(key)}
    alike = (
        topics & set(cell.column)
        for place, cell in enumerate(row.cells)
        if place != number and cell.kind == "words" and not set(cell.value) & {"yes", "no"}
    )
    return len(topics) < len(column) or any(alike)


def is_rival(keys: Keys, row: Row, other: Row) -> bool:
    """Whether another row of the same thing has another amount where the sentence has this row's, so that
    it leaves out what tells the two apart, such as the region or the year of a price."""
    missing = set(keys) - other.vocabulary
    columns = {cell.column for cell in other.cells}
    return (
        row.cells[0].value == other.cells[0].value
        and len(missing) == 1
        and any(
            missing == set(cell.value) and cell.kind != "words" and cell.column in columns
            for cell in row.cells
        )
    )


def _is_other_id(cell: Cell) -> bool:
    """Whether a cell holds the code of something else than the row's thing, whose name it is not."""
    return cell.kind.startswith("code:") and not _NAMES & set(cell.column)


def _is_of_another(items: list[Item], keys: Keys, row: Row) -> bool:
    """Whether a row's thing, a ticket, goes unnamed while the sentence names a code that the row holds too,
    its order's: what the row says is said of the ticket."""
    first = row.cells[0]
    others = any(
        not item.column and 0 not in item.cells and any(_is_other_id(row.cells[n]) for n in item.cells)
        for item in items
    )
    named = any(0 in item.cells for item in items) or bool(row.title & set(keys))
    return first.kind.startswith("code:") and others and not named


def _written(item: Item, row: Row) -> str:
    name, value = row.written[min(item.cells)]
    return f"the row says {name}: {value}"
