"""What a sentence can mention of a row: its columns and its values, and every way to read it as these."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from agent.grader.meaning import DOING, NEGATIONS, TURNING, agree, is_content
from agent.grader.words import word_set

Keys = tuple[str, ...]

# Words between columns and values that say nothing of their own.
FILLER = word_set("be was have had and with of it you we on at in for there i this")
BE = word_set("be was have had")


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
class Item:
    """A run of the sentence: a mention of columns, or a value that stands in these cells."""

    column: bool
    cells: frozenset[int]
    words: Keys
    start: int
    weak: bool = False


def interpretations(keys: Keys, row: Row) -> Iterator[list[Item]]:
    """Every way to read the sentence as columns and values of the row, with no content word left over."""
    options = [list(_options(keys, index, row)) for index in range(len(keys))]

    def walk(index: int, items: list[Item]) -> Iterator[list[Item]]:
        if index >= len(keys):
            yield items
            return
        for item in options[index]:
            yield from walk(index + len(item.words), [*items, item])
        key = keys[index]
        if key in FILLER or key in NEGATIONS or (key in row.title and not items):
            yield from walk(index + 1, items)

    yield from walk(0, [])


def _options(keys: Keys, index: int, row: Row) -> Iterator[Item]:
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
        yield Item(False, frozenset(cells), words, index)
    for words, (whole, part) in sorted(columns.items(), key=lambda entry: -len(entry[0])):
        # Beside a warranty an extended one is no warranty.
        kinds = {row.cells[number].kind for number in whole}
        part = {number for number in part if row.cells[number].kind not in kinds}
        for named, weak in ((whole, False), (part, True)):
            if named:
                yield Item(True, frozenset(named), words, index, weak)


def _spoken(value: Keys, before: Keys) -> Iterator[Keys]:
    """A value as a sentence has it: "processing" also without the mark of the active form."""
    yield value
    if value[0] == DOING and not set(before) & BE:
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
