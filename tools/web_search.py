"""The tool that searches the public web."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agents import FunctionTool, RunContextWrapper, function_tool

from tools.context import DeskContext, Sources
from tools.errors import DeskError
from tools.evidence import Evidence, fence
from tools.outgoing import public_words
from tools.relevance import RELEVANT, missing, relevances
from tools.tool_use import ToolUse, customer_question, customer_words

if TYPE_CHECKING:
    from tools.stores.embedder import Embedder
    from tools.stores.web import WebPage, WebStore

_TEXT_LIMIT = 4000  # characters of one page: enough for a long article, too few to drown the other evidence
_OPENING = 600  # characters of a page that are compared by meaning; its subject is told early
_RESULTS = 5


def build(sources: Sources) -> FunctionTool:
    """The `web_search` tool over `sources.web`."""
    store = sources.web
    embedder = sources.documents.embedder if sources.documents else None

    async def web_search(ctx: RunContextWrapper[DeskContext], query: str) -> str:
        """Search the public web for fresh facts from the outside world: news, events, strikes and
        disruptions, weather, laws and rules, market prices, exchange rates, public holidays, and what other
        companies make, charge or announce. It knows nothing of this company's own policies, manuals, orders,
        customers, stock, parts or systems: use the documents, the records or the graph for those, and never
        the web. It is also the last resort, when the other sources have nothing and a public page could have
        the answer. Names, ids and other data of a customer never belong into the query.
        - "Is there a strike at the parcel carriers this week?"
        - "What is in the news about the delays at the airport?"
        - "Which competitor has recalled a product lately?"
        - "How do independent reviews compare your products with other brands?"
        - "How much does the same thing cost at another company?"
        - "What does the new EU law say about this?"
        - "What is the exchange rate of the dollar today?"
        - "Are shops closed on the public holiday?"
        - "Are trains, ferries or buses running tomorrow?"
        - "What are the market prices of electricity or raw materials now?"
        - "When and where is the trade fair next year?"
        - "What is known about the water, the climate or the weather in my city?"

        Args:
            query: A few plain words, as for a search engine; at most 400 characters are used.
        """
        return await _answer(store, embedder, ctx, query)

    return function_tool(web_search, failure_error_function=_failure)


async def _answer(
    store: WebStore | None, embedder: Embedder | None, ctx: RunContextWrapper[DeskContext], query: str
) -> str:
    desk = ctx.context
    use = ToolUse(desk, "web_search", {"query": query})
    if not desk.searches_left:
        return use.spent()
    question = customer_question(ctx)
    sent = public_words(without_customer_ids(query, desk.customer_id), customer_words(ctx), desk.ledger)
    if not sent:
        told = "the web knows no customer. Write public words to search for, without ids."
        return use.rejected("the query has no public words", told)
    if desk.seen_before("web_search", sent):
        return use.repeated("the web was asked exactly this. Use other words, another tool, or answer.")
    if store is None:
        reason = "no web search is configured"
        return use.unavailable(reason, f"{reason}. Say that the web could not be searched.")
    try:
        pages = await store.find(sent, k=_RESULTS)
        # In a thread: an embedder may ask a server of its own.
        kept, best = await asyncio.to_thread(_relevant, pages, question, embedder)
    except DeskError as error:
        return use.failed(error, "the web search is not set up. Say that the web could not be searched.")
    found = [_evidence(desk, page, score) for page, score in kept]
    lacking = missing(question, [f"{item.title}\n{item.text}" for item in found])
    use.done(len(pages), len(kept), best, missing=lacking)
    notes = _notes(lacking, found, [page for page, _ in kept])
    return _told(found, notes, len(pages), desk.searches_left)


def without_customer_ids(query: str, customer_id: str | None) -> str:
    """The query without anything shaped like the caller's own id, which must not leave the house.

    An id of letters and digits stands for every id with the same letters and at least as many digits, so that
    short product codes stay. One of digits alone stands only for itself: any year would look like it.
    """
    if not customer_id:
        return " ".join(query.split())
    if customer_id.isdecimal():
        shape = re.escape(customer_id)
    else:
        shape = "".join(_part_shape(part) for part in re.findall(r"[A-Za-z0-9]+|[^A-Za-z0-9]+", customer_id))
    hidden = re.sub(rf"(?<![A-Za-z0-9]){shape}(?![A-Za-z0-9])", " ", query, flags=re.IGNORECASE)
    return " ".join(hidden.split())


def _part_shape(part: str) -> str:
    if part.isdecimal():
        return rf"\d{{{len(part)},}}"
    if part.isalpha():
        return re.escape(part)
    if part.isalnum():
        return rf"[A-Za-z0-9]{{{len(part)}}}"
    return rf"(?:{re.escape(part)}|\s?)"  # people leave out the dash


def _relevant(
    pages: Sequence[WebPage], question: str, embedder: Embedder | None
) -> tuple[list[tuple[WebPage, float]], float | None]:
    """The pages that bear on the question, best first, each with its relevance; and the best of all."""
    if not pages:
        return [], None
    texts = [f"{page.title}\n{page.content}" for page in pages]
    scores = relevances(question, texts, _cosines(texts, embedder) if embedder else None)
    scored = sorted(zip(pages, scores, strict=True), key=lambda pair: -pair[1])
    return [pair for pair in scored if pair[1] >= RELEVANT], scored[0][1]


def _cosines(texts: Sequence[str], embedder: Embedder) -> Callable[[str], Sequence[float]]:
    vectors = embedder.embed([text[:_OPENING] for text in texts])

    def cosines(part: str) -> list[float]:
        near: list[float] = (vectors @ embedder.embed([part])[0]).tolist()
        return near

    return cosines


def _evidence(desk: DeskContext, page: WebPage, score: float) -> Evidence:
    locator = {"url": page.url, "read_at": desk.clock().isoformat()}
    return desk.ledger.add(
        "web", title=page.title, text=_cut(page.content), locator=locator, score=round(score, 4)
    )


def _cut(text: str) -> str:
    """At most `_TEXT_LIMIT` characters, ending with a sentence: half a sentence can lose its condition."""
    if len(text) <= _TEXT_LIMIT:
        return text
    head = text[:_TEXT_LIMIT]
    ends = [match.end() for match in re.finditer(r"[.!?](?=\s)|\n", head)]
    return (head[: ends[-1]] if ends else head).rstrip()


def _told(found: list[Evidence], notes: list[str], total: int, left: int) -> str:
    if not found:
        return (
            f"Nothing relevant found among {total} pages; {left} searches left. "
            "Try other words once; if that fails, say what you could not find."
        )
    return "\n".join(
        [f"Kept {len(found)} of {total} pages; {left} searches left.", *map(fence, found), *notes]
    )


def _notes(lacking: Sequence[str], found: list[Evidence], pages: list[WebPage]) -> list[str]:
    """What of the question no page has, and when the pages were published."""
    days = [
        f"{item.id} on {page.published.day} {page.published:%B %Y}"
        for item, page in zip(found, pages, strict=True)
        if page.published
    ]
    return [
        *([f"Published: {'; '.join(days)}"] if days else []),
        *([f"Missing: {', '.join(lacking)}"] if lacking else []),
    ]


def _failure(_ctx: RunContextWrapper[DeskContext], error: Exception) -> str:
    """What the model is told when the tool was called wrongly; the error's own text may hold anything."""
    return f"Rejected: the call failed ({type(error).__name__}). Call it with one query of a few plain words."
