"""SELECTs over the saved lookups of a catalogue that are near to a question, with the names and ids in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from agent.models.catalogue import Line, Parameter, Profile
from agent.models.periods import period_asked
from agent.models.things import kinds_of_things, named_words, without_names
from agent.models.words import Meaning, codes, family, is_content, stem, stems, tokens, word_set

# A catalogue line nearer than this to the question can answer it.
LINE_FITS = 0.46
_HIDDEN = 0.20
_WORDS = 0.10
_NAMED = 0.10  # the line's own name, in the same form: `orders` are not one `order`
_RAW = 0.10  # a table that nobody wrote a question for
_IDENTIFIED = 0.30
_PERSONAL = 0.03
_TIMED = 0.08  # a lookup that takes the year or month of the question answers more of it
_SIDE_BY_SIDE = 8  # things of one kind that are looked up together

_YEAR = re.compile(r"(?:19|20)\d\d")
_FIRST_PERSON = re.compile(r"\b(?:i|my|mine|me)\b", re.IGNORECASE)
_LEADS = word_set("the a an any all many much which your of")
_SUPERLATIVE = re.compile(r"[a-z]{3,}est|most|least")
_WORDS_IN_ID = re.compile(r"([A-Za-z]+[-_/]?)(\d+)")


@dataclass(frozen=True)
class Lookup:
    """A SELECT over one catalogue line; its fit, and whether an id or a name in the question fills it.

    Where the question names several things of one kind side by side, it asks for each of them.
    """

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
        values = [_values(parameter, part, line) for parameter in takes]
        if not line.readable or not all(values):
            continue
        identified = any(parameter.example and _ids_like(parameter.example, part) for parameter in takes)
        timed = any(period_asked(parameter.name, part, date.today()) for parameter in takes)
        fit = _line_fit(part, line, kinds, identified, meaning) + _TIMED * timed
        if fit >= LINE_FITS:
            sql = _select(line, values)
            found.append(Lookup(sql, fit, identified, bool(values) and not identified))
    return sorted(found, key=lambda one: -one.fit)


def _select(line: Line, values: Sequence[Sequence[str]]) -> str:
    """The whole relation, or the function's rows for each of the things named, up to a few."""
    if line.parameters is None:
        given = [""]
    elif len(values) == 1:
        given = [f"({value})" for value in values[0][:_SIDE_BY_SIDE]]
    else:
        given = [f"({', '.join(first for first, *_ in values)})"]
    # Whatever it says, the reader role and the parser guard it.
    return " UNION ALL ".join(f"SELECT * FROM {line.name}{one}" for one in given)  # noqa: S608


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


def _values(parameter: Parameter, part: str, line: Line) -> list[str]:
    """What the question has for an argument, as SQL literals; none when it has nothing."""
    if re.match(r"(?:int|bigint|smallint|numeric|real|double)", parameter.type):
        if period := period_asked(parameter.name, part, date.today()):
            return [period]
        return re.findall(r"\d+", part)[:1]
    if parameter.example and shape(parameter.example):
        found = _ids_like(parameter.example, part)
    else:
        found = remaining_phrases(part, line)
    return ["'" + one.replace("'", "''") + "'" for one in found]


def shape(example: str) -> tuple[str, int] | None:
    """The letters before an id's digits and their number: `O-20017` is `("O-", 5)`. None for a word."""
    found = _WORDS_IN_ID.fullmatch(example)
    return (found[1], len(found[2])) if found and len(found[2]) >= 3 else None


def _ids_like(example: str, part: str) -> list[str]:
    """The ids in the question that are shaped like the example, however their letters and dash were typed."""
    shaped = shape(example)
    if shaped is None:
        return []
    letters, digits = shaped
    bare = re.escape(letters.rstrip("-_/"))
    typed = re.findall(rf"\b{bare}[-_/\s#]?(\d{{{digits - 1},{digits + 2}}})\b", part, re.IGNORECASE)
    alone = [
        found
        for found in re.findall(rf"(?<![\w.,€$-])(\d{{{digits}}})(?![\w%]|[.,]\d)", part)
        if not _YEAR.fullmatch(found)
    ]
    return list(dict.fromkeys(f"{letters}{found}" for found in typed or alone[:1]))


def remaining_phrases(part: str, line: Line) -> list[str]:
    """The things the question names: what is left of it beside the words of the catalogue line.

    One, unless others of its kind stand beside it, as in "the K2 and the K3". A run of words with a code or a
    capital is preferred, then one beside a word that the line uses itself: in "are any cargo bikes left",
    with a column `bike`, that is "cargo"; then one that an article or a word of quantity leads in.
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
        return []

    def worth(run: tuple[int, int]) -> tuple[int, bool, bool, int, int]:
        start, end = run
        led = start > 0 and words[start - 1].lower() in _LEADS
        named = max(2 if codes(words[at]) else int(_is_named(words, at)) for at in range(start, end))
        beside = [words[at] for at in (start - 1, end) if 0 <= at < len(words)]
        return named, any(stem(word) in known for word in beside), led, end - start, start

    best = max(runs, key=worth)
    kinds = _kinds(words[slice(*best)])
    alike = [run for run in runs if run == best or kinds & _kinds(words[slice(*run)])]
    return [phrase for run in alike if (phrase := _phrase(words[slice(*run)]))]


def _kinds(words: Sequence[str]) -> set[str]:
    return {family(code) for word in words for code in codes(word)}


def _phrase(words: Sequence[str]) -> str:
    """The name in a run: it ends where its capitals end, as "Kettle K2 hold" is none."""
    named = [at for at, word in enumerate(words) if word[0].isupper()]
    kept = words[named[0] : named[-1] + 1] if named else words
    return " ".join(_singular(word) for word in kept if not _SUPERLATIVE.fullmatch(word))


def _is_named(words: list[str], place: int) -> bool:
    word = words[place]
    return bool(codes(word)) or (place > 0 and word[0].isupper() and is_content(word))


def _singular(word: str) -> str:
    return (
        word[:-1]
        if word.islower() and len(word) > 3 and word.endswith("s") and not word.endswith("ss")
        else word
    )
