"""What a tool found, under an id that only the ledger mints."""

from __future__ import annotations

import html
import re
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Source = Literal["documents", "records", "graph", "web"]

_ID_LIKE = re.compile(r"[\[【]\s*([A-Za-z]{0,2}\d{1,5}(?:[\s,;&]+[A-Za-z]{0,2}\d{1,5})*)\s*[\]】]")
_PREFIX: dict[Source, str] = {"documents": "D", "records": "R", "graph": "G", "web": "W"}


@dataclass(frozen=True)
class Evidence:
    """One thing that was found.

    Attributes:
        id: `D1`, `R1`, `G1` or `W1`: numbered through a conversation and never reused.
        source: Which of the four sources it comes from.
        title: What a reader would call it.
        text: Exactly what the model was shown; the grader judges against this and nothing else.
        locator: Where to open it. Documents: `path`, `heading`, `start`, `end`. Records: `sql`, `row`
            (column to value, or None for no rows). Graph: `edges`, each with `src`, `relation`, `dst`,
            `stated_in`. Web: `url`, `read_at`.
        turn: The turn of the conversation in which it was found; only this turn's ids may be cited.
        score: Relevance to the customer's question in [0, 1], or None where it was not measured.
    """

    id: str
    source: Source
    title: str
    text: str
    locator: Mapping[str, Any] = field(default_factory=dict)
    turn: int = 1
    score: float | None = None


class Ledger:
    """The evidence of one conversation. Safe to use from several threads: sync tools run in them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turn = 1
        self._counts: dict[Source, int] = {}
        self._items: dict[str, Evidence] = {}

    @property
    def turn(self) -> int:
        """The number of the turn that is under way, from 1."""
        return self._turn

    def next_turn(self) -> None:
        """Begin another turn: what was found before can be read but no longer cited."""
        with self._lock:
            self._turn += 1

    def reserve(self, evidence_ids: Iterable[str]) -> None:
        """Never mint these ids or those before them: an earlier run of the conversation has used them."""
        sources = {prefix: source for source, prefix in _PREFIX.items()}
        with self._lock:
            for name in evidence_ids:
                source = sources[name[0]]
                self._counts[source] = max(self._counts.get(source, 0), int(name[1:]))

    def add(
        self,
        source: Source,
        *,
        title: str,
        text: str,
        locator: Mapping[str, Any] | None = None,
        score: float | None = None,
    ) -> Evidence:
        """Take in one finding and mint its id. The same finding twice in a turn keeps its first id.

        What looks like an id in its words loses its brackets, so that only ids of ours can be read as such.
        """
        title, text = (_ID_LIKE.sub(r"(\1)", words) for words in (title, text))
        where = dict(locator or {})
        with self._lock:
            for known in self._items.values():
                if (known.turn, known.source, known.text, known.title) == (self._turn, source, text, title):
                    return known
            number = self._counts.get(source, 0) + 1
            self._counts[source] = number
            evidence = Evidence(f"{_PREFIX[source]}{number}", source, title, text, where, self._turn, score)
            self._items[evidence.id] = evidence
            return evidence

    def found_ever(self, source: Source) -> bool:
        """Whether this source has given any evidence in the conversation, in whatever turn or run of it."""
        return self._counts.get(source, 0) > 0

    def get(self, evidence_id: str) -> Evidence | None:
        """The finding of this id from any turn, or None."""
        return self._items.get(evidence_id)

    def citable(self) -> dict[str, Evidence]:
        """This turn's findings by id, in the order in which they were found."""
        with self._lock:
            return {key: item for key, item in self._items.items() if item.turn == self._turn}


def fence(evidence: Evidence) -> str:
    """The finding as the model sees it: data between tags that its own text cannot close."""
    title = html.escape(evidence.title, quote=True)
    text = html.escape(evidence.text, quote=False)
    return f'<evidence id="{evidence.id}" title="{title}">\n{text}\n</evidence>'


def note(text: str) -> str:
    """What a tool says in its own words with names from a source in them: they are data too, and look it."""
    return f"<note>{html.escape(' '.join(text.split()), quote=False)}</note>"
