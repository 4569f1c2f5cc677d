"""What a sentence says by itself, and what it still says when a part that does not bear on the rest is left
out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent.grader.forms import FRONT, Pairs, is_thing, pairs_of
from agent.grader.meaning import CONDITIONS, EXTENT, NEGATIONS, Sentence, key_of
from agent.grader.words import word_set

Keys = tuple[str, ...]

FINITE = word_set("be was have had will would can may might must should cannot could did")
"""Verbs by which a clause is one; a narrower set than `meaning.AUXILIARY`, which has the plain `do` too."""
RELATIVE = word_set("that which who whose whom")
_SPANS = ("time span=", "working ", "months=")
_EXCLUDING = frozenset(key_of(word) for word in word_set("excluded exception exceptions exempt excepted"))
_UNTIL_THEN = word_set("within after before by")


def turns(keys: Iterable[str]) -> bool:
    """Whether something here denies, limits or sets apart."""
    return any(key in NEGATIONS or key in CONDITIONS or key in _EXCLUDING for key in keys)


def sayings(sentence: Sentence) -> Iterator[Pairs]:
    """The sentence, and what it says when a part is left out that does not bear on the rest."""
    whole = pairs_of(sentence)
    yield whole
    breaks = dict(sentence.breaks)
    places = [
        n for n, key in enumerate(sentence.keys) if n > 1 and (key in ("and", "of") or breaks.get(n) == ";")
    ]
    ends = [len(whole)]
    for _ in range(2):  # a part left out of what is left: "… within 30 days (of delivery), (and …)"
        for end in tuple(ends):
            for cut in places:
                head, tail = sentence.keys[:cut], sentence.keys[cut:end]
                if cut >= end or cut in ends or _bears_on(head, tail, breaks.get(cut, "")):
                    continue
                if breaks.get(cut) == ";" or _may_leave(head, tail, breaks.get(cut, "")):
                    ends.append(cut)
                    yield whole[:cut]
                if breaks.get(cut) == ";" and _stands(head, tail) and ":" not in breaks.values():
                    yield whole[cut:end]


def _bears_on(head: Keys, tail: Keys, mark: str) -> bool:
    """Whether what follows may limit what stands before it: "not" and the like, but of something else."""
    if mark == ";" and not _is_apart(tail):
        return True
    if not turns(tail):
        return False
    elsewhere = mark == ";" and is_thing(tail[0]) and tail[0] not in head
    return not (elsewhere and FINITE & set(tail)) or any(
        key in _EXCLUDING or (key in CONDITIONS and key != "only") for key in tail
    )


def _is_apart(tail: Keys) -> bool:
    """Whether what follows a semicolon is a clause that sets no bound, as "orders below €50 pay" does."""
    return bool(FINITE & set(tail)) and tail[0] not in FRONT and not EXTENT & set(tail)


def _stands(head: Keys, tail: Keys) -> bool:
    """Whether what follows a semicolon is a clause of its own, and nothing before it reaches into it."""
    return not turns(head) and head[0] not in FRONT and any(key in FINITE for key in tail)


def _may_leave(head: Keys, tail: Keys, mark: str) -> bool:
    """Whether a sentence may end before `tail` without saying more than it did."""
    limited = turns(head) or any(key in RELATIVE for key in head)
    if tail[0] == "and" and len(tail) > 2 and not limited:
        whole = mark == "," and any(key in FINITE for key in tail[2:])
        # Half of what is asked is not what is asked.
        requirement = "must" in head or any("=" in key for key in tail)
        return whole or (tail[1] in FINITE and not requirement)
    # "within 30 days (of delivery)"; "30 days of storage" are of something
    return bool(
        tail[0] == "of"
        and _UNTIL_THEN & set(head[-3:-1])
        and len(tail) <= 6
        and head[-1].startswith(_SPANS)
        and "and" not in tail
        and not any("=" in key for key in tail)
    )
