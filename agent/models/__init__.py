"""Which model drives the agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.models.extractive import ExtractiveModel
    from agent.models.provider import open_model

__all__ = ["ExtractiveModel", "open_model"]


def __getattr__(name: str) -> object:
    if name == "open_model":
        from agent.models.provider import open_model

        return open_model
    if name == "ExtractiveModel":
        from agent.models.extractive import ExtractiveModel

        return ExtractiveModel
    raise AttributeError(name)
