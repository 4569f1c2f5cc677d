"""A row of a database in words, for a person and for the grader."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

_LONGEST = 2000  # characters of one value: a long note, not a whole file

# ISO 4217 codes that are written with a sign before the amount; others are written with their code.
_SIGNS = {"eur": "€", "usd": "$", "gbp": "£"}
_CODES = {"chf", "sek", "nok", "dkk", "pln", "czk", "huf", "jpy", "aud", "cad", "inr", "cny", "brl"}

_SUMMARY = "summary"


def row_text(columns: Sequence[str], row: Sequence[Any]) -> str:
    """`column in words: value; column in words: value`, without the empty ones.

    A column `summary` stands first, in a paragraph of its own. Dates are written `3 March 2026`; amounts in a
    column that ends in a currency code, such as `price_eur`, `€39.00`.
    """
    pairs = [(name, value) for name, value in zip(columns, row, strict=True) if value is not None]
    sentences = [_sentence(value_text(name, value)) for name, value in pairs if name == _SUMMARY]
    fields = [f"{_words(name)}: {value_text(name, value)}" for name, value in pairs if name != _SUMMARY]
    return "\n\n".join([*sentences, *(["; ".join(fields)] if fields else [])])


def value_text(column: str, value: Any) -> str:
    """One value in words; the column's name says whether it is money."""
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, Decimal | int | float):
        text = _number(value, _currency(column))
    elif isinstance(value, datetime):
        text = f"{_day(value)}, {value:%H:%M}{' ' + (value.tzname() or '') if value.tzinfo else ''}"
    elif isinstance(value, date):
        text = _day(value)
    elif isinstance(value, time):
        text = f"{value:%H:%M}"
    elif isinstance(value, timedelta):
        text = _duration(value)
    elif isinstance(value, list | tuple):
        text = ", ".join(value_text(column, item) for item in value if item is not None)
    elif isinstance(value, Mapping):
        text = json.dumps(value, ensure_ascii=False, default=str)
    elif isinstance(value, bytes | memoryview):
        text = f"{len(bytes(value))} bytes"
    else:
        text = " ".join(str(value).split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def plain_row(columns: Sequence[str], row: Sequence[Any]) -> dict[str, Any]:
    """The row as values that JSON knows; a second column of the same name gets a number."""
    plain: dict[str, Any] = {}
    for column, value in zip(columns, row, strict=True):
        name, number = column, 2
        while name in plain:
            name, number = f"{column}_{number}", number + 1
        known = value is None or isinstance(value, str | int | float | bool | list | dict)
        plain[name] = value if known else str(value)
    return plain


def sentence_list(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _words(column: str) -> str:
    name = column.removesuffix(f"_{_currency(column)}") if _currency(column) else column
    return " ".join(name.replace("_", " ").split()) or "value"


def _currency(column: str) -> str | None:
    code = column.rpartition("_")[2].lower()
    return code if "_" in column and (code in _SIGNS or code in _CODES) else None


def _number(value: Decimal | int | float, currency: str | None) -> str:
    if currency:
        amount = f"{abs(value):,.2f}"
        sign = _SIGNS.get(currency, f"{currency.upper()} ")
        return f"{'-' if value < 0 else ''}{sign}{amount}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    plain = f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _day(value: date) -> str:
    return f"{value.day} {value:%B %Y}"


def _duration(value: timedelta) -> str:
    minutes = round(value.total_seconds() / 60)
    days, minutes = divmod(minutes, 24 * 60)
    hours, minutes = divmod(minutes, 60)
    counted = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    parts = [f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in counted if number]
    return " ".join(parts) or "0 minutes"
