"""A provider's failures as one clear line."""

from __future__ import annotations

import httpx
import openai
from agents.exceptions import ModelBehaviorError

from tools.errors import SourceUnavailable


class Declined(ModelBehaviorError):
    """The model, or a filter of its provider, would not answer."""


class BrokenOff(ModelBehaviorError):
    """The answer ended before it was whole. The message is what the model is told about it."""


def model_failure(error: Exception) -> SourceUnavailable | None:
    """A provider's failure as one clear line, or None when the error is something else."""
    if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
        return SourceUnavailable("model", "the key was refused; check OPENAI_API_KEY")
    if isinstance(error, openai.NotFoundError):
        return SourceUnavailable("model", "no such model or address; check DESK_MODEL and OPENAI_BASE_URL")
    if isinstance(error, openai.RateLimitError):
        return SourceUnavailable("model", "the provider's rate limit was reached; try again later")
    if isinstance(error, openai.APITimeoutError | httpx.TimeoutException):
        return SourceUnavailable("model", "no answer in time; see DESK_MODEL_TIMEOUT")
    if isinstance(error, openai.APIStatusError):
        return SourceUnavailable("model", f"the provider answered with status {error.status_code}")
    if isinstance(error, httpx.TransportError):
        return SourceUnavailable("model", "the connection broke off; try again")
    if isinstance(error, openai.APIError):
        return SourceUnavailable("model", "the provider could not be reached; check OPENAI_BASE_URL")
    return None
