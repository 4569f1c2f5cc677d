"""A finished response as the events of a stream, in the order of the Responses API."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import Any

from agents.items import ModelResponse, TResponseStreamEvent
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseContentPartAddedEvent,
    ResponseContentPartDoneEvent,
    ResponseCreatedEvent,
    ResponseFunctionCallArgumentsDeltaEvent,
    ResponseFunctionCallArgumentsDoneEvent,
    ResponseFunctionToolCall,
    ResponseOutputItem,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
    ResponseTextDoneEvent,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

Split = Callable[[str], Iterable[str]]


def _in_one(text: str) -> Iterable[str]:
    return (text,)


def events(response: ModelResponse, split: Split = _in_one) -> Iterator[TResponseStreamEvent]:
    """The events that a provider would have sent for this response, its text in the pieces of `split`."""
    number = count()
    whole = _whole(response)
    yield ResponseCreatedEvent(
        type="response.created",
        sequence_number=next(number),
        response=whole.model_copy(update={"output": [], "status": "in_progress", "usage": None}),
    )
    for place, item in enumerate(whole.output):
        if isinstance(item, ResponseOutputMessage):
            yield from _message(item, place, number, split)
        elif isinstance(item, ResponseFunctionToolCall):
            yield from _call(item, place, number)
    yield ResponseCompletedEvent(type="response.completed", sequence_number=next(number), response=whole)


def _added(item: ResponseOutputItem, place: int, number: count[int]) -> ResponseOutputItemAddedEvent:
    return ResponseOutputItemAddedEvent(
        type="response.output_item.added", output_index=place, sequence_number=next(number), item=item
    )


def _done(item: ResponseOutputItem, place: int, number: count[int]) -> ResponseOutputItemDoneEvent:
    return ResponseOutputItemDoneEvent(
        type="response.output_item.done", output_index=place, sequence_number=next(number), item=item
    )


def _message(
    item: ResponseOutputMessage, place: int, number: count[int], split: Split
) -> Iterator[TResponseStreamEvent]:
    yield _added(item.model_copy(update={"content": [], "status": "in_progress"}), place, number)
    part = item.content[0]
    if isinstance(part, ResponseOutputText):
        where: dict[str, Any] = {"item_id": item.id, "output_index": place, "content_index": 0}
        yield ResponseContentPartAddedEvent(
            type="response.content_part.added",
            part=part.model_copy(update={"text": ""}),
            sequence_number=next(number),
            **where,
        )
        for piece in split(part.text):
            yield ResponseTextDeltaEvent(
                type="response.output_text.delta",
                delta=piece,
                logprobs=[],
                sequence_number=next(number),
                **where,
            )
        yield ResponseTextDoneEvent(
            type="response.output_text.done",
            text=part.text,
            logprobs=[],
            sequence_number=next(number),
            **where,
        )
        yield ResponseContentPartDoneEvent(
            type="response.content_part.done", part=part, sequence_number=next(number), **where
        )
    yield _done(item, place, number)


def _call(item: ResponseFunctionToolCall, place: int, number: count[int]) -> Iterator[TResponseStreamEvent]:
    yield _added(item.model_copy(update={"arguments": "", "status": "in_progress"}), place, number)
    where: dict[str, Any] = {"item_id": item.id or item.call_id, "output_index": place}
    yield ResponseFunctionCallArgumentsDeltaEvent(
        type="response.function_call_arguments.delta",
        delta=item.arguments,
        sequence_number=next(number),
        **where,
    )
    yield ResponseFunctionCallArgumentsDoneEvent(
        type="response.function_call_arguments.done",
        arguments=item.arguments,
        sequence_number=next(number),
        **where,
    )
    yield _done(item, place, number)


def _whole(response: ModelResponse) -> Response:
    usage = response.usage
    return Response(
        id=response.response_id or "resp",
        created_at=0,
        model="extractive",
        object="response",
        output=response.output,
        tool_choice="auto",
        tools=[],
        parallel_tool_calls=True,
        status="completed",
        usage=ResponseUsage(
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            total_tokens=usage.total_tokens,
            input_tokens_details=InputTokensDetails.model_validate(
                {"cached_tokens": 0, "cache_write_tokens": 0}
            ),
            output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
        ),
    )
