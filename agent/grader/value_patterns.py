"""How values are written: the words and signs for them, and one pattern for each kind."""

from __future__ import annotations

import re
from collections.abc import Iterable

from agent.grader.words import word_list

SMALL = {
    word: number
    for number, word in enumerate(
        word_list("""zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen""")
    )
}
TENS = {
    word: 10 * n
    for n, word in enumerate(word_list("twenty thirty forty fifty sixty seventy eighty ninety"), 2)
}
SCALE = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SHORT_SCALE = {"k": 1_000, "m": 10**6, "mn": 10**6, "bn": 10**9, "b": 10**9, **SCALE}
ORDINALS = {
    word: number
    for number, word in enumerate(
        word_list("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"), 1
    )
}
MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ],
        1,
    )
    for name in names.split()
}

# Seconds for spans of fixed length; a month and a year have none, and a working day is not a day.
SPANS = {
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
UNITS = {
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
CURRENCIES = {
    **dict.fromkeys(("€", "eur", "euro", "euros"), "EUR"),
    **dict.fromkeys(("$", "usd", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("£", "gbp", "pound", "pounds"), "GBP"),
    **dict.fromkeys(("¥", "jpy", "yen"), "JPY"),
    "chf": "CHF",
}


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_DIGITS = r"(?:\d{1,3}(?:\.\d{3})+,\d{1,2}|\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?!\d)"
_BELOW_HUNDRED = rf"(?:(?:{_any(TENS)})(?:[\s-](?:{_any(list(SMALL)[1:10])}))?|(?:{_any(SMALL)}))(?![^\W_])"
_WORD_NUMBER = (
    rf"(?:{_BELOW_HUNDRED}(?:[\s-](?:{_any(SCALE)})(?![^\W_])(?:\s+(?:and\s+)?{_BELOW_HUNDRED})?){{0,4}})"
)
_N = rf"(?:[-−+]?{_DIGITS}|{_WORD_NUMBER})"
_TO = r"\s*(?:-|–|—|to)\s*"
_SCALES = rf"(?:\s?(?:{_any(SHORT_SCALE)})(?![^\W_]))"
_MONTH = rf"(?:{_any(MONTHS)})\.?(?![^\W_])"
_DAY_OF = r"(?P<{0}>\d{{1,2}})(?:st|nd|rd|th)?"

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("address", r"(?:https?://|www\.)[^\s<>\"'\])]+[^\s<>\"'\]).,;:!?]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
    ("iso", r"(?P<iy>\d{4})-(?P<im>\d{2})-(?P<id>\d{2})(?!\d)"),
    ("dmy", _DAY_OF.format("dd") + rf"\s+(?:of\s+)?(?P<dm>{_MONTH})(?:,?\s+(?P<dy>\d{{4}})(?!\d))?"),
    (
        "mdy",
        rf"(?P<mm>{_MONTH})\s+" + _DAY_OF.format("md") + r"(?![\d:]|\s?[ap]m\b)(?:,?\s+(?P<my>\d{4})(?!\d))?",
    ),
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
        "quarter",
        rf"q(?P<q1>[1-4])(?![^\W_])|(?P<q2>[1-4])q(?![^\W_])|(?P<q3>{_any(list(ORDINALS)[:4])})[\s-]quarters?(?![^\W_])",
    ),
    (
        "money",
        rf"(?P<c1>[€$£¥]|(?:EUR|USD|GBP|JPY|CHF)(?=\s?\d))\s?(?P<n1>{_DIGITS})(?P<s1>{_SCALES})?"
        rf"(?:{_TO}[€$£¥]?(?P<n2>{_DIGITS})(?P<s2>{_SCALES})?)?"
        rf"|(?P<n3>{_N})(?P<s3>{_SCALES})?(?:{_TO}(?P<n4>{_N})(?P<s4>{_SCALES})?)?\s?(?P<c2>[€$£¥](?!\s?\d)|"
        rf"(?:{_any(k for k in CURRENCIES if k.isalpha())})(?![^\W_]))",
    ),
    ("percent", rf"(?P<p1>{_N})(?:{_TO}(?P<p2>{_N}))?\s?(?:%|percent(?![^\W_])|per\s?cent(?![^\W_]))"),
    (
        "span",
        rf"(?:(?P<d1>{_N})(?:{_TO}(?P<d2>{_N}))?|(?P<one>an?|per|each|every))(?:\s|-)*(?P<work>(?:working|business|week)\s?-?)?"
        rf"(?P<du>{_any(SPANS)})(?![^\W_])(?P<ago>\s+ago(?![^\W_]))?",
    ),
    ("unit", rf"(?P<u1>{_N})(?:{_TO}(?P<u2>{_N}))?(?:\s|-)?(?P<un>{_any(UNITS)})(?![^\W_]|-[^\W_])"),
    (
        "ordinal",
        rf"\d{{1,4}}(?:st|nd|rd|th)(?![^\W_])|(?:{_any(k for k in ORDINALS if k != 'second')})(?![^\W_])",
    ),
    ("relative", r"(?:today|yesterday|tomorrow)(?![^\W_])"),
    ("phone", r"\+?\d{2,4}(?:[ ()/-]{1,2}\d{2,4}){2,5}(?!\d)"),
    ("code", r"[^\W_]+(?:[-_][^\W_]+|\.(?:\d+|x(?![^\W_])))*"),
    ("range", rf"(?P<r1>{_DIGITS})(?:-|–|—|\s+to\s+)(?P<r2>{_DIGITS})(?![-–]?\d)"),
    ("number", rf"{_N}(?P<ns>\s(?:million|billion|trillion)(?![^\W_]))?"),
)
VALUE = re.compile(
    r"(?<![^\W_])(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS) + ")", re.IGNORECASE
)
# Where a value can begin at all: most words cannot, and skipping them is what keeps this fast.
START = re.compile(
    rf"(?<![^\W_])(?:[-−+]?\d|[€$£¥]|[^\W\d_]+[-_.]?[^\W_]*\d|(?:{_any([*SMALL, *TENS, *MONTHS, *ORDINALS])}"
    rf"|an?|per|each|every|noon|midnight|today|yesterday|tomorrow|EUR|USD|GBP|JPY|CHF)(?![^\W_])|https?://|www\.|[\w.+-]+@\w)",
    re.IGNORECASE,
)
BARE = re.compile(
    r"(?<![^\W_])(?:" + "|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS[-2:]) + ")",
    re.IGNORECASE,
)
