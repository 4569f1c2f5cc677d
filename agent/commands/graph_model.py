"""`desk graph build --model`: a language model reads passages for the graph, its cost told first."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent.commands.screen import complain, err
from agent.models.asking import asking
from agent.prices import PriceTable, load_prices
from agent.settings import Settings
from tools.errors import BadInput

if TYPE_CHECKING:
    from tools.ingest.graph_build import Builder, Built
    from tools.ingest.graph_model import Estimate, Room, Spent


@dataclass(frozen=True)
class Budget:
    """What a model's tokens cost, and the most that may be spent.

    Attributes:
        model: Its name in the price table.
        limit: In the table's currency; None for no limit.
        yes: Whether to start without asking.
    """

    model: str
    prices: PriceTable
    limit: float | None
    yes: bool

    @classmethod
    def of(cls, settings: Settings, limit: float | None, yes: bool) -> Budget:
        """For the model that reads passages.

        Raises:
            BadInput: A limit is set, and the model has no price.
        """
        prices = load_prices(settings.prices)
        model = settings.chosen_extraction_model or settings.chosen_model
        if limit is not None and not prices.knows(model):
            raise BadInput(f"--max-cost: {model} has no price; give it one in DESK_PRICES")
        return cls(model, prices, limit, yes)

    def cost(self, sent: int, got: int) -> float | None:
        """What so many tokens cost; None where there is no price."""
        return self.prices.cost(self.model, sent, 0, got)

    def money(self, sent: int, got: int) -> str:
        """The same in words."""
        cost = self.cost(sent, got)
        return "no price is known for it" if cost is None else f"{cost:.4f} {self.prices.currency}"

    def room_after(self, before: float) -> Room:
        """How many tokens may be made once `before` was spent already; see `graph_model.Room`."""

        def room(sent: int, got: int) -> int | None:
            if self.limit is None:
                return None
            left = self.limit - before - (self.cost(sent, got) or 0.0)
            each = self.cost(0, 1)
            return sys.maxsize if not each else max(0, int(left / each))

        return room


@dataclass(frozen=True)
class ModelRead:
    """What a model read for one graph file, what it cost, and what was built with it."""

    spent: Spent
    cost: float | None
    built: Built


def read_with_model(
    builders: Sequence[Builder], settings: Settings, budget: Budget, progress: Callable[[str], None]
) -> list[ModelRead]:
    """Tell the cost, ask unless `yes`, and read; empty when it is not wanted.

    Raises:
        ConfigurationError: No language model is configured.
        BadInput: There is nobody to ask.
        SourceUnavailable: The model or a store cannot be reached; what was read before that is kept.
    """
    done: list[ModelRead] = []
    with asking(settings, "graph_edges") as ask:
        if not wanted([one.estimate_model() for one in builders], budget):
            return done
        for builder in builders:
            before = sum(one.cost or 0.0 for one in done)
            spent, built = builder.read_with_model(ask, budget.room_after(before), progress)
            done.append(ModelRead(spent, budget.cost(spent.input_tokens, spent.output_tokens), built))
    return done


def told(read: ModelRead, budget: Budget) -> str:
    """What was read, in words."""
    spent = read.spent
    cost = budget.money(spent.input_tokens, spent.output_tokens)
    tokens = f"{spent.input_tokens} tokens in and {spent.output_tokens} out, {cost}"
    return f"{spent.passages} passages read by {budget.model}, {spent.left} left; {tokens}"


def wanted(ahead: Sequence[Estimate], budget: Budget, what: str = "passages") -> bool:
    """Tell what it will take, on standard error, and ask whether to start, unless `yes` is said."""
    passages, calls, sent, got = (
        sum(getattr(one, name) for one in ahead)
        for name in ("passages", "calls", "input_tokens", "output_tokens")
    )
    cap = "" if budget.limit is None else f", and no more than {budget.limit:g}"
    tokens = f"about {sent} tokens in and {got} out"
    line = f"{passages} {what} in {calls} calls of {budget.model}, {tokens}: {budget.money(sent, got)}{cap}"
    err().print(line, markup=False)
    if budget.yes or not passages:
        return True
    if not sys.stdin.isatty():
        raise BadInput("say --yes to start without being asked")
    if input("Start? [y/N] ").strip().lower() in ("y", "yes"):
        return True
    complain("nothing was read")
    return False
