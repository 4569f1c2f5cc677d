"""Which model the settings name: one behind an OpenAI-compatible API, or the one that needs no key."""

from __future__ import annotations

import asyncio
import contextlib
import json
import weakref
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import openai
from agents import Model, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.exceptions import ModelBehaviorError, ModelRefusalError
from agents.items import ModelResponse, TResponseStreamEvent
from agents.usage import Usage
from openai.types.responses import (
    Response,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseUsage,
)
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails

from agent.models.failures import BrokenOff, Declined
from agent.models.mend import Reply
from agent.models.wire import Wire, reading
from agent.models.written_calls import with_written_calls, without_fence
from agent.settings import EXTRACTIVE, Settings
from tools.errors import ConfigurationError, SourceUnavailable

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder

_CUT = "Your answer was cut off because it was too long. Write it again in far fewer words."
_BROKEN = "Your answer broke off before its end. Write it again."
_EMPTY = "Your answer was empty. Call a tool, or write the answer."
_UNREADABLE = "its answer could not be read; check OPENAI_BASE_URL and DESK_API"
_CHARACTERS_PER_TOKEN = 4


def open_model(
    settings: Settings, embedder_factory: Callable[[], Embedder], name: str | None = None
) -> Model:
    """The model that drives the agent, or another one behind the same address.

    Args:
        settings: `model`, `api`, `model_timeout` and OpenAI's key and address are read.
        embedder_factory: Gives the embedder, called only when the extractive model needs one.
        name: Another model than the settings choose for the answer.

    Raises:
        ConfigurationError: A language model is named, but neither a key nor an address of a server.
    """
    chosen = name or settings.chosen_model
    if chosen == EXTRACTIVE:
        from agent.models.extractive import ExtractiveModel

        return ExtractiveModel(embedder_factory(), settings.home / "models")
    if not settings.reaches_a_model:
        raise ConfigurationError(
            f"DESK_MODEL is {chosen!r}, which needs OPENAI_API_KEY or OPENAI_BASE_URL; "
            "set one, or set DESK_MODEL=extractive"
        )
    return LanguageModel(settings, chosen)


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """A server that does not speak the API makes the client stumble over its answer in many ways."""
    try:
        yield
    except (ValueError, TypeError, AttributeError) as error:
        raise SourceUnavailable("model", _UNREADABLE) from error


@contextlib.contextmanager
def _whole() -> Iterator[None]:
    """A provider that fails in the middle of a stream has broken off its answer."""
    try:
        yield
    except (ModelRefusalError, BrokenOff, Declined):
        raise
    except ModelBehaviorError as error:
        raise BrokenOff(_BROKEN) from error


class LanguageModel(Model):
    """A language model with one HTTP client for each event loop: a client cannot be shared between loops.

    What the server gets wrong is put right, an answer that is not whole is an error, and a field of the
    request that the server does not know is left out from then on.

    Args:
        settings: See `open_model`.
        name: The model's name; that of the settings when None.
    """

    def __init__(self, settings: Settings, name: str | None = None) -> None:
        self.name = name or settings.chosen_model
        self._settings = settings
        self._wire = Wire()
        self._models: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Model] = (
            weakref.WeakKeyDictionary()
        )

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        """See `agents.Model.get_response`.

        Raises:
            BrokenOff: The answer is not whole, or empty.
            Declined: The provider's filter stopped it.
        """
        while True:
            with _readable(), reading() as reply:
                try:
                    response = await self._here().get_response(*args, **options)
                except openai.APIStatusError as error:
                    if self._refused_a_field(error):
                        continue
                    raise
                except ModelRefusalError:
                    raise
                except ModelBehaviorError as error:
                    _judge(reply)
                    raise BrokenOff(_EMPTY) from error
            _judge(reply)
            response.output = _mended(response.output, args, options)
            if not response.usage.total_tokens:
                response.usage = _estimated(args, options, response.output)
            return response

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[TResponseStreamEvent]:
        """See `agents.Model.stream_response`; the errors of `get_response`.

        A connection that breaks before anything was answered is tried again.
        """
        left = self._settings.model_retries
        while True:
            opened = begun = False
            try:
                async for event in self._streamed(args, options):
                    opened = True
                    begun = begun or event.type not in ("response.created", "response.in_progress")
                    yield event
            except openai.APIStatusError as error:
                if begun or not self._refused_a_field(error):
                    raise
            except openai.APIConnectionError:
                left -= 1
                if begun or not opened or left < 0:  # before it opened the client has tried often enough
                    raise
            else:
                return

    async def _streamed(self, args: Any, options: Any) -> AsyncIterator[TResponseStreamEvent]:
        with _readable(), _whole():
            opened: Any = self._here().stream_response(*args, **options)
            async with contextlib.aclosing(opened) as stream:
                with reading() as reply:  # the request is made for the first event
                    first = await anext(stream, None)
                if first is not None:
                    yield first
                async for event in stream:
                    if event.type in ("error", "response.failed"):
                        raise BrokenOff(_BROKEN)
                    if event.type in ("response.completed", "response.incomplete"):
                        _judge(reply)
                        _complete(event.response, args, options)
                    yield event
                _judge(reply)

    def get_retry_advice(self, request: Any) -> Any:
        """See `agents.Model.get_retry_advice`."""
        return self._here().get_retry_advice(request)

    async def close(self) -> None:
        """Close this loop's client."""
        model = self._models.pop(asyncio.get_running_loop(), None)
        if model is not None:
            await model.close()

    def _refused_a_field(self, error: openai.APIStatusError) -> bool:
        return error.status_code in (400, 422) and self._wire.learn(error.message)

    def _here(self) -> Model:
        loop = asyncio.get_running_loop()
        model = self._models.get(loop)
        if model is None:
            model = self._models[loop] = self._open()
        return model

    def _open(self) -> Model:
        chosen = self._settings
        client = openai.AsyncOpenAI(
            api_key=chosen.openai_api_key or "none",  # a local server needs no key, the client insists on one
            base_url=chosen.openai_base_url,
            timeout=chosen.model_timeout,
            max_retries=chosen.model_retries,
            http_client=self._wire.client(),
        )
        if chosen.api == "chat":
            return OpenAIChatCompletionsModel(model=self.name, openai_client=client)
        return OpenAIResponsesModel(model=self.name, openai_client=client)


def _judge(reply: Reply) -> None:
    """Raise when the answer is not whole."""
    if reply.ended == "filtered":
        raise Declined("the provider's filter stopped the answer")
    if reply.ended == "cut":
        raise BrokenOff(_CUT)
    if not reply.begun:
        raise SourceUnavailable("model", _UNREADABLE)
    if reply.ended == "broken":
        raise BrokenOff(_BROKEN)


def _complete(response: Response, args: tuple[Any, ...], options: dict[str, Any]) -> None:
    """Make good what the server left out of a streamed response."""
    response.output = _mended(response.output, args, options)
    response.usage = response.usage or _as_response_usage(_estimated(args, options, response.output))


def _mended(output: Sequence[Any], args: tuple[Any, ...], options: dict[str, Any]) -> list[Any]:
    """The output with calls that were written as text, and JSON that was asked for without a fence around it.

    Raises:
        BrokenOff: Nothing is in it.
    """
    names = frozenset(tool.name for tool in _argument(args, options, 3, "tools"))
    items: list[Any] = with_written_calls([item for item in output if _has_form(item)], names)
    if _argument(args, options, 4, "output_schema") is not None:
        items = [without_fence(item) for item in items]
    for item in items:
        if not isinstance(item, ResponseOutputMessage):
            return items
        if any(getattr(part, "text", "") or getattr(part, "refusal", "") for part in item.content):
            return items
    raise BrokenOff(_EMPTY)


def _has_form(item: Any) -> bool:
    """Whether a message has content and a call a name and arguments: the client takes them unread."""
    if isinstance(item, ResponseOutputMessage):
        return isinstance(item.content, list)
    if isinstance(item, ResponseFunctionToolCall):
        return isinstance(item.name, str) and isinstance(item.arguments, str)
    return True


def _argument(args: tuple[Any, ...], options: dict[str, Any], place: int, name: str) -> Any:
    return options[name] if name in options else args[place]


def _estimated(args: tuple[Any, ...], options: dict[str, Any], output: Sequence[Any]) -> Usage:
    """A rough count where the server tells none, so that bounds on tokens hold all the same."""
    given = [_argument(args, options, 0, "system_instructions"), _argument(args, options, 1, "input")]
    sent = len(json.dumps(given, default=str)) // _CHARACTERS_PER_TOKEN
    made = sum(len(item.model_dump_json()) for item in output) // _CHARACTERS_PER_TOKEN
    return Usage(requests=1, input_tokens=sent, output_tokens=made, total_tokens=sent + made)


def _as_response_usage(usage: Usage) -> ResponseUsage:
    return ResponseUsage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        input_tokens_details=InputTokensDetails.model_validate({"cached_tokens": 0, "cache_write_tokens": 0}),
        output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
    )
