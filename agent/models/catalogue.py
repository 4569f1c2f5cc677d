"""A tool's description, read: its example questions and the lines that say what the live source holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from agent.models.words import stems

_EXAMPLE = re.compile(r"^\s*-\s+[\"“](.+?)[\"”]\s*$", re.MULTILINE)
_LINE = re.compile(r"^\s*\*\s+(.+)$", re.MULTILINE)
_HEAD = re.compile(r"^([\w.]+)\s*(\(.*?\))?\s*(?:->\s*([^:]+))?:?\s*(.*)$", re.DOTALL)
_PARAMETER = re.compile(r"(\w+)\s+([a-z][a-z ]*?)(?:\s+(?:'([^']*)'|(\d[\d.]*)))?\s*(?:,|$)")
_PHRASES = re.compile(r"\"([^\"]+)\"\s*\|\s*\"([^\"]+)\"")
_ASKED = re.compile(r"\bAsked as:\s*(.+?)\s*(?=Example:|$)", re.IGNORECASE | re.DOTALL)
_CALL = re.compile(r"\bExample:\s*\w+\((.*?)\)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"”]+)[\"”]")
_LITERAL = re.compile(r"'([^']+)'")


@dataclass(frozen=True)
class Parameter:
    """One argument of a function in the catalogue, with an example of its value when one is given."""

    name: str
    type: str
    example: str | None


@dataclass(frozen=True)
class Line:
    """One catalogue line.

    Attributes:
        name: The function, view, relation or category.
        parameters: A function's arguments; None for what is not a function.
        readable: Whether it can be selected from: it says which columns it gives.
        columns: The columns it gives.
        comment: What it means, without its example questions.
        asked: Its own example questions.
        phrases: A relation's forward and inverse phrase.
        vocabulary: The stems of everything on the line.
    """

    name: str
    parameters: tuple[Parameter, ...] | None
    readable: bool
    columns: tuple[str, ...]
    comment: str
    asked: tuple[str, ...]
    phrases: tuple[str, str] | None
    vocabulary: frozenset[str]


@dataclass(frozen=True)
class Profile:
    """What a description says: example questions, catalogue lines, prose, and the titles on the lines."""

    examples: tuple[str, ...]
    lines: tuple[Line, ...]
    prose: tuple[str, ...]
    titles: tuple[str, ...]
    vocabulary: frozenset[str]

    @property
    def questions(self) -> tuple[str, ...]:
        """Every question the description says it answers; its prose when it gives fewer than two."""
        asked = self.examples + tuple(question for line in self.lines for question in line.asked)
        return asked if len(asked) >= 2 else asked + self.prose

    @property
    def told(self) -> frozenset[str]:
        """Every text of the description that a question is compared with."""
        lines = (line.comment or line.name.replace("_", " ") for line in self.lines)
        return frozenset((*self.questions, *self.titles, *lines))


@lru_cache(maxsize=64)
def read_description(description: str) -> Profile:
    """Read a tool's description."""
    lines = tuple(_line(found) for found in _LINE.findall(description))
    bare = _LINE.sub("", _EXAMPLE.sub("", description))
    prose = tuple(part.strip() for part in re.split(r"(?<=[.:])\s+|\n{2,}", bare) if part.strip())
    vocabulary = frozenset[str]().union(*(line.vocabulary for line in lines)) if lines else frozenset[str]()
    titles = tuple(
        title
        for line in lines
        if not line.readable and not line.phrases
        for title in _QUOTED.findall(line.comment)
    )
    return Profile(tuple(_EXAMPLE.findall(description)), lines, prose or (description,), titles, vocabulary)


def _line(text: str) -> Line:
    found = _HEAD.match(text)
    name, parameters, columns, rest = (found.groups() if found else (text, None, None, "")) or (
        "",
        None,
        None,
        "",
    )
    asked = _ASKED.search(rest)
    phrases = _PHRASES.search(rest)
    call = _CALL.search(rest)
    comment = _CALL.sub("", _ASKED.sub("", rest)).strip(" .")
    return Line(
        name=name.strip(),
        parameters=None
        if parameters is None
        else _parameters(parameters[1:-1], _LITERAL.findall(call[1]) if call else []),
        readable=columns is not None,
        columns=tuple(part.strip() for part in (columns or "").split(",") if part.strip()),
        comment=comment,
        asked=_questions(asked[1]) if asked else (),
        phrases=(phrases[1], phrases[2]) if phrases else None,
        vocabulary=stems(text.replace("_", " ")) - stems("asked example null text integer"),
    )


def _questions(text: str) -> tuple[str, ...]:
    parts = re.split(r"\s*[;\n]\s*|(?<=\?)\s+", text.strip())
    return tuple(part.strip(' ."“”') for part in parts if part.strip(' ."“”'))


def _parameters(text: str, examples: list[str]) -> tuple[Parameter, ...]:
    found = [Parameter(*parts) for parts in ((m[1], m[2], m[3] or m[4]) for m in _PARAMETER.finditer(text))]
    if len(examples) == len(found):
        return tuple(
            parameter if parameter.example else Parameter(parameter.name, parameter.type, example)
            for parameter, example in zip(found, examples, strict=True)
        )
    return tuple(found)
