"""What every tool does around its own search: the catalogue in its description, its step, and its failures.

The text of a result begins with a word that the model can act on: `Budget spent:`, `Already searched:`,
`Rejected:` or `Unavailable:`. A source that is down is never told as "nothing found".
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from agents import FunctionTool

from tools.context import SPENT, UNAVAILABLE, DeskContext, Step
from tools.errors import ConfigurationError, DeskError, QueryRejected, SourceUnavailable

if TYPE_CHECKING:
    from agents import RunContextWrapper


@dataclass(frozen=True)
class ToolUse:
    """One use of a tool, from its beginning; whichever way it ends, one step is recorded.

    Attributes:
        desk: The question's context.
        tool: The tool's name.
        arguments: What the model asked for.
        started: When it began, on `time.perf_counter`.
    """

    desk: DeskContext
    tool: str
    arguments: Mapping[str, Any]
    started: float = field(default_factory=time.perf_counter)

    def done(self, found: int, kept: int, best: float | None = None, **more: tuple[Any, ...]) -> None:
        """It searched: how much the source gave and was kept, the best relevance, and more of a `Step`."""
        self._record(found=found, kept=kept, best_score=best, **more)

    def spent(self) -> str:
        """No searches were left."""
        self._record(error=SPENT)
        return "Budget spent: no searches are left. Answer from the evidence, or say what is missing."

    def repeated(self, told: str) -> str:
        """Exactly this was asked before in this turn; `told` is what the model should do instead."""
        self._record(error="already searched")
        return f"Already searched: {told}"

    def rejected(self, reason: str, told: str) -> str:
        """The arguments were refused for `reason`; `told` is what the model should write instead."""
        self._record(error=f"rejected: {reason}")
        return f"Rejected: {told}"

    def unavailable(self, reason: str, told: str) -> str:
        """The source could not be asked for `reason`; `told` is what the model should say."""
        self._record(error=f"{UNAVAILABLE}: {reason}")
        return f"Unavailable: {told}"

    def failed(self, error: DeskError, not_set_up: str) -> str:
        """The source failed or refused; `not_set_up` is told where it was never made ready.

        Raises:
            DeskError: The error is none that a source gives.
        """
        if isinstance(error, QueryRejected):
            return self.rejected(str(error), f"{error}.")
        if isinstance(error, SourceUnavailable):
            told = f"{error}. Say that it could not be reached, not that nothing was found."
            return self.unavailable(error.reason, told)
        if isinstance(error, ConfigurationError):
            return self.unavailable(str(error), not_set_up)
        raise error

    def _record(self, **outcome: Any) -> None:
        seconds = time.perf_counter() - self.started
        self.desk.record(Step(self.tool, self.arguments, seconds=seconds, started=self.started, **outcome))


def customer_words(ctx: RunContextWrapper[DeskContext]) -> str:
    """What the customer wrote, never a rewriting of it."""
    return ctx.context.words or customer_question(ctx)


def customer_question(ctx: RunContextWrapper[DeskContext]) -> str:
    """What is asked: the desk's question, or in a plain run the last message of the run's input."""
    if ctx.context.question:
        return ctx.context.question
    for item in reversed(ctx.turn_input):
        if isinstance(item, dict) and item.get("role") == "user":
            return str(item.get("content", ""))
    return ""


@dataclass
class DescribedTool(FunctionTool):
    """A tool over a source that holds too much to tell all of it to everybody.

    Attributes:
        describe: Gives the description for a question; `description` is that for none.
    """

    describe: Callable[[str], str] | None = field(default=None, kw_only=True)

    def for_question(self, question: str) -> FunctionTool:
        """The tool, described for this question."""
        return self if self.describe is None else replace(self, description=self.describe(question))


def with_catalogue(tool: FunctionTool, catalogue: Callable[[], str | Callable[[str], str]]) -> FunctionTool:
    """The tool, its description followed by what the live source holds, or by what of it fits a question.

    A source that is down does not keep the desk from opening: the tool itself will say why.
    """
    try:
        told = catalogue()
    except (SourceUnavailable, ConfigurationError):
        told = "What there is could not be read just now."
    prose = tool.description
    if isinstance(told, str):
        return replace(tool, description=f"{prose}\n\n{told}".rstrip())

    def describe(question: str) -> str:
        return f"{prose}\n\n{told(question)}".rstrip()

    given = {one.name: getattr(tool, one.name) for one in fields(tool)}
    return DescribedTool(**{**given, "description": describe("")}, describe=describe)
