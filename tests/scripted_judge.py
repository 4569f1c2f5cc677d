"""A second judge that answers each claim by a rule of the test, as a model behind the SDK."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from typing import Any

from agents.testing import ScriptedModel, assistant_message

_CLAIM = re.compile(r'<claim number="(\d+)" cites="([^"]*)"[^>]*>(.*?)</claim>', re.DOTALL)

Word = dict[str, Any]
Say = Callable[[int, str, str], list[Word]]


class ScriptedJudge(ScriptedModel):
    """Answers each listed claim by a rule: its number, its ids and its words give verdicts."""

    def __init__(self, say: Say) -> None:
        super().__init__()
        self.say = say
        self.seen: list[str] = []

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **options: Any) -> Any:
        request = input if isinstance(input, str) else str(input[0]["content"])
        self.seen.append(request)
        verdicts = [
            verdict
            for number, cites, text in _CLAIM.findall(request)
            for verdict in self.say(int(number), cites, html.unescape(text))
        ]
        self.enqueue([assistant_message(json.dumps({"verdicts": verdicts}))])
        return await super().get_response(system_instructions, input, *args, **options)
