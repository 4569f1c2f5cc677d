"""The draft: for each part of the question the statements that answer it, quoted, each with its id."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.models.gaps import not_found
from agent.models.relevance import RESPONDS, Scored, score, value_fit
from agent.models.statements import Statement, fields, is_row, is_wide, joined, none_of_yours, statements
from agent.models.things import about_another
from agent.models.transcript import Piece, Result
from agent.models.words import Meaning, codes, content, covered, family, stems, tokens

_CONDITION = re.compile(
    r"^(?:unless|however|except|but|only|otherwise|if not|this does not|this only|these do not|it does not|"
    r"exceptions?|please note|note that|not included|in all other)\b|\b(?:is|are) (?:an |the )?exceptions?\b",
    re.IGNORECASE,
)
_LEANS_BACK = re.compile(
    r"^(?:unless|however|but|otherwise|this|these|that|those|it|they|in that case|if so|then|also)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"\b(?:how many|which|list|all|every|show|orders|refunds|tickets|what are|what \w+s)\b", re.IGNORECASE
)
_BETWEEN = re.compile(r"\b(?:connect|relat|link|between|depend|to do with)", re.IGNORECASE)
_NEAR_BEST = 0.06
_SECOND = 0.03
_PICKS = 3
_STEPS = 8
_MOST_ROWS = 8
_ROW_RESPONDS = 0.25  # a row says little in words, and its lookup was chosen for the question
_NEAR_ROW = 0.08
_BETTER = 0.02
_LACKING = 0.15  # for a value of the kind that is asked for, where what the row says of itself has none
_COLUMNS = 3  # told of a row of many
_COLUMN = 0.3  # for a column that the question names
_NEAR_COLUMN = 0.15


@dataclass(frozen=True)
class Found:
    """What answers one part: the statements in the order of reading, and the score of the best."""

    statements: tuple[Statement, ...]
    score: float


def answer(
    part: str,
    results: Sequence[Result],
    meaning: Meaning,
    avoid: frozenset[str] = frozenset(),
    sure: frozenset[str] = frozenset(),
) -> Found | None:
    """The statements that answer the part, or None when nothing that came back responds to it.

    Args:
        part: One question that stands alone.
        results: What its tool calls brought.
        meaning: Cosines.
        avoid: Statements that were refused before, as `key` gives them.
        sure: The ids of calls whose rows answer, however they put it.
    """
    if not codes(part) and not any(word[0].isalpha() for word in content(part)):
        return None  # numbers alone, or nothing
    pieces = list({piece.id: piece for result in results for piece in result.pieces}.values())
    trusted = frozenset(piece.id for result in results if result.call_id in sure for piece in result.pieces)
    rows = _rows(part, pieces, avoid, meaning, trusted)
    if rows:
        return rows
    every = {piece.id: statements(piece) for piece in pieces if not piece.id.startswith("R")}
    quotable = [one for found in every.values() for one in found if key(one.text) not in avoid]
    ranked = score(part, quotable, meaning)
    if not ranked or ranked[0].score < RESPONDS:
        none = [one for piece in pieces if piece.id in trusted and (one := none_of_yours(piece))]
        return Found(tuple(none[:1]), RESPONDS) if none else None
    return Found(tuple(_with_neighbours(part, _picked(ranked), every, avoid)), ranked[0].score)


def key(text: str) -> str:
    """A statement's words alone, to recognise it again."""
    return " ".join(re.findall(r"\w+", text.lower()))


def _rows(
    part: str,
    pieces: Sequence[Piece],
    avoid: frozenset[str],
    meaning: Meaning,
    trusted: frozenset[str],
) -> Found | None:
    """The rows that are about what was asked, in the source's own order, with the values asked for."""
    rows = [one for piece in pieces if is_row(piece) for one in statements(piece)]
    kept = [one for one in rows if key(one.text) not in avoid and not about_another(part, "", one.piece.text)]
    named = _of_things(part, kept)
    chosen = [row for some in named or [kept] for row in _nearest_rows(part, some, meaning)]
    if len(chosen) > _MOST_ROWS and not _SEVERAL.search(part):
        return None  # a whole table answers nothing
    several = _MOST_ROWS if _SEVERAL.search(part) or len(named) > 1 else 3
    told = [one for row in dict.fromkeys(chosen[:several]) for one in _with_value(part, row, avoid, meaning)]
    if not told:
        return None
    near = max(_fits(part, told, meaning))
    known = named or any(one.piece.id in trusted for one in told)
    return Found(tuple(told), near) if known or near >= _ROW_RESPONDS else None


def _of_things(part: str, rows: Sequence[Statement]) -> list[list[Statement]]:
    """The rows that name all that the part does, or those of each thing.

    None where a thing has no row, unless others of its kind, of which several were asked for, have theirs.
    """
    things = {code: [row for row in rows if code in codes(row.piece.text)] for code in codes(part)}
    of_each = [own for own in things.values() if own]
    of_one_kind = len({family(code) for code in things}) == 1
    if len(of_each) < len(things) and not (of_one_kind and len(of_each) > 1):
        return []
    of_all = [row for row in rows if things and all(row in own for own in things.values())]
    return [of_all] if of_all else of_each


def _nearest_rows(part: str, rows: Sequence[Statement], meaning: Meaning) -> list[Statement]:
    """The rows with the most of the question's words, and of these the ones as near to it as the best."""
    if len(rows) < 2:
        return list(rows)
    asked = stems(part)
    best = max(covered(asked, one.piece.text) for one in rows)
    kept = [one for one in rows if covered(asked, one.piece.text) >= best - 0.01]
    near = meaning.cosines(part, [one.text for one in kept])
    return [one for one, cosine in zip(kept, near, strict=True) if cosine >= max(near) - _NEAR_ROW]


def _with_value(part: str, row: Statement, avoid: frozenset[str], meaning: Meaning) -> list[Statement]:
    """The row, and the one value that answers better than what it says of itself."""
    values = [one for one in fields(row.piece) if key(one.text) not in avoid]
    if not values:
        return [row]
    if is_wide(row.piece):
        return [_asked_columns(part, values, meaning)]
    whole, *worth = _fits(part, [row, *values], meaning)
    lacking = value_fit(part, row.text) < 0
    worth = [
        fit + _LACKING * (lacking and value_fit(part, one.text) > 0)
        for fit, one in zip(worth, values, strict=True)
    ]
    best = max(worth)
    if best < whole + _BETTER:
        return [row]
    return [row, values[worth.index(best)]]


def _fits(part: str, said: Sequence[Statement], meaning: Meaning) -> list[float]:
    """How well each answers, by its meaning and the kind of value in it."""
    cosines = meaning.cosines(part, [one.text for one in said])
    return [cosine + value_fit(part, one.text) for cosine, one in zip(cosines, said, strict=True)]


def _asked_columns(part: str, values: Sequence[Statement], meaning: Meaning) -> Statement:
    """Of a row of many columns those that the question is about, and how things stand."""
    asked = stems(part)
    fits = _fits(part, values, meaning)
    worth = [fit + _COLUMN * covered(asked, one.text) for fit, one in zip(fits, values, strict=True)]
    best = sorted(range(len(values)), key=lambda at: -worth[at])[:_COLUMNS]
    told = {at for at in best if worth[at] >= max(worth) - _NEAR_COLUMN}
    told |= {at for at, one in enumerate(values) if "status" in one.context.lower()}
    return joined([values[at] for at in sorted(told)])


def _picked(ranked: Sequence[Scored]) -> list[Statement]:
    """The best statement, and one more when it is nearly as good and says something else."""
    best = ranked[0]
    picked = [best.statement]
    if best.statement.steps is not None:
        return picked
    for other in ranked[1:]:
        if len(picked) == _PICKS or other.score < max(RESPONDS - _SECOND, best.score - _NEAR_BEST):
            break
        words = stems(other.statement.text)
        if all(len(words & stems(one.text)) < 0.8 * len(words) for one in picked):
            picked.append(other.statement)
    return picked


def _with_neighbours(
    part: str, picked: Sequence[Statement], every: dict[str, list[Statement]], avoid: frozenset[str]
) -> list[Statement]:
    """Each statement with the steps of its list, what it leans back on, and the condition that follows it."""
    kept: dict[tuple[str, int], Statement] = {}
    for one in picked:
        beside = every[one.piece.id]
        wanted = [one]
        if _is_way(part, one.piece):
            wanted = beside[:_STEPS]
        elif one.steps is not None:
            wanted = [other for other in beside if other.steps == one.steps][:_STEPS]
        else:
            at = beside.index(one)
            if at and _LEANS_BACK.match(one.text):
                wanted.insert(0, beside[at - 1])
            if at + 1 < len(beside) and _CONDITION.search(beside[at + 1].text):
                wanted.append(beside[at + 1])
        kept.update(
            {(other.piece.id, other.place): other for other in wanted if key(other.text) not in avoid}
        )
    order = list(dict.fromkeys(piece for piece, _ in kept))
    return [kept[where] for where in sorted(kept, key=lambda where: (order.index(where[0]), where[1]))]


def _is_way(part: str, piece: Piece) -> bool:
    """Whether the piece is the way between two things that the part names: one that is told whole."""
    if not piece.id.startswith("G"):
        return False
    there = tokens(piece.text)
    named = [word for word in tokens(part) if word in there and (word[0].isupper() or codes(word))]
    ends = {there.index(word) for word in named}
    return bool(_BETWEEN.search(part)) and len(ends) > 1


def draft(answers: Sequence[tuple[str, Found | None]], question: str) -> str:
    """The whole draft, from each part of the customer's question and what answers it."""
    said: set[str] = set()
    lines: list[str] = []
    for part, found in answers:
        if found is None:
            lines.append(not_found(part, question))
            continue
        fresh = [one for one in found.statements if key(one.text) not in said]
        said |= {key(one.text) for one in fresh}
        if fresh:
            lines.append(" ".join(f"{one.text} [{one.piece.id}]" for one in fresh))
    return "\n".join(dict.fromkeys(lines))
