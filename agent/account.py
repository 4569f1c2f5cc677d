"""What one question has cost so far, and the bounds that it may not pass."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from agent.answer import Usage
from agent.prices import PriceTable
from tools.errors import DeskError

if TYPE_CHECKING:
    from agents.usage import Usage as SdkUsage

Stage = Literal["model", "tools", "grade"]


class BudgetSpent(DeskError):
    """A bound of the question was reached. The message names the setting."""


@dataclass(frozen=True)
class Limits:
    """The bounds of one question; None where there is none.

    Attributes:
        tool_calls: Uses of tools that the model may ask for, whether they are carried out or not.
        tokens: Sent and made, all model calls together.
        cost: Money, in the price table's currency.
    """

    tool_calls: int | None = None
    tokens: int | None = None
    cost: float | None = None


@dataclass
class Account:
    """Adds up the model calls of one question. Not for several threads: it lives in one event loop."""

    prices: PriceTable
    limits: Limits = field(default_factory=Limits)
    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    stages: dict[Stage, float] = field(default_factory=dict)
    started: float = field(default_factory=time.perf_counter)

    def begin_call(self) -> None:
        """A model is about to be asked.

        Raises:
            BudgetSpent: The tokens or the money are used up.
        """
        tokens = self.input_tokens + self.output_tokens
        if self.limits.tokens is not None and tokens >= self.limits.tokens:
            raise BudgetSpent(f"the question has used {tokens} tokens; see DESK_MAX_TOKENS")
        if self.limits.cost is not None and (self.cost is None or self.cost >= self.limits.cost):
            raise BudgetSpent("the question has used its money; see DESK_MAX_COST")
        self.model_calls += 1

    def add(self, model: str, usage: SdkUsage) -> None:
        """A model has answered, at this usage."""
        cached = usage.input_tokens_details.cached_tokens or 0 if usage.input_tokens_details else 0
        self.input_tokens += usage.input_tokens
        self.cached_input_tokens += cached
        self.output_tokens += usage.output_tokens
        price = self.prices.cost(model, usage.input_tokens, cached, usage.output_tokens)
        self.cost = None if price is None or self.cost is None else self.cost + price

    def ask_for_tools(self, count: int) -> None:
        """The model asks for this many uses of tools at once.

        Raises:
            BudgetSpent: That is more than are left.
        """
        self.tool_calls += count
        if self.limits.tool_calls is not None and self.tool_calls > self.limits.tool_calls:
            raise BudgetSpent(
                f"the model has asked for {self.tool_calls} uses of tools; see DESK_MAX_TOOL_CALLS"
            )

    @contextmanager
    def timed(self, stage: Stage) -> Iterator[None]:
        """Add the seconds in here to a stage."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.spend(stage, time.perf_counter() - begun)

    def spend(self, stage: Stage, seconds: float) -> None:
        """Add seconds to a stage."""
        self.stages[stage] = self.stages.get(stage, 0.0) + seconds

    def usage(self) -> Usage:
        """All of it so far, as a caller gets it."""
        return Usage(
            model_calls=self.model_calls,
            input_tokens=self.input_tokens,
            cached_input_tokens=self.cached_input_tokens,
            output_tokens=self.output_tokens,
            cost=None if self.cost is None else round(self.cost, 6),
            currency=self.prices.currency,
            seconds=round(time.perf_counter() - self.started, 4),
            stages={stage: round(seconds, 4) for stage, seconds in self.stages.items()},
        )
