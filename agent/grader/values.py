"""Values in text, compared as values: seven days is a week, €5 is 5.00 euros, 3 March 2026 is 2026-03-03."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation


@dataclass(frozen=True, slots=True)
class Value:
    """One value.

    Attributes:
        kind: What may stand in its place: `money:EUR`, `time span`, `working days`, `months`, `percent`, `date`,
            `clock`, `number`, `ordinal`, `unit:l`, `version`, `address`, or `code:` with the code's letters.
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


_SMALL = {
    word: number
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen""".split()
    )
}
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALE = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_SHORT_SCALE = {"k": 1_000, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, **_SCALE}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(), 1
    )
}
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|"
            "september sept sep|october oct|november nov|december dec"
        ).split("|"),
        1,
    )
    for name in names.split()
}
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()

# Seconds for spans of fixed length; a month and a year have none, and a working day is not a day.
_SPANS = {
    **dict.fromkeys(("second", "seconds", "sec", "secs"), ("time span", 1)),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), ("time span", 60)),
    **dict.fromkeys(("hour", "hours", "hr", "hrs"), ("time span", 3_600)),
    **dict.fromkeys(("day", "days"), ("time span", 86_400)),
    **dict.fromkeys(("week", "weeks"), ("time span", 604_800)),
    **dict.fromkeys(("fortnight", "fortnights"), ("time span", 1_209_600)),
    **dict.fromkeys(("month", "months"), ("months", 1)),
    **dict.fromkeys(("quarter", "quarters"), ("quarters", 1)),
    **dict.fromkeys(("year", "years", "yr", "yrs"), ("months", 12)),
}
_UNITS = {
    **dict.fromkeys(("l", "litre", "litres", "liter", "liters"), ("l", "1")),
    **dict.fromkeys(("ml", "millilitre", "millilitres", "milliliter", "milliliters"), ("l", "0.001")),
    **dict.fromkeys(("kg", "kilogram", "kilograms", "kilo", "kilos"), ("kg", "1")),
    **dict.fromkeys(("g", "gram", "grams"), ("kg", "0.001")),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters"), ("m", "1")),
    **dict.fromkeys(("cm", "centimetre", "centimetres", "centimeter", "centimeters"), ("m", "0.01")),
    **dict.fromkeys(("mm", "millimetre", "millimetres", "millimeter", "millimeters"), ("m", "0.001")),
    **dict.fromkeys(("km", "kilometre", "kilometres", "kilometer", "kilometers"), ("m", "1000")),
    **dict.fromkeys(("w", "watt", "watts"), ("w", "1")),
    **dict.fromkeys(("kw", "kilowatt", "kilowatts"), ("w", "1000")),
    **dict.fromkeys(("v", "volt", "volts"), ("v", "1")),
    **dict.fromkeys(("hz", "hertz"), ("hz", "1")),
    **dict.fromkeys(("bar", "bars"), ("bar", "1")),
    **dict.fromkeys(("kb", "mb", "gb", "tb", "rpm", "db", "mah", "kwh", "mbps", "gbps", "ms"), ("", "1")),
    **dict.fromkeys(("°c", "° c", "degrees celsius"), ("celsius", "1")),
    **dict.fromkeys(("°f", "° f", "degrees fahrenheit"), ("fahrenheit", "1")),
}
_CURRENCIES = {
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), "GBP"),
    **dict.fromkeys(("¥", "jpy", "yen"), "JPY"),
    "chf": "CHF",
}


def _any(words: object) -> str:
    return "|".join(re.escape(str(word)) for word in sorted(words, key=len, reverse=True))  # type: ignore[call-overload]


_DIGITS = r"(?:\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?!\d)"
_BELOW_HUNDRED = rf"(?:(?:{_any(_TENS)})(?:[\s-](?:{_any(list(_SMALL)[1:10])}))?|(?:{_any(_SMALL)}))(?![^\W_])"
_WORD_NUMBER = (
    rf"(?:{_BELOW_HUNDRED}(?:[\s-](?:{_any(_SCALE)})(?![^\W_])(?:\s+(?:and\s+)?{_BELOW_HUNDRED})?){{0,4}})"
)
_N = rf"(?:[-−+]?{_DIGITS}|{_WORD_NUMBER})"
_TO = r"\s*(?:-|–|—|to)\s*"
_SCALES = rf"(?:\s?(?:{_any(_SHORT_SCALE)})(?![^\W_]))"
_MONTH = rf"(?:{_any(_MONTHS)})\.?(?![^\W_])"
_DAY_OF = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?"

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("address", r"(?:https?://|www\.)[^\s<>\"'\])]+[^\s<>\"'\]).,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("iso", r"(?P<iy>\d{4})-(?P<im>\d{2})-(?P<id>\d{2})(?!\d)"),
    ("dmy", _DAY_OF.format("dd") + rf"\s+(?:of\s+)?(?P<dm>{_MONTH})(?:,?\s+(?P<dy>\d{{4}})(?!\d))?"),
    ("mdy", rf"(?P<mm>{_MONTH})\s+" + _DAY_OF.format("md") + r"(?![\d:]|\s?[ap]m\b)(?:,?\s+(?P<my>\d{4})(?!\d))?"),
    ("month", rf"(?P<ym>{_MONTH})\s+(?P<yy>\d{{4}})(?!\d)|(?P<zy>\d{{4}})-(?P<zm>\d{{2}})(?![\d-])"),
    ("slash", r"\d{1,2}/\d{1,2}/\d{2,4}(?!\d)"),
    (
        "clock",
        r"(?P<h>\d{1,2})(?::(?P<min>\d{2})(?!\d)(?::\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?"
        r"(?:\s?(?P<half>[ap]\.?m\b\.?))?|\s?(?P<half2>[ap]\.?m\b\.?))",
    ),
    ("clockword", r"noon(?![^\W_])|midnight(?![^\W_])"),
    ("version", r"v?\d+(?:\.\d+){2,}(?![^\W_])|v\d+(?:\.\d+)?(?![^\W_])"),
    (
        "money",
        rf"(?P<c1>[€$£¥]|(?:EUR|USD|GBP|JPY|CHF)(?=\s?\d))\s?(?P<n1>{_DIGITS})(?P<s1>{_SCALES})?"
        rf"(?:{_TO}[€$£¥]?(?P<n2>{_DIGITS})(?P<s2>{_SCALES})?)?"
        rf"|(?P<n3>{_N})(?P<s3>{_SCALES})?(?:{_TO}(?P<n4>{_N})(?P<s4>{_SCALES})?)?\s?(?P<c2>[€$£¥]|"
        rf"(?:{_any(k for k in _CURRENCIES if k.isalpha())})(?![^\W_]))",
    ),
    ("percent", rf"(?P<p1>{_N})(?:{_TO}(?P<p2>{_N}))?\s?(?:%|percent(?![^\W_])|per\s?cent(?![^\W_]))"),
    (
        "span",
        rf"(?:(?P<d1>{_N})(?:{_TO}(?P<d2>{_N}))?|(?P<one>an?|per|each|every))(?:\s|-)*(?P<work>(?:working|business|week)\s?-?)?"
        rf"(?P<du>{_any(_SPANS)})(?![^\W_])(?P<ago>\s+ago(?![^\W_]))?",
    ),
    ("unit", rf"(?P<u1>{_N})(?:{_TO}(?P<u2>{_N}))?(?:\s|-)?(?P<un>{_any(_UNITS)})(?![^\W_]|-[^\W_])"),
    ("ordinal", rf"\d{{1,4}}(?:st|nd|rd|th)(?![^\W_])|(?:{_any(k for k in _ORDINALS if k != 'second')})(?![^\W_])"),
    ("relative", r"(?:today|yesterday|tomorrow)(?![^\W_])"),
    ("phone", r"\+?\d{2,4}(?:[ ()/-]{1,2}\d{2,4}){2,5}(?!\d)"),
    ("code", r"[^\W_]+(?:[-_][^\W_]+|\.(?:\d+|x(?![^\W_])))*"),
    ("range", rf"(?P<r1>{_DIGITS})(?:-|–|—|\s+to\s+)(?P<r2>{_DIGITS})(?![-–]?\d)"),
    ("number", rf"{_N}(?P<ns>\s(?:million|billion|trillion)(?![^\W_]))?"),
)
_VALUE = re.compile(
    r"(?<![^\W_])(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS) + ")", re.IGNORECASE
)
# Where a value can begin at all: most words cannot, and skipping them is what keeps this fast.
_START = re.compile(
    rf"(?<![^\W_])(?:[-−+]?\d|[€$£¥]|[^\W\d_]+[-_.]?[^\W_]*\d|(?:{_any([*_SMALL, *_TENS, *_MONTHS, *_ORDINALS])}"
    rf"|an?|per|each|every|noon|midnight|today|yesterday|tomorrow|EUR|USD|GBP|JPY|CHF)(?![^\W_])|https?://|www\.|[\w.+-]+@\w)",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"(?<![^\W_])(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS[-2:]) + ")", re.IGNORECASE
)
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
    while start := _START.search(text, position):
        begin = start.start()
        value = _read(_VALUE.match(text, begin), now) or _read(_BARE.match(text, begin), now)
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
        if word in _SCALE:
            scale = _SCALE[word]
            if scale == 100:
                part = max(part, 1) * 100
            else:
                total, part = total + max(part, 1) * scale, 0
        elif word != "and":
            part += _SMALL.get(word, 0) + _TENS.get(word, 0)
    return Decimal(total + part)


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def _scaled(number: str, scale: str | None) -> Decimal:
    return _number(number) * (_SHORT_SCALE[scale.strip().lower()] if scale else 1)


def _between(low: Decimal, high: Decimal | None) -> str:
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
    return _MONTHS[name.lower().rstrip(".")]


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
    currency = _CURRENCIES[(match["c1"] or match["c2"]).lower()]
    first, last = (match["n1"], match["n2"]) if match["n1"] else (match["n3"], match["n4"])
    scale, last_scale = (match["s1"], match["s2"]) if match["n1"] else (match["s3"], match["s4"])
    low = _scaled(first, scale or (last_scale if last else None))
    return f"money:{currency}", _between(low, _scaled(last, last_scale) if last else None)


def _percent(match: re.Match[str], _now: datetime | None) -> Found:
    return "percent", _between(_number(match["p1"]), _number(match["p2"]) if match["p2"] else None)


def _span(match: re.Match[str], now: datetime | None) -> Found:
    kind, size = _SPANS[match["du"].lower()]
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
    base, factor = _UNITS[written]
    high = _number(match["u2"]) * Decimal(factor) if match["u2"] else None
    return f"unit:{base or written}", _between(_number(match["u1"]) * Decimal(factor), high)


def _ordinal(match: re.Match[str], _now: datetime | None) -> Found:
    word = match[0].lower()
    return "ordinal", str(_ORDINALS.get(word) or int(word[:-2]))


def _relative(match: re.Match[str], now: datetime | None) -> Found:
    if now is None:
        return None
    days = {"today": 0, "yesterday": -1, "tomorrow": 1}[match[0].lower()]
    return "date", (now + timedelta(days=days)).date().isoformat()


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
    "relative": _relative,
    "phone": _phone,
    "code": _code,
    "range": _range,
    "number": _bare,
}
