"""Words, codes and meaning: what the extractive model compares texts with."""

from __future__ import annotations

import contextlib
import hashlib
import re
import tempfile
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from tools.relevance import english_stem

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder

_TOKEN = re.compile(r"[^\W_]+(?:[-'’.][^\W_]+)*")
_SHORTEST_SLIP = 6
_HAS_DIGIT = re.compile(r"\d")


def word_set(text: str) -> frozenset[str]:
    """The words of a list that is written as running text."""
    return frozenset(text.split())


# Words that carry no topic, and the fillers of a polite request.
_STOP = word_set(
    """
    a about actually again all also am an and any anybody anymore anyone are as at be because been before
    being but by can cannot could couldn currently did didn do does doesn doing don each either for from
    get gets getting give given go goes going got had happen happens has have having he hello help her
    here hi him his how however i i'd i'll i'm i've if in into is isn it it's its itself just kindly know
    left let like ll look looking lot many may me mean might more most much must my myself need needs no
    nor not now of off on once one ones only or other our ours out over own per please possible question
    quick really same say see seem shall she should so some somebody someone something still such take
    tell than thank thanks that that's the their theirs them then there these they thing things this those
    through to today today's too try under until up us ve very want wanted wants was wasn
    way we well were what what's when when's where where's whether which while who who's whom whose why
    will with within without won wondering would yet you you'd your yours
    """
)
_LONG_STOP = frozenset(word for word in _STOP if len(word) > _SHORTEST_SLIP and word.isalpha())


class Meaning:
    """Cosines between texts. Remembers recent vectors, as descriptions recur at every question."""

    def __init__(self, embedder: Embedder, remember: int = 4096, shelf: Path | None = None) -> None:
        """Compare with `embedder`; `shelf` is a folder for the vectors of what `keep` is told."""
        self._embedder = embedder
        self._remember = remember
        self._shelf = shelf
        self._kept: frozenset[str] = frozenset()
        self._known: OrderedDict[str, NDArray[np.float32]] = OrderedDict()

    def keep(self, texts: Iterable[str]) -> None:
        """Learn texts that every process needs again, from the shelf where they lie there already.

        Only for the desk's own texts: what a customer wrote does not belong into a file.
        """
        wanted = sorted(set(texts))
        if self._kept.issuperset(wanted):
            return
        name = hashlib.sha256("\0".join([self._embedder.name, *wanted]).encode()).hexdigest()
        path = self._shelf / f"descriptions-{name[:16]}.npy" if self._shelf else None
        vectors = _shelved(path, (len(wanted), self._embedder.dimensions)) if path else None
        if vectors is None:
            vectors = self._embedder.embed(wanted)
            if path:
                _shelve(path, vectors)
        self._known.update(zip(wanted, vectors, strict=True))
        self._kept = frozenset(wanted)

    def learn(self, texts: Iterable[str]) -> None:
        """Embed what is not known yet, in one go."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._embedder.embed(new), strict=True))
        while len(self._known) > self._remember:
            self._known.popitem(last=False)

    def cosine(self, one: str, other: str) -> float:
        """How near two texts are, in [-1, 1]."""
        return float(self._vector(one) @ self._vector(other))

    def cosines(self, text: str, others: Sequence[str]) -> list[float]:
        """How near each of the others is to the text."""
        self.learn([text, *others])
        return [self.cosine(text, other) for other in others]

    def _vector(self, text: str) -> NDArray[np.float32]:
        if text not in self._known:
            self.learn([text])
        self._known.move_to_end(text)
        return self._known[text]


def _shelved(path: Path, shape: tuple[int, int]) -> NDArray[np.float32] | None:
    """The vectors of the file, or None when it is not there or is not what it should be."""
    try:
        vectors = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return vectors if vectors.shape == shape and vectors.dtype == np.float32 else None


def _shelve(path: Path, vectors: NDArray[np.float32]) -> None:
    """Write the file whole or not at all, in the place of those of earlier descriptions."""
    with contextlib.suppress(OSError):  # a shelf that cannot be written only costs time
        path.parent.mkdir(parents=True, exist_ok=True)
        for old in path.parent.glob("descriptions-*.npy"):
            old.unlink(missing_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            np.save(file, vectors)
        Path(file.name).replace(path)


def tokens(text: str) -> list[str]:
    """The words of a text as they stand, without punctuation."""
    return _TOKEN.findall(text)


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The Snowball stem of one word in small letters, without a possessive; a code without its dash."""
    bare = re.sub(r"['’]s$", "", word.lower())
    if _HAS_DIGIT.search(bare):
        return bare.replace("-", "")
    return english_stem(bare)


def is_content(word: str) -> bool:
    """Whether a word carries a topic."""
    return word.lower().replace("’", "'") not in _STOP and (len(word) > 1 or word.isdigit())


def content(text: str) -> list[str]:
    """The words that carry a topic, as they stand and in order."""
    return [word for word in tokens(text) if is_content(word)]


def stems(text: str) -> frozenset[str]:
    """The stems of the words that carry a topic."""
    return frozenset(stem(word) for word in content(text))


def all_stems(words: Iterable[str]) -> list[str]:
    """The stem of each word, stop words too."""
    return [stem(word) for word in words]


def codes(text: str) -> list[str]:
    """Ids, model numbers and error codes: words that begin with a letter and hold a digit.

    In capitals and without dashes, so that `o-20017` and `O20017` are the same.
    """
    return [
        word.upper().replace("-", "")
        for word in tokens(text)
        if word[0].isalpha() and _HAS_DIGIT.search(word) and "'" not in word
    ]


def family(code: str) -> str:
    """What a code has in common with its siblings: `O20017` and `O3` are `O#`, `K2` is `K#`."""
    return re.sub(r"\d+", "#", code.upper())


def corrected(text: str, known: frozenset[str]) -> str:
    """The text with its misspelt words put right, where a known word is one slip away.

    Args:
        text: What the customer wrote.
        known: Words in small letters, as `vocabulary` gives them.
    """

    def right(match: re.Match[str]) -> str:
        word = match[0]
        if len(word) < _SHORTEST_SLIP or not word.isalpha() or not word.islower() or not is_content(word):
            return word  # short words have too many neighbours, and a name may be anything
        alike = sorted(one for one in known | _LONG_STOP if one[0] == word[0])
        if stem(word) in map(stem, alike):
            return word
        return next((one for one in alike if OSA.distance(one, word, score_cutoff=1) <= 1), word)

    return _TOKEN.sub(right, text)


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """The words of the texts that carry a topic, in small letters."""
    return frozenset(word.lower() for text in texts for word in content(text))


def covered(asked: frozenset[str], text: str) -> float:
    """The share of the asked stems that the text has, in [0, 1]."""
    return len(asked & stems(text)) / len(asked) if asked else 0.0
