"""What to ask next for one part of the question: the best source, then other words or the next source."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.models.arguments import is_free_text
from agent.models.routing import Route
from agent.models.transcript import Result
from agent.models.words import codes, content, stem

MOST_CALLS = 3
"""Tool calls for one part of a question."""
# A source of last resort is asked only when the question is this near to what its description answers.
_LAST_RESORT_NEAR = 0.12
_NEXT_NEAR = 0.15
_AS_GOOD = 0.32


@dataclass(frozen=True)
class Call:
    """One tool call to make."""

    tool: str
    arguments: Mapping[str, Any]


def next_calls(results: Sequence[Result], ranked: Sequence[Route]) -> list[Call]:
    """What to ask now for a part that is not answered yet; nothing when all that is worth it was tried.

    `results` is what was asked for it so far, and `ranked` what `routes` says of it.

    First the best source alone. Where it has no answer the rest is asked side by side, so that it takes one
    more round and not two; only a source of last resort waits for what the others bring.
    """
    if any(result.outcome == "spent" for result in results):
        return []
    last_resorts = {route.tool for route in ranked if route.last_resort}
    made = {signature(result.tool, result.arguments) for result in results}
    asked = {result.tool for result in results}
    calls: list[Call] = []
    while len(results) + len(calls) < (MOST_CALLS if results else 1):
        options = _options(results, ranked, asked)
        call = next((one for one in options if signature(one.tool, one.arguments) not in made), None)
        if call is None or (calls and call.tool in last_resorts):
            break
        calls.append(call)
        made.add(signature(call.tool, call.arguments))
        asked.add(call.tool)
    return calls


def _options(results: Sequence[Result], ranked: Sequence[Route], asked: Collection[str]) -> list[Call]:
    """What could be asked, in order: the best source; other words there if it takes them; the others."""
    if not ranked:
        return []
    first = ranked[0]
    if any(result.tool == first.tool and result.outcome == "unavailable" for result in results):
        return []  # what the right source may hold is unknown: another one's near miss would hide that
    if first.own and any(result.tool == first.tool and result.outcome == "nothing" for result in results):
        # What its own source does not know of an id or of who is asking, only as good a fit could.
        ranked = [first, *(route for route in ranked[1:] if route.near >= first.near - _AS_GOOD)]
    options = [Call(first.tool, first.arguments)]
    if first.wider and first.tool in asked:
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


def signature(tool: str, arguments: Mapping[str, Any]) -> str:
    """The same for two calls that ask the same."""
    return f"{tool} {json.dumps(arguments, sort_keys=True, default=str).lower()}"
