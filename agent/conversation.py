"""What one conversation remembers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from agents.items import TResponseInputItem

from agent.answer import Answer
from tools.evidence import Ledger

_WAIT_SECONDS = 0.02


@dataclass
class Conversation:
    """What one conversation remembers: the approved turns and the ledger that numbers its evidence.

    Rejected drafts, repair notes and tool output are never kept. One turn runs at a time.
    """

    ledger: Ledger = field(default_factory=Ledger)
    id: str = field(default_factory=lambda: uuid4().hex)
    turns: list[TResponseInputItem] = field(default_factory=list)
    asked: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until no other turn of this conversation runs, in any thread or event loop, and begin one."""
        # An asyncio.Lock belongs to one loop: released in another, it never wakes who waits.
        while not self._lock.acquire(blocking=False):
            await asyncio.sleep(_WAIT_SECONDS)
        try:
            if self.asked:
                self.ledger.next_turn()
            self.asked += 1
            yield
        finally:
            self._lock.release()

    def keep(self, question: str, answer: Answer) -> None:
        """Remember an approved turn."""
        self.turns.append({"role": "user", "content": question})
        self.turns.append({"role": "assistant", "content": answer.text})
