"""The desk: opens the sources, builds the SDK agent, and runs the loop of draft, grade and repair."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from agents import Agent, Model, ModelSettings, RunConfig, Tool

from agent.account import Account, Limits
from agent.answer import Answer, Event, StepRecord
from agent.conversation import Conversation
from agent.desk_agent import DeskAgent
from agent.grader.guardrail import grade_guardrail
from agent.grader.second_judge import SecondJudge
from agent.guarded import Breaker, guarded
from agent.loop import Emit, Loop
from agent.models.helpers import Helpers
from agent.models.tasks import Models, open_models
from agent.prices import prices_of
from agent.prompts import desk_instructions
from agent.question import clean_question
from agent.sessions import Conversations, open_sessions
from agent.settings import Settings
from agent.sources import open_embedder, open_sources, prepared_home
from agent.tracing import Traces, open_traces
from tools import graph_query, sql_lookup, vector_search, web_search
from tools.context import DeskContext, Sources
from tools.errors import BadInput, DeskError
from tools.evidence import Ledger

OnStep = Callable[[StepRecord], None]

# Without a handler of the application's the SDK's remarks would go to standard error beside our own line.
logging.getLogger("openai.agents").addHandler(logging.NullHandler())


class SupportDesk:
    """A support desk over opened sources. Use as a context manager, or call `close`."""

    def __init__(
        self,
        settings: Settings,
        sources: Sources,
        model: Model | Models,
        traces: Traces | None = None,
    ) -> None:
        models = model if isinstance(model, Models) else Models(model)
        self.settings = settings
        self.sources = sources
        self.agent: Agent[DeskContext] = DeskAgent(
            name="Support desk",
            instructions=desk_instructions(settings),
            model=models.answer,
            model_settings=ModelSettings(include_usage=True),  # some servers count only when asked to
            tools=_tools(sources, settings.source_timeout),
            output_guardrails=[grade_guardrail],
        )
        self._prices = prices_of(settings)
        self._limits = Limits(settings.max_tool_calls, settings.max_tokens, settings.max_cost)
        self._traces = traces
        # An invented tool name is told to the model and does not end the run.
        self.run_config = RunConfig(
            tracing_disabled=traces is None,
            trace_include_sensitive_data=settings.trace_content,
            tool_not_found_behavior="return_error_to_model",
        )
        self._judge = SecondJudge(models.judge, self.run_config) if models.judge is not None else None
        self._helpers = Helpers(
            self.run_config,
            relevance=models.relevance,
            rewrite=models.rewrite,
            folder=settings.instructions,
        )
        self._conversations = Conversations(
            lambda: open_sessions(settings.sessions_url, prepared_home(settings))
        )

    @classmethod
    def open(cls, settings: Settings | None = None) -> SupportDesk:
        """Open the sources and the model that the settings name.

        Raises:
            ConfigurationError: A setting is wrong; the line names it.
            SourceUnavailable: A source that is needed to start cannot be opened.
        """
        chosen = settings or Settings.load()
        traces = open_traces(chosen, prepared_home(chosen))
        sources = open_sources(chosen)
        documents = sources.documents
        models = open_models(chosen, lambda: documents.embedder if documents else open_embedder(chosen))
        return cls(chosen, sources, models, traces)

    def __enter__(self) -> SupportDesk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections of the sources."""
        for store in (self.sources.documents, self.sources.records, self.sources.graph, self.sources.web):
            if store is not None:
                store.close()

    def context(
        self,
        customer_id: str | None = None,
        staff: bool = False,
        ledger: Ledger | None = None,
        question: str = "",
    ) -> DeskContext:
        """The run context of one question, for `Runner.run(desk.agent, …, context=…)`.

        Args:
            customer_id: Who is asking; None for an anonymous caller.
            staff: Whether internal documents may be read.
            ledger: The conversation's evidence; a new one when None.
            question: The customer's words; when empty, those of the run's input.

        Raises:
            BadInput: There is no such customer.
            SourceUnavailable: The records cannot be reached to check it.
        """
        records = self.sources.records
        if customer_id is not None and records is None:
            raise BadInput(
                f"there are no records that could know customer {customer_id!r}; set DESK_DATABASE_URL"
            )
        if customer_id is not None and records is not None and not records.known_customer(customer_id):
            raise BadInput(
                f"there is no customer {customer_id!r}; use an id from your records, or leave it out"
            )
        return DeskContext(
            sources=self.sources,
            customer_id=customer_id,
            audience="internal" if staff else "public",
            ledger=ledger or Ledger(),
            max_searches=self.settings.max_searches,
            question=question,
            words=question,
        )

    def conversation(self, name: str | None = None, customer_id: str | None = None) -> Conversation:
        """A conversation, to be handed to `ask` with each question.

        Args:
            name: Of one that is kept, to begin it or to go on with it; None for one that is forgotten.
            customer_id: Whose it is; the same name is another conversation for somebody else.

        Raises:
            ConfigurationError: Conversations cannot be kept where the settings say.
        """
        if name is None:
            return self._conversations.new()
        return self._conversations.named(name, customer_id)

    def ask_sync(self, question: str, **options: Any) -> Answer:
        """`ask` for a script without an event loop; the same arguments.

        Raises:
            DeskError: Called from inside a running event loop; use `await desk.ask(…)` there.
        """
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.ask(question, **options))
        raise DeskError("an event loop is running here: use `await desk.ask(…)` instead of `ask_sync`")

    async def ask(
        self,
        question: str,
        customer_id: str | None = None,
        staff: bool = False,
        conversation: Conversation | None = None,
        on_step: OnStep | None = None,
    ) -> Answer:
        """Answer one question, with one repair of a draft that fails its grade, or refuse.

        Args:
            question: The customer's words.
            customer_id: Who is asking, from the caller's own login; None for an anonymous caller.
            staff: Whether internal documents may be read.
            conversation: Earlier turns; None for a question on its own.
            on_step: Called with each use of a tool as it ends.

        Raises:
            BadInput: The question is empty or too long, or there is no such customer.
            SourceUnavailable: The model cannot be reached.
        """

        def emit(event: Event) -> None:
            if on_step is not None and isinstance(event, StepRecord):
                on_step(event)

        return await self._turn(question, customer_id, staff, conversation, emit, live=False)

    async def stream(
        self,
        question: str,
        customer_id: str | None = None,
        staff: bool = False,
        conversation: Conversation | None = None,
    ) -> AsyncGenerator[Event, None]:
        """Answer one question, telling of it as it goes; the arguments and errors of `ask`.

        Yields `Searching` and `StepRecord` as tools begin and end, `Sentence` for text that has passed the
        grader together with all that was shown before it, and at last the `Answer`. When a later sentence
        fails, what was shown stays, and the rest is written again or replaced by an honest last line. Leaving
        the stream stops the work.
        """
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        turn = asyncio.create_task(
            self._turn(question, customer_id, staff, conversation, events.put_nowait, live=True)
        )
        turn.add_done_callback(lambda _: events.put_nowait(None))
        try:
            while (event := await events.get()) is not None:
                yield event
            yield await turn
        finally:
            turn.cancel()
            await asyncio.wait([turn])

    async def _turn(
        self,
        question: str,
        customer_id: str | None,
        staff: bool,
        conversation: Conversation | None,
        emit: Emit,
        *,
        live: bool,
    ) -> Answer:
        words = clean_question(question, self.settings.question_limit)
        talk = conversation or Conversation()
        talk.belongs_to(customer_id)
        async with talk.turn() as history:
            context = await asyncio.to_thread(self.context, customer_id, staff, talk.ledger, words)
            account = Account(self._prices, self._limits)
            agent = self.agent.clone(output_guardrails=[])  # the loop grades what would be shown, as a whole
            loop = Loop(
                agent,
                self.run_config,
                self.settings,
                context,
                account,
                emit,
                live=live,
                judge=self._judge,
                helpers=self._helpers,
            )
            with self._recorded(words, talk.id) as ended:
                answer = ended(await loop.answer(history))
            await talk.keep(words, answer)
            return answer

    @contextmanager
    def _recorded(self, words: str, conversation: str) -> Iterator[Callable[[Answer], Answer]]:
        if self._traces is None:
            yield lambda answer: answer
            return
        with self._traces.question(words, conversation) as ended:
            yield ended


def _tools(sources: Sources, seconds: float) -> list[Tool]:
    built = [
        module.build(sources)
        for module, source in (
            (vector_search, sources.documents),
            (sql_lookup, sources.records),
            (graph_query, sources.graph),
            (web_search, sources.web),
        )
        if source is not None
    ]
    return [guarded(tool, Breaker(), seconds) for tool in built]
