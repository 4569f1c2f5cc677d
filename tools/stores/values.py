"""Values of PostgreSQL that Python's own types cannot hold, or would tell otherwise than they are.

A date may have no end, and a month is not 30 days. These come as text, as a person would write them; all
else comes as psycopg makes it.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import psycopg
from psycopg import errors
from psycopg.abc import Buffer
from psycopg.adapt import Loader
from psycopg.types.datetime import (
    DateLoader,
    IntervalLoader,
    TimeLoader,
    TimestampLoader,
    TimestamptzLoader,
)

_WITHOUT = {"infinity": "without end", "-infinity": "without beginning"}
_CALENDAR = re.compile(r"([+-]?\d+) (year|mon|day)s?")


def load_for_people(connection: psycopg.Connection[Any]) -> None:
    """Make a connection give such values as text; the pool calls it with each new one."""
    for name, loader in (
        ("date", DateLoader),
        ("timestamp", TimestampLoader),
        ("timestamptz", TimestamptzLoader),
        ("time", TimeLoader),
    ):
        connection.adapters.register_loader(name, _or_text(loader))
    connection.adapters.register_loader("interval", _Interval)


def _or_text(loader: type[Loader]) -> type[Loader]:
    class OrText(loader):  # type: ignore[valid-type,misc]
        def load(self, data: Buffer) -> Any:
            try:
                return super().load(data)
            except errors.DataError:
                written = bytes(data).decode()
                return _WITHOUT.get(written, written)

    return OrText


class _Interval(IntervalLoader):
    def load(self, data: Buffer) -> timedelta | str:  # type: ignore[override]
        written = bytes(data).decode()
        calendar = [(int(number), unit) for number, unit in _CALENDAR.findall(written)]
        if not any(number for number, unit in calendar if unit != "day"):
            return super().load(data)
        parts = [
            f"{number} {'month' if unit == 'mon' else unit}{'' if abs(number) == 1 else 's'}"
            for number, unit in calendar
        ]
        return " ".join([*parts, *_CALENDAR.sub("", written).split()])
