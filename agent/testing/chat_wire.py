"""A reply in OpenAI's Chat Completions API, whole and as chunks."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from agent.testing.steps import Call, Calls, Empty, Quirks, Refusal, Reply, Text
from agent.testing.wire import Json, arguments_of, call_ids, calls_as_text, new_id, pieces, tokens


def whole(reply: Reply, body: Json, quirks: Quirks) -> Json:
    """The reply as a completion object."""
    message, reason = _message(reply, quirks)
    sent, made = tokens(body), tokens(message)
    usage = {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return {
        "id": new_id("chatcmpl"),
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "choices": [] if isinstance(reply, Empty) else [choice],
        **({"usage": usage} if quirks.usage else {}),
    }


def events(reply: Reply, body: Json, quirks: Quirks) -> list[str]:
    """The reply as server-sent events."""
    size = reply.piece if isinstance(reply, Text) else 8
    chunks = _chunks(whole(reply, body, quirks), body, size)
    return [*(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks), "data: [DONE]\n\n"]


def _message(reply: Reply, quirks: Quirks) -> tuple[Json, str]:
    """The message, and why it ended."""
    message: Json = {"role": "assistant", "content": None, "refusal": None}
    match reply:
        case Empty():
            return message, "stop"
        case Refusal():
            return {**message, "refusal": reply.text}, "stop"
        case Text():
            reason = "content_filter" if reply.filtered else "length" if reply.cut else "stop"
            return {**message, "content": reply.text}, reason
        case Calls():
            written = calls_as_text(reply, quirks)
            if written is not None:
                return {**message, "content": written}, "stop"
            ids = call_ids(reply, quirks)
            calls = [_call(call, one, quirks) for call, one in zip(reply.calls, ids, strict=True)]
            return {**message, "tool_calls": calls}, "tool_calls"


def _call(call: Call, call_id: str | None, quirks: Quirks) -> Json:
    return {
        **({} if call_id is None else {"id": call_id}),
        **({"type": "function"} if quirks.call_type else {}),
        "function": {"name": call.name, "arguments": arguments_of(call, quirks)},
    }


def _chunks(completion: Json, body: Json, size: int) -> Iterator[Json]:
    shared = {key: completion[key] for key in ("id", "created", "model")} | {
        "object": "chat.completion.chunk"
    }

    def chunk(delta: Json, reason: str | None = None) -> Json:
        return {**shared, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    for choice in completion["choices"]:
        message = choice["message"]
        yield chunk({"role": "assistant"})
        for name in ("content", "refusal"):
            for piece in pieces(message[name] or "", size):
                yield chunk({name: piece})
        for index, call in enumerate(message.get("tool_calls", [])):
            arguments = call["function"]["arguments"]
            given = "" if isinstance(arguments, str) else arguments
            opened = {**call, "index": index, "function": {**call["function"], "arguments": given}}
            yield chunk({"tool_calls": [opened]})
            for piece in pieces(arguments) if isinstance(arguments, str) else ():
                yield chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield chunk({}, choice["finish_reason"])
    if "usage" in completion and (body.get("stream_options") or {}).get("include_usage"):
        yield {**shared, "choices": [], "usage": completion["usage"]}
