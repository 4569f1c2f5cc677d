"""What a claim reckons from values: sums, differences, and whether one span lies within another.

A clause that only reckons is recomputed and taken off; what is left must be said by the evidence. Such a
clause is made of a closed set of words and of values, so that nothing else can ride along.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation

from agent.grader.meaning import CONDITIONS, EXTENT, NEGATIONS, Sentence, key_of
from agent.grader.values import Value
from agent.grader.words import word_set

_SUMS = word_set("together total altogether sum")
_DIFFERENCES = frozenset(key_of(word) for word in word_set("differ difference"))
_WITHIN = word_set("within")
_BOUNDS = (
    EXTENT
    | NEGATIONS
    | CONDITIONS
    | frozenset(
        key_of(word)
        for word in word_set(
            "discount refund refunds credit deduct deducted off saving save voucher rebate from"
        )
    )
)
"""Words by which an amount is a bound, or one that is taken off."""
_SHARES = ("percent=", "ordinal=", "quarter=")
_CLOSED = (
    _SUMS
    | _DIFFERENCES
    | _WITHIN
    | frozenset(
        key_of(word) for word in word_set("so that which be it they cost come make of in to and both")
    )
)


def without_reckoning(claim: Sentence, known: frozenset[str]) -> tuple[Sentence, str] | None:
    """The claim without a last clause that reckons rightly, and what was reckoned; None where there is none.

    Args:
        claim: The claim.
        known: Keys of the values that may be reckoned with: the evidence's and the question's.
    """
    for cut in sorted({place for place, _ in claim.breaks if 0 < place < len(claim.keys)}, reverse=True):
        tail = claim.keys[cut:]
        words = {key for key in tail if "=" not in key}
        if words <= _CLOSED:
            count = _count(claim, cut)
            told = _reckons(words, claim.values[count:], claim.values[:count], known)
            if told and (words & _WITHIN or _adds_up(claim.keys[:cut])):
                return _until(claim, cut), told
    return None


def _adds_up(keys: Sequence[str]) -> bool:
    """Whether the amounts may be reckoned with: none is a bound or taken off, and all are per the same."""
    if _BOUNDS & set(keys) or any(key.startswith(_SHARES) for key in keys):
        return False
    per = {
        keys[place + 1 : place + (3 if keys[place + 1 : place + 2] == ("per",) else 2)]
        for place, key in enumerate(keys)
        if key.startswith("money:")
    }
    return len(per) < 2 or not any(words and words[0].startswith("per") for words in per)


def _reckons(words: set[str], values: Sequence[Value], before: Sequence[Value], known: frozenset[str]) -> str:
    if words & _WITHIN and len(values) == 2 and not words & (_SUMS | _DIFFERENCES):
        return _within(values[0], values[1], known)
    if len(values) != 1 or bool(words & _SUMS) == bool(words & _DIFFERENCES):
        return ""
    kind, amount = values[0].kind, _number(values[0])
    parts = [one for one in before if one.kind == kind]
    numbers = [_number(one) for one in parts]
    if amount is None or len(parts) < 2 or any(one.key not in known for one in parts) or None in numbers:
        return ""
    told = [number for number in numbers if number is not None]
    if words & _SUMS and sum(told) == amount:
        return f"{' + '.join(map(str, told))} is {amount}"
    if words & _DIFFERENCES and len(told) == 2 and abs(told[0] - told[1]) == amount:
        return f"{told[0]} and {told[1]} differ by {amount}"
    return ""


def _within(one: Value, limit: Value, known: frozenset[str]) -> str:
    kinds = {value.kind.removeprefix("ago ") for value in (one, limit)}
    small, large = _number(one), _number(limit)
    stated = one.key in known or f"ago {one.key}" in known
    if len(kinds) == 1 and stated and limit.key in known and small is not None and large is not None:
        return "the one span lies within the other" if small <= large else ""
    return ""


def _number(value: Value) -> Decimal | None:
    try:
        return Decimal(value.amount)
    except InvalidOperation:
        return None


def _until(claim: Sentence, cut: int) -> Sentence:
    keys = claim.keys[:cut]
    return replace(
        claim,
        keys=keys,
        possessives=claim.possessives[:cut],
        values=claim.values[: _count(claim, cut)],
        breaks=tuple(one for one in claim.breaks if one[0] < cut),
        content=frozenset(key for key in claim.content if key in keys),
        markers=tuple(key for key in claim.markers if key in keys),
    )


def _count(claim: Sentence, cut: int) -> int:
    """How many of the claim's values stand before this place."""
    return sum("=" in key for key in claim.keys[:cut])
