"""Which model does which task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from agents import Model

from agent.models.provider import open_model
from agent.settings import EXTRACTIVE, Settings
from tools.errors import ConfigurationError

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder


@dataclass(frozen=True)
class Models:
    """The model of each task; None where code does it.

    Attributes:
        answer: Drives the agent.
        judge: Gives a second opinion on claims that the grader cannot decide.
        relevance: Grades passages against the question.
        rewrite: Rewrites follow-ups and weak queries.
    """

    answer: Model
    judge: Model | None = None
    relevance: Model | None = None
    rewrite: Model | None = None


def open_models(settings: Settings, embedder: Callable[[], Embedder]) -> Models:
    """The models that the settings name; tasks with the same name share one.

    Raises:
        ConfigurationError: A language model is named, but neither a key nor an address of a server.
    """
    opened: dict[str, Model] = {}

    def model(name: str) -> Model:
        if name not in opened:
            opened[name] = open_model(settings, embedder, name)
        return opened[name]

    def helper(setting: str, name: str | None) -> Model | None:
        if name == EXTRACTIVE:
            raise ConfigurationError(f"{setting}: needs a language model; leave it out to let code do it")
        return model(name) if name else None

    return Models(
        answer=model(settings.chosen_model),
        judge=helper("DESK_JUDGE", settings.chosen_judge),
        relevance=helper("DESK_RELEVANCE_MODEL", settings.relevance_model),
        rewrite=helper("DESK_REWRITE_MODEL", settings.rewrite_model),
    )
