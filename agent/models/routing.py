"""Which tool a question belongs to, from nothing but the tools' descriptions.

A question is compared with each example question of a description, and the nearest counts: once as it
stands, once with names hidden on both sides, so that "how much is the A7" is near to "how much is the B2"
and not to all that is said about an A7, and once by the words that both have, the rare ones more. An id
shaped like one of the catalogue's examples counts on top. On a close call the precise source goes first,
because what it gives back shows whether it was right, and a tool whose description lists nothing of its own
goes last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any, Protocol

from agent.models.arguments import Filled, fill
from agent.models.catalogue import Profile, read_description
from agent.models.things import kinds_of_things, named_words, without_names
from agent.models.words import Meaning, codes, corrected, family, stem, stems, vocabulary

# Varied one at a time on the 128 open routing cases of `evals`, MiniLM: 108 to 111 right at the first try.
# The lookups and some example questions have changed since, and the values were not searched again.
_AS_IT_STANDS = 0.35
_NAMES_HIDDEN = 0.50
_SAME_WORDS = 0.15
_TITLES = 0.45
_IDENTIFIED = 0.10
_CLOSE_CALL = 0.04
_SURE_LINE = 0.60
_NOTHING_NEAR = 0.25
# What the kind of question adds or takes.
_NO_RELATION = 0.03
_TWO_THINGS = 0.10
_STRANGER = 0.08
_LAST = 0.15


class ToolLike(Protocol):
    """What is read of a tool: the SDK's `FunctionTool` has it."""

    name: str
    description: str
    params_json_schema: dict[str, Any]


@dataclass(frozen=True)
class Route:
    """One tool that could answer, with arguments ready.

    Attributes:
        tool: Its name.
        text: The question as it was read, with slips of spelling put right.
        arguments: What to call it with.
        score: How well the question fits, about 0 to 1.
        near: The part of the score that comes from the nearest example question.
        exact: Whether the arguments name a line of its catalogue.
        last_resort: Whether its description lists nothing that the source holds.
        wider: Arguments that ask for more around the same thing, when these bring nothing.
        sure: Whether that line fits well enough to be asked first on a close call.
        own: Whether it asks for what only this source can know: an id of its own shape, or a line that it
            fits well and that takes nothing from the question.
    """

    tool: str
    text: str
    arguments: Mapping[str, Any]
    score: float
    near: float
    exact: bool
    last_resort: bool
    wider: Mapping[str, Any] | None = None
    sure: bool = False
    own: bool = False


def routes(part: str, tools: Iterable[ToolLike], meaning: Meaning) -> list[Route]:
    """The tools that could answer, the one to ask first at the front."""
    profiles = [(tool, read_description(tool.description)) for tool in tools]
    part = corrected(part, _known(tuple(profile for _, profile in profiles)))
    rarity = _rarity(tuple(profile for _, profile in profiles))
    kinds = _kinds(tuple(profile for _, profile in profiles))
    stranger = _names_a_stranger(part, [profile for _, profile in profiles])
    found: list[Route] = []
    for tool, profile in profiles:
        filled = fill(part, profile, tool.params_json_schema, meaning)
        if filled is not None:
            near = _nearest(part, profile, rarity, kinds, meaning)
            last = not profile.lines
            score = near + _kind(part, profile, filled) + _STRANGER * stranger * (last - filled.by_name)
            found.append(
                Route(
                    tool=tool.name,
                    text=part,
                    arguments=filled.arguments,
                    score=score,
                    near=near,
                    exact=filled.exact,
                    last_resort=last,
                    wider=filled.wider,
                    sure=filled.exact and filled.fit >= _SURE_LINE,
                    own=filled.identified
                    or (
                        filled.exact and filled.fit >= _SURE_LINE and not filled.by_name and not filled.wider
                    ),
                )
            )
    return ordered(found)


def _nearest(
    part: str, profile: Profile, rarity: Mapping[str, float], kinds: frozenset[str], meaning: Meaning
) -> float:
    """How near the nearest example question is, or the nearest title."""
    lines = profile.questions
    bare = without_names(part, kinds)
    as_it_stands = meaning.cosines(part, lines)
    hidden = meaning.cosines(bare, [without_names(line, kinds) for line in lines])
    asked = {word: rarity.get(word, rarity[""]) for word in stems(bare)}
    total = sum(asked.values()) or 1.0
    words = [sum(asked[word] for word in _line_stems(line) & asked.keys()) / total for line in lines]
    near = [
        _AS_IT_STANDS * whole + _NAMES_HIDDEN * bare + _SAME_WORDS * shared
        for whole, bare, shared in zip(as_it_stands, hidden, words, strict=True)
    ]
    titles = [_TITLES * value for value in meaning.cosines(part, profile.titles)]
    return max(near + titles)


@lru_cache(maxsize=2048)
def _line_stems(line: str) -> frozenset[str]:
    return stems(without_names(line))


@lru_cache(maxsize=16)
def _rarity(profiles: tuple[Profile, ...]) -> dict[str, float]:
    """How rare a word is among all example questions; the empty word stands for one that none has."""
    lines = [line for profile in profiles for line in profile.questions]
    having = Counter(word for line in lines for word in _line_stems(line))
    return {word: log(1 + len(lines) / (1 + having[word])) for word in (*having, "")}


@lru_cache(maxsize=16)
def _kinds(profiles: tuple[Profile, ...]) -> frozenset[str]:
    """The kinds of things that the descriptions name a model of."""
    return kinds_of_things(text for profile in profiles for text in (*profile.questions, *profile.titles))


@lru_cache(maxsize=16)
def _known(profiles: tuple[Profile, ...]) -> frozenset[str]:
    """The words that the descriptions themselves use."""
    texts = [text for profile in profiles for text in (*profile.questions, *profile.titles)]
    return vocabulary([*texts, *(line.comment for profile in profiles for line in profile.lines)])


def _kind(part: str, profile: Profile, filled: Filled) -> float:
    """What speaks for a tool beside its examples: an id of its kind, or two things for one with relations."""
    total = _IDENTIFIED * filled.identified
    if any(line.phrases for line in profile.lines):
        several = len({family(code) for code in codes(part)}) > 1
        total += _TWO_THINGS * several - _NO_RELATION * (not filled.exact)
    return total


def _names_a_stranger(part: str, profiles: Sequence[Profile]) -> bool:
    """Whether the question names, in capitals, what stands in no catalogue and no example."""
    known = {word for profile in profiles for word in profile.vocabulary}
    known |= {word for profile in profiles for line in profile.questions for word in stems(line)}
    return any(stem(word) not in known for word in named_words(part) if not codes(word))


def ordered(found: Sequence[Route]) -> list[Route]:
    """The routes in the order in which to try them: by score, but for close calls."""
    ranked = sorted(found, key=lambda route: -route.score)
    if not ranked:
        return []
    top = ranked[0].score
    if top < _NOTHING_NEAR:  # none is made for it: ask where anything may be said
        return sorted(ranked, key=lambda route: (route.last_resort, route.exact, -route.score))
    close = [route for route in ranked if top - route.score <= _CLOSE_CALL]
    close.sort(key=lambda route: (route.last_resort, not route.sure, -route.score))
    rest = sorted(ranked[len(close) :], key=lambda route: _LAST * route.last_resort - route.score)
    return close + rest
