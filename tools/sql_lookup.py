"""The tool that reads the records: orders, refunds, stock and whatever else the database holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agents import FunctionTool, RunContextWrapper, function_tool

from tools.context import DeskContext, Sources
from tools.errors import DeskError
from tools.evidence import Evidence, fence
from tools.row_text import plain_row, row_text, sentence_list
from tools.sql_catalogue import Catalogue, asked_of_catalogue
from tools.stores.records import RecordStore, RowSet
from tools.tool_use import ToolUse, with_catalogue


def build(sources: Sources) -> FunctionTool:
    """The `sql_lookup` tool over `sources.records`; its description ends with the live catalogue."""
    store = sources.records

    def sql_lookup(ctx: RunContextWrapper[DeskContext], sql: str) -> str:
        """Look up facts that are stored as records: the customer's own orders, parcels, refunds, support
        requests and account, and what is the same for everybody, such as prices, sizes and stock. The
        customer who is asking is bound by the system: records of others are never seen, so never filter by
        customer, unless staff is asking. It holds states, amounts, dates and numbers, and no rules or
        explanations: use the documents for policies, instructions and troubleshooting, the graph for how
        things are connected, and the web for news and other companies. Write one PostgreSQL SELECT over the
        functions, views and tables below. Prefer a function or a view, as in SELECT * FROM name('value'); a
        column called summary is a sentence for the customer. Select columns as they are: a text of your own
        in the result is left out, and a name that says more than its column is replaced by the column's own.
        Count, sum and sort in the statement: of many rows the first come back, with the number of all.
        - "Where is my order and when will it arrive?"
        - "Has my parcel been sent yet, or is it still with you?"
        - "What is the status of my ticket, and is there any news?"
        - "Have you paid my refund already, and how much was it?"
        - "What did I order last time?"
        - "How much have I spent this year?"
        - "How many of these are left in stock?"
        - "When is it available again?"
        - "What does this product cost?"
        - "Which e-mail address and delivery address do you have for me?"
        - "Until when is the one I bought under warranty?"
        - "Which of your products is the cheapest?"
        - "How many open orders do I have?"

        Args:
            sql: One SELECT statement in PostgreSQL's dialect, with the values written into it.
        """
        return _answer(store, ctx.context, sql)

    tool = function_tool(sql_lookup, failure_error_function=_failure)
    return with_catalogue(tool, lambda: _catalogue(store) if store else "")


def _catalogue(store: RecordStore) -> str | Callable[[str], str]:
    catalogue = Catalogue(tuple(store.catalogue()))
    return catalogue.describe if catalogue.is_large else catalogue.describe()


def _answer(store: RecordStore | None, desk: DeskContext, sql: str) -> str:
    use = ToolUse(desk, "sql_lookup", {"sql": sql})
    if not desk.searches_left:
        return use.spent()
    if store is None:
        reason = "no records are configured"
        return use.unavailable(reason, f"{reason}. Say that they could not be looked at.")
    if desk.seen_before("sql_lookup", sql):
        return use.repeated("this was looked up. Use its evidence, or write another statement.")
    try:
        if (words := asked_of_catalogue(sql)) is not None:
            catalogue = Catalogue(tuple(store.catalogue()))
            use.done(len(catalogue.relations), 0)
            return catalogue.more(words)
        staff = store.staff and desk.audience == "internal" and desk.customer_id is None
        rows = store.lookup(sql, customer_id=desk.customer_id, staff=staff)
    except DeskError as error:
        return use.failed(error, "the records are not set up. Say that they could not be looked at.")
    evidence = _evidence(desk, rows)
    use.done(rows.at_least, sum(one.locator["row"] is not None for one in evidence))
    return _told(desk, rows, evidence)


def _evidence(desk: DeskContext, rows: RowSet) -> list[Evidence]:
    """One piece for each different row; one when there is none, and one more when not all are shown."""
    if rows.needs_sign_in:
        return []  # or "you have no orders" could be claimed of somebody unknown
    kept = [place for place, column in enumerate(rows.columns) if column not in rows.own]
    columns = [rows.columns[place] for place in kept]
    shown = [rows.shown.get(column, column) for column in columns]
    if not columns:
        return []
    texts: dict[str, dict[str, Any] | None] = {}
    if rows.capped:
        texts[f"{_shown(rows)}."] = None
    for row in rows.rows:
        values = [row[place] for place in kept]
        if any(value is not None for value in values):
            texts.setdefault(row_text(shown, values), plain_row(columns, values))
    if not any(texts.values()):
        texts = {_no_rows(rows): None}
    title = sentence_list(rows.relations)
    where = {"sql": rows.sql, "read_at": desk.clock().isoformat(timespec="seconds")}
    return [
        desk.ledger.add("records", title=title, text=text, locator={**where, "row": row, **_key(rows, row)})
        for text, row in texts.items()
    ]


def _key(rows: RowSet, row: dict[str, Any] | None) -> dict[str, Any]:
    """The part of the locator that names the row by its primary key, where the result has that."""
    key = {column: row[column] for column in rows.key if row.get(column) is not None} if row else {}
    return {"key": key} if key else {}


def _no_rows(rows: RowSet) -> str:
    names = [name.replace("_", " ") for name in rows.relations]
    if rows.of_one:  # somebody else may have what was asked for
        names = [name.removeprefix("my ") for name in names]
    nothing = f"No rows: nothing{' of yours' if rows.of_one else ''} in {sentence_list(names)}"
    if rows.more:  # there may well be others
        return f"{nothing} meets the conditions of this lookup."
    return f"{nothing} matches{' ' + ', '.join(rows.literals) if rows.literals else ''}."


def _shown(rows: RowSet) -> str:
    total = f"{rows.total:,}" if rows.total is not None else f"at least {rows.at_least:,}"
    return f"Shown are the first {len(rows.rows)} of {total} rows"


def _told(desk: DeskContext, rows: RowSet, evidence: Sequence[Evidence]) -> str:
    left = f"{desk.searches_left} searches left"
    names = sentence_list(rows.relations)
    found = [one for one in evidence if one.locator["row"] is not None]
    if not found:
        first = f"Nothing relevant found in {names}; {left}. Check the id, or ask for less at once."
    elif rows.capped:
        first = f"{_shown(rows)} of {names}; {left}. Count, sum or narrow with WHERE to learn about the rest."
    else:
        count = len(rows.rows)
        first = f"Found {count} {'row' if count == 1 else 'rows'} in {names}; {left}."
    notes = []
    if desk.customer_id is None and not found:
        notes.append("Nobody is signed in, so that only what is the same for everybody can be seen.")
    if rows.needs_sign_in:
        notes.append("This belongs to customers: say that one has to sign in, never that there is none.")
    if rows.own and found:
        notes.append(
            f"Left out, being words of the statement and no record: {sentence_list(sorted(rows.own))}."
        )
    if found and (
        renamed := [f"{name} is {one}" for name, one in rows.shown.items() if name not in rows.own]
    ):
        notes.append(f"Called by what they are: {sentence_list(renamed)}.")
    return "\n".join([first, *map(fence, evidence), *notes])


def _failure(_: RunContextWrapper[Any], error: Exception) -> str:
    return (
        f"Unavailable: the lookup failed ({type(error).__name__}). Say that the records could not be reached."
    )
