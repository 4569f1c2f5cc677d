"""What the model has been handed, read once: the customer's messages, this turn's calls and their results."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Outcome = Literal["found", "nothing", "unavailable", "rejected", "spent", "repeated"]

_FENCE = re.compile(r'<evidence id="([^"]+)" title="([^"]*)">\n?(.*?)\n?</evidence>', re.DOTALL)
_OPENINGS: tuple[tuple[str, Outcome], ...] = (
    ("nothing relevant found", "nothing"),
    ("unavailable:", "unavailable"),
    ("rejected:", "rejected"),
    ("budget spent:", "spent"),
    ("already searched:", "repeated"),
)


@dataclass(frozen=True)
class Piece:
    """One fenced finding: its id, its title and its text with the escapes undone."""

    id: str
    title: str
    text: str


@dataclass(frozen=True)
class Result:
    """One tool call of this turn and what came back."""

    call_id: str
    tool: str
    arguments: Mapping[str, Any]
    outcome: Outcome
    pieces: tuple[Piece, ...]
    notes: str
    missing: tuple[str, ...]


@dataclass(frozen=True)
class Transcript:
    """One turn as the model sees it.

    Attributes:
        question: The customer's latest message.
        earlier: The customer's messages before it, oldest first.
        results: This turn's tool calls, in order.
        drafts: This turn's rejected drafts.
        feedback: What was said about them.
    """

    question: str
    earlier: tuple[str, ...]
    results: tuple[Result, ...]
    drafts: tuple[str, ...]
    feedback: str


def read(items: str | list[Any]) -> Transcript:
    """Read the input items of one model call."""
    if isinstance(items, str):
        return Transcript(items, (), (), (), "")
    plain: list[Mapping[str, Any]] = [
        item if isinstance(item, Mapping) else item.model_dump() for item in items
    ]
    asked = [place for place, item in enumerate(plain) if item.get("role") == "user"]
    last = asked[-1] if asked else -1
    turn = plain[last + 1 :]
    outputs = {
        item.get("call_id"): _text(item.get("output"))
        for item in turn
        if item.get("type") == "function_call_output"
    }
    return Transcript(
        question=_text(plain[last].get("content")) if asked else "",
        earlier=tuple(_text(plain[place].get("content")) for place in asked[:-1]),
        results=tuple(
            _result(item, outputs[item.get("call_id")])
            for item in turn
            if item.get("type") == "function_call" and item.get("call_id") in outputs
        ),
        drafts=tuple(_text(item.get("content")) for item in turn if item.get("role") == "assistant"),
        feedback="\n".join(
            _text(item.get("content")) for item in turn if item.get("role") in ("developer", "system")
        ),
    )


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        return "".join(str(part.get("text", "")) for part in value if isinstance(part, Mapping))
    return ""


def _result(call: Mapping[str, Any], output: str) -> Result:
    try:
        arguments = json.loads(call.get("arguments") or "{}")
    except ValueError:
        arguments = {}
    pieces = tuple(
        Piece(found[1], html.unescape(found[2]), html.unescape(found[3])) for found in _FENCE.finditer(output)
    )
    notes = _FENCE.sub("", output).strip()
    start = notes.lower()
    outcome = next((name for opening, name in _OPENINGS if start.startswith(opening)), None)
    gaps = re.search(r"^Missing: (.+)$", notes, re.MULTILINE)
    return Result(
        call_id=str(call.get("call_id", "")),
        tool=str(call.get("name", "")),
        arguments=arguments if isinstance(arguments, Mapping) else {},
        outcome=outcome or ("found" if pieces else "nothing"),
        pieces=pieces,
        notes=notes,
        missing=tuple(term.strip() for term in gaps[1].rstrip(".").split(",")) if gaps else (),
    )
