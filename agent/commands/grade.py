"""`desk grade`: the grader on its own, over lines of JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from agent.commands.screen import print_json, say
from agent.grader.files import grade_line
from tools.errors import BadInput

_STYLES = {"supported": "green", "uncertain": "yellow"}


def grade(file: str, *, as_json: bool) -> int:
    """Grade each line's claim against its evidence, in order, as the lines come.

    Raises:
        BadInput: The file cannot be read, or a line is not of the right form; names the line.
    """
    for number, line in _lines(file):
        graded = grade_line(number, line)
        if "error" in graded:
            raise BadInput(graded["error"])
        if as_json:
            print_json(graded, indent=None)
        else:
            _show(json.loads(line)["claim"], graded)
    return 0


def _show(claim: str, graded: dict[str, Any]) -> None:
    verdict = graded["verdict"]
    named = f"{graded['id']}  " if graded["id"] is not None else ""
    say(f"{named}{verdict}  {graded['score']:.2f}", style=_STYLES.get(verdict, "red"))
    say(f"{claim}\n{graded['reason']}", indent="     ")


def _lines(file: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, each with its number from 1."""
    try:
        with sys.stdin if file == "-" else open(file, encoding="utf-8") as stream:
            yield from ((number, line) for number, line in enumerate(stream, 1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
        ) from None
