"""A language model in this process that writes scripted messages, piece by piece."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

import httpx2
import openai
from agents import Model
from agents.items import ModelResponse, TResponseOutputItem, TResponseStreamEvent
from agents.testing import function_call
from agents.usage import Usage
from openai.types.responses import (
    ResponseOutputMessage,
    ResponseOutputRefusal,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

from agent.models.stream import events


@dataclass(frozen=True)
class Message:
    """One message of the model.

    Attributes:
        pieces: Its text, in the pieces in which it is streamed.
        then: What comes behind it: its `end`, a `break` of the connection, a `call` of a tool that there is
            not, or a `refusal` of the model.
    """

    pieces: tuple[str, ...]
    then: Literal["end", "break", "call", "refusal"] = "end"


class Writer(Model):
    """Writes the next message at each call, and the last one again when there are no more.

    Args:
        messages: The script.
        pause: Seconds before each piece.
    """

    def __init__(self, messages: Sequence[Message], pause: float = 0.0) -> None:
        self._messages = deque(messages)
        self._pause = pause

    async def get_response(self, *_: Any, **__: Any) -> ModelResponse:
        """The next message, whole."""
        message = self._next()
        await asyncio.sleep(self._pause * len(message.pieces))
        if message.then == "break":
            raise _broken()
        return _response(message)

    async def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[TResponseStreamEvent]:
        """The next message, in its pieces."""
        message = self._next()

        def split(_: str) -> Iterable[str]:
            return message.pieces

        left = len(message.pieces)
        for event in events(_response(message), split):
            if isinstance(event, ResponseTextDeltaEvent):
                left -= 1
                if self._pause:
                    await asyncio.sleep(self._pause)
            yield event
            if message.then == "break" and not left:
                raise _broken()

    def _next(self) -> Message:
        return self._messages.popleft() if len(self._messages) > 1 else self._messages[0]


def _broken() -> openai.APIConnectionError:
    return openai.APIConnectionError(request=httpx2.Request("POST", "http://127.0.0.1"))


def _response(message: Message) -> ModelResponse:
    text = "".join(message.pieces)
    parts: list[ResponseOutputText | ResponseOutputRefusal] = [
        ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])
    ]
    if message.then == "refusal":
        parts.append(ResponseOutputRefusal(refusal="I can't.", type="refusal"))
    output: list[TResponseOutputItem] = [
        ResponseOutputMessage(
            id=f"msg_{uuid4().hex}", type="message", role="assistant", status="completed", content=parts
        )
    ]
    if message.then == "call":
        output.append(function_call("crystal_ball", {}, call_id=f"call_{uuid4().hex}"))
    return ModelResponse(output=output, usage=Usage(requests=1), response_id=f"resp_{uuid4().hex}")
