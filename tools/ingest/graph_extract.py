"""Edges that passages state, found in code: by the relations' own phrases in sentences, lists and tables.

A sentence states an edge when two known names stand in it with nothing between them but a phrase of the
relation: `A depends on B, C and D`. A sentence that begins with the phrase is about the thing that its
heading names, and so are the items of a list below an unfinished one. In a table, a column is headed by a
phrase, and the first column holds what it is said of. A negation or a condition keeps a sentence from stating
anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tools.graph_words import WORD
from tools.ingest.graph_file import GraphFile
from tools.ingest.graph_lexicon import Found, Lexicon
from tools.stores.graph_types import Relation

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)])\s)")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_ROW = re.compile(r"^\s*\|(.+)\|\s*$", re.MULTILINE)
_RULE = re.compile(r"^[\s|:-]+$")
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\([^)\s]+\)")
_AND = re.compile(r"^[\s,]*(?:(?:and|or|as well as|&)\s+)?(?:the\s+|a\s+|an\s+)?$", re.IGNORECASE)
_VOID = re.compile(
    r"\b(?:not|no|never|without|cannot|neither|nor|if|unless|would|should|could|might|until|except|instead|than"
    r"|former|formerly|previously|once)\b|n['’]t\b",
    re.IGNORECASE,
)
# Words that may stand between a name and the phrase and change nothing; those of the kinds' names may too.
_FILLERS = frozenset(["the", "a", "an", "also", "only", "directly", "always", "currently", "now", "itself"])
_FILLERS |= frozenset(["both", "all", "each", "it", "they", "this", "that", "these", "which", "who"])


@dataclass(frozen=True)
class Stated:
    """An edge as a passage states it."""

    src: str
    relation: str
    dst: str


@dataclass(frozen=True)
class _Saying:
    """A phrase as a sequence of small words."""

    relation: Relation
    inverse: bool
    words: tuple[str, ...]


class Extractor:
    """Finds edges in passages by the words of a graph file."""

    def __init__(self, graph: GraphFile, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._links = graph.links
        kinds = {
            *graph.kinds,
            *(kind for one in graph.relations.values() for kind in (*one.source, *one.target)),
        }
        self._fillers = _FILLERS | {word.lower() for kind in kinds for word in WORD.findall(kind)}
        self._sayings = sorted(
            {
                _Saying(one, inverse, said)
                for one in graph.ontology
                for inverse, phrases in (
                    (False, (one.forward, *one.also)),
                    (True, (one.inverse, *one.also_inverse)),
                )
                for phrase in phrases
                for said in _forms(phrase)
            },
            key=lambda one: (-len(one.words), one.relation.name, one.inverse, one.words),
        )

    def edges(self, text: str, heading: str, title: str) -> list[Stated]:
        """The edges that a passage states, each once, in order.

        Args:
            heading: The headings above it, joined by ` > `; the last one that names a thing says what
                sentences without a subject are about.
            title: The document's title, which does so where no heading does.
        """
        about = self._about(heading, title)
        found = [*self._tables(text, about), *self._sentences(_ROW.sub("", text), about)]
        if self._links and about:
            linked = (f for link in _LINK.finditer(text) for f in self._lexicon.find(link[1]))
            found += [Stated(about.thing, self._links, one.thing) for one in linked]
        return [one for one in dict.fromkeys(found) if one.src != one.dst]

    def _about(self, heading: str, title: str) -> Found | None:
        for part in [*reversed(heading.split(" > ")), title]:
            if named := self._lexicon.find(part):
                return named[0] if len({one.thing for one in named}) == 1 else None
        return None

    def _sentences(self, text: str, about: Found | None) -> Iterator[Stated]:
        """Sentence by sentence; an unfinished one carries its subject and phrase into the list below it."""
        pending: tuple[Found, _Saying] | None = None
        for sentence in _SENTENCE.split(text):
            item = _ITEM.match(sentence)
            if pending and item and not _VOID.search(sentence):
                if named := self._lexicon.find(sentence):
                    yield from self._edge(pending[1], pending[0], named[0])
                continue
            if sentence.strip():
                pending = self._unfinished(sentence, about)
                yield from self._sentence(sentence, about)

    def _unfinished(self, sentence: str, about: Found | None) -> tuple[Found, _Saying] | None:
        if not sentence.rstrip().endswith(":") or _VOID.search(sentence):
            return None
        named = self._lexicon.find(sentence)
        subject = named[-1] if named else about
        rest = sentence[named[-1].end :] if named else sentence
        saying = self._said(rest.rstrip().rstrip(":"))
        return (subject, saying) if subject and saying else None

    def _sentence(self, sentence: str, about: Found | None) -> Iterator[Stated]:
        if _VOID.search(sentence):
            return
        named = self._lexicon.find(sentence)
        subjects: list[Found] = []
        subject: Found | None
        saying: _Saying | None = None
        before = 0
        for place, one in enumerate(named):
            between = sentence[before : one.start]
            before = one.end
            if place and _AND.match(between):
                if saying:
                    for each in subjects:
                        yield from self._edge(saying, each, one)
                else:
                    subjects.append(one)
                continue
            said = self._said(between)
            subject = named[place - 1] if place else about
            if said and subject:
                subjects = subjects if subjects and not saying else [subject]
                saying = said
                for each in subjects:
                    yield from self._edge(saying, each, one)
            else:
                subjects, saying = [one], None

    def _said(self, between: str) -> _Saying | None:
        """The phrase that these words are, but for words that change nothing."""
        spoken = tuple(word.lower() for word in WORD.findall(between))
        if not spoken:
            return None
        for saying in self._sayings:
            size = len(saying.words)
            for start in range(len(spoken) - size + 1):
                around = {*spoken[:start], *spoken[start + size :]}
                if spoken[start : start + size] == saying.words and around <= self._fillers:
                    return saying
        return None

    def _tables(self, text: str, about: Found | None) -> Iterator[Stated]:
        rows = [[cell.strip() for cell in row.split("|")] for row in _ROW.findall(text)]
        head: list[_Saying | None] = []
        for place, row in enumerate(rows):
            if place + 1 < len(rows) and all(_RULE.match(cell) or not cell for cell in rows[place + 1]):
                head = [self._said(cell) for cell in row]
                continue
            if all(_RULE.match(cell) or not cell for cell in row):
                continue
            subject = next(iter(self._lexicon.find(row[0])), None) or about
            for saying, cell in zip(head, row, strict=False):
                if saying and subject and not _VOID.search(cell):
                    for one in self._lexicon.find(cell):
                        yield from self._edge(saying, subject, one)

    def _edge(self, saying: _Saying, subject: Found, thing: Found) -> Iterator[Stated]:
        src, dst = (thing, subject) if saying.inverse else (subject, thing)
        relation = saying.relation
        fits = (not relation.source_kinds or src.kind in relation.source_kinds) and (
            not relation.target_kinds or dst.kind in relation.target_kinds
        )
        if fits:
            yield Stated(src.thing, relation.name, dst.thing)


def _forms(phrase: str) -> Iterable[tuple[str, ...]]:
    """The phrase for one subject and for several: `depends on`, `depend on`."""
    from tools.graph_text import plural_phrase

    one = tuple(word.lower() for word in WORD.findall(phrase))
    yield one
    yield tuple(word.lower() for word in WORD.findall(plural_phrase(phrase)))


def things_in(text: str, graph: GraphFile) -> list[tuple[str, str]]:
    """The things that a passage itself introduces, with their kinds: by a pattern, or a table's column."""
    found: dict[str, str] = {}
    for kind, told in graph.kinds.items():
        if told.pattern:
            for match in re.finditer(rf"(?<![\w-])(?:{told.pattern})(?![\w-])", text):
                found.setdefault(match[0], kind)
    columns = {name.lower(): kind for kind, told in graph.kinds.items() for name in told.columns}
    for name, kind in _from_columns(text, columns):
        found.setdefault(name, kind)
    return list(found.items())


def _from_columns(text: str, columns: dict[str, str]) -> Iterator[tuple[str, str]]:
    rows: Sequence[list[str]] = [[cell.strip() for cell in row.split("|")] for row in _ROW.findall(text)]
    head: list[str | None] = []
    for place, row in enumerate(rows):
        if place + 1 < len(rows) and all(_RULE.match(cell) or not cell for cell in rows[place + 1]):
            head = [columns.get(cell.lower()) for cell in row]
        elif not all(_RULE.match(cell) or not cell for cell in row):
            yield from ((cell, kind) for kind, cell in zip(head, row, strict=False) if kind and cell)
