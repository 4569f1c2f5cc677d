"""What one conversation remembers."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from agents.items import TResponseInputItem
from agents.memory import Session

from agent.answer import Answer, StepRecord
from tools.context import SOURCE_OF_TOOL
from tools.errors import BadInput, SourceUnavailable
from tools.evidence import Evidence, Ledger, note

_WAIT_SECONDS = 0.02
_MOST_TURNS = 20
_EARLIER = "Found for an earlier question, and no longer to be cited:"
_ID = re.compile(r"^- ([DRGW]\d{1,5}): ", re.MULTILINE)


@dataclass
class Conversation:
    """What one conversation remembers: its approved turns, and the ledger that numbers its evidence.

    Kept are the customer's words, the answer as it was shown, and of each use of a tool what it was asked and
    the titles of what it found. Rejected drafts, repair notes and the texts of evidence are never kept.

    Attributes:
        session: The SDK's session that holds the turns; None for a question on its own.
        id: Names the conversation in traces.
        ledger: Its evidence. Ids are not used again, in later runs of a kept conversation neither.
        alone: Gives a context manager that keeps other processes out of the conversation during a turn.
    """

    session: Session | None = None
    id: str = field(default_factory=lambda: uuid4().hex)
    ledger: Ledger = field(default_factory=Ledger)
    alone: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext
    asked: int = 0
    _customer: tuple[str | None] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[list[TResponseInputItem]]:
        """Wait until no other turn of this conversation runs, in any thread or event loop, and begin one.

        Yields the earlier turns, the last twenty at most.
        """
        # An asyncio.Lock belongs to one loop: released in another, it never wakes who waits.
        while not self._lock.acquire(blocking=False):
            await asyncio.sleep(_WAIT_SECONDS)
        try:
            async with self.alone():
                if self.asked:
                    self.ledger.next_turn()
                self.asked += 1
                yield await self._earlier()
        finally:
            self._lock.release()

    def belongs_to(self, customer_id: str | None) -> None:
        """Bind the conversation to who is asking, at the first question.

        Raises:
            BadInput: It is somebody else's.
        """
        if self._customer is None:
            self._customer = (customer_id,)
        elif self._customer != (customer_id,):
            raise BadInput("this conversation belongs to somebody else; begin a new one")

    async def keep(self, question: str, answer: Answer) -> None:
        """Remember an approved turn.

        Raises:
            SourceUnavailable: It cannot be written where conversations are kept.
        """
        if self.session is None:
            return
        items: list[TResponseInputItem] = [
            {"role": "user", "content": question},
            *_compact(answer.steps, self.ledger.citable().values()),
            {"role": "assistant", "content": answer.text},
        ]
        with _reached():
            await self.session.add_items(items)

    async def clear(self) -> None:
        """Forget all turns. The numbers of evidence go on."""
        if self.session is not None:
            await self.session.clear_session()

    def close(self) -> None:
        """Close the connections of the session."""
        close = getattr(self.session, "close", None)
        if close is not None:
            close()

    async def _earlier(self) -> list[TResponseInputItem]:
        if self.session is None:
            return []
        with _reached():
            items = await self.session.get_items()
        self.ledger.reserve(name for output in _outputs(items) for name in _ID.findall(output))
        asked = [place for place, item in enumerate(items) if item.get("role") == "user"]
        return items[asked[-_MOST_TURNS] :] if len(asked) > _MOST_TURNS else items


@contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # each kind of session has errors of its own
        raise SourceUnavailable(
            "conversations", "they can be neither read nor written; check DESK_SESSIONS_URL and DESK_HOME"
        ) from error


def _compact(steps: Sequence[StepRecord], found: Iterable[Evidence]) -> list[TResponseInputItem]:
    """Each use of a tool as a call and a line: what it was asked, and the ids and titles of what it found.

    The ids stand there so that a later run of the conversation does not use them again.
    """
    items: list[TResponseInputItem] = []
    last = {SOURCE_OF_TOOL.get(step.tool, step.tool): place for place, step in enumerate(steps)}
    left = list(found)
    for place, step in enumerate(steps):
        source = SOURCE_OF_TOOL.get(step.tool, step.tool)
        of_it = [one for one in left if one.source == source] if last[source] == place else []
        titles = [f"- {one.id}: {note(one.title)}" for one in of_it]
        told = "\n".join([_EARLIER, *titles]) if titles else (step.error or "Nothing was kept of it.")
        call_id = f"call_{uuid4().hex}"
        arguments = json.dumps(dict(step.arguments), ensure_ascii=False, default=str)
        items += [
            {"type": "function_call", "call_id": call_id, "name": step.tool, "arguments": arguments},
            {"type": "function_call_output", "call_id": call_id, "output": told},
        ]
    return items


def _outputs(items: Iterable[TResponseInputItem]) -> list[str]:
    return [str(item.get("output")) for item in items if item.get("type") == "function_call_output"]
