"""Whether a text bears on what the customer asked, judged without a language model."""

from __future__ import annotations

import re

_CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![\w-])")
_QUANTITY = re.compile(r"\d+(?:[-_]?[A-Za-z]+)*")
_LONG_NUMBER = 5


def codes(text: str) -> frozenset[str]:
    """The codes and ids in a text, in small letters and without dashes: `AB-12` and `ab12` are the same.

    A code mixes letters and digits, or is a number of five digits or more. `30-day`, `5kg` and `1st` are
    quantities, not codes.
    """
    return frozenset(
        re.sub(r"[-_]", "", token).lower()
        for token in _CODE.findall(text)
        if (token.isdecimal() and len(token) >= _LONG_NUMBER) or not _QUANTITY.fullmatch(token)
    )
