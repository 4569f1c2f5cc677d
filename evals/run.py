"""`python -m evals.run`: routing, answers, refusals and citations of the desk over the demo company."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import Evaluator, EvaluatorContext
from rich.console import Console
from rich.table import Table

from agent import SupportDesk
from agent.answer import Answer
from agent.settings import Settings
from demo.build import build
from demo.web_server import serve
from evals import scorers
from evals.cases import AnswerCase, RoutingCase, answer_cases, routing_cases
from tools.context import SOURCE_OF_TOOL

EvalCase = RoutingCase | AnswerCase


@dataclass
class _Right(Evaluator[EvalCase, Answer, None]):
    """Whether the case came out right."""

    def evaluate(self, ctx: EvaluatorContext[EvalCase, Answer, None]) -> dict[str, bool]:
        case, answer = ctx.inputs, ctx.output
        right = {}
        if case.tools is not None:
            right["routed"] = scorers.routed(case.tools, answer)
        if isinstance(case, AnswerCase):
            right["answered"] = scorers.facts_right(case, answer)
        return right


@dataclass(frozen=True)
class Scores:
    """One row of the report; every share is in [0, 1], None where there is nothing to count."""

    cases: int
    routing: float | None
    routing_reached: float | None
    answers: float | None
    refusal_precision: float | None
    refusal_recall: float | None
    citation_precision: float | None
    forbidden_facts: int
    unsupported_released: int
    model_calls: float | None
    seconds: float | None


Results = Sequence[tuple[EvalCase, Answer]]


def score(results: Results) -> Scores:
    """The numbers over these results."""
    routing = [(case.tools, answer) for case, answer in results if case.tools is not None]
    answers = [(case, answer) for case, answer in results if isinstance(case, AnswerCase)]
    refused = [case.expect == "refused" for case, answer in answers if answer.status == "refused"]
    wanted = [answer.status == "refused" for case, answer in answers if case.expect == "refused"]
    points = [scorers.pointing_right(case, answer) for case, answer in answers]
    pointed = sum(total for _, total in points)
    return Scores(
        cases=len(results),
        routing=_share(scorers.routed(tools, answer) for tools, answer in routing),
        routing_reached=_share(scorers.reached(tools, answer) for tools, answer in routing),
        answers=_share(scorers.facts_right(case, answer) for case, answer in answers),
        refusal_precision=_share(refused),
        refusal_recall=_share(wanted),
        citation_precision=sum(right for right, _ in points) / pointed if pointed else None,
        forbidden_facts=sum(scorers.says_forbidden(case, answer) for case, answer in answers),
        unsupported_released=sum(not scorers.all_supported(answer) for _, answer in results),
        model_calls=mean(answer.usage.model_calls for _, answer in results) if results else None,
        seconds=mean(answer.usage.seconds for _, answer in results) if results else None,
    )


def run(desk: SupportDesk, cases: Sequence[EvalCase]) -> list[tuple[EvalCase, Answer]]:
    """Ask every question, each in a conversation of its own, one after the other."""

    async def ask(case: EvalCase) -> Answer:
        talk = desk.conversation()
        for earlier in case.before:
            await desk.ask(earlier, customer_id=case.customer, staff=case.staff, conversation=talk)
        return await desk.ask(case.question, customer_id=case.customer, staff=case.staff, conversation=talk)

    dataset = Dataset[EvalCase, Answer, None](
        name="demo company",
        cases=[Case(name=case.id, inputs=case) for case in cases],
        evaluators=[_Right()],
    )
    report = dataset.evaluate_sync(ask, max_concurrency=1, progress=sys.stderr.isatty())
    if report.failures:
        raise RuntimeError(f"{report.failures[0].name}: {report.failures[0].error_message}")
    return [(case.inputs, case.output) for case in report.cases]


def main(argv: Sequence[str] | None = None) -> None:
    """Build the demo company where it is missing, run the cases and print the report."""
    parser = argparse.ArgumentParser(prog="python -m evals.run", description=__doc__)
    parser.add_argument("--only", choices=["tuning", "held-out"], help="one part of the cases")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--failures", action="store_true", help="list what went wrong (never the held-out part)"
    )
    options = parser.parse_args(argv)
    cases: list[EvalCase] = [*routing_cases(), *answer_cases()]
    if options.only:
        cases = [case for case in cases if case.held_out == (options.only == "held-out")]
    settings = Settings.load()
    build(settings)
    with serve() as url, SupportDesk.open(settings.model_copy(update={"web_url": url})) as desk:
        results = run(desk, cases)
    parts = {
        "tuning": [pair for pair in results if not pair[0].held_out],
        "held-out": [pair for pair in results if pair[0].held_out],
    }
    if options.json:
        print(json.dumps({name: asdict(score(part)) for name, part in parts.items() if part}, indent=2))
        return
    console = Console()
    console.print(_table({name: score(part) for name, part in parts.items() if part}))
    console.print(_confusion(results))
    if options.failures:
        _print_failures(console, parts["tuning"])


def _share(flags: Iterable[bool]) -> float | None:
    values = list(flags)
    return sum(values) / len(values) if values else None


def _table(rows: dict[str, Scores]) -> Table:
    table = Table(title="The desk over the demo company")
    table.add_column("measure")
    for name in rows:
        table.add_column(name, justify="right")
    for measure in asdict(next(iter(rows.values()))):
        shown = (getattr(row, measure) for row in rows.values())
        table.add_row(
            measure.replace("_", " "),
            *("-" if v is None else str(v) if isinstance(v, int) else f"{v:.3f}" for v in shown),
        )
    return table


def _confusion(results: Results) -> Table:
    counts: Counter[tuple[str, str]] = Counter()
    for case, answer in results:
        if case.tools is not None:
            counts[_name(sorted(case.tools)), _name(scorers.first_choice(case.tools, answer))] += 1
    columns = sorted({chosen for _, chosen in counts})
    table = Table(title="Routing: expected (rows) against tried first (columns)")
    table.add_column("")
    for column in columns:
        table.add_column(column, justify="right")
    for expected in sorted({expected for expected, _ in counts}):
        table.add_row(expected, *(str(counts[expected, column] or "·") for column in columns))
    return table


def _name(tools: Iterable[str]) -> str:
    """The sources of the tools, short enough for a column."""
    return " ".join(SOURCE_OF_TOOL.get(tool, tool) for tool in tools) or "none"


def _print_failures(console: Console, results: Results) -> None:
    for case, answer in results:
        if case.tools is not None and not scorers.routed(case.tools, answer):
            tried = _name(step.tool for step in answer.steps)
            console.print(f"[red]{case.id}[/] {case.question!r}: wanted {_name(case.tools)}, tried {tried}")
        if isinstance(case, AnswerCase) and not scorers.facts_right(case, answer):
            console.print(f"[red]{case.id}[/] {case.question!r}: {answer.status}: {answer.text[:300]!r}")


if __name__ == "__main__":
    main()
