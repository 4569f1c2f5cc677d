"""A language model's server for tests: real HTTP, scripted answers."""

from agent.testing.model_server import ModelServer, SeenRequest
from agent.testing.steps import Call, Calls, Hang, HttpError, Malformed, Reset, Step, Text

__all__ = [
    "Call",
    "Calls",
    "Hang",
    "HttpError",
    "Malformed",
    "ModelServer",
    "Reset",
    "SeenRequest",
    "Step",
    "Text",
]
