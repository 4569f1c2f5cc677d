"""Help articles of invented companies: their sentences and passages, and which of them answer a question.

Both are cut and written as the desk does it when it answers, so that what is learned is what is compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.models.relevance import in_context
from agent.models.statements import statements
from agent.models.transcript import Piece
from tools.errors import BadInput
from tools.ingest.passages import split_passages

KEPT_APART = ("Brannock", "Quillby", "Lumora", "Corvetto", "Morvane", "Pantrio", "Zwibble")
"""Companies that nothing was learned from. The adapter in use was measured with the first three."""

_ALIKE = 0.6  # share of common words from which a sentence is taken for the one that was marked
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_HEADING = re.compile(r"\A#+ .*")


@dataclass(frozen=True)
class Asked:
    """A customer's message.

    Attributes:
        text: The customer's words.
        statements: Places of the statements that answer it; none when nothing of the company's does.
        passages: Places of the passages that these stand in.
    """

    text: str
    statements: frozenset[int]
    passages: frozenset[int]


@dataclass(frozen=True)
class HelpCentre:
    """What one company's articles say, and what is asked about it.

    Attributes:
        company: Its name and what it does.
        statements: Every sentence, list item and table row, under its title and headings.
        passages: Every passage, likewise.
        questions: Those whose marked answers were all found.
        lost: How many were not.
    """

    company: str
    statements: tuple[str, ...]
    passages: tuple[str, ...]
    questions: tuple[Asked, ...]
    lost: int


@dataclass(frozen=True)
class _Cut:
    """An article's passages, and its statements: alone, under their titles, and the passage of each."""

    passages: tuple[str, ...]
    bare: tuple[str, ...]
    titled: tuple[str, ...]
    passage_of: tuple[int, ...]


def by_company(folder: Path) -> dict[str, list[Mapping[str, Any]]]:
    """The articles in `articles_*.jsonl`: lines of {company, title, text, questions: [{q, a}]}.

    Raises:
        BadInput: There is no such file in the folder.
    """
    files = sorted(folder.glob("articles_*.jsonl"))
    if not files:
        raise BadInput(f"there is no articles_*.jsonl in {folder}; name its folder with --data")
    articles: dict[str, list[Mapping[str, Any]]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            article = json.loads(line)
            articles.setdefault(article["company"], []).append(article)
    return articles


def read(folder: Path) -> list[HelpCentre]:
    """The help centres of `by_company`, cut.

    Raises:
        BadInput: There is no such file in the folder.
    """
    return [help_centre(company, own) for company, own in by_company(folder).items()]


def help_centre(company: str, articles: Iterable[Mapping[str, Any]]) -> HelpCentre:
    """One company's articles, cut, with their questions."""
    titled: list[str] = []
    passages: list[str] = []
    asked: list[Asked] = []
    lost = 0
    for article in articles:
        cut = _cut(article["title"], article["text"])
        for question in article["questions"]:
            marked = [answering(answer, cut.bare) for answer in question["a"]]
            if not all(marked):
                lost += 1
                continue
            found = frozenset[int]().union(*marked)
            within = frozenset(len(passages) + cut.passage_of[place] for place in found)
            asked.append(Asked(question["q"], frozenset(len(titled) + place for place in found), within))
        titled += cut.titled
        passages += cut.passages
    return HelpCentre(company, tuple(titled), tuple(passages), tuple(asked), lost)


def answering(answer: str, among: Sequence[str]) -> frozenset[int]:
    """The places of the statements that say a marked answer.

    Those that hold it or are part of it; else the one with most words in common with it, when these are more
    than 60% of the words of both.
    """
    wanted = _plain(answer)
    texts = [_plain(text) for text in among]
    held = frozenset(at for at, text in enumerate(texts) if wanted and (wanted in text or text in wanted))
    if held or not texts:
        return held
    shares = [_common(wanted, text) for text in texts]
    best = max(range(len(texts)), key=lambda at: shares[at])
    return frozenset([best]) if shares[best] > _ALIKE else frozenset()


def _cut(title: str, text: str) -> _Cut:
    passages: list[str] = []
    bare: list[str] = []
    titled: list[str] = []
    passage_of: list[int] = []
    for span in split_passages(text):
        place = " > ".join((title, *(heading for heading in span.headings if heading != title)))
        body = text[span.start : span.end]
        said = statements(Piece(id="D1", title=place, text=body))
        if said:
            passage_of += [len(passages)] * len(said)
            passages.append(in_context(place, "", " ".join(_HEADING.sub("", body).split())))
            bare += [one.text for one in said]
            titled += [in_context(place, one.context, one.text) for one in said]
    return _Cut(tuple(passages), tuple(bare), tuple(titled), tuple(passage_of))


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", _LINK.sub(r"\1", text)).lower().strip()


def _common(one: str, other: str) -> float:
    """The share of common words in those of both texts."""
    words, others = set(one.split()), set(other.split())
    return len(words & others) / max(1, len(words | others))
