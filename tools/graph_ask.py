"""What a question to the graph asks for: its arguments, and the things and relations that they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from rapidfuzz import fuzz, process

from tools.errors import QueryRejected
from tools.graph_words import ASKING, WORD, is_plain
from tools.stores.graph import GraphStore
from tools.stores.graph_meanings import meant, near
from tools.stores.graph_types import (
    Audience,
    Direction,
    Edge,
    Entity,
    Hop,
    Mention,
    Relation,
    Vocabulary,
)

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder

Find = Literal["connections", "paths", "shared", "themes"]
BACK: dict[Direction, Direction] = {"out": "in", "in": "out", "any": "any"}

_NAME_WORDS = 6  # in a longer text a name is only sought by its spelling
_SAME_RELATION = 85  # of 100, rapidfuzz's ratio: `depend on` is `depends on`


@dataclass(frozen=True)
class Question:
    """The arguments of the tool; see there."""

    entity: str
    other: str | None = None
    relation: str | None = None
    direction: Direction = "any"
    hops: int = 3
    then: tuple[str, ...] = ()
    kind: str | None = None
    find: Find = "connections"

    def arguments(self) -> dict[str, Any]:
        """Those that were given, by name; the first five always."""
        late = {"then": (), "kind": None, "find": "connections"}
        return {
            name: value for name, value in asdict(self).items() if name not in late or value != late[name]
        }


@dataclass(frozen=True)
class Finding:
    """A piece of what was found.

    Attributes:
        title: What a reader would call it.
        text: Its sentences.
        edges: The edges that they tell.
        names: The things that answer the question, in the order in which they are told.
    """

    title: str
    text: str
    edges: tuple[Edge, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What the graph has to say.

    Attributes:
        about: The thing or the two things that it is about, by name.
        findings: What was found, the most relevant first; empty when nothing was.
        missing: Why nothing was found and what to try, when nothing was.
        notes: What was cut short, read differently, or left out.
    """

    about: str = ""
    findings: tuple[Finding, ...] = ()
    missing: str = ""
    notes: tuple[str, ...] = ()


def relation_named(relations: Sequence[Relation], asked: str) -> tuple[Relation, bool]:
    """The relation of this name or phrase, and whether it was named by an inverse phrase.

    Raises:
        QueryRejected: There is no such relation.
    """
    labels: dict[str, tuple[Relation, bool]] = {}
    for one in relations:
        for label in (*one.also_inverse, one.inverse):
            labels[_bare(label)] = (one, True)
        for label in (*one.also, one.forward, one.name):
            labels[_bare(label)] = (one, False)
    found = process.extractOne(_bare(asked), labels.keys(), scorer=fuzz.ratio, score_cutoff=_SAME_RELATION)
    if found is None:
        names = ", ".join(one.name for one in relations)
        raise QueryRejected(f'there is no relation "{asked}"; write one of {names}, or leave it out')
    return labels[found[0]]


def hop_named(relations: Sequence[Relation], asked: str) -> Hop:
    """The step that a name or phrase asks for: along the edges, or against them for an inverse phrase.

    Raises:
        QueryRejected: There is no such relation.
    """
    relation, inverse = relation_named(relations, asked)
    return Hop(relation.name, "in" if inverse else "out")


def _bare(label: str) -> str:
    return " ".join(label.casefold().replace("_", " ").replace("-", " ").split())


def named_things(
    store: GraphStore,
    question: Question,
    words: Vocabulary,
    audience: Audience,
    embedder: Embedder | None = None,
) -> list[Mention]:
    """The things that the arguments name, in order, without ordinary words that something is called by.

    Args:
        embedder: For a name that is spelt like none: what it means decides.
    """
    mentions = _mentions(store, question.entity, words, audience, embedder)
    if question.other is None:
        return mentions
    both = (mentions, _mentions(store, question.other, words, audience, embedder))
    best = (next((one for one in of_one if one.clear), None) or next(iter(of_one), None) for of_one in both)
    return [one for one in best if one is not None]


def _mentions(
    store: GraphStore, text: str, words: Vocabulary, audience: Audience, embedder: Embedder | None
) -> list[Mention]:
    found = _proper(store.find_mentions(text, audience=audience), words)
    if found or embedder is None or not _is_name(text):
        return found
    meaning = meant(store, text, embedder, audience)
    return [meaning] if meaning else []


def _is_name(text: str) -> bool:
    """Whether a text can be a name: a few words, none of which asks."""
    spoken = WORD.findall(text.lower())
    return 0 < len(spoken) <= _NAME_WORDS and not ASKING & set(spoken) and "?" not in text


def _proper(mentions: list[Mention], words: Vocabulary) -> list[Mention]:
    return [one for one in mentions if not is_plain(one, words)] or mentions


def unclear(
    store: GraphStore,
    question: Question,
    mentions: Sequence[Mention],
    audience: Audience,
    embedder: Embedder | None = None,
) -> str | None:
    """Why the things that are asked about are not known for certain, and what may have been meant."""
    wanted = [question.entity] if question.other is None else [question.entity, question.other]
    clear = [one for one in mentions if one.clear]
    if len(clear) >= len(wanted):
        return None
    vague = next((one for one in mentions if not one.clear), None)
    if vague is not None:
        return f'no single entity named "{vague.text}"{_did_you_mean([vague.entity, *vague.alternatives])}'
    meant_by = {one.text for one in mentions if one.match == "meaning"}
    missing = next(
        (
            text
            for text in wanted
            if text.strip() not in meant_by and not store.find_mentions(text, audience=audience)
        ),
        wanted[-1],
    )
    like = store.suggest(missing, audience=audience)
    if not like and embedder is not None and _is_name(missing):
        like = near(store, missing, embedder, audience)
    return f'no entity named "{missing}"{_did_you_mean(like)}'


def _did_you_mean(entities: Sequence[Entity]) -> str:
    names = [one.name for one in entities]
    if not names:
        return ". Name a thing as the catalogue or the documents call it, or use another tool."
    return f"; did you mean {' or '.join([', '.join(names[:-1]), names[-1]] if names[1:] else names)}?"
