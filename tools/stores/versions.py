"""Which documents there are, and which of them a newer version has taken the place of."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from heapq import nsmallest
from typing import TYPE_CHECKING

from tools.stores.passage import Collection

if TYPE_CHECKING:
    import pyarrow as pa

_TITLES = 100  # of each category that are kept in mind

_STATUS = re.compile(
    r"\b(?:superseded|replaced|old|older|obsolete|outdated|archived?|expired|previous|former|withdrawn|retired"
    r"|current|latest|new|valid|in force|version|edition|revision|rev|v)\b"
)


OVERVIEW_COLUMNS = ("doc_id", "title", "category", "version", "updated", "audience")
"""What `Overview.of` reads of the first passage of every document."""

_Audiences = Mapping[str, tuple[Collection, ...]]


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


@dataclass(frozen=True)
class Overview:
    """The documents of a store at one moment, as `public` and `internal` readers see them."""

    _collections: _Audiences = field(default_factory=dict)
    _superseded: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, batches: Iterable[pa.RecordBatch]) -> Overview:
        """The overview of the documents in `batches`, which have `OVERVIEW_COLUMNS`, in one pass."""
        counts: dict[str, Counter[str]] = {"public": Counter(), "internal": Counter()}
        titles: dict[tuple[str, str], list[str]] = defaultdict(list)
        editions: dict[str, list[Edition]] = {"public": [], "internal": []}
        for batch in batches:
            seen: set[tuple[str, str]] = set()
            for row in batch.to_pylist():
                audience = row.pop("audience")
                for reader in ("public", "internal") if audience == "public" else ("internal",):
                    counts[reader][row["category"]] += 1
                    titles[reader, row["category"]].append(row["title"])
                    seen.add((reader, row["category"]))
                    if row["version"]:
                        editions[reader].append(Edition(**row))
            for one in seen:
                titles[one] = nsmallest(_TITLES, titles[one])
        return cls(
            {
                reader: tuple(
                    Collection(category, number, tuple(titles[reader, category]))
                    for category, number in sorted(counts[reader].items())
                )
                for reader in counts
            },
            {reader: superseded(of_one) for reader, of_one in editions.items()},
        )

    def collections(self, audience: str) -> list[Collection]:
        """The documents that `audience` may see by category, in alphabetical order."""
        return list(self._collections.get(_reader(audience), ()))

    def superseded(self, audience: str) -> frozenset[str]:
        """The documents that `audience` may see of which it may also see a newer version."""
        return self._superseded.get(_reader(audience), frozenset())


def _reader(audience: str) -> str:
    return "internal" if audience == "internal" else "public"


def _age(edition: Edition) -> tuple[tuple[int, ...], date]:
    numbers = tuple(int(number) for number in re.findall(r"\d+", edition.version or ""))
    return numbers, date.min if numbers else edition.updated or date.min


def _family(edition: Edition) -> str:
    title = edition.title.lower()
    if edition.version:
        title = re.sub(rf"(?<![\w.])v?{re.escape(edition.version.lower())}(?![\w.])", " ", title)
    return " ".join(re.findall(r"\w+", _STATUS.sub(" ", title)))
