"""Words brought to one form: inflection and contractions aside, nothing that could change what is said."""

from __future__ import annotations

import re
from functools import lru_cache


def word_list(text: str) -> list[str]:
    """The words of a written list, in order."""
    return text.split()


def word_set(text: str) -> frozenset[str]:
    """The words of a written list, as a set."""
    return frozenset(text.split())


_VOWEL_GROUPS = re.compile(r"[aeiouy]+")
_SHORT = re.compile(r"[^aeiouy]*[aeiouy][^aeiouywx]")
_HISS = re.compile(r"(?:s|x|z|ch|sh)es$")

_IRREGULAR = dict(
    pair.split("/")
    for pair in word_list(
        """paid/pay sent/send bought/buy made/make kept/keep sold/sell found/find held/hold given/give
        gave/give taken/take took/take shown/show built/build chosen/choose broken/break written/write
        children/child women/woman men/man people/person ran/run went/go came/come saw/see seen/see
        said/say told/tell got/get began/begin begun/begin spent/spend lent/lend e-mail/email
        e-mails/email used/use using/use"""
    )
)


@lru_cache(maxsize=50_000)
def lemma(word: str) -> str:
    """One form for the inflections of a word, and for nothing else.

    Plural, third person, past and -ing endings go; derived words stay apart, because "employer" and
    "employee" or "hard" and "hardly" are not the same. The form is a key, not always a word.
    """
    base = word.lower()
    if base in _IRREGULAR:
        return _IRREGULAR[base]
    if len(base) < 4 or not base.isascii():
        return base
    ended = False
    if base.endswith(("ies", "ied")) and len(base) > 4:
        return base[:-3] + "y"
    if base.endswith("eed"):
        base = base[:-1] if _VOWEL_GROUPS.search(base[:-3]) else base
    elif base.endswith("ing") and _VOWEL_GROUPS.search(base[:-3]) and len(base) > 5:
        base, ended = base[:-3], True
    elif (base.endswith("ed") and _VOWEL_GROUPS.search(base[:-2]) and len(base) > 4) or _HISS.search(base):
        base, ended = base[:-2], True
    elif base.endswith("s") and not base.endswith(("ss", "us", "is")):
        base = base[:-1]
    if ended and len(base) > 2 and base[-1] == base[-2] and base[-1] not in "lsz":
        return base[:-1]
    return _without_silent_e(base, ended)


def _without_silent_e(base: str, ended: bool) -> str:
    groups = len(_VOWEL_GROUPS.findall(base))
    if ended:
        if _SHORT.fullmatch(base):  # "rated" is from "rate": "rat" would have doubled its letter
            return base + "e"
    elif base.endswith("e") and not base.endswith("ee") and groups > 1:
        if _SHORT.fullmatch(base[:-1]):
            return base
        base = base[:-1]
        groups -= 1
    if base.endswith("ll") and groups > 1:
        base = base[:-1]
    return base


# Read before words are told apart. "can't" is "cannot"; what a bare 'd stands for cannot be known.
_CONTRACTIONS = (
    (re.compile(r"\b(?:can['’]?t|can not)\b", re.IGNORECASE), "cannot"),
    (re.compile(r"\b(?:won['’]t)\b", re.IGNORECASE), "will not"),
    (re.compile(r"\b(?:shan['’]t)\b", re.IGNORECASE), "shall not"),
    (re.compile(r"n['’]t\b", re.IGNORECASE), " not"),
    (re.compile(r"\b(it|that|there|here|what|who|he|she)['’]s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"['’]re\b", re.IGNORECASE), " are"),
    (re.compile(r"['’]ll\b", re.IGNORECASE), " will"),
    (re.compile(r"['’]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"\bI['’]m\b"), "I am"),
    (re.compile(r"['’]s\b|(?<=s)['’](?=\s|$)", re.IGNORECASE), ""),
)
_APOSTROPHE = re.compile(r"['’]")
_SPAN = re.compile(r"\bbetween\s+(?=\S*\d)([^\s,;]+(?:\s(?!and\b)[a-z%]+)?)\s+and\s+(?=\S*\d)", re.IGNORECASE)


def expand(text: str) -> str:
    """The text with contractions written out, possessive endings gone and "between 3 and 5" as "3 to 5"."""
    if "etween" in text:
        text = _SPAN.sub(r"\1 to ", text)
    if _APOSTROPHE.search(text) or "can not" in text.lower() or "cant" in text.lower():
        for pattern, written in _CONTRACTIONS:
            text = pattern.sub(written, text)
    return text
