"""What one conversation remembers."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from agents.items import TResponseInputItem

from agent.answer import Answer
from tools.evidence import Ledger


@dataclass
class Conversation:
    """What one conversation remembers: the approved turns and the ledger that numbers its evidence.

    Rejected drafts, repair notes and tool output are never kept. One turn runs at a time.
    """

    ledger: Ledger = field(default_factory=Ledger)
    turns: list[TResponseInputItem] = field(default_factory=list)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    asked: int = 0

    def keep(self, question: str, answer: Answer) -> None:
        """Remember an approved turn."""
        self.turns.append({"role": "user", "content": question})
        self.turns.append({"role": "assistant", "content": answer.text})
