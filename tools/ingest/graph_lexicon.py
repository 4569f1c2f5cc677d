"""Which known names stand in a passage, and which passages a change of the known names can concern."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tools.stores.graph_names import Word, key, words

_LONGEST = 12  # words of a name that are looked for


@dataclass(frozen=True)
class Name:
    """A way to write a thing."""

    text: str
    thing: str
    kind: str


@dataclass(frozen=True)
class Found:
    """A thing named in a text, and where."""

    thing: str
    kind: str
    start: int
    end: int


class Lexicon:
    """Known names.

    Documents are taken at their word: case, plural, accents and punctuation may differ from the name as it is
    known, letters may not, and two words may stand for one or one for two.
    """

    def __init__(self, names: Iterable[Name]) -> None:
        self._by_key: dict[str, tuple[tuple[str, ...], str, str]] = {}
        self._width = 2
        for one in sorted(names, key=lambda one: (one.thing, one.text)):
            forms = tuple(word.form for word in words(one.text))
            if forms:
                self._by_key.setdefault(key(forms), (forms, one.thing, one.kind))
                self._width = max(self._width, min(len(forms), _LONGEST))

    def find(self, text: str) -> list[Found]:
        """The things that the text names, in order; of overlapping names the longest counts."""
        spoken = words(text)
        found: list[Found] = []
        place = 0
        while place < len(spoken):
            match = self._longest(spoken, place)
            if match is None:
                place += 1
                continue
            last, thing, kind = match
            found.append(Found(thing, kind, spoken[place].start, spoken[last].end))
            place = last + 1
        return found

    def _longest(self, spoken: Sequence[Word], first: int) -> tuple[int, str, str] | None:
        for last in range(min(first + self._width, len(spoken)) - 1, first - 1, -1):
            forms = tuple(word.form for word in spoken[first : last + 1])
            known = self._by_key.get(key(forms))
            if known and (forms == known[0] or len(forms) <= 2):
                return last, known[1], known[2]
        return None


def tokens(text: str) -> list[str]:
    """What a passage can be found by when a name changes: its words, and each two neighbours as one."""
    forms = [word.form for word in words(text)]
    return sorted({*forms, *(a + b for a, b in pairwise(forms))})


def wanted(names: Iterable[Name]) -> Iterator[list[str]]:
    """For each name what of a passage's tokens all must be there: its words, or all of it as one."""
    for one in names:
        forms = [word.form for word in words(one.text)]
        yield sorted(set(forms))
        yield [key(forms)]
