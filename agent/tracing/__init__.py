"""Traces: one JSON line per question, in a file of the desk's home, and OpenTelemetry where it is wanted.

Nothing personal is in either unless DESK_TRACE_CONTENT is on: no question, answer, prompt, argument or row,
but how long what took, which tools were used, how much they found, and what the grader said.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import agents
from agents import custom_span, trace
from agents.tracing import get_current_trace

from agent.answer import Answer, StepRecord
from agent.grader import Grade
from agent.settings import TRACE_FILE, Settings
from agent.tracing.recorder import CONTENT, FILE, Recorder
from tools.errors import ConfigurationError

_installed = threading.Lock()
_recorder: Recorder | None = None
_otel = False


class Traces:
    """Records a desk's questions.

    Args:
        file: Where the lines go.
        model: The name of the model that answers.
        content: Whether they hold the question, the answer, prompts, arguments and results too.
    """

    def __init__(self, file: Path, model: str, *, content: bool = False) -> None:
        self.file = file
        self.model = model
        self.content = content

    @contextmanager
    def question(self, words: str, conversation: str) -> Iterator[Callable[[Answer], Answer]]:
        """Record what happens in here as one question; the function takes its answer, and gives it an id."""
        metadata = {FILE: str(self.file), CONTENT: self.content}
        with trace("question", group_id=conversation, metadata=metadata) as current:

            def ended(answer: Answer) -> Answer:
                told = answer.model_copy(update={"trace_id": current.trace_id})
                outcome = {"model": self.model, **_outcome(told, words if self.content else None)}
                with custom_span("answer", outcome):
                    return told

            yield ended


@contextmanager
def graded(attempt: int) -> Iterator[Callable[[Grade], Grade]]:
    """Record the grading of a draft, where questions are recorded; the function takes the grade."""
    if get_current_trace() is None:
        yield lambda grade: grade
        return
    data: dict[str, Any] = {"attempt": attempt}
    with custom_span("grade", data):

        def ended(grade: Grade) -> Grade:
            verdicts = [claim.verdict for claim in grade.claims]
            bad = {verdict: verdicts.count(verdict) for verdict in verdicts if verdict != "supported"}
            data.update(passed=grade.passed, claims=len(verdicts), bad=bad)
            return grade

        yield ended


def open_traces(settings: Settings, home: Path) -> Traces | None:
    """Where a desk with these settings records its questions; None when it does not.

    Raises:
        ConfigurationError: OpenTelemetry is wanted and not installed.
    """
    if not (settings.traces or settings.otel):
        agents.set_tracing_disabled(True)  # or the SDK sends them to OpenAI
        return None
    install(otel=settings.otel, content=settings.trace_content)
    return Traces(home / TRACE_FILE, settings.chosen_model, content=settings.trace_content)


def install(*, otel: bool, content: bool) -> None:
    """Make the SDK hand its traces to the recorder, and to OpenTelemetry when `otel`; to nobody else.

    The SDK has one list of processors for the whole process: those that others have added before are
    replaced, its own, which sends everything to OpenAI, too. Later calls change nothing.

    Raises:
        ConfigurationError: OpenTelemetry is wanted and not installed.
    """
    global _recorder, _otel
    with _installed:
        agents.set_tracing_disabled(False)
        if _recorder is None:
            _recorder = Recorder()
            agents.set_trace_processors([_recorder])
        if otel and not _otel:
            _instrument(content)
            _otel = True


def _instrument(content: bool) -> None:
    try:
        from openinference.instrumentation import TraceConfig
        from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor
    except ImportError:
        raise ConfigurationError("DESK_OTEL: needs `pip install citedesk[otel]`") from None
    config = (
        TraceConfig() if content else TraceConfig(hide_inputs=True, hide_outputs=True, hide_llm_tools=True)
    )
    OpenAIAgentsInstrumentor().instrument(exclusive_processor=False, config=config)


def _outcome(answer: Answer, question: str | None) -> dict[str, Any]:
    told: dict[str, Any] = {
        "status": answer.status,
        "reason": answer.refusal.reason if answer.refusal else answer.incomplete,
        "claims": len(answer.claims),
        "citations": len(answer.citations),
        "steps": [_step(step, content=question is not None) for step in answer.steps],
        "usage": answer.usage.model_dump(),
    }
    if question is not None:
        told |= {"question": question, "text": answer.text}
    return told


def _step(step: StepRecord, *, content: bool) -> dict[str, Any]:
    told: dict[str, Any] = {
        "tool": step.tool,
        "found": step.found,
        "kept": step.kept,
        "best_score": step.best_score,
        "seconds": round(step.seconds, 4),
        # What follows the colon can quote what was asked.
        "error": step.error if content or step.error is None else step.error.partition(":")[0],
    }
    return told | ({"arguments": dict(step.arguments)} if content else {})


__all__: Sequence[str] = ("Traces", "graded", "install", "open_traces")
