"""A company of the tests' own, which lends bicycles: four function tools that only the tests know."""

# ruff: noqa: E501, ARG002 - catalogue lines are long, and a schema has parameters that this company ignores

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal

from agents import FunctionTool, function_tool
from pydantic import Field

from agent.models.words import Meaning, codes, covered, stems
from tools.evidence import Ledger, Source, fence

HANDBOOK: tuple[tuple[str, str], ...] = (
    (
        "Loans > How long you may keep a bike",
        "A bicycle may be kept for 21 days. Cargo bikes are an exception: they come back within 3 days.\n\n"
        "You may extend a loan once by 7 days. However, a bike that someone else has reserved cannot be extended.",
    ),
    (
        "Loans > Late bikes",
        "A bike that comes back late costs €2.50 a day, and never more than €40.00. "
        "No fee is charged while the library is closed.",
    ),
    (
        "Membership > Joining",
        "Anyone over 16 can join with an identity card. Membership costs €18.00 a year and is free for students.",
    ),
    (
        "Bikes > City Bike B2 manual",
        "The City Bike B2 carries up to 120 kg. Pump its tyres to 4 bar.\n\n"
        "| Code | Meaning | Remedy |\n|---|---|---|\n"
        "| L1 | The lock has no power | Charge the lock for one hour |\n"
        "| L2 | The lock is jammed | Bring the bike to the workshop |\n",
    ),
    ("Bikes > City Bike B3 manual", "The City Bike B3 carries up to 140 kg. Pump its tyres to 5 bar."),
    (
        "Workshop > Mending a flat tyre",
        "To mend a flat tyre:\n\n1. Take the wheel out of the frame.\n2. Lift one side of the tyre off the rim.\n"
        "3. Glue a patch on the hole.\n4. Pump the tyre up again.\n",
    ),
    (
        "Visiting > Opening hours",
        "The library is open from Tuesday to Saturday, 10:00 to 18:00. It is closed on Sunday and Monday.",
    ),
    ("Safety > Helmets", "Helmets can be borrowed free of charge. Children under 12 must wear one."),
)

LOANS = {
    "L-3001": "Loan L-3001, a City Bike B2, is due back on 9 December 2026.\n\n"
    "loan id: L-3001; bike: City Bike B2; status: on loan; due: 9 December 2026",
    "L-3002": "Loan L-3002, a Cargo Bike C7, was returned on 1 November 2026.\n\n"
    "loan id: L-3002; bike: Cargo Bike C7; status: returned; due: 2 November 2026",
}
STOCK = {
    "City Bike B2": "bike: City Bike B2; free now: 6; branch: North",
    "Cargo Bike C7": "bike: Cargo Bike C7; free now: 0; branch: Harbour",
}
EDGES = (
    ("City Bike B2", "Saddle S9", "City Bike B2 uses Saddle S9."),
    ("City Bike B3", "Saddle S9", "City Bike B3 uses Saddle S9."),
    ("City Bike B2", "Battery P4", "City Bike B2 uses Battery P4."),
)
NEWS = (
    ("City council", "The city council closes the Canal Bridge to bicycles until 14 December 2026."),
    ("Weather", "Snow is forecast for the whole of next weekend."),
)


@dataclass
class Library:
    """The tools, and a note of every call made to them."""

    meaning: Meaning
    calls: list[tuple[str, str]] = field(default_factory=list)
    ledger_of_evidence: Ledger = field(default_factory=Ledger)
    handbook_down: bool = False

    def shown(self, source: Source, found: Sequence[tuple[str, str]]) -> str:
        if not found:
            return "Nothing relevant found. Try other words or another tool."
        pieces = [self.ledger_of_evidence.add(source, title=title, text=text) for title, text in found]
        return "\n".join([f"Kept {len(found)} results.", *map(fence, pieces)])

    def nearest(self, query: str, texts: Sequence[tuple[str, str]], least: float) -> list[tuple[str, str]]:
        near = self.meaning.cosines(query, [f"{title}. {text}" for title, text in texts])
        words = [covered(stems(query), f"{title} {text}") for title, text in texts]
        ranked = sorted(zip(near, words, texts, strict=True), key=lambda item: -(item[0] + item[1]))
        return [text for cosine, shared, text in ranked if cosine + 0.3 * shared >= least][:4]

    def tools(self, **descriptions: str) -> list[FunctionTool]:
        """The four tools; a description given by name takes the place of the usual one."""
        kinds: dict[str, tuple[Callable[..., str], str]] = {
            "handbook": (self.handbook, HANDBOOK_TOLD),
            "ledger": (self.ledger, LEDGER_TOLD),
            "parts_map": (self.parts_map, PARTS_TOLD),
            "newspaper": (self.newspaper, NEWS_TOLD),
        }
        return [
            function_tool(run, name_override=name, description_override=descriptions.get(name, told))
            for name, (run, told) in kinds.items()
        ]

    def handbook(
        self, query: str, shelf: str | None = None, mode: Literal["both", "words", "sense"] = "both"
    ) -> str:
        self.calls.append(("handbook", query))
        if self.handbook_down:
            return "Unavailable: the handbook cannot be reached."
        return self.shown("documents", self.nearest(query, HANDBOOK, 0.42))

    def ledger(self, statement: Annotated[str, Field(description="One SELECT over the lines above")]) -> str:
        self.calls.append(("ledger", statement))
        asked = re.fullmatch(r"SELECT \* FROM (\w+)(?:\((?:'((?:[^']|'')*)')?\))?", statement)
        if not asked:
            return "Rejected: write SELECT * FROM one of the lines."
        name, value = asked[1], (asked[2] or "").replace("''", "'")
        if name == "loan":
            rows = [LOANS[value]] if value in LOANS else []
        elif name == "my_loans":
            rows = list(LOANS.values())
        else:
            rows = [row for bike, row in STOCK.items() if value.lower() in bike.lower()]
        return self.shown(
            "records", [(name, row) for row in rows or [f"No rows: nothing in {name} matches."]]
        )

    def parts_map(
        self,
        thing: str,
        relation: str | None = None,
        direction: Literal["out", "in", "any"] = "any",
        hops: int = 1,
    ) -> str:
        self.calls.append(("parts_map", f"{relation} {direction}"))
        named = set(codes(thing))
        out = [edge for edge in EDGES if named & set(codes(edge[0])) and direction in ("out", "any")]
        back = [edge for edge in EDGES if named & set(codes(edge[1])) and direction in ("in", "any")]
        texts = [edge[2] for edge in out + back]
        if len(back) > 1:
            users = " and ".join(edge[0] for edge in back)
            texts.insert(0, f"{len(back)} things use {back[0][1]}: {users}.")
        return self.shown("graph", [("Parts", " ".join(texts))] if texts else [])

    def newspaper(self, query: str) -> str:
        self.calls.append(("newspaper", query))
        return self.shown("web", self.nearest(query, NEWS, 0.35))


HANDBOOK_TOLD = """The library's own handbook: rules, fees, membership, opening hours, manuals and repairs.
Not for one person's loans and not for how many bikes are free: those are in the ledger.

- "How long may I keep a bike?"
- "What does it cost when I bring a bike back late?"
- "Can I join the library?"
- "When are you open?"
- "How do I repair my bike myself?"
- "What does this code on the display mean?"
- "How much weight can the bike carry?"
- "Do I have to wear a helmet?"
- "Can I extend a loan?"

* rules: 4 documents, such as "Loans", "Membership"
* manuals: 2 documents, such as "City Bike B2 manual", "City Bike B3 manual"
"""
LEDGER_TOLD = """The library's records: loans, reservations and the bikes that are free right now.
Not for rules and manuals.

- "When is my loan due?"
- "Which bikes have I borrowed?"
- "How many of these bikes are free today?"
- "Has my bike been returned?"

* loan(loan_id text 'L-3001') -> loan_id, bike, status, due, summary: One loan and when it is due. Asked as: when is loan L-3001 due; has loan L-3001 been returned. Example: loan('L-3001').
* my_loans() -> loan_id, bike, status, due, summary: All loans of the person who asks. Asked as: what have I borrowed; which bikes do I have on loan; when must I bring my bike back.
* free_bikes(bike text 'City Bike B2') -> bike, free_now, branch: How many of one bike are free now. Asked as: how many City Bike B2 are free; is a cargo bike available.
"""
PARTS_TOLD = """How bikes and parts hang together: which part belongs to which bike.

- "Which bikes use the same saddle?"
- "Which battery fits this bike?"
- "Which parts does the bike have?"
- "What else uses this part?"

* uses: "uses" | "is used by"
* made_by: "is made by" | "makes"
Kinds of things: bike, part, maker
"""
NEWS_TOLD = """The public newspaper: what happens in the city outside the library. Only when no other tool can know.

- "Is the bridge closed this week?"
- "What will the weather be like tomorrow?"
- "Are there roadworks in the city centre?"
- "What did the council decide?"
"""
