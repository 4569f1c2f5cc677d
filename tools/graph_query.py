"""The tool that follows connections: what fits, uses, needs, owns or affects what."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal

from agents import FunctionTool, RunContextWrapper, function_tool
from pydantic import Field

from tools.context import DeskContext, Sources, Step
from tools.errors import QueryRejected, SourceUnavailable
from tools.evidence import Evidence, fence
from tools.graph_lookup import Answer, Question, look
from tools.stores.graph import GraphStore
from tools.stores.graph_types import Edge

_MOST_HOPS = 10


def build(sources: Sources) -> FunctionTool:
    """The `graph_query` tool over `sources.graph`; its description ends with the live catalogue."""
    store = sources.graph

    def graph_query(
        ctx: RunContextWrapper[DeskContext],
        entity: str,
        other: str | None = None,
        relation: str | None = None,
        direction: Literal["out", "in", "any"] = "any",
        hops: Annotated[int, Field(ge=1, le=_MOST_HOPS)] = 3,
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
        """
        return _answer(store, ctx.context, Question(entity, other, relation, direction, hops))

    tool = function_tool(graph_query, failure_error_function=_failure)
    return replace(tool, description=f"{tool.description}\n\n{_catalogue(store)}".rstrip())


def _catalogue(store: GraphStore | None) -> str:
    if store is None:
        return ""
    try:
        lines = [f'* {one.name}: "{one.forward}" | "{one.inverse}"' for one in store.relations()]
        kinds = ", ".join(store.kinds(audience="internal"))
    except SourceUnavailable:
        return "What there is could not be read just now."  # the desk opens all the same; a query says why
    return "\n".join([*lines, f"Kinds of things: {kinds}."] if kinds else lines)


def _answer(store: GraphStore | None, desk: DeskContext, question: Question) -> str:
    started = time.perf_counter()

    def step(found: int = 0, error: str | None = None) -> None:
        seconds = time.perf_counter() - started
        desk.record(Step("graph_query", question.arguments(), found, found, seconds=seconds, error=error))

    if not desk.searches_left:
        step(error="budget spent")
        return "Budget spent: no searches are left. Answer from the evidence, or say what is missing."
    if store is None:
        step(error="unavailable: no graph is configured")
        return "Unavailable: no graph is configured. Say that it could not be looked at."
    if desk.seen_before("graph_query", _same(question)):
        step(error="already searched")
        return "Already searched: exactly this was asked. Use its evidence, another question or another tool."
    audience: Literal["public", "internal"] = "internal" if desk.audience == "internal" else "public"
    try:
        answer = look(store, question, desk.question or question.entity, audience)
    except QueryRejected as error:
        step(error=f"rejected: {error}")
        return f"Rejected: {error}."
    except SourceUnavailable as error:
        step(error=f"unavailable: {error.reason}")
        return f"Unavailable: {error}. Say that it could not be reached, not that nothing was found."
    evidence = [
        desk.ledger.add("graph", title=one.title, text=one.text, locator={"edges": _located(one.edges)})
        for one in answer.findings
    ]
    edges = len({(edge.src, edge.relation.name, edge.dst) for one in answer.findings for edge in one.edges})
    step(edges)
    return _told(desk, answer, evidence, edges)


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
    notes = [f"Note: {note}" for note in answer.notes]
    if not evidence:
        return "\n".join([f"Nothing relevant found: {answer.missing}", *notes])
    connections = "1 connection" if edges == 1 else f"{edges} connections"
    first = f"Found {connections} of {answer.about}; {desk.searches_left} searches left."
    return "\n".join([first, *map(fence, evidence), *notes])


def _failure(_ctx: RunContextWrapper[DeskContext], error: Exception) -> str:
    """What the model is told when the tool was called wrongly; the error's own text may hold anything."""
    return (
        f"Rejected: the call failed ({type(error).__name__}). Give the entity as text and the direction as "
        f'"out", "in" or "any", with hops from 1 to {_MOST_HOPS}.'
    )
