"""What can go wrong, as one tree.

DeskError                 one clear line for whoever uses the desk
├── BadInput              the caller's input cannot be used; says what to do
├── ConfigurationError    a setting is wrong or missing; names the setting
├── SourceUnavailable     a source is down, slow or unreachable: never the same as "nothing found"
└── QueryRejected         a statement or argument was refused; says what to write instead
"""

from __future__ import annotations


class DeskError(Exception):
    """Base of every error that is shown to a person as one line."""


class BadInput(DeskError):
    """The input cannot be used. The message says what to do."""


class ConfigurationError(DeskError):
    """A setting is wrong or missing. The message names the setting."""


class SourceUnavailable(DeskError):
    """A source could not be reached in time.

    Args:
        source: `documents`, `records`, `graph` or `web`.
        reason: What happened, in words without secrets or customers' data.
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"the {source} source is unavailable: {reason}")
        self.source = source
        self.reason = reason


class QueryRejected(DeskError):
    """A statement was refused before or by the database. The message says what to write instead."""
