"""Arguments for a tool, from its JSON schema and its catalogue.

Each parameter is recognised by what its schema says of it, never by which tool it belongs to: a statement, a
relation of the catalogue, one of a few fixed values, a number, or free text, which gets the question itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from agent.models.catalogue import Line, Parameter, Profile
from agent.models.periods import period_asked
from agent.models.things import kinds_of_things, named_words, without_names
from agent.models.words import Meaning, all_stems, codes, is_content, stem, stems, tokens

# A catalogue line nearer than this to the question can answer it.
LINE_FITS = 0.46
_HIDDEN = 0.20
_WORDS = 0.10
_NAMED = 0.10  # the line's own name, in the same form: `orders` are not one `order`
_RAW = 0.10  # a table that nobody wrote a question for
_IDENTIFIED = 0.30
_PERSONAL = 0.03
_TIMED = 0.08  # a lookup that takes the year or month of the question answers more of it
_NEXT_BEST = 0.15
_RELATION_FITS = 0.30

_STATEMENT = re.compile(r"\bSELECT\b|\bSQL\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|my|mine|me)\b", re.IGNORECASE)
_SUPERLATIVE = re.compile(r"[a-z]{3,}est|most|least")
_WORDS_IN_ID = re.compile(r"([A-Za-z]+[-_/]?)(\d+)")


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


@dataclass(frozen=True)
class Lookup:
    """A SELECT over one catalogue line; its fit, and whether an id or a name in the question fills it."""

    sql: str
    fit: float
    identified: bool
    by_name: bool


def lookups(part: str, profile: Profile, meaning: Meaning) -> list[Lookup]:
    """SELECTs over the catalogue lines that are near enough to the question, the most like it first."""
    found: list[Lookup] = []
    kinds = kinds_of_things(profile.questions)
    for line in profile.lines:
        takes = line.parameters or ()
        values = [_value(parameter, part, line) for parameter in takes]
        if not line.readable or any(value is None for value in values):
            continue
        identified = any(parameter.example and _as_id(parameter.example, part) for parameter in takes)
        timed = any(period_asked(parameter.name, part, date.today()) for parameter in takes)
        fit = _line_fit(part, line, kinds, identified, meaning) + _TIMED * timed
        if fit >= LINE_FITS:
            given = f"({', '.join(str(value) for value in values)})" if line.parameters is not None else ""
            sql = f"SELECT * FROM {line.name}{given}"  # noqa: S608 - the reader role and the parser guard it
            found.append(Lookup(sql, fit, identified, bool(values) and not identified))
    return sorted(found, key=lambda one: -one.fit)


def _line_fit(part: str, line: Line, kinds: frozenset[str], identified: bool, meaning: Meaning) -> float:
    """How much of the question a line accounts for, in meaning and in words; 0 when that is too little.

    The names and kinds of things in the question do not count: whatever is asked about a thing, they would be
    known. An id of the line's own kind is strong evidence, so that less of the rest is asked for.
    """
    asked = stems(part) - {stem(word) for word in named_words(part) | kinds}
    known = len(asked & line.vocabulary) / len(asked) if asked else 0.5
    near = max(nearness(part, [*line.asked, line.comment or line.name.replace("_", " ")], kinds, meaning))
    personal = _is_personal(line)
    if personal and not identified and _FIRST_PERSON.search(part) is None:
        return 0.0
    spoken = {word.lower() for word in tokens(part)}
    named = [word for word in line.name.lower().split("_") if is_content(word)]
    fit = near + _WORDS * known + _IDENTIFIED * identified + _PERSONAL * (personal and not line.parameters)
    fit += _NAMED * sum(word in spoken for word in named) / max(1, len(named))
    return fit - _RAW * (not line.asked)


def nearness(part: str, lines: Sequence[str], kinds: frozenset[str], meaning: Meaning) -> list[float]:
    """How near the question is to each line, mostly as it stands, and a little with names hidden."""
    bare = meaning.cosines(without_names(part, kinds), [without_names(line, kinds) for line in lines])
    whole = meaning.cosines(part, lines)
    return [(1 - _HIDDEN) * x + _HIDDEN * y for x, y in zip(whole, bare, strict=True)]


def _is_personal(line: Line) -> bool:
    """Whether most of a line's questions are asked about oneself: "where is my order"."""
    own = sum(bool(_FIRST_PERSON.search(asked)) for asked in line.asked)
    return own > len(line.asked) / 2


def _value(parameter: Parameter, part: str, line: Line) -> str | None:
    """An argument as an SQL literal, or None when the question has nothing for it."""
    if re.match(r"(?:int|bigint|smallint|numeric|real|double)", parameter.type):
        if period := period_asked(parameter.name, part, date.today()):
            return period
        number = re.search(r"\d+", part)
        return number[0] if number else None
    if parameter.example and shape(parameter.example):
        found = _as_id(parameter.example, part)
    else:
        found = remaining_phrase(part, line)
    return "'" + found.replace("'", "''") + "'" if found else None


def shape(example: str) -> tuple[str, int] | None:
    """The letters before an id's digits and their number: `O-20017` is `("O-", 5)`. None for a word."""
    found = _WORDS_IN_ID.fullmatch(example)
    return (found[1], len(found[2])) if found and len(found[2]) >= 3 else None


def _as_id(example: str, part: str) -> str | None:
    """The id in the question that is shaped like the example, however its letters and dash were typed."""
    shaped = shape(example)
    if shaped is None:
        return None
    letters, digits = shaped
    bare = letters.rstrip("-_/")
    typed = re.search(
        rf"\b{re.escape(bare)}[-_/\s#]?(\d{{{digits - 1},{digits + 2}}})\b", part, re.IGNORECASE
    )
    alone = re.search(rf"(?<![\w.,€$-])(\d{{{digits}}})(?![\w%]|[.,]\d)", part)
    found = typed or alone
    return f"{letters}{found[1]}" if found else None


def remaining_phrase(part: str, line: Line) -> str | None:
    """The thing the question names: what is left of it beside the words of the catalogue line.

    A run of words with a code or a capital is preferred, then one beside a word that the line uses itself: in
    "are any cargo bikes left", with a column `bike`, that is "cargo".
    """
    known = stems(f"{line.name} {' '.join(line.columns)} {line.comment}".replace("_", " "))
    words = tokens(part)
    runs: list[tuple[int, int]] = []
    for place, word in enumerate(words):
        if not (_is_named(words, place) or (is_content(word) and stem(word) not in known)):
            continue
        if word.isdigit():
            continue
        if runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    if not runs:
        return None

    def worth(run: tuple[int, int]) -> tuple[int, bool, int, int]:
        start, end = run
        named = max(2 if codes(words[at]) else int(_is_named(words, at)) for at in range(start, end))
        beside = [words[at] for at in (start - 1, end) if 0 <= at < len(words)]
        return named, any(stem(word) in known for word in beside), end - start, start

    start, end = max(runs, key=worth)
    named = [at for at in range(start, end) if words[at][0].isupper()]
    if named:  # a name ends where its capitals end: "Kettle K2 hold" is not one
        start, end = named[0], named[-1] + 1
    kept = [word for word in words[start:end] if not _SUPERLATIVE.fullmatch(word)]
    return " ".join(_singular(word) for word in kept) or None


def _is_named(words: list[str], place: int) -> bool:
    word = words[place]
    return bool(codes(word)) or (place > 0 and word[0].isupper() and is_content(word))


def _singular(word: str) -> str:
    return (
        word[:-1]
        if word.islower() and len(word) > 3 and word.endswith("s") and not word.endswith("ss")
        else word
    )


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
