"""The tool that follows connections: what fits, uses, needs, owns or affects what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from agents import FunctionTool, RunContextWrapper, function_tool
from pydantic import Field

from tools.context import DeskContext, Sources
from tools.errors import DeskError
from tools.evidence import Evidence, fence, note
from tools.graph_ask import Answer, Find, Question
from tools.graph_fresh import Freshness
from tools.graph_lookup import look
from tools.stores.embedder import Embedder
from tools.stores.graph import GraphStore
from tools.stores.graph_types import Edge
from tools.tool_use import ToolUse, customer_question, with_catalogue

_MOST_HOPS = 10
_MOST_THEN = 3


def build(sources: Sources) -> FunctionTool:
    """The `graph_query` tool over `sources.graph`; its description ends with the live catalogue."""
    store = sources.graph
    fresh = Freshness(store, sources.documents) if store else None

    def graph_query(
        ctx: RunContextWrapper[DeskContext],
        entity: str,
        other: str | None = None,
        relation: str | None = None,
        direction: Literal["out", "in", "any"] = "any",
        hops: Annotated[int, Field(ge=1, le=_MOST_HOPS)] = 3,
        then: Annotated[list[str] | None, Field(max_length=_MOST_THEN)] = None,
        kind: str | None = None,
        find: Find = "connections",
    ) -> str:
        """Follow how things are connected: which parts and accessories fit which product, what a thing uses
        or is used in, which known problem affects which product and what fixes it, what replaces what, which
        system needs which other one and what breaks with it, who is responsible for a thing and whom to turn
        to next, where it runs, and how two things have to do with each other. It knows named things and the
        relations below, and nothing else: use the documents for rules, instructions, sizes and explanations,
        the records for a customer's own orders, for prices and stock, and the web for other companies. Name
        one thing to see its connections, two to see what links them; with a relation, the direction "in"
        finds what leads to the thing, "out" what the thing leads to.
        - "Which part fits my machine?"
        - "Is this accessory compatible with the older model?"
        - "Can I put this filter on that machine?"
        - "Do both models take the same part?"
        - "Which other models take this spare part?"
        - "What is this part used in?"
        - "Which devices have this component inside, and who makes it for us?"
        - "Which known issue affects this model, and what fixes it?"
        - "Which model replaces the discontinued one?"
        - "What belongs to this set?"
        - "Which team owns this service?"
        - "Who is responsible for that system, and whom do they escalate to?"
        - "What depends on the login service?"
        - "What else stops working when the database is down?"
        - "Which services would suffer if this one stopped?"
        - "Where does the work move to when this region fails?"
        - "In which region does this service run?"
        - "How are these two systems connected?"

        Args:
            entity: A thing by its name, or the question that names one or two things.
            other: A second thing, to see how the two are connected; null for one thing.
            relation: One relation of the list below, to follow only that; null for all connections.
            direction: out for what the thing leads to, in for what leads to it, any for both.
            hops: How many connections to follow one after another.
            then: Further relations to follow from what the first one leads to, one after another, each by its
                name or, to go against it, by its second phrase; null for one relation alone.
            kind: Only things of this kind of the list below; null for all.
            find: connections of a thing; paths for all ways between two; shared for what two have in common;
                themes for what is most common, or what all is about.
        """
        question = Question(entity, other, relation, direction, hops, tuple(then or ()), kind, find)
        return _answer(sources, fresh, ctx, question)

    tool = function_tool(graph_query, failure_error_function=_failure)
    return with_catalogue(tool, lambda: _catalogue(store))


def _catalogue(store: GraphStore | None) -> str:
    if store is None:
        return ""
    lines = [f'* {one.name}: "{one.forward}" | "{one.inverse}"' for one in store.relations()]
    kinds = ", ".join(store.kinds(audience="internal"))
    return "\n".join([*lines, f"Kinds of things: {kinds}."] if kinds else lines)


def _answer(
    sources: Sources, fresh: Freshness | None, ctx: RunContextWrapper[DeskContext], question: Question
) -> str:
    desk, store = ctx.context, sources.graph
    use = ToolUse(desk, "graph_query", question.arguments())
    if not desk.searches_left:
        return use.spent()
    if store is None:
        reason = "no graph is configured"
        return use.unavailable(reason, f"{reason}. Say that it could not be looked at.")
    if desk.seen_before("graph_query", _same(question)):
        return use.repeated("exactly this was asked. Use its evidence, another question or another tool.")
    audience: Literal["public", "internal"] = "internal" if desk.audience == "internal" else "public"
    try:
        asked = customer_question(ctx) or question.entity
        answer = look(store, question, asked, audience, _embedder(sources))
        stale = fresh.note(edge for one in answer.findings for edge in one.edges) if fresh else None
    except DeskError as error:
        return use.failed(error, "the graph is not set up. Say that it could not be looked at.")
    evidence = [
        desk.ledger.add(
            "graph",
            title=one.title,
            text=one.text,
            locator={"edges": _located(one.edges), "found": list(one.names)},
        )
        for one in answer.findings
    ]
    edges = len({(edge.src, edge.relation.name, edge.dst) for one in answer.findings for edge in one.edges})
    use.done(edges, edges)
    return _told(desk, replace(answer, notes=(*answer.notes, stale)) if stale else answer, evidence, edges)


def _embedder(sources: Sources) -> Embedder | None:
    return sources.documents.embedder if sources.documents else None


def _same(question: Question) -> str:
    """What two questions have in common that ask the same."""
    return " | ".join(str(value).strip() for value in question.arguments().values())


def _located(edges: Sequence[Edge]) -> list[dict[str, str | None]]:
    """Each edge once for every passage that states it."""
    return [
        {"src": edge.src, "relation": edge.relation.name, "dst": edge.dst, "stated_in": place}
        for edge in edges
        for place in edge.stated_in or (None,)
    ]


def _told(desk: DeskContext, answer: Answer, evidence: Sequence[Evidence], edges: int) -> str:
    if not evidence:
        return "\n".join(["Nothing relevant found.", *map(note, [answer.missing, *answer.notes])])
    connections = "1 connection" if edges == 1 else f"{edges} connections"
    first = f"Found {connections}; {desk.searches_left} searches left."
    return "\n".join([first, *map(fence, evidence), *map(note, answer.notes)])


def _failure(_ctx: RunContextWrapper[DeskContext], error: Exception) -> str:
    """What the model is told when the tool was called wrongly; the error's own text may hold anything."""
    return (
        f"Rejected: the call failed ({type(error).__name__}). Give the entity as text and the direction as "
        f'"out", "in" or "any", with hops from 1 to {_MOST_HOPS}.'
    )
