"""The thing that a question names, and whether a text speaks of it, of a sibling, or of neither."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from agent.models.words import codes, family, is_content, stem, stems, tokens

# A model with more to its name: `K2 Pro`, `B2 Max`.
_LONGER_NAME = re.compile(r"\b([^\W\d_]+-?\d[\w-]*) ([A-Z][a-z]+)\b")


def named_words(question: str, title: str = "") -> frozenset[str]:
    """The words by which a question names its thing, in small letters.

    These are codes, names in capitals, and the words beside a code that the title has too.
    """
    words = tokens(question)
    titled = stems(title)
    capitals = [place for place, word in enumerate(words) if place and word[0].isupper() and is_content(word)]
    if 2 * len(capitals) > sum(map(is_content, words)) > 2:  # a headline, where capitals name nothing
        capitals = []
    named = {place for place, word in enumerate(words) if codes(word)} | set(capitals)
    for place in [place for place in named if codes(words[place])]:
        for step in (-1, 1):
            at = place + step
            while 0 <= at < len(words) and is_content(words[at]) and stem(words[at]) in titled:
                named.add(at)
                at += step
    return frozenset(words[place].lower() for place in named if is_content(words[place]))


def hide(text: str, named: frozenset[str]) -> str:
    """The text with "it" where the thing is named, with the capitals that stand before its name."""
    if not named:
        return text
    one = "|".join(_spelt(word) for word in sorted(named, key=len, reverse=True))
    before = r"(?:\b(?i:the|an?|my|your)\s+)?(?:\b[A-Z][\w-]*\s+)*"
    return re.sub(rf"{before}\b(?i:{one})\b(?:[\s-]+(?i:{one})\b)*", "it", text)


@lru_cache(maxsize=4096)
def without_names(text: str, kinds: frozenset[str] = frozenset()) -> str:
    """The text with "it" for the things that it names, or that are of one of these kinds."""
    return hide(text, named_words(text) | kinds)


def kinds_of_things(texts: Iterable[str]) -> frozenset[str]:
    """What things are called beside their model: `kettle` and `kettles` for "the Kettle K3"."""
    found: set[str] = set()
    for words in map(tokens, texts):
        for place in [at for at, word in enumerate(words) if codes(word)]:
            at = place - 1
            while at > 0 and words[at][0].isupper() and words[at].isalpha() and not words[at].isupper():
                found.add(words[at].lower())
                at -= 1
    return frozenset(found | {f"{word}s" for word in found})


def as_titled(question: str, titles: Iterable[str]) -> str:
    """The question with longer names as the titles write them, so that `k2 pro` is the `K2 Pro`."""
    names = {(match[1], match[2]) for title in titles for match in _LONGER_NAME.finditer(title)}
    for code, more in names:
        pattern = rf"(?i:\b{_spelt(code.lower())}\s+{re.escape(more)}\b)"
        question = re.sub(pattern, f"{code} {more}", question)
    return question


def _spelt(word: str) -> str:
    """A pattern for the word, with or without the dash between a code's letters and digits."""
    return re.sub(r"(?<=[^\W\d_])(?:\\-)?(?=\d)", "-?", re.escape(word))


def about_another(question: str, title: str, text: str) -> bool:
    """Whether a text is about a sibling of what was asked about: another model, order or error code.

    The text's own words come first, then its heading, then its whole title. A text that names no code is
    general, and may well answer.
    """
    asked = codes(question)
    if not asked:
        return False
    levels = [set(codes(part)) for part in (text, title.rpartition(" > ")[2], title)]
    for kind in {family(code) for code in asked}:
        siblings = next(
            filter(None, ({code for code in level if family(code) == kind} for level in levels)), set()
        )
        if siblings and not siblings & set(asked):
            return True
    named = levels[0] | levels[2]
    if named and not named & set(asked):
        return True
    return any(_named_otherwise(code, question, f"{title}. {text}") for code in asked if code in named)


def of_longer_names(question: str, texts: Sequence[str]) -> frozenset[int]:
    """Places of the texts that have a name of the question only in a longer one, as `Sky Blue` has `Blue`.

    Customers leave out the end of a name, not its beginning. Where no text has the name by itself it may be
    such a shorter form: of the one longer name that there is, and of several for nobody to say which.
    """
    found: set[int] = set()
    asked = {stem(word) for word in tokens(question)}
    for name in (word for word in named_words(question) if word.isalpha()):
        spelt = rf"(?i:{re.escape(name)})\b"
        # Inside a sentence, or in what a title names before its colon, where a capital is part of a name.
        longer_name = rf"(?<=[a-z] )([A-Z][\w-]*) {spelt}|^([A-Z][\w-]*) {spelt}(?: [A-Z][\w-]*)*:"
        known = {"".join(words) for text in texts for words in re.findall(longer_name, text)}
        longer = {word for word in known if is_content(word) and stem(word) not in asked}
        mention = re.compile(rf"(?:\b([\w-]+) )?\b{spelt}")
        before = [mention.findall(text) for text in texts]
        alone = any(word not in longer for words in before for word in words)
        if alone or len({word for words in before for word in words}) > 1:
            found |= {place for place, words in enumerate(before) if words and set(words) <= longer}
    return frozenset(found)


def _named_otherwise(code: str, question: str, text: str) -> bool:
    """Whether the name goes on in one and not in the other: `K2 Pro` is not the `K2` that was asked about."""
    there = _after(code, text)
    spoken = {stem(word) for word in tokens(question)}
    other_names = [word for word in there if word[:1].isupper() and stem(word) not in spoken]
    if other_names and len(other_names) == len(there):
        return True
    wanted = {word for word in _after(code, question) if word[:1].isupper()}
    return bool(wanted) and not wanted & set(tokens(text))


def _after(code: str, text: str) -> list[str]:
    """The word right after each mention of a code, a space between; empty where there is none."""
    return [match[1] or "" for match in re.finditer(rf"(?i:\b{_spelt(code)}\b)(?: ([^\W\d_]+))?", text)]
