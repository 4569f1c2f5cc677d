"""The loop of one question: draft, grade, one repair, and an answer or an honest refusal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from agents import Agent, RunConfig, RunContextWrapper, Runner
from agents.exceptions import (
    MaxTurnsExceeded,
    ModelBehaviorError,
    ModelRefusalError,
    ModelTimeoutError,
)
from agents.items import TResponseInputItem

from agent.account import Account, BudgetSpent
from agent.answer import Answer, Event, RefusalReason, Sentence
from agent.grader import Grade
from agent.grader.complete import completed
from agent.grader.feedback import repair_message
from agent.grader.guardrail import grade_draft
from agent.grader.second_judge import SecondJudge
from agent.grader.trim import trimmed
from agent.hooks import QuestionHooks
from agent.live import LiveDraft
from agent.models.failures import BrokenOff, Declined, model_failure
from agent.models.helpers import Help, Helpers
from agent.release import conclude, graded_claims, not_found_reason, refuse, release
from agent.settings import Settings
from agent.tracing import graded
from tools.context import DeskContext
from tools.errors import SourceUnavailable
from tools.evidence import note

Emit = Callable[[Event], None]

_ALREADY_READ = """\
The customer has already read what follows, and it stays. Write only what is still missing, with its ids, and
repeat nothing of it:
{said}"""


@dataclass(frozen=True)
class _Attempt:
    """One run of the agent: the text that would stand, its grade, and what the run added to the input.

    The grade is None when the model's answer broke off; `note` is what the writer should know of it.
    """

    text: str
    grade: Grade | None
    made: list[TResponseInputItem]
    note: str


class Loop:
    """Carries one question to its answer.

    Args:
        agent: The SDK agent; its output guardrails are not needed here, since each draft is graded.
        run_config: How the SDK runs it.
        settings: The bounds.
        context: The question's context.
        account: What it costs.
        emit: Told of each event but the answer.
        live: Whether sentences are shown while the draft is written.
        judge: Asked about what the grader cannot decide; None when there is none.
        helpers: Asked for help with the documents and with follow-ups.
    """

    def __init__(
        self,
        agent: Agent[DeskContext],
        run_config: RunConfig,
        settings: Settings,
        context: DeskContext,
        account: Account,
        emit: Emit,
        *,
        live: bool,
        judge: SecondJudge | None = None,
        helpers: Helpers | None = None,
    ) -> None:
        self._agent = agent
        self._run_config = run_config
        self._settings = settings
        self._context = context
        self._account = account
        self._emit = emit
        self._live = live
        self._judge = judge
        self._helpers = helpers
        self._help: Help | None = None
        self._draft = LiveDraft(self._grade)
        self._run: RunContextWrapper[DeskContext] = RunContextWrapper(context=context)
        self._hooks = QuestionHooks(context, account, settings.chosen_model, emit)
        self._judged = QuestionHooks(context, account, settings.chosen_judge or "", emit)

    async def answer(self, history: Sequence[TResponseInputItem]) -> Answer:
        """The answer to the context's question, after these earlier turns.

        Raises:
            SourceUnavailable: The model cannot be reached, and nothing was shown yet.
        """
        try:
            async with asyncio.timeout(self._settings.max_seconds):
                attempt = await self._attempts(await self._items(history))
        except (TimeoutError, MaxTurnsExceeded, BudgetSpent):
            return self._without("budget")
        except (ModelRefusalError, Declined):
            return self._without("declined")
        except (ModelBehaviorError, BrokenOff):
            return self._without("unsupported")
        except SourceUnavailable:
            if not self._draft.said:
                raise
            return self._without("unavailable")
        finally:
            if self._help is not None:
                self._help.close()
        if attempt.grade is not None and attempt.grade.passed:
            text, grade = self._completed(attempt.text, attempt.grade)
            answer = release(text, grade, self._context, self._account.usage())
            self._show(answer.text if answer.status == "refused" else self._draft.show(text))
            return answer
        if attempt.grade is not None and self._settings.policy == "trim":
            rest = self._trimmed(attempt.text, attempt.grade)
            if rest is not None:
                return rest
        nothing_seen = not self._context.ledger.citable()
        down = nothing_seen and not_found_reason(self._context.steps) == "unavailable"
        return self._without("unavailable" if down else "unsupported", attempt.grade)

    async def _items(self, history: Sequence[TResponseInputItem]) -> list[TResponseInputItem]:
        """The input of the run; tools and grader get a follow-up as a question that stands alone."""
        words = self._context.question
        if self._helpers is not None:
            earlier = [str(item.get("content")) for item in history if item.get("role")]
            rewriting = self._counting(self._settings.rewrite_model)
            self._context.question = await self._helpers.stand_alone(words, earlier, rewriting) or words
            grading = self._counting(self._settings.relevance_model)
            self._help = self._helpers.for_question(relevance=grading, rewrite=rewriting)
            self._context.help = self._help
        return [*history, {"role": "user", "content": words}]

    def _counting(self, model: str | None) -> QuestionHooks:
        return QuestionHooks(self._context, self._account, model or "", self._emit)

    async def _attempts(self, items: list[TResponseInputItem]) -> _Attempt:
        """The first draft, or the second where the first does not pass."""
        first = await self._attempt(items)
        if first.grade is not None and first.grade.passed:
            return first
        told = first.note
        if self._draft.said:
            told = f"{told}\n{_ALREADY_READ.format(said=note(self._draft.said))}"
        return await self._attempt([*items, *first.made, {"role": "developer", "content": told}], last=True)

    async def _attempt(self, items: list[TResponseInputItem], *, last: bool = False) -> _Attempt:
        run = self._run_live if self._live else self._run_whole
        self._draft.begin()
        made: list[TResponseInputItem] = []
        try:
            message = await run(items, made)
        except ModelTimeoutError as error:
            raise SourceUnavailable("model", str(error)) from error
        except BrokenOff as broken:
            if last:
                raise
            return _Attempt("", None, made, str(broken))
        except Exception as error:
            failure = error if isinstance(error, SourceUnavailable) else model_failure(error)
            if failure is not None and self._draft.began and not last:
                return _Attempt("", None, made, "Your answer broke off. Write it again.")
            raise failure or error from error
        with graded(2 if last else 1) as ended:
            text, grade = self._draft.finish(message)
            if self._judge is not None and not grade.passed:
                evidence = self._context.ledger.citable()
                grade = await self._judge.review(grade, evidence, self._context.question, self._judged)
            ended(grade)
        return _Attempt(text, grade, made, repair_message(grade))

    async def _run_whole(self, items: list[TResponseInputItem], made: list[TResponseInputItem]) -> str:
        result = await Runner.run(
            self._agent,
            items,
            context=cast("DeskContext", self._run),  # a wrapper is taken as it is, and adds up the usage
            max_turns=self._settings.max_turns,
            hooks=self._hooks,
            run_config=self._run_config,
        )
        made += [item.to_input_item() for item in result.new_items]
        return str(result.final_output)

    async def _run_live(self, items: list[TResponseInputItem], made: list[TResponseInputItem]) -> str:
        result = Runner.run_streamed(
            self._agent,
            items,
            context=cast("DeskContext", self._run),
            max_turns=self._settings.max_turns,
            hooks=self._hooks,
            run_config=self._run_config,
        )
        try:
            async for event in result.stream_events():
                if event.type == "raw_response_event":
                    self._take(event.data)
        finally:
            if not result.is_complete:
                result.cancel()
            made += [item.to_input_item() for item in result.new_items]
        task = asyncio.current_task()
        if task is not None and task.cancelling():  # the SDK can end its stream there as if it were whole
            raise asyncio.CancelledError
        return str(result.final_output)

    def _take(self, event: Any) -> None:
        """One event of the model's stream: only the text of a message matters here."""
        if event.type == "response.output_item.added" and event.item.type == "message":
            self._draft.begin()
        elif event.type == "response.output_text.delta":
            self._show(self._draft.feed(event.delta))
            if self._draft.too_long:
                raise ModelBehaviorError("the draft is longer than any that could pass")

    def _grade(self, text: str) -> Grade:
        with self._account.timed("grade"):
            return grade_draft(text, self._context, self._context.question)

    def _show(self, text: str) -> None:
        if text:
            self._emit(Sentence(text=text))

    def _completed(self, text: str, grade: Grade) -> tuple[str, Grade]:
        """A draft that has passed, with what it leaves out in silence; as it is where that fails."""
        whole = completed(text, grade, self._context.ledger.citable(), self._draft.said)
        if not grade.claims or whole == text.strip():
            return text, grade
        again = self._grade(whole)
        return (whole, again) if again.passed else (text, grade)

    def _trimmed(self, draft: str, grade: Grade) -> Answer | None:
        """What is left of a draft without the claims that failed, if it passes, with an honest last line."""
        rest = trimmed(draft, grade, self._context.question)
        whole = conclude(rest) if rest is not None else ""
        left = self._grade(whole)
        if rest is None or not left.passed or not left.claims or not whole.startswith(self._draft.said):
            return None
        answer = release(whole, left, self._context, self._account.usage(), incomplete="unsupported")
        self._show(self._draft.show(whole))
        return answer

    def _without(self, reason: RefusalReason, grade: Grade | None = None) -> Answer:
        """The end without a draft that passes: what was shown and an honest last line, or a refusal."""
        usage = self._account.usage()
        if self._draft.said:
            whole = conclude(self._draft.said)
            answer = release(whole, self._grade(whole), self._context, usage, incomplete=reason)
            self._show(self._draft.show(whole))
            return answer
        claims = graded_claims(grade) if grade is not None else ()
        answer = refuse(reason, self._context, usage, claims=claims)
        self._show(answer.text)
        return answer
