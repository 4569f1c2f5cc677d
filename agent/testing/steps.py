"""What a scripted model does with one request."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass(frozen=True)
class Text:
    """Answer with this text; `cut` says that it ended because the token limit was reached."""

    text: str
    cut: bool = False


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
    """Fail with this status and message."""

    status: int
    message: str = "scripted failure"


@dataclass(frozen=True)
class Malformed:
    """Answer with status 200 and a body that is not what the API promises."""

    body: str = '{"id": "broken", "output": ['


@dataclass(frozen=True)
class Hang:
    """Say nothing until the server is released or closed, then drop the connection."""


@dataclass(frozen=True)
class Reset:
    """Drop the connection at once, with a TCP reset."""


Scripted: TypeAlias = Text | Calls | HttpError | Malformed | Hang | Reset
Step: TypeAlias = Scripted | Callable[[dict[str, Any]], Scripted]
