"""Which tool a question belongs to, from nothing but the tools' descriptions.

A question is compared with the example questions of each description; the mean of the two nearest counts.
Words that it shares with the catalogue, and an id shaped like one of its examples, count on top. On a close
call the precise source goes first, because what it gives back shows whether it was right, and a tool whose
description lists nothing of its own goes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agent.models.arguments import Filled, fill
from agent.models.catalogue import Profile, read_description
from agent.models.words import Meaning, stems

# Measured on 48 questions with MiniLM: a right and a wrong description nearer than this are a coin toss.
CLOSE_CALL = 0.06
_WORDS = 0.10
_IDENTIFIED = 0.15
_NO_LINE = 0.08
_LAST = 0.06
_NOTHING_NEAR = 0.32


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
        arguments: What to call it with.
        score: How well the question fits, about 0 to 1.
        near: The semantic part of the score: the mean of the two nearest example questions.
        exact: Whether the arguments name a line of its catalogue.
        last_resort: Whether its description lists nothing that the source holds.
        wider: Arguments that ask for more around the same thing, when these bring nothing.
    """

    tool: str
    arguments: Mapping[str, Any]
    score: float
    near: float
    exact: bool
    last_resort: bool
    wider: Mapping[str, Any] | None = None


def routes(part: str, tools: Iterable[ToolLike], meaning: Meaning) -> list[Route]:
    """The tools that could answer, the one to ask first at the front."""
    found: list[Route] = []
    for tool in tools:
        profile = read_description(tool.description)
        filled = fill(part, profile, tool.params_json_schema, meaning)
        if filled is not None:
            near = _nearest(part, profile, meaning)
            score = near + _extra(part, profile, filled)
            found.append(
                Route(tool.name, filled.arguments, score, near, filled.exact, not profile.lines, filled.wider)
            )
    return _ordered(found)


def _nearest(part: str, profile: Profile, meaning: Meaning) -> float:
    near = sorted(meaning.cosines(part, profile.questions), reverse=True)[:2]
    return sum(near) / len(near)


def _extra(part: str, profile: Profile, filled: Filled) -> float:
    asked = stems(part)
    shared = len(asked & profile.vocabulary) / len(asked) if asked else 0.0
    lost = _NO_LINE if any(line.phrases for line in profile.lines) and not filled.exact else 0.0
    return _WORDS * shared + _IDENTIFIED * filled.identified - lost


def _ordered(found: Sequence[Route]) -> list[Route]:
    ranked = sorted(found, key=lambda route: -route.score)
    if not ranked:
        return []
    top = ranked[0].score
    if top < _NOTHING_NEAR:  # none is made for it: ask where anything may be said, not where lines must fit
        return sorted(ranked, key=lambda route: (route.last_resort, route.exact, -route.score))
    close = [route for route in ranked if top - route.score <= CLOSE_CALL + _LAST * ranked[0].last_resort]
    close.sort(key=lambda route: (route.last_resort, not route.exact, -route.score))
    rest = sorted(ranked[len(close) :], key=lambda route: (route.last_resort, -route.score))
    return close + rest
