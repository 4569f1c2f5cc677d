"""Output that reads well in a terminal and stays plain in a pipe."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.text import Text

_WIDEST = 100
_LONGEST = 600  # characters of an error: what was typed can stand in it


def out() -> Console:
    """Standard output; colours only in a terminal, and never with NO_COLOR."""
    return Console(highlight=False, soft_wrap=True)


def err() -> Console:
    """Standard error, for progress and for what went wrong."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def plain(text: str) -> str:
    """The text without control characters: what a source holds must not be able to drive the terminal."""
    return "".join(char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs"))


def say(text: str = "", *, style: str = "", indent: str = "", first: str | None = None) -> None:
    """Print lines of text, wrapped to the terminal's width, or not at all when the output is no terminal.

    Args:
        text: What to print; never read as markup.
        style: A rich style such as `bold` or `dim`.
        indent: What stands before every line.
        first: What stands before the first line instead.
    """
    console = out()
    lines = plain(text).split("\n")
    if console.is_terminal:
        width = min(_WIDEST, shutil.get_terminal_size().columns) - len(indent)
        lines = [
            part
            for line in lines
            for part in textwrap.wrap(line, max(20, width), break_on_hyphens=False, break_long_words=False)
            or [""]
        ]
    for number, line in enumerate(lines):
        lead = first if number == 0 and first is not None else indent
        console.print(Text.assemble(lead, (line, style)))


class RunningText:
    """Prints a text as it comes, on standard output; wrapped at words in a terminal, as it is in a pipe."""

    def __init__(self) -> None:
        self._console = out()
        self._width = min(_WIDEST, shutil.get_terminal_size().columns) if self._console.is_terminal else 0
        self._column = 0

    def write(self, text: str) -> None:
        """Print the next piece at once."""
        for part in re.split(r"(\s+)", plain(text)):
            if part.isspace() or not part:
                self._space(part)
                continue
            if self._width and self._column + len(part) > self._width and self._column:
                self._put("\n")
            self._put(part)
        self._console.file.flush()

    def end(self) -> None:
        """End the last line."""
        self._put("\n")

    def _space(self, part: str) -> None:
        if self._width and "\n" not in part and self._column + len(part) >= self._width:
            self._put("\n")
        else:
            self._put(part)

    def _put(self, part: str) -> None:
        self._console.print(Text(part, "bold"), end="")
        self._column = len(part) - part.rindex("\n") - 1 if "\n" in part else self._column + len(part)


def complain(message: str) -> None:
    """Say what went wrong, as one line on standard error."""
    line = " ".join(plain(message).split())
    shown = line if len(line) <= _LONGEST else f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}"
    err().print(Text.assemble(("desk: ", "red"), shown))


def print_json(value: Any, *, indent: int | None = 2) -> None:
    """Print one JSON value, in UTF-8 as it is, with dates and decimals as text."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=indent, default=str) + "\n")


@contextmanager
def working(what: str) -> Iterator[Callable[[str], None]]:
    """Show on standard error that something is going on, if that is a terminal.

    Yields a function that changes the words shown.
    """
    console = err()
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status(Text(what, style="dim"), spinner="dots") as status:
        yield lambda words: status.update(Text(plain(words), style="dim"))
