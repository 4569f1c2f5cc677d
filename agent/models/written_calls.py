"""Tool calls that a model wrote into its text, because its server knows no field for them."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Sequence
from typing import Any

from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputMessage,
    ResponseOutputText,
)

_TAGGED = re.compile(r"(?:\s*<tool_call>\s*(.+?)\s*</tool_call>\s*)", re.DOTALL)
_FENCED = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)
_MARKER = re.compile(r"\A\s*\[TOOL_CALLS\]\s*")
_LONGEST = 20_000


def with_written_calls(
    output: Sequence[ResponseOutputItem], tools: Collection[str]
) -> list[ResponseOutputItem]:
    """The output, with calls in place of a message that is nothing but calls of tools that were offered."""
    items = list(output)
    messages = [item for item in items if isinstance(item, ResponseOutputMessage)]
    if len(messages) != 1 or any(isinstance(item, ResponseFunctionToolCall) for item in items):
        return items
    text = "".join(part.text for part in messages[0].content if isinstance(part, ResponseOutputText))
    calls = written_calls(text, tools)
    return [one for item in items for one in (calls if item is messages[0] and calls else [item])]


def without_fence(item: ResponseOutputItem) -> ResponseOutputItem:
    """A message whose text is JSON in a Markdown fence, without the fence; anything else as it is."""
    if not isinstance(item, ResponseOutputMessage) or len(item.content) != 1:
        return item
    part = item.content[0]
    fenced = _FENCED.match(part.text) if isinstance(part, ResponseOutputText) else None
    if fenced is None:
        return item
    return item.model_copy(update={"content": [part.model_copy(update={"text": fenced[1]})]})


def written_calls(text: str, tools: Collection[str]) -> list[ResponseOutputItem]:
    """The calls that a text consists of; none when there is anything else in it."""
    if len(text) > _LONGEST:
        return []
    found = [_call(one, tools) for one in _written(text)]
    return [call for call in found if call is not None] if all(found) else []


def _written(text: str) -> list[Any]:
    """Each call as JSON; a None among them stands for what is none."""
    tagged = _TAGGED.findall(text)
    if tagged:
        return [_json(one) for one in tagged] if not _TAGGED.sub("", text).strip() else []
    fenced = _FENCED.match(text)
    value = _json(_MARKER.sub("", fenced[1] if fenced else text))
    return value if isinstance(value, list) else [value]


def _call(value: Any, tools: Collection[str]) -> ResponseFunctionToolCall | None:
    if not isinstance(value, dict):
        return None
    value = value.get("function", value)
    if not isinstance(value, dict) or value.get("name") not in tools:
        return None
    arguments = value.get("arguments", value.get("parameters", {}))
    return ResponseFunctionToolCall(
        type="function_call",
        id=f"fc_{uuid.uuid4().hex}",
        call_id=f"call_{uuid.uuid4().hex}",
        name=value["name"],
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False),
        status="completed",
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
