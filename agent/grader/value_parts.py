"""A value taken apart: of "2 November 2018" the year, the month and the day may each stand elsewhere."""

from __future__ import annotations

import re
from functools import lru_cache

from agent.grader.value_patterns import MONTHS
from agent.grader.words import lemma

_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
_DATE = re.compile(r"(?:(\d{4})|-)-(\d\d)(?:-(\d\d))?")
_MONTH_KEYS = {
    lemma(name): f"month={number:02}"
    for name, number in MONTHS.items()
    if name not in ("march", "mar", "may", "sept", "jun", "dec")  # most of them are words of their own
}


@lru_cache(maxsize=20_000)
def value_parts(key: str) -> tuple[str, ...]:
    """What a key says of values, each as `kind=amount`: year, month and day of a date, both ends of a range.

    A number that can be a year is one, and the name of a month is that month. Empty for other words.
    """
    kind, _, amount = key.partition("=")
    if not amount:
        return (_MONTH_KEYS[key],) if key in _MONTH_KEYS else ()
    date = _DATE.fullmatch(amount) if kind in ("date", "month") else None
    if date:
        year, month, day = date.groups()
        parts = (year and f"year={year}", f"month={month}", day and f"day={month}-{day}")
        return tuple(part for part in parts if part)
    if kind == "number" and _YEAR.fullmatch(amount):
        return (f"year={amount}",)
    return tuple(f"{kind}={end}" for end in amount.split(".."))
