"""Statements that try to see, count, guess or change what belongs to another customer: `attacks.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

# A subquery that fails, and one that takes long, both without a row of any customer. Whether they were
# reached tells whether the condition before them held.
_FAILS = "(SELECT 1 / (count(*) - count(*)) = 1 FROM {public})"
_SLOW = "(SELECT count(*) > 0 FROM generate_series(1, 3000000))"


@dataclass(frozen=True)
class Target:
    """What an attack is aimed at.

    Attributes:
        schema: The schema of the records.
        role: The reader role.
        table: A readable table of customers' rows.
        owner: Its column that says whose a row is.
        key: Its primary key.
        column: A text column of it.
        nullable: A column of it that is empty in some rows.
        public: A readable table that belongs to nobody.
        number: A number column of that.
        hidden: A table that the reader may not read.
        me: The customer who attacks.
        other: The customer who is attacked.
        other_key: The key of a row of theirs.
    """

    schema: str
    role: str
    table: str
    owner: str
    key: str
    column: str
    nullable: str
    public: str
    number: str
    hidden: str
    me: str
    other: str
    other_key: str


@dataclass(frozen=True)
class Attack:
    """One statement.

    Attributes:
        kind: What it tries.
        sql: The statement.
        honest: Whether it is an ordinary SELECT, which the parser lets through and the database must hold.
    """

    kind: str
    sql: str
    honest: bool = False


def attacks(target: Target) -> list[Attack]:
    """Every statement against this target."""
    parts = {**vars(target), "fails": _FAILS.format(public=target.public), "slow": _SLOW}
    listed = yaml.safe_load((Path(__file__).parent / "attacks.yaml").read_text(encoding="utf-8"))
    return [
        Attack(kind, statement.format(**parts), group == "honest")
        for group, kinds in listed.items()
        for kind, statements in kinds.items()
        for statement in statements
    ]
