"""A language model's server for tests: real HTTP, scripted answers."""

from agent.testing.model_server import ModelServer, SeenRequest
from agent.testing.steps import (
    Broken,
    Call,
    Calls,
    Empty,
    Hang,
    HttpError,
    Malformed,
    Quirks,
    Refusal,
    Reset,
    Step,
    Text,
)

__all__ = [
    "Broken",
    "Call",
    "Calls",
    "Empty",
    "Hang",
    "HttpError",
    "Malformed",
    "ModelServer",
    "Quirks",
    "Refusal",
    "Reset",
    "SeenRequest",
    "Step",
    "Text",
]
