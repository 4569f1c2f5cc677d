"""What a tool may use in one question: stores, ledger, clock, who is asking, and how much is left."""

from __future__ import annotations

import threading
from bisect import insort
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from tools.evidence import Ledger, Source

if TYPE_CHECKING:
    from tools.stores.documents import DocumentStore
    from tools.stores.graph import GraphStore
    from tools.stores.records import RecordStore
    from tools.stores.web import WebStore


SOURCE_OF_TOOL: Mapping[str, Source] = {
    "vector_search": "documents",
    "sql_lookup": "records",
    "graph_query": "graph",
    "web_search": "web",
}
"""Which source each tool asks."""

SPENT = "budget spent"
"""The error of a step that was not taken, because no searches were left."""

UNAVAILABLE = "unavailable"
"""How the error of a step begins whose source could not be asked."""


@dataclass(frozen=True)
class Step:
    """One use of a tool, as it is shown to the caller.

    Attributes:
        tool: The tool's name.
        arguments: What the model asked for.
        found: How many results the source returned.
        kept: How many of them were relevant enough to become evidence.
        best_score: The best relevance in [0, 1], or None where relevance is not measured.
        seconds: Wall time of the call.
        error: One line when the source failed or refused, else None.
        rewrites: What the tool asked beside that, of itself.
        started: When it began, on `time.perf_counter`.
        scores: The relevance of every result that was graded, best first.
        missing: Words and codes of the question that nothing kept has.
        outdated: Titles of what bears on the question and was left out, as a newer version is kept.
    """

    tool: str
    arguments: Mapping[str, Any]
    found: int = 0
    kept: int = 0
    best_score: float | None = None
    seconds: float = 0.0
    error: str | None = None
    rewrites: tuple[str, ...] = ()
    started: float = 0.0
    scores: tuple[float, ...] = ()
    missing: tuple[str, ...] = ()
    outdated: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """The source that the tool asks; the tool's own name where it is none of the four."""
        return SOURCE_OF_TOOL.get(self.tool, self.tool)

    @property
    def was_unavailable(self) -> bool:
        """Whether the source could not be asked."""
        return self.error is not None and self.error.startswith(UNAVAILABLE)


@dataclass(frozen=True)
class Bearing:
    """Whether a passage bears on the question, and what of the question it leaves open, if that was said."""

    bears: bool
    missing: str = ""


class Help(Protocol):
    """A language model's help with the documents. It may be asked from a tool's own thread, and waits."""

    def relevant(self, question: str, texts: Sequence[str]) -> Sequence[Bearing] | None:
        """For each text whether it bears on the question; None when code is to decide."""

    def other_query(self, question: str, query: str, missing: Sequence[str]) -> str | None:
        """Another query for a search that found nothing; None when there is none."""


@dataclass(frozen=True)
class Sources:
    """The four sources a desk was opened with; None where one is not configured."""

    documents: DocumentStore | None = None
    records: RecordStore | None = None
    graph: GraphStore | None = None
    web: WebStore | None = None


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass
class DeskContext:
    """The SDK run context of one question.

    Attributes:
        sources: The stores.
        customer_id: Who is asking, from the caller and never from the model; None for an anonymous caller.
        audience: Which documents may be read: `public`, or `internal` for staff (who may read both).
        ledger: The evidence of this conversation.
        clock: Gives the time, with its zone.
        max_searches: How many tool calls this question may make.
        steps: What the tools did, in the order in which they began: those that run side by side end in any.
        question: What is asked in this turn; tools grade relevance against it. The customer's own words, or a
            rewriting of them that stands alone.
        words: The customer's own words, where `question` may be a rewriting: it can hold values of rows.
        help: A language model's help with the documents; None for none.
        queries: Every (tool, normalised arguments) asked this turn, to notice a repetition.
    """

    sources: Sources
    customer_id: str | None = None
    audience: str = "public"
    ledger: Ledger = field(default_factory=Ledger)
    clock: Callable[[], datetime] = _now
    max_searches: int = 8
    steps: list[Step] = field(default_factory=list)
    question: str = ""
    words: str = ""
    help: Help | None = None
    queries: set[tuple[str, str]] = field(default_factory=set)
    _begun: int = field(default=0, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def searches_left(self) -> int:
        """How many tool calls are left for this question, at least 0."""
        return max(0, self.max_searches - sum(step.error != SPENT for step in self.steps))

    def begin_search(self) -> bool:
        """Take one of the question's searches. Returns whether there was one left.

        Steps are counted when they end, which is too late for searches that run side by side.
        """
        with self._lock:
            self._begun += 1
            return self._begun <= self.max_searches

    def record(self, step: Step) -> None:
        """Add a step at its place; safe from several threads."""
        with self._lock:
            insort(self.steps, step, key=lambda one: one.started)

    def unreached(self) -> frozenset[str]:
        """The sources that this turn did without: not configured, or unavailable when they were asked."""
        missing = {name for name in SOURCE_OF_TOOL.values() if getattr(self.sources, name) is None}
        return frozenset(missing | {step.source for step in self.steps if step.was_unavailable})

    def seen_before(self, tool: str, arguments: str) -> bool:
        """Whether this tool was already asked exactly this in this turn; remembers it either way."""
        key = (tool, " ".join(arguments.lower().split()))
        with self._lock:
            if key in self.queries:
                return True
            self.queries.add(key)
            return False
