"""What the model is told first: the desk's instructions, the company's own wishes, and safety."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from agents import Agent, RunContextWrapper

import instructions
from agent.settings import Settings
from tools.context import DeskContext
from tools.errors import ConfigurationError

Instructions = Callable[[RunContextWrapper[DeskContext], Agent[DeskContext]], str]


def desk_instructions(settings: Settings) -> Instructions:
    """The instructions of the desk's agent. What changes from question to question comes last.

    The safety part is always the desk's own, and stands behind everything that can be set.

    Raises:
        ConfigurationError: DESK_INSTRUCTIONS is no folder.
    """
    folder = settings.instructions
    if folder is not None and not folder.is_dir():
        raise ConfigurationError(f"DESK_INSTRUCTIONS: {folder} is no folder")
    parts = [instructions.read("support_desk", folder), _wishes(settings), instructions.read("safety")]
    stable = "\n".join(part.strip() + "\n" for part in parts if part)

    def told(run: RunContextWrapper[DeskContext], _agent: Agent[Any]) -> str:
        context = run.context
        asking = (
            "a signed-in customer"
            if context.customer_id
            else "not signed in: no personal records can be seen"
        )
        return f"{stable}\nToday is {_day(context.clock())}. The person asking is {asking}.\n"

    return told


def _wishes(settings: Settings) -> str:
    """What the company has set: its name, tone, language and further rules."""
    language = settings.language or "the customer's language"
    lines = [
        f"Answer in {language}. Ids, names, codes, numbers and quoted words stay as the source has them."
    ]
    if settings.company:
        lines.append(f"You speak for {settings.company}.")
    if settings.tone:
        lines.append(f"Tone: {settings.tone}.")
    lines += [rule.strip(" -") for rule in (settings.rules or "").splitlines() if rule.strip(" -")]
    return "\n".join(["## The company's wishes", "", *(f"- {line}" for line in lines)])


def _day(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B %Y}"
