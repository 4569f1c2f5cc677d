"""The catalogue of the records as a model reads it, whole where it is short enough for a prompt.

Of a large schema the relations nearest to the question are shown, the others by their names, and how to ask
for more of them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tools.relevance import content_words
from tools.stores.catalogue import Column, Relation

LONGEST = 16_000
"""Characters up to which a catalogue is shown whole: some 4,000 tokens."""

_NEAREST = 0.6  # of these characters that the nearest relations get; the names of the others get the rest
_LISTED = 6_000  # characters of an answer to whoever asks for more
_WIDE = 40  # columns that are shown of one relation in a large schema
_LONG = 400  # characters of one comment there
_LONGEST_ASKED = 1_000
_ASKED = re.compile(
    r"\s*SELECT\s[^'()]*\sFROM\s+citedesk\s*\.\s*catalogue\s*\(\s*'((?:[^']|'')*)'\s*\)[\w\s]*;?\s*",
    re.IGNORECASE,
)
ASKING = "SELECT * FROM citedesk.catalogue('a name, or words of what you need')"
"""How a model asks for more of it."""


# What a word counts in a relation's name, in its comment, and in its columns.
_IN_NAME, _IN_COMMENT, _IN_COLUMNS = 3.0, 2.0, 1.0
_BESIDE = 0.3  # of the score of what it refers to, or is referred to by
_TEXTS = re.compile(r"(?:text|character varying|character|name|citext)\b.*")
_SHORT = (("timestamp with time zone", "timestamptz"), ("timestamp without time zone", "timestamp"))


def asked_of_catalogue(statement: str) -> str | None:
    """The words in `SELECT * FROM citedesk.catalogue('words')`; None for any other statement."""
    found = _ASKED.fullmatch(statement) if len(statement) <= _LONGEST_ASKED else None
    return found[1].replace("''", "'") if found else None


@dataclass(frozen=True)
class Catalogue:
    """What can be read, in words.

    Attributes:
        relations: What the reader role may read.
    """

    relations: tuple[Relation, ...]

    @property
    def is_large(self) -> bool:
        """Whether it is told in part, by the question."""
        return len(self._whole) > LONGEST

    def describe(self, question: str = "") -> str:
        """All of it, or the part nearest to the question with the names of the rest and how to ask for it."""
        if not self.is_large:
            return self._whole
        ranked = self.nearest(question)
        near = _fitting(ranked, int(LONGEST * _NEAREST))
        others = [one.name for one in ranked[len(near) :]]
        head = f"Shown are the {len(near)} of {len(self.relations)} relations nearest to the question."
        told = _told(near, [_cut_line(one) for one in near])
        return f"{head}\n{told}\n{_named(others, LONGEST - len(head) - len(told))}"

    def more(self, words: str) -> str:
        """The relations nearest to these words, for whoever asks for more."""
        near = _fitting(self.nearest(words), _LISTED)
        head = f"Listed: {len(near)} of {len(self.relations)} relations, nearest to what you asked for."
        return (
            f"{head} They are no evidence: read from them.\n{_told(near, [_cut_line(one) for one in near])}"
        )

    def nearest(self, words: str) -> list[Relation]:
        """The relations by how much they have to do with these words; one that is named comes first."""
        named = words.strip().lower()
        asked = self._known(content_words(_spoken(words)))
        own = {one.name: self._score(one, asked) for one in self.relations}
        beside = self._beside
        scores = {
            name: score + _BESIDE * max((own[other] for other in beside.get(name, ())), default=0.0)
            for name, score in own.items()
        }
        return sorted(self.relations, key=lambda one: (one.name.lower() != named, -scores[one.name]))

    def _score(self, relation: Relation, asked: Mapping[str, float]) -> float:
        weights = self._weights[relation.name]
        return sum(rarity * weights.get(stem, 0.0) for stem, rarity in asked.items())

    def _known(self, stems: Iterable[str]) -> dict[str, float]:
        """How rare each stem is in the catalogue; one that is not in it goes by the nearest that is."""
        from rapidfuzz import fuzz, process

        counts, total = self._counts, len(self.relations)
        known = {}
        for stem in stems:
            near = stem if stem in counts else None
            if near is None and (
                found := process.extractOne(stem, list(counts), scorer=fuzz.ratio, score_cutoff=85)
            ):
                near = found[0]
            if near is not None:
                known[near] = math.log(1 + total / counts[near])
        return known

    @cached_property
    def _whole(self) -> str:
        return _told(self.relations, [line_of(one) for one in self.relations])

    @cached_property
    def _weights(self) -> dict[str, dict[str, float]]:
        return {one.name: _weights(one) for one in self.relations}

    @cached_property
    def _counts(self) -> Counter[str]:
        return Counter(stem for weights in self._weights.values() for stem in weights)

    @cached_property
    def _beside(self) -> dict[str, set[str]]:
        names = {one.name for one in self.relations}
        found: dict[str, set[str]] = {}
        for one in self.relations:
            for reference in one.references:
                parent = reference.partition(" -> ")[2].rpartition(".")[0]
                if parent in names:
                    found.setdefault(one.name, set()).add(parent)
                    found.setdefault(parent, set()).add(one.name)
        return found


def line_of(relation: Relation) -> str:
    """`* name(argument type 'example') -> column, column: comment`."""
    comment, examples = _split_example(relation)
    name = relation.name
    if relation.kind == "function":
        given = [
            f"{a.name} {a.type}{example}" for a, example in zip(relation.arguments, examples, strict=True)
        ]
        name += f"({', '.join(given)})"
    line = f"* {name} -> {', '.join(column.name for column in relation.columns)}"
    return f"{line}: {comment}" if comment else line


def _split_example(relation: Relation) -> tuple[str, list[str]]:
    """The comment without its `Example: name(…)`, and from that a literal for each argument, or nothing."""
    none = [""] * len(relation.arguments)
    found = re.search(rf"\s*Example: {re.escape(relation.name)}\((.*?)\)\.?\s*$", relation.comment)
    if not found:
        return relation.comment, none
    literals = [f" {literal}" for literal in re.findall(r"'(?:[^']|'')*'|[^\s,']+", found[1])]
    fits = len(literals) == len(relation.arguments)
    return relation.comment[: found.start()], literals if fits else none


def _told(relations: Sequence[Relation], lines: Iterable[str]) -> str:
    """The lines, and under them the columns that are more than a name and a text."""
    columns = [f"{one.name}: {'; '.join(told)}" for one in relations if (told := list(_columns(one)))]
    head = ["", "Columns, text unless a type is given, with what they mean and which row they name:"]
    return "\n".join([*lines, *(head + columns if columns else [])])


def _columns(relation: Relation) -> Iterator[str]:
    links = dict(one.split(" -> ", 1) for one in relation.references)
    for column in relation.columns[:_WIDE]:
        kind = _type(column)
        link = f" -> {links[column.name]}" if column.name in links else ""
        comment = f" ({column.comment})" if column.comment else ""
        if kind or link or comment:
            yield f"{column.name}{kind}{link}{comment}"


def _type(column: Column) -> str:
    if _TEXTS.fullmatch(column.type):
        return ""
    for long, short in _SHORT:
        if column.type.startswith(long):
            return f" {short}"
    return f" {re.sub(r'[(][^)]*[)]', '', column.type)}"


def _cut_line(relation: Relation) -> str:
    """Its line, of which a prompt can take many."""
    line, dropped = line_of(relation), len(relation.columns) - _WIDE
    if dropped > 0:
        shown = ", ".join(column.name for column in relation.columns[:_WIDE])
        whole = ", ".join(column.name for column in relation.columns)
        line = line.replace(f"-> {whole}", f"-> {shown} and {dropped} more")
    head, colon, comment = line.partition(": ")
    return head + colon + (comment if len(comment) <= _LONG else f"{comment[:_LONG]}…")


def _fitting(relations: Sequence[Relation], characters: int) -> list[Relation]:
    """The first of them, as many as fit, and at least one."""
    taken: list[Relation] = []
    for one in relations:
        characters -= len(_told([one], [_cut_line(one)]))
        if taken and characters < 0:
            break
        taken.append(one)
    return taken


def _named(names: Sequence[str], characters: int) -> str:
    """The names of what is not shown, as many as fit, and how to ask for more of them."""
    told = f"For the columns of others ask: {ASKING}"
    left = characters - len(told) - 60
    shown: list[str] = []
    for name in names:
        left -= len(name) + 2
        if left < 0:
            break
        shown.append(name)
    more = f" and {len(names) - len(shown)} more" if len(shown) < len(names) else ""
    return f"\nThere are also: {', '.join(shown)}{more}.\n{told}"


def _weights(relation: Relation) -> dict[str, float]:
    columns = " ".join(f"{column.name} {column.comment}" for column in relation.columns)
    weights: dict[str, float] = {}
    for text, weight in ((relation.name, _IN_NAME), (relation.comment, _IN_COMMENT), (columns, _IN_COLUMNS)):
        for stem in content_words(_spoken(text)):
            weights[stem] = max(weight, weights.get(stem, 0.0))
    return weights


def _spoken(text: str) -> str:
    """Names as words: `order_lines` and `orderLines` are order lines."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("_", " "))
