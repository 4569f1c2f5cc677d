"""What the graph has to say to a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tools.graph_ask import (
    BACK,
    Answer,
    Finding,
    Question,
    hop_named,
    named_things,
    relation_named,
    unclear,
)
from tools.graph_between import PER_RELATION, finding, line, linked, path, shared, ways
from tools.graph_reading import Reading, readings
from tools.graph_text import CUT, chain_text
from tools.graph_themes import asks_for_themes, themes
from tools.graph_times import ended, with_times
from tools.graph_words import words_beside
from tools.row_text import sentence_list
from tools.stores.graph import GraphStore
from tools.stores.graph_names import words
from tools.stores.graph_types import (
    Audience,
    Direction,
    Entity,
    Hop,
    Mention,
    Relation,
)

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder

_GROUPS = 12  # relations among all the facts of a thing
_UNDERSTOOD = 0.5  # of a question's words must be accounted for before it is read as a chain

# Words of phrases that say nothing about which relation is meant.
_EMPTY = frozenset(["a", "an", "the", "is", "are", "be", "can", "may", "has", "have", "do", "it"])
_EMPTY |= frozenset(["by", "for", "from", "in", "of", "on", "to", "with"])
_PAST = "this no longer holds, and nothing that does is known."
_LOOSE = ("typo", "partial", "meaning")


def look(
    store: GraphStore,
    question: Question,
    asked: str,
    audience: Audience = "public",
    embedder: Embedder | None = None,
) -> Answer:
    """Answer a question from the graph.

    Two things give the shortest path between them. One with a relation gives all that this relation leads to
    within the hops; two that are named together give that of each, unless the relation links them. One alone
    gives its connections. Where the entity is a whole question, the relations are read from its words.

    Args:
        asked: The customer's own words; by them the connections of one thing are ordered.
        embedder: For what a question's words leave open.

    Raises:
        QueryRejected: There is no such relation.
        SourceUnavailable: The database is down or slow.
    """
    vocabulary = store.vocabulary()
    relation, direction = None, question.direction
    if question.relation:
        relation, inverse = relation_named(vocabulary.relations, question.relation)
        direction = BACK[direction] if inverse else direction
    mentions = named_things(store, question, vocabulary, audience, embedder)
    if asks_for_themes(store, question):
        return themes(store, question, mentions, audience, embedder)
    reading = _read(store, question, mentions, audience, embedder)
    problem = None if reading else unclear(store, question, mentions, audience, embedder)
    if problem:
        return Answer(missing=problem)
    clear = [one.entity for one in mentions if one.clear or (reading and one == reading.mention)]
    first, others = (reading.start, []) if reading else (clear[0], clear[1:])
    notes = tuple(f'"{one.text}" was read as {one.entity.name}.' for one in mentions if one.match in _LOOSE)
    if reading and len(reading.hops) == 1 and not question.then:
        hop = reading.hops[0]
        known = {one.name: one for one in vocabulary.relations}
        relation, direction = known[hop.relation], hop.direction
    if question.then and relation:
        hops = [Hop(relation.name, "in" if direction == "in" else "out")]
        hops += [hop_named(vocabulary.relations, one) for one in question.then]
        answer = _chain(store, first, hops, _kinds(question), audience)
    elif reading and len(reading.hops) > 1:
        answer = _chain(store, first, reading.hops, _kinds(question) or reading.wanted, audience)
    elif others and question.find == "shared":
        answer = shared(store, first, others[0], relation, direction, audience)
    elif others and question.find == "paths":
        answer = ways(store, first, others[0], question, relation, audience)
    elif question.other is not None or (others and relation is None):
        answer = path(store, first, others[0], question, relation, audience)
    elif relation is None:
        answer = _facts(store, first, direction, asked, audience)
    elif others and (straight := line(store, first, others[0], question.hops, relation.name, audience)):
        answer = linked(first, others[0], straight)
    else:
        each = [_along(store, one, question, relation, direction, audience) for one in (first, *others[:1])]
        answer = _together(each)
    return with_times(store, replace(answer, notes=notes + answer.notes), audience)


def _kinds(question: Question) -> frozenset[str]:
    return frozenset([question.kind] if question.kind else ())


def _read(
    store: GraphStore,
    question: Question,
    mentions: Sequence[Mention],
    audience: Audience,
    embedder: Embedder | None,
) -> Reading | None:
    """What a whole question about one thing asks to follow; None when its words do not say it clearly."""
    if question.other is not None or question.then or len(mentions) != 1:
        return None
    if not words_beside(question.entity, mentions[0]):
        return None
    found = readings(
        question.entity,
        mentions,
        store.vocabulary(),
        lambda entity: store.hops_at(entity, audience=audience),
        embedder,
    )
    for one in found:
        if not one.said or one.explained < _UNDERSTOOD:
            continue
        # A word may be a relation and a thing at once: a chain that leads nowhere was not what was meant.
        if len(one.hops) == 1 or store.chain(one.start, one.hops, audience=audience).found:
            return one
    return None


def _chain(
    store: GraphStore, start: Entity, hops: Sequence[Hop], kinds: frozenset[str], audience: Audience
) -> Answer:
    """What relations lead to that are followed one after another."""
    found = store.chain(start, hops, audience=audience)
    notes = (CUT[found.cut],) if found.cut else ()
    fitting = [one for one in found.found if one.kind in kinds] or list(found.found)
    if not fitting:
        said = ", then ".join(f"{hop.relation} ({hop.direction})" for hop in hops)
        return Answer(start.name, missing=f"nothing is found from {start.name} over {said}.", notes=notes)
    text, edges = chain_text(found, fitting)
    told = Finding(f"{start.name}: {hops[-1].relation.replace('_', ' ')}", text, edges, _names(fitting))
    return Answer(start.name, (told,), notes=notes)


def _names(entities: Sequence[Entity]) -> tuple[str, ...]:
    return tuple(one.name for one in entities)


def _together(answers: Sequence[Answer]) -> Answer:
    """What was found of one or two things side by side; when of neither, why."""
    told = [one for one in answers if one.findings] or answers
    return Answer(
        " and ".join(one.about for one in told),
        tuple(piece for one in told for piece in one.findings),
        " ".join(one.missing for one in told if one.missing),
        tuple(dict.fromkeys(note for one in told for note in one.notes)),
    )


def _facts(store: GraphStore, entity: Entity, direction: Direction, asked: str, audience: Audience) -> Answer:
    groups: list[Finding] = []
    notes: list[str] = []
    ways: tuple[Direction, ...] = ("out", "in") if direction == "any" else (direction,)
    for way in ways:
        found = store.neighbours(entity, None, way, audience=audience, limit=PER_RELATION)
        for relation in dict.fromkeys(edge.relation for edge in found.edges):
            groups.append(finding(found, relation, way))
        if found.cut:
            notes.append(CUT[found.cut])
    if not groups:
        return Answer(entity.name, missing=f"nothing is connected with {entity.name} in this way.")
    spoken = _forms(asked)
    groups.sort(key=lambda one: -len(spoken & _forms(_said(one.edges[0].relation))))
    if len(groups) > _GROUPS:
        left = sentence_list([one.title for one in groups[_GROUPS:]])
        notes.append(f"not shown, ask with a relation to see it: {left}.")
    return Answer(entity.name, tuple(groups[:_GROUPS]), notes=tuple(dict.fromkeys(notes)))


def _forms(text: str) -> set[str]:
    return {word.form for word in words(text)} - _EMPTY


def _said(relation: Relation) -> str:
    return f"{relation.name.replace('_', ' ')} {relation.forward} {relation.inverse}"


def _along(
    store: GraphStore,
    entity: Entity,
    question: Question,
    relation: Relation,
    direction: Direction,
    audience: Audience,
) -> Answer:
    """What one relation leads to; where it has nothing in the direction asked, what it has in the other."""
    ways: tuple[Direction, ...] = ("out", "in") if direction == "any" else (direction, BACK[direction])
    findings: list[Finding] = []
    notes: list[str] = []
    for way in ways:
        if findings and direction != "any":
            break
        found = store.closure(entity, relation.name, way, question.hops, audience=audience)
        if found.cut:
            notes.append(CUT[found.cut].format(hops=question.hops))
        if found.reached:
            findings.append(finding(found, relation, way))
            if way != direction != "any":
                notes.append(f'nothing lies in the direction "{direction}"; this is the direction "{way}".')
    if findings:
        return Answer(entity.name, tuple(findings), notes=tuple(dict.fromkeys(notes)))
    if past := ended(store, entity, relation, direction, audience):
        return Answer(entity.name, (past,), notes=(_PAST,))
    near = store.neighbours(entity, audience=audience, limit=1)
    others = list(dict.fromkeys(edge.relation.name for edge in near.edges))
    hint = f"; it has {sentence_list(others)}" if others else ""
    return Answer(entity.name, missing=f'{entity.name} has no connection "{relation.name}"{hint}.')
