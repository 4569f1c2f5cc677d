"""A language model's help beside the answer: which passages bear on a question, and other words for it.

Each help is one call with structured output. Where no model is named for it, or the model gives none, code
decides as it does without.
"""

from __future__ import annotations

import asyncio
import html
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import Any, TypeVar

from agents import Agent, Model, RunConfig, RunHooks, Runner
from pydantic import BaseModel, ConfigDict, Field

import instructions
from tools.context import Bearing

RELEVANT = 0.8
"""The confidence from which a passage that is called irrelevant is dropped, and a relevant one is kept."""

_TEXT_LIMIT = 2000  # characters of a passage that are shown
_MISSING_LIMIT = 200  # of what it says that a passage leaves open
_SECONDS = 20.0

Shape = TypeVar("Shape", bound=BaseModel)
Given = TypeVar("Given")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PassageVerdict(_Strict):
    """Whether one passage bears on the question."""

    number: int
    is_relevant: bool
    confidence_score: float = Field(ge=0, le=1)
    missing_context: str


class PassageVerdicts(_Strict):
    """The verdicts on all passages."""

    passages: list[PassageVerdict]


class RewrittenQuery(_Strict):
    """Another query."""

    query: str


class RewrittenQuestion(_Strict):
    """A question that stands alone."""

    question: str


class Helpers:
    """The helpers of a desk.

    Args:
        run_config: How the SDK runs them.
        relevance: The model that grades passages; None for none.
        rewrite: The model that rewrites; None for none.
        folder: Prompts of the user's own.
    """

    def __init__(
        self,
        run_config: RunConfig,
        *,
        relevance: Model | None = None,
        rewrite: Model | None = None,
        folder: Path | None = None,
    ) -> None:
        self._run_config = run_config
        self._relevance = _agent("relevance", relevance, PassageVerdicts, folder)
        self._query = _agent("rewrite_query", rewrite, RewrittenQuery, folder)
        self._question = _agent("rewrite_question", rewrite, RewrittenQuestion, folder)

    def for_question(self, *, relevance: RunHooks[Any], rewrite: RunHooks[Any]) -> Help | None:
        """The help with documents for one question, with what counts the calls; None when there is none."""
        if self._relevance is None and self._query is None:
            return None
        return Help(self, relevance, rewrite)

    async def stand_alone(
        self, question: str, earlier: Sequence[str], hooks: RunHooks[Any] | None = None
    ) -> str | None:
        """The question in words that need no earlier message; None when there is no help."""
        if not earlier:
            return None
        before = "\n".join(f"<message>{html.escape(text)}</message>" for text in earlier[-6:])
        given = f"{before}\n<next>{html.escape(question)}</next>"
        found = await self._ask(self._question, given, RewrittenQuestion, hooks)
        words = " ".join(found.question.split()) if found else ""
        return words if words and len(words) <= 2 * len(question) + 400 else None

    async def relevant(
        self, question: str, texts: Sequence[str], hooks: RunHooks[Any] | None = None
    ) -> list[Bearing] | None:
        """For each text whether it bears on the question; None when there is no help.

        A passage is dropped only when the model is sure of it; one that it says nothing about is kept.
        """
        shown = [
            f'<passage number="{number}">\n{html.escape(text[:_TEXT_LIMIT])}\n</passage>'
            for number, text in enumerate(texts, 1)
        ]
        given = "\n".join([f"<question>{html.escape(question)}</question>", *shown])
        found = await self._ask(self._relevance, given, PassageVerdicts, hooks)
        if found is None:
            return None
        verdicts = {
            one.number: Bearing(
                one.is_relevant or one.confidence_score < RELEVANT,
                " ".join(one.missing_context.split())[:_MISSING_LIMIT],
            )
            for one in found.passages
        }
        return [verdicts.get(number, Bearing(True)) for number in range(1, len(texts) + 1)]

    async def other_query(
        self, question: str, query: str, missing: Sequence[str], hooks: RunHooks[Any] | None = None
    ) -> str | None:
        """Another query for a search that found nothing; None when there is no help or no other words."""
        lacking = html.escape(", ".join(missing))
        given = (
            f"<question>{html.escape(question)}</question>\n<query>{html.escape(query)}</query>\n"
            f"<missing>{lacking}</missing>"
        )
        found = await self._ask(self._query, given, RewrittenQuery, hooks)
        words = " ".join(found.query.split())[:400] if found else ""
        return words if words and words.lower() != query.lower() else None

    async def _ask(
        self, agent: Agent[Any] | None, given: str, shape: type[Shape], hooks: RunHooks[Any] | None
    ) -> Shape | None:
        if agent is None:
            return None
        try:
            async with asyncio.timeout(_SECONDS):
                result = await Runner.run(agent, given, max_turns=1, hooks=hooks, run_config=self._run_config)
        except Exception:  # whatever it is: help that does not come is done without
            return None
        return result.final_output if isinstance(result.final_output, shape) else None


class Help:
    """The helpers for one question, as its tools use them: from their threads, and waiting for the answer.

    Args:
        helpers: The desk's.
        relevance: Told of each call that grades.
        rewrite: Told of each call that rewrites.
    """

    def __init__(self, helpers: Helpers, relevance: RunHooks[Any], rewrite: RunHooks[Any]) -> None:
        self._helpers = helpers
        self._relevance = relevance
        self._rewrite = rewrite
        self._loop = asyncio.get_running_loop()
        self._waiting: set[Future[Any]] = set()

    def relevant(self, question: str, texts: Sequence[str]) -> list[Bearing] | None:
        """See `Helpers.relevant`."""
        return self._wait(self._helpers.relevant(question, texts, self._relevance))

    def other_query(self, question: str, query: str, missing: Sequence[str]) -> str | None:
        """See `Helpers.other_query`."""
        return self._wait(self._helpers.other_query(question, query, missing, self._rewrite))

    def close(self) -> None:
        """The question has ended: whatever is still asked is given up, and who waits for it goes on."""
        for asked in list(self._waiting):
            asked.cancel()

    def _wait(self, asking: Coroutine[Any, Any, Given | None]) -> Given | None:
        asked = asyncio.run_coroutine_threadsafe(asking, self._loop)
        self._waiting.add(asked)
        try:
            return asked.result()
        except CancelledError:
            return None
        finally:
            self._waiting.discard(asked)


def _agent(name: str, model: Model | None, shape: type[BaseModel], folder: Path | None) -> Agent[Any] | None:
    if model is None:
        return None
    return Agent(name=name, instructions=instructions.read(name, folder), model=model, output_type=shape)
