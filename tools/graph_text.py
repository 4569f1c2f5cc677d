"""Connections in plain sentences, for a person and for the grader."""

from __future__ import annotations

from collections.abc import Sequence

from tools.row_text import sentence_list
from tools.stores.graph_types import Chain, Cut, Edge, Entity, Neighbourhood, Reached, Relation, Shared

CUT: dict[Cut, str] = {
    "hops": "more follows after these; ask with more hops than {hops} to see it.",
    "nodes": "there is more than is shown here.",
    "time": "time ran out, so that there may be more than is shown here.",
}
"""What is said of a search that was cut short, with room for `hops`."""
_SHOWN = 40  # edges of one finding that are told one by one; more of them drown the rest


def plural_phrase(phrase: str) -> str:
    """A phrase for several subjects: `depends on` to `depend on`, `is part of` to `are part of`."""
    verb, _, rest = phrase.partition(" ")
    irregular = {"is": "are", "was": "were", "has": "have", "does": "do"}
    if verb in irregular:
        verb = irregular[verb]
    elif verb.endswith("ies") and len(verb) > 4:
        verb = f"{verb[:-3]}y"
    elif verb.endswith(("ches", "shes", "xes", "sses", "zzes", "oes")):
        verb = verb[:-2]
    elif verb.endswith("s") and not verb.endswith("ss"):
        verb = verb[:-1]
    return f"{verb} {rest}".strip()


def plural_noun(noun: str) -> str:
    """A kind of thing for several of them: `service` to `services`, `accessory` to `accessories`."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "z", "ch", "sh")) else f"{noun}s"


def sentences(edges: Sequence[Edge]) -> str:
    """Each edge as a sentence, once."""
    return " ".join(dict.fromkeys(edge.sentence for edge in edges))


def reached_text(found: Neighbourhood, relation: Relation, *, inward: bool) -> tuple[str, list[Edge]]:
    """What one relation leads to: a summary when it is several things, then a sentence for each edge shown.

    Args:
        found: Things reached over this relation only, in one direction.
        inward: Whether the edges lead to the entity, so that the things found are the subjects.

    Returns:
        The text, and the edges that stand in it.
    """
    shown = [one.edge for one in found.reached[:_SHOWN]]
    summary = _summary(found, relation, inward=inward) if len(found.reached) > 1 else ""
    return f"{summary} {sentences(shown)}".strip(), shown


def _summary(found: Neighbourhood, relation: Relation, *, inward: bool) -> str:
    direct = [one for one in found.reached if one.hops == 1]
    further = [one for one in found.reached if one.hops > 1]
    least = "At least " if found.cut == "nodes" else ""
    if not further:
        return _counted(found.entity, direct, relation, inward=inward, least=least)
    text = _counted(found.entity, direct, relation, inward=inward, how=" directly")
    if inward:
        verb = relation.forward if len(further) == 1 else plural_phrase(relation.forward)
        more = f"{least}{len(further)} more {verb} {found.entity.name} through others"
    else:
        more = f"{found.entity.name} {relation.forward} {least.lower()}{len(further)} more through others"
    return f"{text} {more}{_named(further)}"


def _counted(
    entity: Entity,
    reached: Sequence[Reached],
    relation: Relation,
    *,
    inward: bool,
    how: str = "",
    least: str = "",
) -> str:
    kinds = {one.entity.kind for one in reached}
    noun = kinds.pop() if len(kinds) == 1 else "thing"
    many = len(reached) != 1
    what = f"{len(reached)} {plural_noun(noun) if many else noun}"
    if inward:
        verb = plural_phrase(relation.forward) if many else relation.forward
        return f"{least}{what} {verb} {entity.name}{how}{_named(reached)}"
    return f"{entity.name} {relation.forward} {least.lower()}{what}{how}{_named(reached)}"


def _named(reached: Sequence[Reached]) -> str:
    names = [one.entity.name for one in reached]
    if len(names) > _SHOWN:
        return f", among them {sentence_list(names[:_SHOWN])}."
    return f": {sentence_list(names)}."


def chain_text(chain: Chain, found: Sequence[Entity]) -> tuple[str, tuple[Edge, ...]]:
    """What a chain leads to: one sentence that says it all, then a sentence for each edge shown.

    Args:
        found: Which of the things at its end are told.
    """
    *before, last = chain.levels
    names = {one.name for one in found}
    edges = tuple(dict.fromkeys(one.edge for one in last if one.entity.name in names))
    used = {name for edge in edges for name in (edge.src, edge.dst)}
    ways: list[Edge] = []
    for level in reversed(before):
        kept = list(dict.fromkeys(one.edge for one in level if one.entity.name in used))
        used |= {name for edge in kept for name in (edge.src, edge.dst)}
        ways = kept + ways
    shown = (*ways[:_SHOWN], *edges[:_SHOWN])
    if not before:
        return f"{_chain_summary(chain, found)} {sentences(shown)}" if found[1:] else sentences(shown), shown
    return f"{_chain_summary(chain, found)} {sentences(shown)}", shown


def _chain_summary(chain: Chain, found: Sequence[Entity]) -> str:
    """`The films that A starred in were directed by B and C.`"""
    told, many = chain.start.name, False
    relations = [level[0].edge.relation for level in chain.levels]
    for hop, relation, level in zip(chain.hops[:-1], relations, chain.levels, strict=False):
        things = {one.entity for one in level}
        kinds = {one.kind for one in things}
        noun = kinds.pop() if len(kinds) == 1 else "thing"
        phrase = relation.inverse if hop.direction == "out" else relation.forward
        many = len(things) > 1
        noun, phrase = (plural_noun(noun), plural_phrase(phrase)) if many else (noun, phrase)
        told = f"the {noun} that {phrase} {told}"
    names = [one.name for one in found]
    listed = sentence_list(names[:_SHOWN])
    listed = f"{len(names)} things, among them {listed}" if len(names) > _SHOWN else listed
    relation = relations[-1]
    if chain.hops[-1].direction == "out":
        text = f"{told} {plural_phrase(relation.forward) if many else relation.forward} {listed}."
    else:
        verb = plural_phrase(relation.forward) if len(names) > 1 else relation.forward
        text = f"{listed} {verb} {told}."
    return text if text.startswith(chain.start.name) else text[0].upper() + text[1:]


def shared_text(found: Shared) -> tuple[str, tuple[Edge, ...]]:
    """What two things have in common: a summary, then a sentence for each edge shown."""
    things = found.things[:_SHOWN]
    edges = tuple(dict.fromkeys(edge for _, of_one in things for edge in of_one))
    names = sentence_list([entity.name for entity, _ in things])
    more = " at least" if found.cut or len(found.things) > len(things) else ""
    count = len(found.things)
    what = "1 thing" if count == 1 else f"{count} things"
    first = f"{found.first.name} and {found.second.name} have{more} {what} in common: {names}."
    return f"{first} {sentences(edges)}", edges
