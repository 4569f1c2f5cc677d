"""The words of a question and of a graph's own language, brought to stems that can be compared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tools.relevance import content_words, english_stem
from tools.stores.graph_types import Mention, Relation, Vocabulary

WORD = re.compile(r"[^\W_]+")
ASKING = frozenset(["what", "which", "who", "whom", "when", "where", "whose", "how"])
SAME = frozenset(["same", "share", "common", "togeth", "co"])
"""Stems that say that two things have the same third one."""
SHARING = SAME | frozenset(["also", "anoth", "other", "both", "too"])
"""Those, and others that go with it but may mean something else."""


@dataclass(frozen=True)
class Phrase:
    """One way to say a relation.

    Attributes:
        inverse: Whether its subject is the end of the edge.
        stems: All its words in order.
        content: Those that carry meaning; all when none does.
    """

    inverse: bool
    stems: tuple[str, ...]
    content: frozenset[str]


@dataclass(frozen=True)
class Asked:
    """A question around one name in it.

    Attributes:
        stems: Every word's stem.
        content: Places of the words that carry meaning, without the name's.
        first, last: The name's first and last word.
        kinds: Kinds of things that are named, each with the places of its words.
        wanted: The kinds asked for, or empty.
    """

    stems: tuple[str, ...]
    content: frozenset[int]
    first: int
    last: int
    kinds: Mapping[str, frozenset[int]]
    wanted: frozenset[str]

    @property
    def outside(self) -> frozenset[str]:
        """The stems that are not the name's."""
        return frozenset(stem for n, stem in enumerate(self.stems) if not self.first <= n <= self.last)

    def far(self, place: int) -> int:
        """How many words a word is from the name."""
        return min(abs(place - self.first), abs(place - self.last))


def read_around(text: str, mention: Mention, words: Vocabulary) -> Asked:
    """The question's words, seen from one name in it."""
    spans = [(one.start(), one.end(), one[0]) for one in WORD.finditer(text)]
    inside = [n for n, (start, end, _) in enumerate(spans) if start < mention.end and end > mention.start]
    first, last = (inside[0], inside[-1]) if inside else (len(spans), len(spans))
    stems = tuple(english_stem(word.lower()) for *_, word in spans)
    meaning = set(content_words(" ".join(word for *_, word in spans)))
    named: dict[str, set[int]] = {}
    for place, stem in enumerate(stems):
        if not first <= place <= last:
            for kind in kind_words(words).get(stem, ()):
                named.setdefault(kind, set()).add(place)
    told = frozenset(place for places in named.values() for place in places)
    content = frozenset(
        n for n in range(len(spans)) if not first <= n <= last and (stems[n] in meaning or n in told)
    )
    kinds = {kind: frozenset(places) for kind, places in named.items()}
    return Asked(stems, content, first, last, kinds, _wanted(stems, kinds, first, last))


def _wanted(
    stems: Sequence[str], kinds: Mapping[str, frozenset[int]], first: int, last: int
) -> frozenset[str]:
    """The kinds that the word after `which` names, or that a word such as `who` asks for itself."""
    wanted: frozenset[str] = frozenset()
    asking = [n for n, stem in enumerate(stems) if stem in ASKING and not first <= n <= last]
    for here in range(asking[0] if asking else len(stems), len(stems)):
        if first <= here <= last:
            break
        if at := frozenset(kind for kind, places in kinds.items() if here in places):
            wanted = at  # of `film genre` the last one
        elif wanted:
            break
    return wanted


@lru_cache(maxsize=8)
def kind_words(words: Vocabulary) -> dict[str, tuple[str, ...]]:
    """The kinds that each word names; of a name of several words its last one."""
    known = {kind.name: kind.words for kind in words.kinds}
    for relation in words.relations:
        for kind in (*relation.source_kinds, *relation.target_kinds):
            known.setdefault(kind, ())
    named: dict[str, list[str]] = {}
    for kind, others in known.items():
        for word in (kind, *others):
            named.setdefault(english_stem(word.lower().split()[-1]), []).append(kind)
    return {word: tuple(dict.fromkeys(of_word)) for word, of_word in named.items()}


@lru_cache(maxsize=512)
def phrases(relation: Relation) -> tuple[Phrase, ...]:
    """All ways to say a relation; its name counts as one."""
    said = [(False, one) for one in (relation.forward, *relation.also, relation.name.replace("_", " "))]
    said += [(True, one) for one in (relation.inverse, *relation.also_inverse)]
    return tuple(_phrase(inverse, text) for inverse, text in dict.fromkeys(said))


def _phrase(inverse: bool, text: str) -> Phrase:
    stems = tuple(english_stem(word.lower()) for word in WORD.findall(text))
    content = frozenset(content_words(text)) & frozenset(stems)
    return Phrase(inverse, stems, content or frozenset(stems))


def is_plain(mention: Mention, words: Vocabulary) -> bool:
    """Whether a name stands in a text as an ordinary word, such as `film` where there are films."""
    if mention.text == mention.entity.name and not mention.text.islower():
        return False
    known = ASKING | SHARING | kind_words(words).keys() | _said(words)
    stems = [english_stem(word.lower()) for word in WORD.findall(mention.text)]
    return all(stem in known or not content_words(stem) for stem in stems)


def words_beside(text: str, mention: Mention) -> bool:
    """Whether a text says anything but the name: it is a question, and not a name alone."""
    beside = f"{text[: mention.start]} {text[mention.end :]}"
    return bool(content_words(beside)) or any(
        english_stem(word.lower()) in ASKING for word in WORD.findall(beside)
    )


@lru_cache(maxsize=8)
def _said(words: Vocabulary) -> frozenset[str]:
    """The words of all phrases."""
    return frozenset(stem for one in words.relations for phrase in phrases(one) for stem in phrase.stems)
