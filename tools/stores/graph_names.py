"""How a name in a text is recognised, whatever its case, plural, punctuation or spelling.

A name is cut into words (runs of letters and digits), each word loses case, accents and plural, and what is
left is joined to the name's *key*: `L-20`, `l 20` and `L20` share one, so do `Web Shop` and `webshops`.
Spelling mistakes are found with the symmetric delete method (Wolf Garbe, SymSpell, 2012): two words one edit
apart share a form of which at most one letter was deleted, so that an index of such forms finds them
without comparing every word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from rapidfuzz.distance import OSA

_RUN = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_PREFIX = 7  # letters whose deletions are indexed: more would only make the index larger
_SHORTEST = 5  # letters; in a shorter word one wrong letter too often makes another word
_LONG = 7  # letters from which two mistakes are forgiven
_NEAR = 0.77  # of the letters must be right: one mistake in five, two in nine


@dataclass(frozen=True)
class Word:
    """A word of a text: its folded form, and where it stands."""

    form: str
    start: int
    end: int


def words(text: str) -> list[Word]:
    """The words of a text in order, folded."""
    return [Word(form, run.start(), run.end()) for run in _RUN.finditer(text) if (form := fold(run[0]))]


def fold(word: str) -> str:
    """The word without case, accents, possessive and plural."""
    plain = unicodedata.normalize("NFKD", word.casefold()).replace("’", "'")
    plain = plain.removesuffix("'s").removesuffix("s'")
    return _singular("".join(letter for letter in plain if letter.isalnum()))


def _singular(word: str) -> str:
    """One form for singular and plural; what it looks like does not matter, only that both give it."""
    if len(word) > 2 and word.endswith("s") and word[-2].isdigit():
        return word[:-1]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith(("xe", "se", "ze", "che", "she")) else word


def key(forms: Iterable[str]) -> str:
    """What names are compared by: the folded words, joined."""
    return "".join(forms)


def squeezed(text: str) -> str:
    """The text with single spaces and without case: what counts as the same spelling."""
    return " ".join(text.casefold().split())


def can_be_misspelt(form: str) -> bool:
    """Whether the word is long enough, and letters enough, to look for what it was meant to be."""
    return len(form) >= _SHORTEST and not any(letter.isdigit() for letter in form)


def spelling_keys(form: str) -> list[str]:
    """The forms under which a word and its misspellings meet; empty for one that cannot be misspelt.

    A word one edit away, or one swap of neighbours, shares at least one of them; of words two edits away
    nearly all do.
    """
    if not can_be_misspelt(form):
        return []
    head = form[:_PREFIX]
    depth = 2 if len(form) >= _LONG else 1
    return sorted(
        {
            "".join(letter for place, letter in enumerate(head) if place not in gone)
            for size in range(depth + 1)
            for gone in combinations(range(len(head)), size)
        }
    )


def likeness(typed: str, meant: str) -> float:
    """How much of the word is right, in [0, 1], by edits and swaps of neighbours; 0 when too little is."""
    return OSA.normalized_similarity(typed, meant, score_cutoff=_NEAR)
