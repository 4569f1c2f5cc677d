"""Which documents a newer version has taken the place of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

_STATUS = re.compile(
    r"\b(?:superseded|replaced|old|older|obsolete|outdated|archived?|expired|previous|former|withdrawn|retired"
    r"|current|latest|new|valid|in force|version|edition|revision|rev|v)\b"
)


@dataclass(frozen=True)
class Edition:
    """What tells the versions of a document apart; as in `Passage`."""

    doc_id: str
    title: str
    category: str
    version: str | None
    updated: date | None


def superseded(editions: Iterable[Edition]) -> frozenset[str]:
    """The ids of the documents of which a newer version is there.

    Versions of one document share the category and the title, apart from the version itself and words for
    its status, as in `Returns policy 2024 (superseded)`. A document that states no version stands alone.
    The newer one has the greater numbers in its version, or, where it has no numbers, the later date.
    """
    families: dict[tuple[str, str], list[Edition]] = {}
    for edition in editions:
        if edition.version:
            families.setdefault((edition.category, _family(edition)), []).append(edition)
    old = set()
    for family in families.values():
        newest = max(_age(edition) for edition in family)
        old |= {edition.doc_id for edition in family if _age(edition) < newest}
    return frozenset(old)


def _age(edition: Edition) -> tuple[tuple[int, ...], date]:
    numbers = tuple(int(number) for number in re.findall(r"\d+", edition.version or ""))
    return numbers, date.min if numbers else edition.updated or date.min


def _family(edition: Edition) -> str:
    title = edition.title.lower()
    if edition.version:
        title = re.sub(rf"(?<![\w.])v?{re.escape(edition.version.lower())}(?![\w.])", " ", title)
    return " ".join(re.findall(r"\w+", _STATUS.sub(" ", title)))
