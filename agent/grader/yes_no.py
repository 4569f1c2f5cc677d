"""Whether a leading yes or no is the answer to the question, given the statement behind it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agent.grader.forms import rotations
from agent.grader.meaning import CONDITIONS, NEGATIONS, Sentence
from agent.grader.words import word_set

_ASKING = word_set("tell know possibl allow")
_DUTY = word_set("must should shall")
_CHANCE = word_set("may might can could")
_NARROWING = word_set("only solely exclusively except excepting excluding unless always")
_TURNED = (("from", "to"), ("to", "from"))


def agrees(answer: str, sentence: Sentence) -> bool:
    """Whether a leading yes or no has the polarity of a statement that repeats the question."""
    return bool(set(sentence.markers) & NEGATIONS) == (answer == "no")


def answers(answer: str, sentence: Sentence, asked: Sentence) -> bool:
    """Whether a leading yes or no agrees with the statement behind it.

    Only the plain case: the question's topics are all in the statement and in its order, its values and
    limits too, and a "yes" repeats the question's polarity while a "no" turns it.
    """
    topics = {key for key in asked.content if key not in _ASKING}
    if not topics or not topics <= sentence.content | {"you"}:
        return False
    mine, theirs = set(sentence.markers), set(asked.markers)
    turned = bool(mine & NEGATIONS) != bool(theirs & NEGATIONS)
    return (
        turned == (answer == "no")
        and not mine & CONDITIONS - theirs
        and not theirs & _NARROWING - mine
        and _as_binding(mine, theirs)
        and _same_roles(sentence, asked, topics)
    )


def _as_binding(mine: set[str], theirs: set[str]) -> bool:
    """Whether the statement is as binding as what was asked: "you may" is no yes to "must I"."""
    if theirs & _DUTY:
        return bool(mine & _DUTY)
    return not mine & {"may", "might", "could"} or bool(theirs & _CHANCE)


def _same_roles(sentence: Sentence, asked: Sentence, topics: set[str]) -> bool:
    """Whether the topics are in the question's order, the verb aside, and from and to are not exchanged."""
    mine, theirs = (set(pairwise(one.keys)) for one in (sentence, asked))
    if any((one, key) in theirs and (other, key) in mine for one, other in _TURNED for key in topics):
        return False
    order = [key for key in asked.keys if key in topics]
    turns = [sentence.keys, *([key for key, _ in pairs] for pairs in rotations(sentence))]
    return any(_but_one(order, [key for key in keys if key in topics]) for keys in turns)


def _but_one(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two lists are the same once one key, the verb that moves, is taken out of both."""
    one, other = list(dict.fromkeys(one)), list(dict.fromkeys(other))
    return one == other or any([k for k in one if k != key] == [k for k in other if k != key] for key in one)
