"""From a question to the passages that bear on it: search, aim again at what is missing, grade, keep few.

The first search goes by the query as it was asked. Where the best passages leave words of the question
uncovered, at most two rewrites follow, each from one of the two best documents: the words that it lacks, and
the names that it brings and the question does not. A passage so found stands behind the one that led to it.
What this adds is measured by `python -m evals.bench retrieval`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tools.relevance import RELEVANT, codes, content_words, missing, relevances
from tools.stores.documents import DocumentStore
from tools.stores.fusion import Mode
from tools.stores.passage import PassageHit, set_back

KEPT = 5
"""How many passages are kept at most."""

CANDIDATES = 12
"""How many passages of a search are graded."""

_OF_ONE = 2  # passages of a document that are kept
_REWRITES = 2
_LED_TO = 3  # passages taken from a rewrite
_NAMES = 8  # of a passage that go into a rewrite
_STEP = 0.8  # what a passage's score counts behind the one that led to it
_REWRITING = 0.15  # how much the query may add to what a passage shares with the question
_NAME = re.compile(r"[A-Z][\w'’-]*(?: +(?:(?:of|the|de|von|van) +)?[A-Z][\w'’-]*)*")

Search = Callable[[str, Mode], Sequence[PassageHit]]
"""Asks the store, with the filters of this use."""


@dataclass(frozen=True)
class Ranked:
    """A passage that was found.

    Attributes:
        hit: The passage.
        rank: What it is ordered by, higher first.
        query: The rewrite that brought it up, or the query as asked.
    """

    hit: PassageHit
    rank: float
    query: str


@dataclass(frozen=True)
class Graded:
    """A passage with its relevance to the customer's question, in [0, 1]."""

    hit: PassageHit
    relevance: float


@dataclass(frozen=True)
class Retrieved:
    """What a search came to.

    Attributes:
        kept: What bears on the question, best first.
        found: How many passages were graded.
        best: The best relevance of all of them; None when there were none.
        rewrites: The queries that were asked beside the first.
        outdated: What bears on the question too, but a newer version of it is kept.
        scores: The relevance of each passage that was graded, best first.
    """

    kept: tuple[Graded, ...]
    found: int
    best: float | None
    rewrites: tuple[str, ...]
    outdated: tuple[Graded, ...] = ()
    scores: tuple[float, ...] = ()


def retrieve(store: DocumentStore, search: Search, question: str, query: str, mode: Mode) -> Retrieved:
    """The passages that bear on the question.

    Args:
        store: Whose embedder compares.
        search: Asks it.
        question: The customer's own words, against which every passage is graded.
        query: What to look for: the question, or what a model makes of it.
        mode: For the first search; see `rank` for that of the rewrites.

    Raises:
        DeskError: The store cannot be searched.
    """
    ranked, rewrites = rank(search, query, mode)
    graded = grade(store, ranked[: CANDIDATES + _LED_TO * len(rewrites)], question, query)
    kept = [one for one in graded if one.relevance >= RELEVANT]
    current = [one for one in kept if not set_back(one.hit, f"{question} {query}")]
    scores = tuple(sorted((round(one.relevance, 4) for one in graded), reverse=True))
    outdated = [one for one in kept if one not in current] if current else []
    few = tuple(_few(current or kept))
    best = max((one.relevance for one in graded), default=None)
    return Retrieved(few, len(graded), best, rewrites, tuple(_few(outdated)), scores)


def rank(search: Search, query: str, mode: Mode) -> tuple[list[Ranked], tuple[str, ...]]:
    """The passages for the query and its rewrites, best first, and the rewrites.

    A rewrite of codes alone goes by words, since these mean nothing; any other is hybrid. The second is
    asked only where the first brought nothing that would be kept.
    """
    first = search(query, mode)
    best = {hit.passage.id: Ranked(hit, hit.score, query) for hit in first}
    asked: list[str] = []
    for lead in _leads(first):
        words = rewrite(query, lead)
        if words is None or words in asked:
            continue
        asked.append(words)
        for hit in _others(search(words, "hybrid" if content_words(words) else "sparse"), lead):
            score = _STEP * (lead.score + hit.score) / 2
            if hit.passage.id not in best or best[hit.passage.id].rank < score:
                best[hit.passage.id] = Ranked(hit, score, words)
        if any(one.query == words for one in _ordered(best.values(), query)[:KEPT]):
            break
    return _ordered(best.values(), query), tuple(asked)


def rewrite(query: str, lead: PassageHit) -> str | None:
    """What to ask next behind a passage; None when it lacks no word of the query, or would be asked no other.

    It names the words of the query that the passage lacks, and the names in it that the query does not have.
    """
    lacking = missing(query, [f"{lead.passage.place}\n{lead.passage.text}"])
    if not lacking:
        return None
    known = query.lower()
    names = [name for name in dict.fromkeys(_NAME.findall(lead.passage.text)) if name.lower() not in known]
    names = [name for name in names if content_words(name) or codes(name)]
    words = " ".join([*lacking, *names[:_NAMES]])
    return None if words.lower() == known else words


def grade(store: DocumentStore, ranked: Sequence[Ranked], question: str, query: str) -> list[Graded]:
    """Each passage with its relevance, in the order given.

    What answers the query that brought it up may share less with the customer's words, which the query is
    there to rewrite, but it must share something.
    """
    if not ranked:
        return []
    texts = [f"{one.hit.passage.place}\n{one.hit.passage.text}" for one in ranked]
    vectors = np.stack([one.hit.vector for one in ranked])

    def cosines(part: str) -> list[float]:
        near: list[float] = (vectors @ store.embedder.embed([part])[0]).tolist()
        return near

    scores = {words: relevances(words, texts, cosines) for words in {query, *(one.query for one in ranked)}}
    own = relevances(question, texts, cosines) if content_words(question) or codes(question) else None
    graded = []
    for place, one in enumerate(ranked):
        asked = max(scores[query][place], scores[one.query][place])
        score = asked if own is None else max(own[place], min(asked, own[place] + _REWRITING))
        graded.append(Graded(one.hit, score))
    return graded


def _few(kept: Sequence[Graded]) -> list[Graded]:
    """The first of them, but not all from one document, whose best passages say much the same."""
    taken: Counter[str] = Counter()
    few = []
    for one in kept:
        if taken[one.hit.passage.doc_id] < _OF_ONE:
            taken[one.hit.passage.doc_id] += 1
            few.append(one)
    return few[:KEPT]


def _ordered(found: Iterable[Ranked], query: str) -> list[Ranked]:
    return sorted(found, key=lambda one: (set_back(one.hit, query), -one.rank, one.hit.passage.id))


def _leads(hits: Sequence[PassageHit]) -> Iterator[PassageHit]:
    """The best passage of each of the best documents."""
    by_document = {hit.passage.doc_id: hit for hit in reversed(hits)}
    best = sorted(by_document.values(), key=lambda hit: hits.index(hit))
    yield from best[:_REWRITES]


def _others(hits: Sequence[PassageHit], lead: PassageHit) -> list[PassageHit]:
    return [hit for hit in hits if hit.passage.doc_id != lead.passage.doc_id][:_LED_TO]
