"""The year or month that a question is about, as a number for a lookup that takes one."""

from __future__ import annotations

import re
from calendar import month_name
from datetime import date


def period_asked(name: str, part: str, today: date) -> str | None:
    """The year or month in the question, by number, for an argument whose name says that it is one.

    "Last month" in January is in the year before, and so is a month that is still to come.
    """
    words = name.lower().split("_")
    if not {"year", "month"} & set(words):
        return None
    year = next((int(found) for found in re.findall(r"\b(?:19|20)\d\d\b", part)), None)
    month = next((n for n, found in enumerate(month_name) if n and _says(found, part)), None)
    for back, word in enumerate(("this", "last")):
        if re.search(rf"\b{word} year\b", part, re.IGNORECASE):
            year = today.year - back
        if re.search(rf"\b{word} month\b", part, re.IGNORECASE):
            months = 12 * today.year + today.month - 1 - back
            year, month = months // 12, months % 12 + 1
    if year is None and month is not None:
        year = today.year - (month > today.month)
    found = year if "year" in words else month
    return None if found is None else str(found)


def _says(month: str, part: str) -> bool:
    """Whether the question names the month; May and March only with a capital inside a sentence."""
    if month in ("March", "May"):
        return re.search(rf"\w,? {month}\b", part) is not None
    return re.search(rf"\b{month}\b", part, re.IGNORECASE) is not None
