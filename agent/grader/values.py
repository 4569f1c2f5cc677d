"""Values in text, compared as values: seven days is a week, €5 is 5.00 euros, 3 March 2026 is 2026-03-03."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation

from agent.grader.value_patterns import (
    BARE,
    CURRENCIES,
    MONTHS,
    ORDINALS,
    SCALE,
    SHORT_SCALE,
    SMALL,
    SPANS,
    START,
    TENS,
    UNITS,
    VALUE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """One value.

    Attributes:
        kind: What may stand in its place: `money:EUR`, `time span`, `working days`, `months`, `percent`,
            `date`, `clock`, `number`, `ordinal`, `unit:l`, `version`, `address`, or `code:` with its letters.
        amount: The canonical form; two values are the same when kind and amount are.
        start: Where it begins in the text.
        end: Where it ends.
    """

    kind: str
    amount: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """Kind and amount as one string."""
        return f"{self.kind}={self.amount}"


_WORD = re.compile(r"[^\W_]+")
_ISO_T = re.compile(r"(?<=\d)T(?=\d\d:)")
_TIMES = re.compile(r"(?:once|twice|times)\s+$", re.IGNORECASE)
_ARTICLE_SPANS = frozenset({"time span", "months", "quarters"})
_HAS_LETTER = re.compile(r"[^\W\d_]")
_HAS_DIGIT = re.compile(r"\d")


def find_values(text: str, now: datetime | None = None) -> list[Value]:
    """Every value of a text, in order and without overlap.

    Args:
        text: Plain text.
        now: When given, "today" and "3 days ago" become dates.
    """
    text = _ISO_T.sub(" ", text)
    values: list[Value] = []
    position = 0
    while start := START.search(text, position):
        begin = start.start()
        value = _read(VALUE.match(text, begin), now) or _read(BARE.match(text, begin), now)
        if value is None:
            word = _WORD.match(text, begin)
            position = word.end() if word else begin + 1
            continue
        if value.kind in _ARTICLE_SPANS and text[begin : begin + 1] in "aA" and _each(text, begin, values):
            value = Value(f"per {value.kind}", value.amount, value.start, value.end)
        values.append(value)
        position = value.end
    return values


def _each(text: str, begin: int, values: list[Value]) -> bool:
    """Whether "a month" here means "per month": right after an amount, or after "once" and the like."""
    before = text[max(0, begin - 12) : begin]
    return bool(_TIMES.search(before)) or bool(values and not text[values[-1].end : begin].strip())


def _read(match: re.Match[str] | None, now: datetime | None) -> Value | None:
    if match is None:
        return None
    kind = next(name for name in match.re.groupindex if name in _READERS and match[name] is not None)
    try:
        found = _READERS[kind](match, now)
    except (ValueError, InvalidOperation, OverflowError):
        return None
    return Value(found[0], found[1], match.start(), match.end()) if found else None


def _number(text: str) -> Decimal:
    words = text.lower().strip()
    if any(char.isdigit() for char in words):
        digits = words.replace("\u00a0", "").replace("\u202f", "").replace("−", "-")
        if len(digits) > 24:
            raise ValueError("too long for a number")
        if re.fullmatch(r"[-+]?\d{1,3}(?:\.\d{3})+,\d{1,2}", digits):
            digits = digits.replace(".", "").replace(",", ".")
        elif re.fullmatch(r"[-+]?\d+,\d{1,2}", digits):
            digits = digits.replace(",", ".")
        return Decimal(digits.replace(",", ""))
    total, part = 0, 0
    for word in re.split(r"[\s-]+", words):
        if word in SCALE:
            scale = SCALE[word]
            if scale == 100:
                part = max(part, 1) * 100
            else:
                total, part = total + max(part, 1) * scale, 0
        elif word != "and":
            part += SMALL.get(word, 0) + TENS.get(word, 0)
    return Decimal(total + part)


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _scaled(number: str, scale: str | None) -> Decimal:
    return _number(number) * (SHORT_SCALE[scale.strip().lower()] if scale else 1)


def _between(low: Decimal, high: Decimal | None) -> str:
    if high is not None and high < low and low >= 100 and high < 100:  # 2018-19
        high += low - low % 100
    return _plain(low) if high is None else f"{_plain(low)}..{_plain(high)}"


Found = tuple[str, str] | None


def _address(match: re.Match[str], _now: datetime | None) -> Found:
    return "address", match[0].lower().rstrip("/")


def _on(year: str | None, month: int, day: int) -> Found:
    if year is None:
        date(2024, month, day)
        return "date", f"--{month:02}-{day:02}"
    return "date", date(int(year), month, day).isoformat()


def _iso(match: re.Match[str], _now: datetime | None) -> Found:
    return _on(match["iy"], int(match["im"]), int(match["id"]))


def _month_number(name: str) -> int:
    return MONTHS[name.lower().rstrip(".")]


def _dmy(match: re.Match[str], _now: datetime | None) -> Found:
    return _on(match["dy"], _month_number(match["dm"]), int(match["dd"]))


def _mdy(match: re.Match[str], _now: datetime | None) -> Found:
    return _on(match["my"], _month_number(match["mm"]), int(match["md"]))


def _month(match: re.Match[str], _now: datetime | None) -> Found:
    month = _month_number(match["ym"]) if match["ym"] else int(match["zm"])
    return "month", f"{match['yy'] or match['zy']}-{date(2024, month, 1).month:02}"


def _slash(match: re.Match[str], _now: datetime | None) -> Found:
    first, second, year = (int(part) for part in match[0].split("/"))
    year += 2000 if year < 100 else 0
    if first > 12 or first == second:
        return _on(str(year), second, first)
    if second > 12:
        return _on(str(year), first, second)
    return "date", match[0]  # which of the two is the month cannot be known


def _clock(match: re.Match[str], _now: datetime | None) -> Found:
    hour, minute = int(match["h"]), int(match["min"] or 0)
    half = (match["half"] or match["half2"] or "").lower()[:1]
    if hour > 24 or minute > 59 or (half and not 1 <= hour <= 12):
        return None
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return "clock", f"{hour:02}:{minute:02}"


def _clock_word(match: re.Match[str], _now: datetime | None) -> Found:
    return "clock", "12:00" if match[0].lower() == "noon" else "00:00"


def _version(match: re.Match[str], _now: datetime | None) -> Found:
    return "version", match[0].lower().lstrip("v")


def _money(match: re.Match[str], _now: datetime | None) -> Found:
    currency = CURRENCIES[(match["c1"] or match["c2"]).lower()]
    first, last = (match["n1"], match["n2"]) if match["n1"] else (match["n3"], match["n4"])
    scale, last_scale = (match["s1"], match["s2"]) if match["n1"] else (match["s3"], match["s4"])
    low = _scaled(first, scale or (last_scale if last else None))
    return f"money:{currency}", _between(low, _scaled(last, last_scale) if last else None)


def _percent(match: re.Match[str], _now: datetime | None) -> Found:
    return "percent", _between(_number(match["p1"]), _number(match["p2"]) if match["p2"] else None)


def _span(match: re.Match[str], now: datetime | None) -> Found:
    kind, size = SPANS[match["du"].lower()]
    if match["one"] and match["one"].lower() not in ("a", "an"):
        return f"per {kind}", _plain(Decimal(size))
    low = Decimal(1) if match["one"] else _number(match["d1"])
    high = _number(match["d2"]) if match["d2"] else None
    if match["work"]:
        kind, size = f"working {match['du'].lower().rstrip('s')}s", 1
    if match["ago"]:
        if now is None or kind != "time span" or size < 86_400 or high is not None:
            return "ago " + kind, _between(low * size, high and high * size)
        return "date", (now - timedelta(seconds=int(low * size))).date().isoformat()
    return kind, _between(low * size, high * size if high is not None else None)


def _unit(match: re.Match[str], _now: datetime | None) -> Found:
    written = match["un"].lower()
    base, factor = UNITS[written]
    high = _number(match["u2"]) * Decimal(factor) if match["u2"] else None
    return f"unit:{base or written}", _between(_number(match["u1"]) * Decimal(factor), high)


def _ordinal(match: re.Match[str], _now: datetime | None) -> Found:
    word = match[0].lower()
    return "ordinal", str(ORDINALS.get(word) or int(word[:-2]))


def _quarter(match: re.Match[str], _now: datetime | None) -> Found:
    word = match["q3"]
    return "quarter", str(ORDINALS[word.lower()]) if word else (match["q1"] or match["q2"])


def _relative(match: re.Match[str], now: datetime | None) -> Found:
    days = {"today": 0, "yesterday": -1, "tomorrow": 1}[match[0].lower()]
    return ("date", (now + timedelta(days=days)).date().isoformat()) if now else None


def _phone(match: re.Match[str], _now: datetime | None) -> Found:
    digits = re.sub(r"\D", "", match[0])
    return ("phone", digits) if len(digits) >= 7 else None


def _code(match: re.Match[str], _now: datetime | None) -> Found:
    code = match[0]
    if not (_HAS_LETTER.search(code) and _HAS_DIGIT.search(code)):
        return None
    return "code:" + re.sub(r"\d+", "#", code.upper()), code.upper()


def _range(match: re.Match[str], _now: datetime | None) -> Found:
    return "number", _between(_number(match["r1"]), _number(match["r2"]))


def _bare(match: re.Match[str], _now: datetime | None) -> Found:
    text = match[0]
    scale = match["ns"]
    if text.lower() == "one":  # mostly a pronoun
        return None
    if scale:
        return "number", _plain(_scaled(text[: -len(scale)], scale))
    if "." in text:  # 4.10 and 4.1 can be two versions, so a bare decimal is compared as it is written
        return "number", text.replace(",", "").lstrip("+")
    return "number", _plain(_number(text))


_READERS: dict[str, Callable[[re.Match[str], datetime | None], Found]] = {
    "address": _address,
    "iso": _iso,
    "dmy": _dmy,
    "mdy": _mdy,
    "month": _month,
    "slash": _slash,
    "clock": _clock,
    "clockword": _clock_word,
    "version": _version,
    "money": _money,
    "percent": _percent,
    "span": _span,
    "unit": _unit,
    "ordinal": _ordinal,
    "quarter": _quarter,
    "relative": _relative,
    "phone": _phone,
    "code": _code,
    "range": _range,
    "number": _bare,
}
