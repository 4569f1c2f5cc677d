"""The desk: opens the sources, builds the SDK agent, and runs the loop of draft, grade and repair."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import datetime
from typing import Any, cast

import agents
from agents import (
    Agent,
    Model,
    OutputGuardrailTripwireTriggered,
    RunConfig,
    RunContextWrapper,
    RunHooks,
    Runner,
    Tool,
)
from agents.exceptions import MaxTurnsExceeded, ModelBehaviorError, ModelRefusalError, ModelTimeoutError
from agents.items import TResponseInputItem

import instructions
from agent.answer import Answer, Usage
from agent.conversation import Conversation
from agent.grader import Grade
from agent.grader.feedback import repair_message
from agent.grader.guardrail import grade_guardrail
from agent.models import open_model
from agent.models.failures import model_failure
from agent.question import clean_question
from agent.release import graded_claims, not_found_reason, refuse, release
from agent.settings import Settings
from agent.sources import open_embedder, open_sources
from tools import graph_query, sql_lookup, vector_search, web_search
from tools.context import DeskContext, Sources, Step
from tools.errors import BadInput, DeskError, SourceUnavailable
from tools.evidence import Ledger

OnStep = Callable[[Step], None]

# Without a handler of the application's the SDK's remarks would go to standard error beside our own line.
logging.getLogger("openai.agents").addHandler(logging.NullHandler())


class SupportDesk:
    """A support desk over opened sources. Use as a context manager, or call `close`."""

    def __init__(self, settings: Settings, sources: Sources, model: Model) -> None:
        self.settings = settings
        self.sources = sources
        self.agent: Agent[DeskContext] = Agent(
            name="Support desk",
            instructions=_instructions,
            model=model,
            tools=_tools(sources),
            output_guardrails=[grade_guardrail],
        )
        # No trace leaves the machine; an invented tool name is told to the model and does not end the run.
        self.run_config = RunConfig(
            tracing_disabled=True,
            trace_include_sensitive_data=False,
            tool_not_found_behavior="return_error_to_model",
        )

    @classmethod
    def open(cls, settings: Settings | None = None) -> SupportDesk:
        """Open the sources and the model that the settings name.

        Raises:
            ConfigurationError: A setting is wrong; the line names it.
            SourceUnavailable: A source that is needed to start cannot be opened.
        """
        chosen = settings or Settings.load()
        agents.set_tracing_disabled(True)
        sources = open_sources(chosen)
        documents = sources.documents
        return cls(
            chosen,
            sources,
            open_model(chosen, lambda: documents.embedder if documents else open_embedder(chosen)),
        )

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
        if customer_id is not None and (records is None or not records.known_customer(customer_id)):
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
        )

    def conversation(self) -> Conversation:
        """A new conversation, to be handed to `ask` with each question."""
        return Conversation()

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
        words = clean_question(question, self.settings.question_limit)
        talk = conversation or Conversation()
        async with talk.turn():
            context = await asyncio.to_thread(self.context, customer_id, staff, talk.ledger, words)
            answer = await self._bounded(talk.turns, context, on_step)
            talk.keep(words, answer)
            return answer

    async def _bounded(
        self, history: list[TResponseInputItem], context: DeskContext, on_step: OnStep | None
    ) -> Answer:
        started = time.perf_counter()
        run: RunContextWrapper[DeskContext] = RunContextWrapper(context=context)
        question: TResponseInputItem = {"role": "user", "content": context.question}

        def usage() -> Usage:
            return Usage(
                model_calls=run.usage.requests,
                input_tokens=run.usage.input_tokens,
                output_tokens=run.usage.output_tokens,
                seconds=round(time.perf_counter() - started, 4),
            )

        try:
            async with asyncio.timeout(self.settings.max_seconds):
                draft, grade = await self._draft([*history, question], run, on_step)
        except (TimeoutError, MaxTurnsExceeded):
            return refuse("budget", context, usage())
        except (ModelBehaviorError, ModelRefusalError):
            return refuse("unsupported", context, usage())
        if grade.passed:
            return release(draft, grade, context, usage())
        claims = graded_claims(grade)
        nothing_seen = not context.ledger.citable() and not_found_reason(context.steps) == "unavailable"
        return refuse("unavailable" if nothing_seen else "unsupported", context, usage(), claims=claims)

    async def _draft(
        self, items: list[TResponseInputItem], run: RunContextWrapper[DeskContext], on_step: OnStep | None
    ) -> tuple[str, Grade]:
        """The draft and its grade, after at most one repair."""
        hooks = _StepHooks(on_step)
        try:
            return await self._run(items, run, hooks)
        except OutputGuardrailTripwireTriggered as trip:
            grade = _grade_of(trip.guardrail_result.output.output_info)
            data = trip.run_data
            made = [item.to_input_item() for item in data.new_items] if data else []
            note: TResponseInputItem = {"role": "developer", "content": repair_message(grade)}
        try:
            return await self._run([*items, *made, note], run, hooks)
        except OutputGuardrailTripwireTriggered as trip:
            return "", _grade_of(trip.guardrail_result.output.output_info)

    async def _run(
        self,
        items: list[TResponseInputItem],
        run: RunContextWrapper[DeskContext],
        hooks: RunHooks[DeskContext],
    ) -> tuple[str, Grade]:
        try:
            result = await Runner.run(
                self.agent,
                items,
                context=cast("DeskContext", run),  # a wrapper is taken as it is, and adds up the usage
                max_turns=self.settings.max_turns,
                hooks=hooks,
                run_config=self.run_config,
            )
        except ModelTimeoutError as error:
            raise SourceUnavailable("model", str(error)) from error
        except Exception as error:
            raise model_failure(error) or error from error
        grades = [_grade_of(done.output.output_info) for done in result.output_guardrail_results]
        if not grades:  # an answer that was not graded is never shown
            raise ModelBehaviorError("the draft was not graded")
        return str(result.final_output), grades[0]


class _StepHooks(RunHooks[DeskContext]):
    """Tells the caller of each tool's step as it ends."""

    def __init__(self, on_step: OnStep | None) -> None:
        self._on_step = on_step
        self._told = 0

    async def on_tool_end(self, context: Any, agent: Any, tool: Tool, result: object) -> None:  # noqa: ARG002
        steps = context.context.steps
        if self._on_step:
            for step in steps[self._told :]:
                self._on_step(step)
        self._told = len(steps)


def _instructions(run: RunContextWrapper[DeskContext], _agent: Agent[DeskContext]) -> str:
    context = run.context
    asking = (
        "a signed-in customer" if context.customer_id else "not signed in: no personal records can be seen"
    )
    prompt = instructions.read("support_desk")
    return f"{prompt}\nToday is {_day(context.clock())}. The person asking is {asking}.\n"


def _day(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B %Y}"


def _tools(sources: Sources) -> list[Tool]:
    built: list[Tool] = []
    if sources.documents is not None:
        built.append(vector_search.build(sources))
    if sources.records is not None:
        built.append(sql_lookup.build(sources))
    if sources.graph is not None:
        built.append(graph_query.build(sources))
    if sources.web is not None:
        built.append(web_search.build(sources))
    return built


def _grade_of(info: Any) -> Grade:
    grade = info.get("grade") if isinstance(info, dict) else None
    if not isinstance(grade, Grade):
        raise ModelBehaviorError("the grader gave no grade")
    return grade
