"""Asks a language model outside of a conversation, one call after another: for building the graph."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from agents import Agent, ModelSettings, RunConfig, Runner
from agents.exceptions import AgentsException, ModelTimeoutError
from pydantic import BaseModel

import instructions
from agent.models.failures import model_failure
from agent.models.provider import LanguageModel
from agent.settings import Settings
from tools.errors import ConfigurationError, SourceUnavailable
from tools.ingest.graph_model import Ask, Reply

_LETTERS = 4  # of a token, about


def reading_model(settings: Settings) -> str:
    """The name of the model that reads passages.

    Raises:
        ConfigurationError: No language model is configured.
    """
    name = settings.chosen_extraction_model
    if name is None:
        raise ConfigurationError("--model needs a language model: set OPENAI_API_KEY or OPENAI_BASE_URL")
    return name


@contextmanager
def asking(settings: Settings, task: str) -> Iterator[Ask]:
    """What asks the model that reads passages, with the instructions of a task.

    Args:
        task: The name of a prompt in `instructions/`.

    Raises:
        ConfigurationError: No language model is configured.
        SourceUnavailable: From asking: the model cannot be reached.
    """
    model = LanguageModel(settings, reading_model(settings))
    prompt = instructions.read(task, settings.instructions)
    config = RunConfig(tracing_disabled=True)

    with asyncio.Runner() as loop:

        def ask(given: str, shape: type[BaseModel], most: int | None) -> Reply:
            one: Agent[Any] = Agent(
                name=task,
                instructions=prompt,
                model=model,
                model_settings=ModelSettings(max_tokens=most),
                output_type=shape,
            )
            try:
                result = loop.run(Runner.run(one, given, max_turns=1, run_config=config))
            except ModelTimeoutError as error:
                raise SourceUnavailable("model", str(error)) from None
            except AgentsException:  # declined, broken off, or not in the shape: paid for all the same
                return Reply(None, (len(prompt) + len(given)) // _LETTERS, most or 0)
            except Exception as error:
                raise model_failure(error) or error from None
            usage = result.context_wrapper.usage
            return Reply(result.final_output, usage.input_tokens, usage.output_tokens)

        try:
            yield ask
        finally:
            loop.run(model.close())
