"""A draft while it is written: what of it may be shown already, because it has passed the grader."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from agent.grader import Grade
from agent.grader.claims import read_draft
from agent.grader.text import TEXT_LIMIT

Check = Callable[[str], Grade]

_SHORT = 2000
_GROWTH = 1.2
_MAY_END = re.compile(r"[.!?…。！？\n\]】|]")
_SPEAKS = re.compile(r"[^\W_]")
_ID = r"[A-Za-z]{0,2}\d{1,5}"
# What belongs to the sentence before it: its ids, and marks that close something.
_TAIL = re.compile(rf"(?:\s*[\[【]\s*{_ID}(?:[\s,;&]+{_ID})*\s*[\]】]|[.!?…\"'”’»)*_|])*")
_OPEN_ID = re.compile(r"\s*[\[【][^\]】\n]{0,80}\Z")
_MARKER = re.compile(r"[ \t]*(?:[-*+•–]|\(?\d{1,3}[.)])[ \t]+\Z")


class LiveDraft:
    """Takes a draft piece by piece and gives out what may be shown.

    Whatever has been shown so far always passes the grader on its own. A sentence is given out once the next
    one has begun, so that it is known to be whole. When a message fails or breaks off, what was shown stays,
    and the next message goes on behind it; sentences that it repeats are left out.

    Args:
        check: Grades a whole text.
    """

    def __init__(self, check: Check) -> None:
        self._check = check
        self._said = ""
        self.begin()

    @property
    def said(self) -> str:
        """All that was shown so far."""
        return self._said

    @property
    def began(self) -> bool:
        """Whether anything of the current message has arrived."""
        return bool(self._buffer)

    @property
    def too_long(self) -> bool:
        """Whether the current message is longer than any that could pass."""
        return len(self._buffer) > TEXT_LIMIT

    def begin(self) -> None:
        """Another message begins."""
        self._lead = self._said
        self._lead_keys = frozenset(_key(claim.text) for claim in read_draft(self._lead).claims)
        self._buffer = ""
        self._failed = False
        self._due = False
        self._next = 0

    def feed(self, delta: str) -> str:
        """Take in a piece of the current message. Returns what may be shown now, often nothing."""
        self._buffer += delta
        self._due = self._due or _MAY_END.search(delta) is not None
        if self._failed or self.too_long or not self._due or not _SPEAKS.search(delta):
            return ""
        if len(self._buffer) < self._next:
            return ""
        self._due = False
        # A long draft is read at longer and longer intervals, so that reading it takes time in proportion.
        self._next = int(len(self._buffer) * _GROWTH) if len(self._buffer) > _SHORT else 0
        return self._read()

    def _read(self) -> str:
        """Show as much as passes of what is whole."""
        texts = [self._joined(self._buffer[:cut]) for cut in _cuts(self._buffer)]
        texts = [text for text in texts if len(text) > len(self._said) and text.startswith(self._said)]
        if texts and self._passes(texts[-1]):
            return self._show(texts[-1])
        shown = ""
        for text in texts[:-1]:
            if self._passes(text):
                shown += self._show(text)
            elif self._failed:
                break
        return shown

    def _passes(self, text: str) -> bool:
        grade = self._check(text)
        # What is uncited may yet get the id at the end of its paragraph; everything else is past mending.
        self._failed = any(claim.verdict not in ("supported", "uncited") for claim in grade.claims)
        return grade.passed and bool(grade.claims)

    def finish(self, message: str) -> tuple[str, Grade]:
        """The message is whole: the text that stands now if it passes, with what was shown, and its grade.

        Nothing is shown by this; see `show`.
        """
        text = self._joined(message).strip()
        if not text.startswith(self._said):  # it is not what was streamed
            self.begin()
            text = self._joined(message).strip()
        return text, self._check(text)

    def show(self, text: str) -> str:
        """Show a text that has passed and begins with what was shown. Returns the new part of it."""
        if not text.startswith(self._said):
            raise ValueError("what was shown cannot be taken back")
        return self._show(text)

    def _show(self, text: str) -> str:
        new = text[len(self._said) :]
        self._said = text
        return new

    def _joined(self, message: str) -> str:
        """The message behind what was shown before it began, without what it repeats."""
        if not self._lead:
            return message.lstrip()
        fresh, done = "", 0
        for start, end, key in _claims(message):
            if key in self._lead_keys:
                before = message[done:start]
                fresh += _MARKER.sub("", before)
                done = end
        fresh = (fresh + message[done:]).strip()
        return f"{self._lead}\n\n{fresh}" if fresh else self._lead


def _claims(text: str) -> Iterator[tuple[int, int, str]]:
    """Each claim of a text: its start, its end behind the ids that follow, and its words alone."""
    for claim in read_draft(text).claims:
        tail = _TAIL.match(text, claim.end)
        yield claim.start, tail.end() if tail else claim.end, _key(claim.text)


def _cuts(text: str) -> Iterator[int]:
    """The ends of the claims behind which another sentence has begun."""
    for _, end, _ in _claims(text):
        if _SPEAKS.search(text, end) and not _OPEN_ID.match(text, end):
            yield end


def _key(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))
