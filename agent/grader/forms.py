"""Keys of a sentence in the forms that other wordings of the same sentence share with it."""

from __future__ import annotations

from collections.abc import Iterator

from agent.grader.meaning import TURNING, Sentence, is_content
from agent.grader.words import word_set

Pairs = tuple[tuple[str, str], ...]
"""Keys, each with the possessive before it or an empty string."""

FRONT = word_set("""if when whenever unless until once while within for in on at after before during from
to under over with without by
    as because since between through outside inside up""")
_VOICES = word_set("can cannot may must should")


def pairs_of(sentence: Sentence) -> Pairs:
    """Keys with their possessives."""
    return tuple(zip(sentence.keys, sentence.possessives, strict=True))


def forms(pairs: Pairs) -> Iterator[Pairs]:
    """The keys as they are, and in forms that other wordings of the same have in common."""
    compound = _compound(pairs)
    for shape in (pairs, compound) if compound else (pairs,):
        yield shape
        voice = _voice(shape)
        if voice:
            yield voice


def _compound(pairs: Pairs) -> Pairs | None:
    """`owner of the workspace` as `workspace owner`, or None where there is no such thing."""
    made, at = list(pairs), 1
    while at < len(made) - 1:
        (thing, owner), (whole, whole_owner) = made[at - 1], made[at + 1]
        ends = at + 2 >= len(made) or not is_thing(made[at + 2][0])
        if made[at][0] == "of" and is_thing(thing) and is_thing(whole) and ends and not owner:
            made[at - 1 : at + 2] = [(whole, whole_owner), (thing, "")]
        at += 1
    return tuple(made) if len(made) < len(pairs) else None


def is_thing(key: str) -> bool:
    """Whether a key names something: a word that carries a topic and turns nothing."""
    return is_content(key) and "=" not in key and key not in TURNING


def rotations(sentence: Sentence) -> Iterator[Pairs]:
    """The sentence with its fronted part ("Within 30 days, …") put at the end."""
    if sentence.keys and sentence.keys[0] in FRONT:
        pairs = pairs_of(sentence)
        for position, mark in sentence.breaks:
            if mark == "," and 0 < position < len(pairs):
                yield pairs[position:] + pairs[:position]


def _voice(pairs: Pairs) -> Pairs | None:
    """`you can return X` and `X can be returned` as one form, or None."""
    keys = [key for key, _ in pairs]
    at = next((index for index, key in enumerate(keys) if key in _VOICES), -1)
    if at < 0:
        return None
    after = at + 1
    head: Pairs = (("*", ""), (keys[at], ""))
    if after < len(keys) and keys[after] == "not":
        head, after = (*head, ("not", "")), after + 1
    if (
        at > 0
        and after + 1 < len(keys)
        and keys[after] == "be"
        and "=" not in keys[after + 1]
        and "you" not in keys[:at]
    ):
        return (*head, pairs[after + 1], *pairs[:at], *pairs[after + 2 :])
    if keys[:at] == ["you"] and after < len(keys) - 1 and keys[after] != "be":
        return (*head, *pairs[after:])
    return None
