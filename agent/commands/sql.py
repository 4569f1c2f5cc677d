"""`desk sql`: the records on their own, over the same path as the agent's lookups."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence

from agent.commands.look import jsonable
from agent.commands.screen import out, plain, print_json, say, working
from agent.settings import Settings
from agent.sources import open_records
from tools.errors import BadInput, ConfigurationError
from tools.sql_catalogue import Catalogue, asked_of_catalogue


def sql(statement: str, *, customer: str | None, staff: bool, as_json: bool) -> int:
    """Print the rows of one SELECT, as the reader role and for one customer, or for staff."""
    if staff and customer is not None:
        raise BadInput("--staff sees the rows of all customers; leave out --customer, or --staff")
    with working("opening the database"):
        store = open_records(Settings.load())
    if store is None:
        raise ConfigurationError("DESK_DATABASE_URL: there are no records yet; set it, or run `desk demo`")
    with contextlib.closing(store):
        if (words := asked_of_catalogue(statement)) is not None:
            told = Catalogue(tuple(store.catalogue())).more(words)
            print_json({"catalogue": told.splitlines()}) if as_json else say(told)
            return 0
        if customer is not None and not store.known_customer(customer):
            raise BadInput(f"there is no customer {customer!r}; use an id from your records, or leave it out")
        found = store.lookup(statement, customer_id=customer, staff=staff)
    if as_json:
        print_json(jsonable(found))
        return 0
    _show_rows(found.columns, [["" if value is None else str(value) for value in row] for row in found.rows])
    count = f"{len(found.rows)} row{'' if len(found.rows) == 1 else 's'}"
    more = f", cut there (DESK_ROW_CAP); {found.total or 'very many'} in all" if found.capped else ""
    say(f"{count}{more}, {found.seconds * 1000:.0f} ms", style="dim")
    if found.needs_sign_in:
        say(
            "Nobody is signed in, so that customers' rows are not counted in; name one with --customer.",
            style="dim",
        )
    if found.own:
        say(f"Words of the statement and no record: {', '.join(sorted(found.own))}.", style="dim")
    return 0


def _show_rows(columns: Sequence[str], rows: list[list[str]]) -> None:
    """Tab-separated lines in a pipe; in a terminal a table where it fits, else each row as a block."""
    console = out()
    if not console.is_terminal:
        for row in (columns, *rows):
            sys.stdout.write("\t".join(plain(" ".join(value.split())) for value in row) + "\n")
        return
    from rich.measure import Measurement
    from rich.table import Table

    table = Table(*map(plain, columns), box=None, header_style="bold", pad_edge=False)
    for row in rows:
        table.add_row(*map(plain, row))
    if Measurement.get(console, console.options.update(max_width=1_000_000), table).maximum <= console.width:
        console.print(table, markup=False)
        return
    for row in rows:
        for name, value in zip(columns, row, strict=True):
            say(f"{name}: {value}", indent="  ", first="  ")
        say()
