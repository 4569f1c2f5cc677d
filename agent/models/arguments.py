"""Arguments for a tool, from its JSON schema and its catalogue.

Each parameter is recognised by what its schema says of it, never by which tool it belongs to: a statement, a
relation of the catalogue, one of a few fixed values, a number, or free text, which gets the question itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent.models.catalogue import Line, Profile
from agent.models.lookups import lookups
from agent.models.words import Meaning, all_stems, codes, is_content, stems, tokens

_NEXT_BEST = 0.15
_RELATION_FITS = 0.30

_STATEMENT = re.compile(r"\bSELECT\b|\bSQL\b", re.IGNORECASE)


@dataclass(frozen=True)
class Filled:
    """Arguments for one tool.

    Attributes:
        arguments: What to call it with.
        fit: How well the catalogue's best line fits, in [0, 1]; 0 when no line had to be chosen.
        exact: Whether a catalogue line was chosen, so that the tool can answer precisely or not at all.
        identified: Whether an id in the question has the shape of an example on that line.
        wider: Arguments that ask for more around the same thing, when these bring nothing.
        by_name: Whether a name or phrase of the question was put into the line.
    """

    arguments: Mapping[str, Any]
    fit: float = 0.0
    exact: bool = False
    identified: bool = False
    wider: Mapping[str, Any] | None = None
    by_name: bool = False


def fill(part: str, profile: Profile, schema: Mapping[str, Any], meaning: Meaning) -> Filled | None:
    """Arguments that ask this tool the question, or None when its catalogue has no line near enough."""
    arguments: dict[str, Any] = {}
    filled = Filled({})
    wider: dict[str, Any] = {}
    relation, direction, relation_fit = _relation(part, profile, meaning)
    for name, spec in schema.get("properties", {}).items():
        choices = _choices(spec)
        told = f"{name} {spec.get('description', '')}"
        if _STATEMENT.search(told) and any(line.readable for line in profile.lines):
            near = lookups(part, profile, meaning)
            if not near:
                return None
            found, *others = near
            arguments[name] = found.sql
            if others and others[0].fit >= found.fit - _NEXT_BEST:
                wider[name] = others[0].sql
            filled = Filled({}, min(1.0, found.fit), True, found.identified, by_name=found.by_name)
        elif {"out", "in"} <= set(choices):
            arguments[name] = direction if direction in choices else choices[0]
            wider[name] = "any" if "any" in choices else arguments[name]
        elif choices:
            arguments[name] = spec.get("default", choices[0])
        elif re.search(r"\brelation", name, re.IGNORECASE) and any(line.phrases for line in profile.lines):
            arguments[name] = relation
            wider[name] = None
            filled = Filled({}, relation_fit, relation is not None)
        elif "default" in spec:
            arguments[name] = spec["default"]
        elif _nullable(spec):
            arguments[name] = None
        elif spec.get("type") in ("integer", "number"):
            arguments[name] = spec.get("minimum", 1)
        elif spec.get("type") == "boolean":
            arguments[name] = False
        else:
            arguments[name] = part
    broad = {**arguments, **wider}
    return replace(filled, arguments=arguments, wider=broad if broad != arguments else None)


def is_free_text(arguments: Mapping[str, Any], part: str) -> str | None:
    """The name of the argument that holds the question itself, if there is one."""
    return next((name for name, value in arguments.items() if value == part), None)


def _choices(spec: Mapping[str, Any]) -> list[str]:
    found = list(spec.get("enum", []))
    for option in spec.get("anyOf", []):
        found += option.get("enum", [])
    return [value for value in found if isinstance(value, str)]


def _nullable(spec: Mapping[str, Any]) -> bool:
    return any(option.get("type") == "null" for option in spec.get("anyOf", []))


def _relation(part: str, profile: Profile, meaning: Meaning) -> tuple[str | None, str, float]:
    """The relation whose phrase is most like the question, its direction from the thing named, and the fit.

    The direction follows from where the phrase stands: "what does A need" looks out from A, "what needs A"
    looks in.
    """
    best: tuple[float, Line, bool] | None = None
    asked = stems(part)
    spoken = set(all_stems(tokens(part)))
    for line in profile.lines:
        for inverse, phrase in enumerate(line.phrases or ()):
            near = meaning.cosine(part, phrase)
            said = all_stems(tokens(phrase))
            words = sum(word in spoken for word in said) / len(said) if stems(phrase) & asked else 0.0
            score = 0.5 * near + 0.5 * words
            if score >= _RELATION_FITS and (best is None or score > best[0]):
                best = (score, line, bool(inverse))
    if best is None:
        return None, "any", 0.0
    score, line, inverse = best
    phrase = (line.phrases or ("", ""))[int(inverse)]
    return line.name, _direction(part, phrase, inverse), min(1.0, score)


def _direction(part: str, phrase: str, inverse: bool) -> str:
    spoken = all_stems(tokens(part))
    verbs = [place for place, word in enumerate(spoken) if word in stems(phrase)]
    names = [
        place
        for place, word in enumerate(tokens(part))
        if place and (codes(word) or word[0].isupper()) and place not in verbs and is_content(word)
    ]
    if not verbs or not names:
        return "any"
    thing_comes_after = names[-1] > verbs[-1]
    return "in" if thing_comes_after != inverse else "out"
