"""A reply in OpenAI's Responses API, whole and as events."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

from agent.testing.steps import Calls, Empty, Quirks, Refusal, Reply, Text
from agent.testing.wire import Json, arguments_of, call_ids, calls_as_text, new_id, pieces, tokens


def whole(reply: Reply, body: Json, quirks: Quirks) -> Json:
    """The reply as a response object."""
    output = _output(reply, quirks)
    stopped = _stopped(reply)
    sent, made = tokens(body), tokens(output)
    usage = {
        "input_tokens": sent,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": made,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sent + made,
    }
    return {
        "id": new_id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "model": body["model"],
        "status": "incomplete" if stopped else "completed",
        "incomplete_details": {"reason": stopped} if stopped else None,
        "error": None,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        **({"usage": usage} if quirks.usage else {}),
    }


def events(reply: Reply, body: Json, quirks: Quirks) -> list[str]:
    """The reply as server-sent events."""
    size = reply.piece if isinstance(reply, Text) else 8
    return [
        f"event: {event['type']}\ndata: {json.dumps({**event, 'sequence_number': number})}\n\n"
        for number, event in enumerate(_events(whole(reply, body, quirks), size))
    ]


def _stopped(reply: Reply) -> str | None:
    if isinstance(reply, Text) and reply.filtered:
        return "content_filter"
    return "max_output_tokens" if isinstance(reply, Text) and reply.cut else None


def _output(reply: Reply, quirks: Quirks) -> list[Json]:
    match reply:
        case Empty():
            return []
        case Refusal():
            return [_message({"type": "refusal", "refusal": reply.text})]
        case Text():
            return [_message(_text(reply.text))]
        case Calls():
            written = calls_as_text(reply, quirks)
            return [_message(_text(written))] if written is not None else _calls(reply, quirks)


def _calls(calls: Calls, quirks: Quirks) -> list[Json]:
    return [
        {
            "type": "function_call",
            "id": new_id("fc"),
            **({} if call_id is None else {"call_id": call_id}),
            "name": call.name,
            "arguments": arguments_of(call, quirks),
            "status": "completed",
        }
        for call, call_id in zip(calls.calls, call_ids(calls, quirks), strict=True)
    ]


def _text(text: str) -> Json:
    return {"type": "output_text", "text": text, "annotations": []}


def _message(part: Json) -> Json:
    return {
        "type": "message",
        "id": new_id("msg"),
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }


def _events(response: Json, size: int) -> Iterator[Json]:
    begun = {key: value for key, value in response.items() if key != "usage"}
    yield {"type": "response.created", "response": {**begun, "status": "in_progress", "output": []}}
    for index, item in enumerate(response["output"]):
        where = {"item_id": item["id"], "output_index": index}
        hollow: Json = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield {
            "type": "response.output_item.added",
            "output_index": index,
            "item": {**item, **hollow, "status": "in_progress"},
        }
        if item["type"] == "message":
            yield from _part_events(item["content"][0], where, size)
        elif isinstance(item["arguments"], str):
            for piece in pieces(item["arguments"]):
                yield {"type": "response.function_call_arguments.delta", **where, "delta": piece}
            done = {"name": item["name"], "arguments": item["arguments"]}
            yield {"type": "response.function_call_arguments.done", **where, **done}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{response['status']}", "response": response}


def _part_events(part: Json, where: Json, size: int) -> Iterator[Json]:
    place = {**where, "content_index": 0}
    name = "text" if part["type"] == "output_text" else "refusal"
    kind = "output_text" if name == "text" else "refusal"
    probabilities: Json = {"logprobs": []} if name == "text" else {}
    yield {"type": "response.content_part.added", **place, "part": {**part, name: ""}}
    for piece in pieces(part[name], size):
        yield {"type": f"response.{kind}.delta", **place, "delta": piece, **probabilities}
    yield {"type": f"response.{kind}.done", **place, name: part[name], **probabilities}
    yield {"type": "response.content_part.done", **place, "part": part}
