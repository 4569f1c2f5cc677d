"""The model that needs no key: it routes by reading descriptions and answers by quoting evidence.

It keeps no state between calls. Everything it decides follows from what the SDK hands it each time: the input
items and the tools. The parts of the question that a call belongs to are written into the call's id, which is
unique for ever.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agents import FunctionTool, ModelSettings, ModelTracing, Tool
from agents.items import ModelResponse, TResponseInputItem, TResponseOutputItem, TResponseStreamEvent
from agents.models.interface import Model
from agents.usage import Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agent.models import questions
from agent.models.catalogue import read_description
from agent.models.compose import Found, answer, draft, key
from agent.models.pursuit import Call, next_calls, signature
from agent.models.routing import Route, routes
from agent.models.stream import events
from agent.models.things import without_names
from agent.models.transcript import Result, Transcript, read
from agent.models.words import Meaning

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder

_MOST_PARTS = 4
_QUOTATION = re.compile(r"[\"“](.+?)[\"”](?=[\s:.,(]|$)")
_CITED = re.compile(r"\s*\[\w+\]\s*")


@dataclass(frozen=True)
class _Part:
    number: int
    asked: str
    text: str
    results: tuple[Result, ...]
    routes: tuple[Route, ...]


class ExtractiveModel(Model):
    """An SDK model that quotes. The same input always gives the same answer, call ids aside.

    Args:
        embedder: What gives texts their meaning; only compared with itself.
        shelf: A folder that keeps the vectors of the tools' descriptions from one process to the next.
    """

    def __init__(self, embedder: Embedder, shelf: Path | None = None) -> None:
        self._meaning = Meaning(embedder, shelf=shelf)

    async def get_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,  # noqa: ARG002 - nothing in it changes a quotation
        tools: list[Tool],
        output_schema: Any,  # noqa: ARG002
        handoffs: list[Any],  # noqa: ARG002
        tracing: ModelTracing,  # noqa: ARG002
        *,
        previous_response_id: str | None = None,  # noqa: ARG002
        conversation_id: str | None = None,  # noqa: ARG002
        prompt: Any = None,  # noqa: ARG002
    ) -> ModelResponse:
        """The next tool calls, or the draft."""
        output = self._respond(read(input), [tool for tool in tools if isinstance(tool, FunctionTool)])
        return ModelResponse(
            output=output,
            usage=_usage(system_instructions, input, tools, output),
            response_id=f"resp_{_unique()}",
        )

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[TResponseInputItem],
        model_settings: ModelSettings,
        tools: list[Tool],
        output_schema: Any,
        handoffs: list[Any],
        tracing: ModelTracing,
        *,
        previous_response_id: str | None = None,
        conversation_id: str | None = None,
        prompt: Any = None,
    ) -> AsyncIterator[TResponseStreamEvent]:
        """The same, as a stream of events."""
        response = await self.get_response(
            system_instructions,
            input,
            model_settings,
            tools,
            output_schema,
            handoffs,
            tracing,
            previous_response_id=previous_response_id,
            conversation_id=conversation_id,
            prompt=prompt,
        )
        for event in events(response):
            yield event

    def _respond(self, turn: Transcript, tools: Sequence[FunctionTool]) -> list[TResponseOutputItem]:
        reply = questions.small_talk(turn.question)
        if reply is not None and not turn.results:
            return [_message(reply)]
        avoid = _refused(turn)
        self._learn(tools)
        parts = self._parts(turn, tools)
        answers = [self._answer(part, avoid) for part in parts]
        if not turn.feedback:
            unanswered = [part for part, found in zip(parts, answers, strict=True) if found is None]
            calls = _calls(unanswered)
            if calls:
                return calls
        answered = [(part.asked, found) for part, found in zip(parts, answers, strict=True)]
        return [_message(draft(answered, turn.question))]

    def _answer(self, part: _Part, avoid: frozenset[str]) -> Found | None:
        """The answer from as few of the results as hold one, so that a source asked beside adds nothing."""
        sure = _sure(part)
        for count in range(1, len(part.results) + 1):
            found = answer(part.text, part.results[:count], self._meaning, avoid, sure)
            if found is not None:
                return found
        return None

    def _learn(self, tools: Sequence[FunctionTool]) -> None:
        told = {text for tool in tools for text in read_description(tool.description).told}
        self._meaning.keep(told | {without_names(text) for text in told})

    def _parts(self, turn: Transcript, tools: Sequence[FunctionTool]) -> list[_Part]:
        whole = questions.stand_alone(turn.question, turn.earlier, self._meaning)
        texts = questions.split(whole)[:_MOST_PARTS] or [whole]
        asked = questions.pieces(whole)[:_MOST_PARTS] or [whole]
        return [
            _Part(
                number,
                piece,
                text,
                tuple(one for one in turn.results if number in _parts_of(one)),
                tuple(routes(text, tools, self._meaning)),
            )
            for number, (piece, text) in enumerate(zip(asked, texts, strict=True))
        ]


def _calls(parts: Sequence[_Part]) -> list[TResponseOutputItem]:
    """What is asked now for these parts; what several of them ask is asked once."""
    wanted: dict[str, tuple[Call, list[int]]] = {}
    for part in parts:
        for call in next_calls(part.results, part.routes):
            wanted.setdefault(signature(call.tool, call.arguments), (call, []))[1].append(part.number)
    return [_function_call(numbers, call) for call, numbers in wanted.values()]


def _sure(part: _Part) -> frozenset[str]:
    """The calls to a catalogue line that fits the question so well that its rows are taken as such."""
    return frozenset(
        result.call_id
        for result in part.results
        for route in part.routes
        if route.sure and route.tool == result.tool and route.arguments == result.arguments
    )


def _refused(turn: Transcript) -> frozenset[str]:
    """The statements of this turn's drafts that the feedback quotes; the first quotation on a line counts."""
    quoted = [found[1] for line in turn.feedback.splitlines() if (found := _QUOTATION.search(line))]
    named = key(" ".join(quoted) or turn.feedback)
    sentences = [one for text in turn.drafts for one in _CITED.split(text)]
    return frozenset(key(one) for one in sentences if key(one) and key(one) in named)


def _parts_of(result: Result) -> frozenset[int]:
    """The parts a call was made for; the first one for a call that another model made."""
    head = result.call_id.removeprefix("call_").partition("_")[0]
    return frozenset(int(one) for one in head.split("-") if one.isdigit()) or frozenset({0})


def _unique() -> str:
    return uuid.uuid4().hex


def _message(text: str) -> ResponseOutputMessage:
    return ResponseOutputMessage(
        id=f"msg_{_unique()}",
        type="message",
        role="assistant",
        status="completed",
        content=[ResponseOutputText(text=text, type="output_text", annotations=[], logprobs=[])],
    )


def _function_call(parts: Sequence[int], call: Call) -> ResponseFunctionToolCall:
    return ResponseFunctionToolCall(
        id=f"fc_{_unique()}",
        call_id=f"call_{'-'.join(map(str, parts))}_{_unique()}",
        type="function_call",
        name=call.tool,
        arguments=json.dumps(call.arguments, ensure_ascii=False),
        status="completed",
    )


def _usage(
    instructions: str | None, given: Any, tools: Sequence[Tool], output: Sequence[TResponseOutputItem]
) -> Usage:
    """A rough count, four characters to a token, so that bounds on tokens mean something here too."""
    described = sum(len(tool.description) for tool in tools if isinstance(tool, FunctionTool))
    items = given if isinstance(given, str) else json.dumps(given, default=str, ensure_ascii=False)
    sent = (len(instructions or "") + described + len(items)) // 4
    made = sum(len(item.model_dump_json()) for item in output) // 4
    return Usage(requests=1, input_tokens=sent, output_tokens=made, total_tokens=sent + made)
