"""Which tool a question belongs to, from nothing but the tools' descriptions.

A question is compared with each example question of a description, each title, and what a line says of
itself, and the nearest counts: mostly as it stands, and a little with names hidden on both sides, so that
"how much is the A7" is near to "how much is the B2" and not to all that is said about an A7. An id shaped
like one of the catalogue's examples counts on top. On a close call the precise source goes first, because
what it gives back shows whether it was right, and a tool whose description lists nothing of its own is the
last resort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from agent.models.arguments import Filled, fill
from agent.models.catalogue import Profile, read_description
from agent.models.lookups import nearness
from agent.models.things import kinds_of_things, named_words
from agent.models.words import Meaning, codes, corrected, family, stem, stems, vocabulary

# Varied one at a time on the 275 open cases of `evals` that say one tool: 247 right at the first try.
_COMMENTS = 0.90
_TITLES = 0.70
_IDENTIFIED = 0.15
_CLOSE_CALL = 0.03
_SURE_LINE = 0.55
_NOTHING_NEAR = 0.15
# What the kind of question adds or takes.
_NO_RELATION = 0.05
_TWO_THINGS = 0.15
_STRANGER = 0.08
_LAST = 0.10
_PRECISE = 0.05  # a saved lookup answers only what it was saved for


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
    kinds = _kinds(tuple(profile for _, profile in profiles))
    stranger = _names_a_stranger(part, [profile for _, profile in profiles])
    found: list[Route] = []
    for tool, profile in profiles:
        filled = fill(part, profile, tool.params_json_schema, meaning)
        if filled is not None:
            near = _nearest(part, profile, kinds, meaning)
            last = not profile.lines
            saved = any(line.readable for line in profile.lines)
            score = near + _kind(part, profile, filled) + _STRANGER * stranger * (last - filled.by_name)
            score -= _LAST * last
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
                    or (saved and filled.exact and filled.fit >= _SURE_LINE and not filled.by_name),
                )
            )
    return ordered(found)


def _nearest(part: str, profile: Profile, kinds: frozenset[str], meaning: Meaning) -> float:
    """How near the nearest example question is, the nearest title, or what a line says of itself."""
    near = nearness(part, profile.questions, kinds, meaning)
    near += [_TITLES * value for value in meaning.cosines(part, profile.titles)]
    told = [line.comment for line in profile.lines if line.readable and line.comment]
    near += [_COMMENTS * value for value in meaning.cosines(part, told)]
    return max(near, default=0.0)


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
    total = _IDENTIFIED * filled.identified - _PRECISE * any(line.readable for line in profile.lines)
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
    return close + ranked[len(close) :]
