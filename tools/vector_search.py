"""The tool that searches the documents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Literal

from agents import FunctionTool, RunContextWrapper, function_tool

from tools.context import DeskContext, Sources
from tools.errors import DeskError
from tools.evidence import Evidence, fence, note
from tools.helped import with_help
from tools.relevance import missing
from tools.retrieval import CANDIDATES, Graded, Retrieved, retrieve
from tools.stores.documents import DocumentStore
from tools.stores.fusion import Mode
from tools.stores.passage import PassageHit
from tools.tool_use import ToolUse, customer_question, with_catalogue

_TITLES = 80  # in all: they cost a model little to read, and say best what there is
_NAME_LIMIT = 100  # characters of a title or category


def build(sources: Sources) -> FunctionTool:
    """The `vector_search` tool over `sources.documents`; its description ends with the live catalogue."""
    store = sources.documents

    def vector_search(
        ctx: RunContextWrapper[DeskContext],
        query: str,
        category: str | None = None,
        version: str | None = None,
        mode: Literal["hybrid", "dense", "sparse"] = "hybrid",
        updated_since: str | None = None,
    ) -> str:
        """Search the company's own documents: policies, terms, manuals, instructions, troubleshooting, fault
        codes, safety, delivery and payment rules, account help and opening hours. They explain how things
        work and what is allowed, for everybody. They do not hold the state of one customer's order, refund or
        account, nor prices and stock of today: use the records for those. How things are connected or depend
        on each other stands in the graph, and news or other companies on the web.
        - "Can I return something that I have opened or used?"
        - "How long do I have to send something back?"
        - "How long does a refund take, and where does the money go?"
        - "What does delivery cost, and how many days does it take?"
        - "Which countries and places do you deliver to?"
        - "Until when must I order so that it comes tomorrow?"
        - "What happens if nobody is at home when the parcel comes?"
        - "A part is missing or broken on arrival; by when must I report it?"
        - "What does this error code mean and what should I do?"
        - "It leaks, smokes, makes a noise or does not start any more; is that normal?"
        - "How do I clean, fill, reset or set up the device?"
        - "How often does it need maintenance?"
        - "How much does this model hold, weigh or use?"
        - "How long does it run, and how hot does it get?"
        - "May I use this outdoors, or put it into the dishwasher?"
        - "Is this kind of damage covered by the warranty?"
        - "How long is the warranty on it?"
        - "What does a repair cost after the warranty?"
        - "How do I change my password, name or e-mail address?"
        - "I cannot sign in any more; what can I do?"
        - "How do I delete my account and my data?"
        - "Which ways to pay do you accept?"
        - "Is there a fee, and what happens if I pay too late?"
        - "Can I still change or cancel something after ordering?"
        - "Can I use two discount codes, or a voucher that is old?"
        - "Do you pay the difference if it is cheaper elsewhere?"
        - "Can I get an invoice in the name of my company?"
        - "What does this status or this word mean?"
        - "When are you open and how do I reach you?"
        - "Is my device part of a recall?"
        - "May somebody else do this for me, and from what age?"
        - "Are there exceptions to the rule?"

        Args:
            query: What to look for, in a few words or as the customer put it.
            category: Only this category of the catalogue; null for all.
            version: Only this version of a document; null for what is in force.
            mode: hybrid as a rule; sparse for an exact code or name, dense when other words mean the same.
            updated_since: Only documents updated on this day or later, as 2026-03-01; null for all.
        """
        return _answer(store, ctx, query, category, version, mode, updated_since)

    tool = function_tool(vector_search, failure_error_function=_failure)
    return with_catalogue(tool, lambda: _catalogue(store))


def _catalogue(store: DocumentStore | None) -> str:
    if store is None:
        return ""
    public, all_of_them = store.collections(), store.collections("internal")
    shown = _shares([len(collection.titles) for collection in public], _TITLES)
    lines = [
        f"* {_plain(collection.category)}: {collection.count} documents, such as "
        + ", ".join(f'"{_plain(title)}"' for title in collection.titles[:share])
        for collection, share in zip(public, shown, strict=True)
    ]
    # Everybody's model reads this, so what is for staff is not told by its titles.
    seen = {collection.category for collection in public}
    lines += [
        f"* {_plain(collection.category)}: {collection.count} documents for staff"
        for collection in all_of_them
        if collection.category not in seen
    ]
    return "\n".join(lines)


def _plain(name: str) -> str:
    """A title or category as data: on one line, short, and without what could pass for markup or a list."""
    return " ".join(re.sub(r"[<>*\"“”\x00-\x1f\x7f]", " ", name).split())[:_NAME_LIMIT]


def _shares(counts: Sequence[int], total: int) -> list[int]:
    """How many of each to show: as even as they allow, `total` together, at least one of each."""
    shares = [0] * len(counts)
    left = total
    for done, place in enumerate(sorted(range(len(counts)), key=lambda at: counts[at])):
        shares[place] = max(1, min(counts[place], left // (len(counts) - done)))
        left -= shares[place]
    return shares


def _answer(
    store: DocumentStore | None,
    ctx: RunContextWrapper[DeskContext],
    query: str,
    category: str | None,
    version: str | None,
    mode: Literal["hybrid", "dense", "sparse"],
    updated_since: str | None,
) -> str:
    desk = ctx.context
    asked = {"query": query, "category": category, "version": version, "mode": mode}
    if updated_since is not None:
        asked["updated_since"] = updated_since
    use = ToolUse(desk, "vector_search", asked)
    if not desk.searches_left:
        return use.spent()
    if not query.strip():
        return use.rejected("the query is empty", "the query is empty. Write a few words to look for.")
    try:
        since = None if updated_since is None else date.fromisoformat(updated_since)
    except ValueError:
        return use.rejected("no date", "updated_since must be a day such as 2026-03-01, or null.")
    if store is None:
        reason = "no documents are configured"
        return use.unavailable(reason, f"{reason}. Say that they could not be searched.")
    if desk.seen_before("vector_search", f"{query} {category} {version} {mode} {since}"):
        return use.repeated("the documents were asked this. Use other words, another tool, or answer.")
    question = customer_question(ctx) or query

    def search(words: str, how: Mode) -> Sequence[PassageHit]:
        return store.search(
            words,
            k=CANDIDATES,
            mode=how,
            category=category,
            version=version,
            updated_since=since,
            audience=desk.audience,
        )

    def retrieved(words: str) -> Retrieved:
        return retrieve(store, search, question, words, mode)

    try:
        found = with_help(desk.help, retrieved, question, query)
    except DeskError as error:
        return use.failed(error, "the documents are not set up. Say that they could not be searched.")
    lacking = missing(question, [f"{one.hit.passage.place}\n{one.hit.passage.text}" for one in found.kept])
    outdated = tuple(dict.fromkeys(_plain(one.hit.passage.title) for one in found.outdated))
    use.done(
        found.found,
        len(found.kept),
        found.best,
        rewrites=found.rewrites,
        scores=found.scores,
        missing=lacking,
        outdated=outdated,
    )
    return _told(desk, found, lacking, outdated)


def _told(desk: DeskContext, found: Retrieved, lacking: Sequence[str], outdated: Sequence[str]) -> str:
    left = f"{desk.searches_left} searches left"
    if not found.kept:
        return (
            f"Nothing relevant found among {found.found} passages; {left}. Try other words once, then "
            "another tool whose description fits; if that fails too, say what you could not find."
        )
    evidence = [_evidence(desk, one) for one in found.kept]
    old = [item.id for item, one in zip(evidence, found.kept, strict=True) if one.hit.superseded]
    notes = [f"Superseded by a newer version: {', '.join(old)}"] if old else []
    notes += [note(f"Left out, as there is a newer version: {', '.join(outdated)}")] if outdated else []
    notes += [f"Missing: {', '.join(lacking)}"] if lacking else []
    return "\n".join(
        [f"Kept {len(found.kept)} of {found.found} passages; {left}.", *map(fence, evidence), *notes]
    )


def _evidence(desk: DeskContext, one: Graded) -> Evidence:
    passage = one.hit.passage
    return desk.ledger.add(
        "documents",
        title=passage.place,
        text=passage.text,
        locator={
            "path": passage.path,
            "heading": passage.heading,
            "start": passage.start,
            "end": passage.end,
            "doc_id": passage.doc_id,
            "version": passage.version,
            "updated": passage.updated and passage.updated.isoformat(),
        },
        score=round(one.relevance, 4),
    )


def _failure(_: RunContextWrapper[DeskContext], error: Exception) -> str:
    """What the model is told when the tool was called wrongly; the error's own text may hold anything."""
    return f"Rejected: the call failed ({type(error).__name__}). Call it with a query of a few plain words."
