"""`desk grade`: the grader on its own, over lines of JSON."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack

from agent.commands.screen import print_json, say
from agent.grader.files import GradedItem, grade_line
from agent.grader.page import Page
from tools.errors import BadInput

_STYLES = {"supported": "green", "uncertain": "yellow"}


def grade(file: str, *, page: str | None, summary: bool, as_json: bool) -> int:
    """Grade each line's answer against its texts, in order, as the lines come.

    Raises:
        BadInput: The file cannot be read, the page cannot be written, or a line is not of a known form; names
            the line.
    """
    verdicts: Counter[str] = Counter()
    answers = supported = 0
    with ExitStack() as stack:
        written = _page(page, stack) if page else None
        for number, line in _lines(file):
            graded = grade_line(number, line)
            if isinstance(graded, str):
                raise BadInput(graded)
            answers += 1
            supported += all(one.verdict == "supported" for one in graded.claims)
            verdicts.update(one.verdict for one in graded.claims)
            if written:
                written.add(graded)
            if not summary:
                _tell(graded, as_json=as_json)
        if written:
            written.end()
    counts = {"answers": answers, "supported": supported, "claims": dict(sorted(verdicts.items()))}
    if as_json and summary:
        print_json(counts, indent=None)
    elif not as_json:
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        say(f"{supported} of {answers} answers are supported throughout. Claims: {told or 'none'}.")
    return 0


def _tell(graded: GradedItem, *, as_json: bool) -> None:
    if as_json:
        print_json(graded.as_json(), indent=None)
        return
    named = f"{graded.item.id}  " if graded.item.id is not None else ""
    for one in [graded.worst] if graded.item.one_claim else graded.claims:
        say(f"{named}{one.verdict}  {one.score:.2f}", style=_STYLES.get(one.verdict, "red"))
        say(f"{graded.item.answer if graded.item.one_claim else one.text}\n{one.reason}", indent="     ")


def _page(path: str, stack: ExitStack) -> Page:
    try:
        return Page(stack.enter_context(open(path, "w", encoding="utf-8")))
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from None


def _lines(file: str) -> Iterator[tuple[int, str]]:
    """The lines that are not empty, each with its number from 1."""
    try:
        with sys.stdin if file == "-" else open(file, encoding="utf-8") as stream:
            yield from ((number, line) for number, line in enumerate(stream, 1) if line.strip())
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8'}"
        ) from None
