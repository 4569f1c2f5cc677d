"""What a scripted model does with one request, and the quirks of the server it stands in for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True)
class Text:
    """Answer with this text.

    Attributes:
        text: The whole of it, or what there is of it when it was cut or filtered.
        cut: It ended because the token limit was reached.
        filtered: It ended because the provider's content filter stopped it.
        piece: How many characters each piece of a stream has.
    """

    text: str
    cut: bool = False
    filtered: bool = False
    piece: int = 8


@dataclass(frozen=True)
class Refusal:
    """Decline to answer, in the API's own field for that."""

    text: str = "I can't help with that."


@dataclass(frozen=True)
class Empty:
    """Answer with nothing: no choices, or no output."""


@dataclass(frozen=True)
class Call:
    """One use of a tool; arguments given as text are sent as they are, so that they can be broken JSON."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)

    def arguments_text(self) -> str:
        """The arguments as they go over the wire."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(dict(self.arguments))


@dataclass(frozen=True)
class Calls:
    """Ask for these uses of tools, all at once."""

    calls: tuple[Call, ...]

    @classmethod
    def one(cls, name: str, **arguments: Any) -> Calls:
        """A single use of one tool."""
        return cls((Call(name, arguments),))


@dataclass(frozen=True)
class HttpError:
    """Fail with this status and message; `retry_after` is in seconds, and a client may come back at once
    without it.
    """

    status: int
    message: str = "scripted failure"
    retry_after: float | None = None


@dataclass(frozen=True)
class Malformed:
    """Answer with status 200 and a body that is not what the API promises."""

    body: str = '{"id": "broken", "output": ['


@dataclass(frozen=True)
class Broken:
    """Begin an answer and break off.

    Attributes:
        answer: What is begun.
        after: The share of it that is sent, in [0, 1].
        how: `reset` the connection, `close` it in good order, go on with `garbage`, or send the API's own
            `error` event where the answer is streamed.
    """

    answer: Text | Calls
    after: float = 0.5
    how: Literal["reset", "close", "garbage", "error"] = "reset"


@dataclass(frozen=True)
class Hang:
    """Say nothing until the server is released or closed, then drop the connection."""


@dataclass(frozen=True)
class Reset:
    """Drop the connection at once, with a TCP reset."""


Reply: TypeAlias = Text | Calls | Refusal | Empty
Scripted: TypeAlias = Reply | HttpError | Malformed | Broken | Hang | Reset
Step: TypeAlias = Scripted | Callable[[dict[str, Any]], Scripted]


@dataclass(frozen=True)
class Quirks:
    """How a server differs from the service whose API it speaks.

    Attributes:
        call_ids: Tool calls have ids of their `own`, all the `same` one, or they are `missing`.
        arguments: Arguments of calls are `text`, or an `object`.
        call_type: Whether tool calls say their `type` (Chat Completions).
        calls_in: Tool calls come in their own `field`, or in the text: between `tags`, as bare `json`, or
            behind Mistral's `marker`.
        usage: Whether answers say how many tokens they took.
        rejects: Fields of a request that are refused with status 400, such as `strict` or `stream_options`.
    """

    call_ids: Literal["own", "same", "missing"] = "own"
    arguments: Literal["text", "object"] = "text"
    call_type: bool = True
    calls_in: Literal["field", "tags", "json", "marker"] = "field"
    usage: bool = True
    rejects: frozenset[str] = frozenset()
