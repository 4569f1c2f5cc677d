"""Who looked up what: one line of `citedesk.lookups` for each lookup, without any value."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from psycopg import sql

Outcome = Literal["answered", "refused", "failed"]

_LONGEST = 2000

# A crash of the server may lose the last lines; nobody waits for the disk. Locks that a statement takes for
# its session outlive the transaction; here they end.
_RECORD = (
    "SELECT citedesk.record({}, {}, {}, {}, {}, {}), set_config('synchronous_commit', 'off', true),"
    " pg_advisory_unlock_all()"
)

# A quoted name is kept. It stands first, so that an apostrophe in it opens no text.
_VALUES = re.compile(
    r"""("(?:[^"]|"")*(?:"|\Z))|--[^\n]*|/\*.*?(?:\*/|\Z)|[eE]'(?:\\.|''|[^'\\])*(?:'|\Z)"""
    r"""|'(?:''|[^'])*(?:'|\Z)|\$(\w*)\$.*?(?:\$\2\$|\Z)|(?<![\w"])\d[\w.]*""",
    re.DOTALL,
)


@dataclass(frozen=True)
class Lookup:
    """One line of the audit.

    Attributes:
        role: The reader role under which it ran, which tells staff from customers.
        customer: Who asked; None for whoever is not signed in.
        statement: What was asked; its values are left out when it is written.
        outcome: `answered`, `refused` by the parser or the database, or `failed` by time or connection.
        rows: How many rows there were, as far as they were counted.
        seconds: How long it took.
    """

    role: str
    customer: str | None
    statement: str
    outcome: Outcome
    rows: int
    seconds: float


def recorded(lookup: Lookup) -> sql.Composed:
    """The statement that writes one line."""
    statement = without_values(lookup.statement)[:_LONGEST]
    customer = lookup.customer and lookup.customer.replace("\0", "?")  # which PostgreSQL's text cannot hold
    given = [lookup.role, customer, statement, lookup.outcome, lookup.rows, lookup.seconds * 1000]
    return sql.SQL(_RECORD).format(*map(sql.Literal, given))


def without_values(statement: str) -> str:
    """The statement with `?` for each text and number in it, and without its comments."""
    shown = _VALUES.sub(
        lambda found: found[1] or (" " if found[0].startswith(("--", "/*")) else "?"), statement
    )
    return " ".join(shown.replace("\0", " ").split())
