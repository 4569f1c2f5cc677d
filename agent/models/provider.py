"""Which model the settings name: one behind an OpenAI-compatible API, or the one that needs no key."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TYPE_CHECKING, Any

from agents import Model, OpenAIChatCompletionsModel, OpenAIResponsesModel
from agents.items import ModelResponse, TResponseStreamEvent

from agent.settings import EXTRACTIVE, Settings
from tools.errors import ConfigurationError, SourceUnavailable

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder

_RETRIES = 2


def open_model(settings: Settings, embedder_factory: Callable[[], Embedder]) -> Model:
    """The model that drives the agent.

    Args:
        settings: `model`, `api`, `model_timeout` and OpenAI's key and address are read.
        embedder_factory: Gives the embedder, called only when the extractive model needs one.

    Raises:
        ConfigurationError: A language model is named, but neither a key nor an address of a server.
    """
    if settings.chosen_model == EXTRACTIVE:
        from agent.models.extractive import ExtractiveModel

        return ExtractiveModel(embedder_factory(), settings.home / "models")
    if not settings.reaches_a_model:
        raise ConfigurationError(
            f"DESK_MODEL is {settings.chosen_model!r}, which needs OPENAI_API_KEY or OPENAI_BASE_URL; "
            "set one, or set DESK_MODEL=extractive"
        )
    return LanguageModel(settings)


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """A server that does not speak the API makes the client stumble over its answer in many ways."""
    try:
        yield
    except (ValueError, TypeError, AttributeError) as error:
        raise SourceUnavailable(
            "model", "its answer could not be read; check OPENAI_BASE_URL and DESK_API"
        ) from error


class LanguageModel(Model):
    """A language model with one HTTP client for each event loop: a client cannot be shared between loops."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._models: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Model] = (
            weakref.WeakKeyDictionary()
        )

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        """See `agents.Model.get_response`."""
        with _readable():
            return await self._here().get_response(*args, **options)

    async def stream_response(self, *args: Any, **options: Any) -> AsyncIterator[TResponseStreamEvent]:
        """See `agents.Model.stream_response`."""
        with _readable():
            async for event in self._here().stream_response(*args, **options):
                yield event

    def get_retry_advice(self, request: Any) -> Any:
        """See `agents.Model.get_retry_advice`."""
        return self._here().get_retry_advice(request)

    async def close(self) -> None:
        """Close this loop's client."""
        model = self._models.pop(asyncio.get_running_loop(), None)
        if model is not None:
            await model.close()

    def _here(self) -> Model:
        loop = asyncio.get_running_loop()
        model = self._models.get(loop)
        if model is None:
            model = self._models[loop] = self._open()
        return model

    def _open(self) -> Model:
        from openai import AsyncOpenAI

        chosen = self._settings
        client = AsyncOpenAI(
            api_key=chosen.openai_api_key or "none",  # a local server needs no key, the client insists on one
            base_url=chosen.openai_base_url,
            timeout=chosen.model_timeout,
            max_retries=_RETRIES,
        )
        name = chosen.chosen_model
        if chosen.api == "chat":
            return OpenAIChatCompletionsModel(model=name, openai_client=client)
        return OpenAIResponsesModel(model=name, openai_client=client)
