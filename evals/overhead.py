"""`python -m evals.overhead`: the desk's own work per question, part by part.

Each question is asked with the extractive model: route (the model choosing tools and composing), retrieve
(the tools) and grade (the grader). `python -m evals.bench loop` sets the loop beside the bare SDK's.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Any

from agents import Model
from agents.items import ModelResponse

from agent import SupportDesk
from agent.answer import Answer
from agent.conversation import Conversation
from agent.grader import grade
from agent.settings import Settings
from demo.build import build
from demo.web_server import serve
from evals.cases import AnswerCase, answer_cases


@dataclass(frozen=True)
class Parts:
    """Milliseconds of one question."""

    total: float
    route: float
    retrieve: float
    grade: float


class _Timed(Model):
    """Passes everything on and adds up the seconds."""

    def __init__(self, inner: Model) -> None:
        self._inner = inner
        self.seconds = 0.0

    async def get_response(self, *args: Any, **options: Any) -> ModelResponse:
        started = time.perf_counter()
        response = await self._inner.get_response(*args, **options)
        self.seconds += time.perf_counter() - started
        return response

    def stream_response(self, *args: Any, **options: Any) -> Any:
        return self._inner.stream_response(*args, **options)


def measure(desk: SupportDesk, case: AnswerCase) -> Parts | None:
    """The parts of one question, or None when it needs no tool or ends without an answer."""
    inner = desk.agent.model
    if not isinstance(inner, Model):
        raise TypeError("the desk has no model of its own")
    timed = _Timed(inner)
    talk = desk.conversation()
    answer, total = _ask(desk, timed, case, talk)
    if answer.status != "answered":
        return None
    started = time.perf_counter()
    grade(answer.text, talk.ledger.citable(), case.question)
    grading = time.perf_counter() - started
    tools = sum(step.seconds for step in answer.steps)
    return Parts(*(round(1000 * seconds, 2) for seconds in (total, timed.seconds, tools, grading)))


def _ask(desk: SupportDesk, model: Model, case: AnswerCase, talk: Conversation) -> tuple[Answer, float]:
    own, desk.agent.model = desk.agent.model, model
    started = time.perf_counter()
    try:
        answer = desk.ask_sync(case.question, customer_id=case.customer, staff=case.staff, conversation=talk)
    finally:
        desk.agent.model = own
    return answer, time.perf_counter() - started


def main(argv: Sequence[str] | None = None) -> None:
    """Print the median and 95th percentile of every part."""
    parser = argparse.ArgumentParser(prog="python -m evals.overhead", description=__doc__)
    parser.add_argument("--questions", type=int, default=20, help="how many of the answer cases to ask")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    cases = [case for case in answer_cases() if case.expect == "answered" and not case.before]
    settings = Settings.load()
    build(settings)
    with serve() as url, SupportDesk.open(settings.model_copy(update={"web_url": url})) as desk:
        measure(desk, cases[0])  # the first question warms what every later one finds warm
        parts = [part for case in cases[: options.questions] if (part := measure(desk, case))]
    report = _report(parts)
    if options.json:
        print(json.dumps(report, indent=2))
        return
    for name, values in report.items():
        print(f"{name:>16}  " + "  ".join(f"{key} {value:g}" for key, value in values.items()))
    if not parts:
        sys.exit("no question was answered")


def _report(parts: Sequence[Parts]) -> dict[str, dict[str, float]]:
    columns = {name: [asdict(part)[name] for part in parts] for name in Parts.__dataclass_fields__}
    return {
        f"{name} ms": {"median": median(values), "p95": round(_p95(values), 2)}
        for name, values in columns.items()
        if values
    }


def _p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1] if len(values) > 1 else values[0]


if __name__ == "__main__":
    main()
