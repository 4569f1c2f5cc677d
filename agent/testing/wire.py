"""What OpenAI's two APIs have in common here: their addresses, what a request must fulfil, and the answers.

API: https://platform.openai.com/docs/api-reference/responses and …/api-reference/chat
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from agent.testing.steps import Calls, Quirks

Api = Literal["responses", "chat"]
Json = dict[str, Any]

PATHS: Mapping[str, Api] = {"/v1/responses": "responses", "/v1/chat/completions": "chat"}
_CHARACTERS_PER_TOKEN = 4


def fault(api: Api, body: Json, quirks: Quirks) -> str | None:
    """Why the real service would refuse this request with status 400, or None when it would take it."""
    content = body.get("input" if api == "responses" else "messages")
    if not isinstance(body.get("model"), str) or not content:
        return "model and input are required"
    if refused := sorted(quirks.rejects & set(_fields(body))):
        return f"Unrecognized request argument supplied: {refused[0]}"
    if api == "responses":
        items = content if isinstance(content, list) else []
        asked = [item.get("call_id") for item in items if item.get("type") == "function_call"]
        given = [item.get("call_id") for item in items if item.get("type") == "function_call_output"]
    else:
        asked = [call["id"] for message in content for call in message.get("tool_calls") or []]
        given = [message.get("tool_call_id") for message in content if message.get("role") == "tool"]
    if len(set(asked)) != len(asked):
        return "a tool call id is used twice"
    if missing := [call for call in asked if call not in given]:
        return f"no tool output found for call {missing[0]}"
    if stray := [call for call in given if call not in asked]:
        return f"no tool call found for output {stray[0]}"
    return None


def _fields(value: Any) -> Iterator[str]:
    """The names of all fields, however deep, but not those inside of a JSON schema."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield str(name)
            if name not in ("parameters", "schema"):
                yield from _fields(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _fields(inner)


def call_ids(calls: Calls, quirks: Quirks) -> list[str | None]:
    """An id for each call; None where it is missing."""
    # Ids must be new for ever: the SDK skips a call whose id it has seen, even in an earlier run.
    given = {"own": None, "same": "call_0", "missing": None}[quirks.call_ids]
    if quirks.call_ids == "own":
        return [new_id("call") for _ in calls.calls]
    return [given for _ in calls.calls]


def calls_as_text(calls: Calls, quirks: Quirks) -> str | None:
    """The calls as a model writes them that knows no field for them; None where there is one."""
    if quirks.calls_in == "field":
        return None
    written = [f'{{"name": "{call.name}", "arguments": {call.arguments_text()}}}' for call in calls.calls]
    if quirks.calls_in == "tags":
        return "\n".join(f"<tool_call>\n{one}\n</tool_call>" for one in written)
    if quirks.calls_in == "marker":
        return f"[TOOL_CALLS] [{', '.join(written)}]"
    return written[0] if len(written) == 1 else f"[{', '.join(written)}]"


def arguments_of(call: Any, quirks: Quirks) -> Any:
    """The arguments as text, or as an object where the server sends one."""
    text = call.arguments_text()
    if quirks.arguments == "text":
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def pieces(text: str, size: int = 8) -> list[str]:
    """The text in pieces of a few characters, as a model streams it."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def new_id(prefix: str) -> str:
    """An id that is new for ever."""
    return f"{prefix}_{uuid.uuid4().hex}"


def tokens(value: Any) -> int:
    """A rough count, four characters to a token."""
    return max(1, len(json.dumps(value)) // _CHARACTERS_PER_TOKEN)


def error_event(api: Api) -> str:
    """How a stream tells that the provider has failed in the middle."""
    error: Json = {"message": "The server had an error", "type": "server_error", "code": "server_error"}
    if api == "responses":
        return f"event: error\ndata: {json.dumps({**error, 'type': 'error', 'sequence_number': 99})}\n\n"
    return f"data: {json.dumps({'error': error})}\n\n"
