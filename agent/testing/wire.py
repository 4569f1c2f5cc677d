"""How a step looks in OpenAI's two APIs, whole and as server-sent events, and what a request must fulfil.

API: https://platform.openai.com/docs/api-reference/responses and …/api-reference/chat
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from agent.testing.steps import Calls, Text

Api = Literal["responses", "chat"]
Json = dict[str, Any]

PATHS: Mapping[str, Api] = {"/v1/responses": "responses", "/v1/chat/completions": "chat"}
_CHARACTERS_PER_TOKEN = 4


def fault(api: Api, body: Json) -> str | None:
    """Why the real service would refuse this request with status 400, or None when it would take it."""
    content = body.get("input" if api == "responses" else "messages")
    if not isinstance(body.get("model"), str) or not content:
        return "model and input are required"
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


def whole(api: Api, step: Text | Calls, body: Json) -> Json:
    """The answer as one JSON object."""
    return _response(step, body) if api == "responses" else _completion(step, body)


def events(api: Api, step: Text | Calls, body: Json) -> Iterator[str]:
    """The answer as server-sent events, each with its closing blank line."""
    if api == "responses":
        for number, event in enumerate(_response_events(_response(step, body))):
            data = json.dumps({**event, "sequence_number": number})
            yield f"event: {event['type']}\ndata: {data}\n\n"
        return
    for chunk in _completion_chunks(_completion(step, body), body):
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


def _response(step: Text | Calls, body: Json) -> Json:
    if isinstance(step, Text):
        part = {"type": "output_text", "text": step.text, "annotations": []}
        output: list[Json] = [
            {
                "type": "message",
                "id": _new("msg"),
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        ]
    else:
        output = [
            {
                "type": "function_call",
                "id": _new("fc"),
                "call_id": _new("call"),
                "name": call.name,
                "arguments": call.arguments_text(),
                "status": "completed",
            }
            for call in step.calls
        ]
    cut = isinstance(step, Text) and step.cut
    sent, made = _tokens(body), _tokens(output)
    return {
        "id": _new("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "model": body["model"],
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": sent,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": sent + made,
        },
    }


def _response_events(response: Json) -> Iterator[Json]:
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}}
    for index, item in enumerate(response["output"]):
        where = {"item_id": item["id"], "output_index": index}
        hollow: Json = {"content": []} if item["type"] == "message" else {"arguments": ""}
        opened = {**item, **hollow, "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": index, "item": opened}
        if item["type"] == "message":
            yield from _text_events(item["content"][0], where)
        else:
            whole_text = item["arguments"]
            for piece in _pieces(whole_text):
                yield {"type": "response.function_call_arguments.delta", **where, "delta": piece}
            done = {"name": item["name"], "arguments": whole_text}
            yield {"type": "response.function_call_arguments.done", **where, **done}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{response['status']}", "response": response}


def _text_events(part: Json, where: Json) -> Iterator[Json]:
    place = {**where, "content_index": 0}
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for piece in _pieces(part["text"]):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}


def _completion(step: Text | Calls, body: Json) -> Json:
    if isinstance(step, Text):
        message: Json = {"role": "assistant", "content": step.text, "refusal": None}
        reason = "length" if step.cut else "stop"
    else:
        calls = [
            {
                "id": _new("call"),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments_text()},
            }
            for call in step.calls
        ]
        message = {"role": "assistant", "content": None, "refusal": None, "tool_calls": calls}
        reason = "tool_calls"
    sent, made = _tokens(body), _tokens(message)
    return {
        "id": _new("chatcmpl"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
        "usage": {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made},
    }


def _completion_chunks(completion: Json, body: Json) -> Iterator[Json]:
    choice = completion["choices"][0]
    shared = {key: completion[key] for key in ("id", "created", "model")} | {
        "object": "chat.completion.chunk"
    }

    def chunk(delta: Json, reason: str | None = None) -> Json:
        return {**shared, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant"})
    for piece in _pieces(choice["message"]["content"] or ""):
        yield chunk({"content": piece})
    for index, call in enumerate(choice["message"].get("tool_calls", [])):
        opened = {**call, "index": index, "function": {"name": call["function"]["name"], "arguments": ""}}
        yield chunk({"tool_calls": [opened]})
        for piece in _pieces(call["function"]["arguments"]):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
    yield chunk({}, choice["finish_reason"])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**shared, "choices": [], "usage": completion["usage"]}


def _pieces(text: str) -> list[str]:
    """The text in pieces of a few characters, as a model streams it."""
    return [text[start : start + 8] for start in range(0, len(text), 8)]


def _new(prefix: str) -> str:
    # Ids must be new for ever: the SDK skips a call whose id it has seen, even in an earlier run.
    return f"{prefix}_{uuid.uuid4().hex}"


def _tokens(value: Any) -> int:
    return max(1, len(json.dumps(value)) // _CHARACTERS_PER_TOKEN)
