"""What to ask next for one part of the question: the best source, then other words or the next source."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.models.arguments import is_free_text
from agent.models.routing import Route, ToolLike, routes
from agent.models.transcript import Result
from agent.models.words import Meaning, codes, content, stem

MOST_CALLS = 3
# A source of last resort is asked only when the question is this near to what its description answers.
_LAST_RESORT_NEAR = 0.12
_NEXT_NEAR = 0.15
_AS_GOOD = 0.30


@dataclass(frozen=True)
class Call:
    """One tool call to make."""

    tool: str
    arguments: Mapping[str, Any]


def next_call(
    part: str, results: Sequence[Result], tools: Sequence[ToolLike], meaning: Meaning
) -> Call | None:
    """The next call for a part that is not answered yet, or None when nothing is left to try."""
    if len(results) >= MOST_CALLS or any(result.outcome == "spent" for result in results):
        return None
    made = {_signature(result.tool, result.arguments) for result in results}
    for call in _options(results, routes(part, tools, meaning)):
        if _signature(call.tool, call.arguments) not in made:
            return call
    return None


def _options(results: Sequence[Result], ranked: Sequence[Route]) -> list[Call]:
    """What could be asked, in order: the best source; other words there if it takes them; the others."""
    if not ranked:
        return []
    asked = {result.tool for result in results}
    first = ranked[0]
    if any(result.tool == first.tool and result.outcome == "unavailable" for result in results):
        return []  # what the right source may hold is unknown: another one's near miss would hide that
    if first.own and any(result.tool == first.tool and result.outcome == "nothing" for result in results):
        # What its own source does not know of an id or of who is asking, only as good a fit could.
        ranked = [first, *(route for route in ranked[1:] if route.near >= first.near - _AS_GOOD)]
    options = [Call(first.tool, first.arguments)]
    if first.wider and any(result.tool == first.tool for result in results):
        options.append(Call(first.tool, first.wider))
    rest = [route for route in ranked[1:] if _worth_it(route)]
    reworded = [
        Call(route.tool, {**route.arguments, name: words})
        for route in ranked
        if route.tool in asked
        and not route.exact
        and not route.last_resort
        and (name := is_free_text(route.arguments, route.text))
        and (words := other_words(route.text, _missing(results)))
    ]
    following = [Call(route.tool, route.arguments) for route in rest]
    if first.exact:
        return options + following + reworded
    return options + following[:1] + reworded[:1] + following[1:]


def _worth_it(route: Route) -> bool:
    return route.near >= (_LAST_RESORT_NEAR if route.last_resort else _NEXT_NEAR)


def _missing(results: Sequence[Result]) -> tuple[str, ...]:
    return next((result.missing for result in reversed(results) if result.missing), ())


def other_words(part: str, missing: Sequence[str] = ()) -> str | None:
    """The part without its fillers, aimed at what was missing; None when nothing changes."""
    kept = list(dict.fromkeys(content(part)))
    wanted = {stem(word) for term in missing for word in content(term)}
    aimed = [word for word in kept if stem(word) in wanted or codes(word)]
    words = " ".join(aimed or kept)
    return words if words and words.lower() != part.strip(" ?.!").lower() else None


def _signature(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool} {json.dumps(arguments, sort_keys=True, default=str).lower()}"
