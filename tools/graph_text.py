"""Connections in plain sentences, for a person and for the grader."""

from __future__ import annotations

from collections.abc import Sequence

from tools.row_text import sentence_list
from tools.stores.graph_types import Edge, Entity, Neighbourhood, Reached, Relation

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
