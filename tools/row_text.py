"""A row of a database in words, for a person and for the grader."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

_LONGEST = 2000  # characters of one value: a long note, not a whole file

# ISO 4217 codes that are written with a sign before the amount; others are written with their code.
_SIGNS = {"eur": "€", "usd": "$", "gbp": "£"}
_CODES = frozenset(
    """
    aed ars aud brl cad chf cny czk dkk hkd huf idr ils inr isk jpy krw mxn myr nok nzd php pln ron sar sek
    sgd thb twd uah vnd zar
    """.split()  # noqa: SIM905 - dozens of quoted codes are harder to read
)
_WHOLE = frozenset({"isk", "jpy", "krw", "vnd"})  # currencies without a smaller unit

# Short units that a column's name may end in, as they are written behind its numbers. Words such as days and
# years stay in the name: of `orders_last_30_days` they are no unit.
_UNITS = {
    unit.lower(): unit
    for unit in (
        *("mg", "g", "kg", "ml", "cl", "l", "mm", "cm", "m", "km", "m2", "m3"),
        *("W", "kW", "Wh", "kWh", "mAh", "Hz", "dB", "kB", "MB", "GB", "TB"),
    )
}
_UNITS |= dict.fromkeys(("percent", "pct"), "%")
_MONEY = re.compile(
    r"(?:^|_)(?:amount|balance|charge|cost|credit|debit|deposit|discount|fee|paid|payment|premium|price|refund"
    r"|subtotal|tax|total|vat)(?:_|$)"
)
SUMMARY = "summary"
"""The column that is a whole sentence for the customer."""


def row_text(columns: Sequence[str], row: Sequence[Any]) -> str:
    """`column in words: value; column in words: value`, without the empty ones.

    A column `summary` stands first, in a paragraph of its own. Dates are written `3 March 2026`. A number is
    money when its column ends in a currency code (`price_eur`: `€39.00`, `fee_usd_cents`), or when its column
    is called like money and another one, `currency`, holds a code. It has a unit when its column ends in one
    (`capacity_l`: `capacity: 1.5 l`).
    """
    pairs = [(name, value) for name, value in zip(columns, row, strict=True) if value is not None]
    beside = _currency_beside(pairs)
    sentences = [_sentence(value_text(name, value)) for name, value in pairs if name == SUMMARY]
    fields = [
        f"{_words(name, value)}: {value_text(name, value, beside)}"
        for name, value in pairs
        if name != SUMMARY
    ]
    return "\n\n".join([*sentences, *(["; ".join(fields)] if fields else [])])


def value_text(column: str, value: Any, currency: str | None = None) -> str:
    """One value in words; the column's name says whether it is money, and `currency` which, or has a unit."""
    if isinstance(value, bool):
        text = "yes" if value else "no"
    elif isinstance(value, Decimal | int | float):
        text = _measured(column, value, currency)
    elif isinstance(value, datetime):
        text = f"{_day(value)}, {value:%H:%M}{_zone(value)}"
    elif isinstance(value, date):
        text = _day(value)
    elif isinstance(value, time):
        text = f"{value:%H:%M}{_zone(value)}"
    elif isinstance(value, timedelta):
        text = _duration(value)
    elif isinstance(value, list | tuple):
        text = ", ".join(value_text(column, item, currency) for item in value if item is not None)
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


def _words(column: str, value: Any) -> str:
    """The column's name, without what the value says itself."""
    numbers = value if isinstance(value, list | tuple) else [value]
    said = endings(column) if all(_is_number(one) for one in numbers if one is not None) else ()
    name = column.removesuffix("".join(f"_{one}" for one in said))
    return " ".join(name.replace("_", " ").split()) or "value"


def _is_number(value: Any) -> bool:
    return isinstance(value, Decimal | int | float) and not isinstance(value, bool)


def endings(column: str) -> tuple[str, ...]:
    """How a column's name ends for its numbers: in a currency, a unit, a currency and cents, or neither."""
    *name, last = column.lower().split("_")
    if len(name) > 1 and last == "cents" and _is_currency(name[-1]):
        return (name[-1], last)
    return (last,) if name and (_is_currency(last) or last in _UNITS) else ()


def _is_currency(code: str) -> bool:
    return code in _SIGNS or code in _CODES


def _currency_beside(pairs: Sequence[tuple[str, Any]]) -> str | None:
    """The one currency that another column of the row gives for its amounts."""
    codes = {
        str(value).strip().lower()
        for name, value in pairs
        if name in ("currency", "currency_code") or name.endswith("_currency")
    }
    code = codes.pop() if len(codes) == 1 else ""
    return code if _is_currency(code) else None


def _measured(column: str, value: Decimal | int | float, currency: str | None) -> str:
    *before, last = endings(column) or ("",)
    if _is_currency(last):
        return _money(value, last)
    if before:  # a currency, in cents
        return _money(Decimal(str(value)) / 100, before[0])
    if last in _UNITS:
        return f"{_number(value)}{'' if _UNITS[last] == '%' else ' '}{_UNITS[last]}"
    # A whole number beside a currency may be a count; an amount has decimals.
    if currency and isinstance(value, Decimal) and _MONEY.search(column.lower()):
        return _money(value, currency)
    return _number(value)


def _money(value: Decimal | int | float, currency: str) -> str:
    """An amount with two decimals, or with up to four where a price has them."""
    amount = Decimal(str(value))
    if not amount.is_finite():
        return str(value)
    exact = -int(amount.normalize().as_tuple().exponent)
    digits = 2 if exact > 4 else max(0 if currency in _WHOLE else 2, exact)
    sign = _SIGNS.get(currency, f"{currency.upper()} ")
    return f"{'-' if amount < 0 else ''}{sign}{abs(amount):,.{digits}f}"


def _number(value: Decimal | int | float) -> str:
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"{value:.10g}"
    plain = f"{value:f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def _zone(value: datetime | time) -> str:
    """The name of its time zone, after a space; nothing where it has none."""
    name = value.tzname() or ""
    return f" {'UTC' if name[:1] in ('+', '-') else ''}{name}" if name else ""


def _day(value: date) -> str:
    return f"{value.day} {value:%B %Y}"


def _duration(value: timedelta) -> str:
    seconds = round(abs(value).total_seconds())
    days, seconds = divmod(seconds, 24 * 3600)
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    counted = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    if not (days or hours):
        counted.append((seconds, "second"))
    parts = [f"{number} {unit}{'' if number == 1 else 's'}" for number, unit in counted if number]
    return f"{'-' if value < timedelta(0) and parts else ''}{' '.join(parts) or '0 minutes'}"
