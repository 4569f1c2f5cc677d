"""What a graph is about in the large: its themes, and what is most common in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tools.graph_ask import Answer, Finding, Question
from tools.graph_text import plural_noun, sentences
from tools.graph_words import WORD, kind_words
from tools.relevance import content_words, english_stem, relevances
from tools.row_text import sentence_list
from tools.stores.graph_themes import GraphThemes, Member, Theme
from tools.stores.graph_types import Audience, Mention

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder
    from tools.stores.graph import GraphStore

_TOLD = 3  # themes
_RANKED = 24  # of the largest themes that are compared with the question
_EDGES = 8  # that are told of each
_EACH = 2  # edges of a thing that are told where only its number of them matters
_NAMED = 5
_OVERVIEW = re.compile(
    r"\b(?:(?:main\s+)?themes?|overview|recurring|most\s+(?:common(?:ly)?|frequent(?:ly)?|often|usual(?:ly)?))\b",
    re.IGNORECASE,
)
_OLDER = "the themes are older than the graph; `desk graph build --themes` makes them anew."


def asks_for_themes(store: GraphStore, question: Question) -> bool:
    """Whether a question is about what is common in a graph that has themes, and not about one connection."""
    if question.find == "themes":
        return True
    plain = question.find == "connections" and question.other is None and not question.then
    return plain and bool(_OVERVIEW.search(question.entity)) and GraphThemes(store).made()


def themes(
    store: GraphStore,
    question: Question,
    mentions: Sequence[Mention],
    audience: Audience,
    embedder: Embedder | None = None,
) -> Answer:
    """The themes that a question is about: those of what it names, or those most like it, else the largest.

    Where it asks for a kind of thing, that of which most is connected in the theme comes first.

    Raises:
        SourceUnavailable: The database is down or slow.
    """
    kept = GraphThemes(store)
    if not kept.made():
        return Answer(missing="no themes were made yet; `desk graph build --themes` makes them.")
    wanted = _wanted(store, question, mentions)
    things = [one.entity for one in mentions if one.clear]
    if things:
        chosen = _around(kept, kept.holding(things, audience), wanted, audience)
    else:
        chosen = _nearest(kept, kept.all(audience, 0)[:_RANKED], question.entity, wanted, audience, embedder)
    told = tuple(_told(kept, one, wanted, audience) for one in chosen[:_TOLD])
    if wanted and not things:
        told = (*_overall(store, kept, wanted, audience), *told)
    notes = () if kept.fresh() else (_OLDER,)
    about = sentence_list([one.name for one in things]) if things else "the graph"
    return Answer(about, told, "" if told else f"{about} is part of no theme.", notes)


def _wanted(store: GraphStore, question: Question, mentions: Sequence[Mention]) -> frozenset[str]:
    """The kind of things that the question asks for: the first that it speaks of outside of names."""
    if question.kind:
        return frozenset([question.kind])
    text = question.entity
    for one in sorted(mentions, key=lambda mention: -mention.start):
        text = f"{text[: one.start]} {text[one.end :]}"
    named = kind_words(store.vocabulary())
    asked = (named.get(english_stem(word.lower()), ()) for word in WORD.findall(text))
    return frozenset(next((kinds for kinds in asked if kinds), ()))


def _around(
    kept: GraphThemes, holding: Sequence[Theme], wanted: frozenset[str], audience: Audience
) -> list[Theme]:
    """The narrowest theme around a thing; where kinds are asked for, the narrowest that has some of them."""
    for theme in reversed(holding):
        if not wanted or any(one.entity.kind in wanted for one in kept.members(theme, audience)):
            return [theme]
    return list(holding[-1:])


def _nearest(
    kept: GraphThemes,
    found: Sequence[Theme],
    asked: str,
    wanted: frozenset[str],
    audience: Audience,
    embedder: Embedder | None,
) -> list[Theme]:
    """Those most like the question first; where it is like none, those with most of what it asks for."""
    about = _OVERVIEW.sub(" ", asked)
    kinds = {word for kind in wanted for word in content_words(kind)}
    if not found or not set(content_words(about)) - kinds:
        return (
            sorted(found, key=lambda one: -_connected(kept, one, wanted, audience)) if wanted else list(found)
        )
    texts = [f"{one.title}. {one.summary}" for one in found]
    cosines = None
    if embedder is not None:
        first, *others = embedder.embed([about, *texts])
        cosines = [float(first @ other) for other in others]
    near = relevances(about, texts, None if cosines is None else lambda _: cosines)
    return [one for _, one in sorted(zip(near, found, strict=True), key=lambda pair: -pair[0])]


def _connected(kept: GraphThemes, theme: Theme, wanted: frozenset[str], audience: Audience) -> int:
    """How many connections the things of some kinds have in a theme."""
    return sum(one.degree for one in kept.members(theme, audience) if one.entity.kind in wanted)


def _overall(
    store: GraphStore, kept: GraphThemes, wanted: frozenset[str], audience: Audience
) -> Iterator[Finding]:
    """What is most connected of some kinds in the whole graph."""
    top = kept.most_connected(wanted, audience, _NAMED)
    if top:
        found = [store.neighbours(one.entity, audience=audience, limit=_EACH).edges for one in top]
        edges = tuple(dict.fromkeys(edge for of_one in found for edge in of_one[:_EACH]))
        text = f"{ranked(_plural(wanted), _degrees(top))} {sentences(edges)}"
        yield Finding("the graph as a whole", text, edges, tuple(one.entity.name for one in top))


def _plural(kinds: Iterable[str]) -> str:
    return sentence_list([plural_noun(kind) for kind in sorted(kinds)])


def _told(kept: GraphThemes, theme: Theme, wanted: frozenset[str], audience: Audience) -> Finding:
    members = kept.members(theme, audience)
    fitting = [one for one in members if one.entity.kind in wanted]
    edges = kept.edges(theme, audience, _EDGES, wanted)
    names = tuple(one.entity.name for one in (fitting or members)[:_NAMED])
    size = f"The theme around {theme.title} has {theme.things} things and {theme.connections} connections."
    lead = ranked(_plural(wanted), _degrees(fitting)) if fitting else ""
    rest = " ".join(theme.summary.replace(lead, "").split()) if lead else theme.summary
    text = " ".join(part for part in (size, lead, rest, sentences(edges)) if part)
    return Finding(theme.title, text, edges, names)


def _degrees(members: Iterable[Member]) -> list[tuple[str, int]]:
    return [(one.entity.name, one.degree) for one in members]


def ranked(what: str, order: Sequence[tuple[str, int]]) -> str:
    """`The most connected parts are A (4 connections) and B (1 connection).`

    Args:
        order: Names with their numbers of connections, most first.
    """
    told = [f"{name} ({times} {'connection' if times == 1 else 'connections'})" for name, times in order]
    return f"The most connected {what} are {sentence_list(told[:_NAMED])}."
