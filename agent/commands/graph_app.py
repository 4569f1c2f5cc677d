"""The group of commands `desk graph`; a word that is none of them is what to look up."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from typer.core import TyperGroup

_SHOW = "show"


class _Group(TyperGroup):
    """`desk graph "a thing"` is short for `desk graph show "a thing"`."""

    def resolve_command(self, ctx: typer.Context, args: list[str]):  # type: ignore[no-untyped-def,override]
        """See click's own; a name that is no command goes to `show`."""
        if args and self.get_command(ctx, args[0]) is None:
            args = [_SHOW, *args]
        return super().resolve_command(ctx, args)


graph = typer.Typer(
    name="graph",
    help="How things are connected; `desk graph THING` is short for `desk graph show THING`. "
    'Example: `desk graph "Auth Service" --relation depends_on --direction in`',
    cls=_Group,
    no_args_is_help=True,
    rich_markup_mode="rich",
)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Staff = Annotated[bool, typer.Option("--staff", help="See what is internal, too.")]


@graph.command()
def show(
    entity: Annotated[list[str], typer.Argument(help="A thing by its name, or a whole question.")],
    other: Annotated[str | None, typer.Option(help="Another thing: how are the two connected?")] = None,
    relation: Annotated[str | None, typer.Option(help="Follow only this relation.")] = None,
    then: Annotated[
        list[str] | None, typer.Option(help="A relation to follow from there; again for the next one.")
    ] = None,
    direction: Annotated[
        Literal["out", "in", "any"], typer.Option(help="From the thing, to it, or both.")
    ] = "any",
    hops: Annotated[int, typer.Option(min=1, max=10, help="How many steps far.")] = 3,
    kind: Annotated[str | None, typer.Option(help="Only things of this kind.")] = None,
    find: Annotated[
        Literal["connections", "paths", "shared", "themes"],
        typer.Option(help="Connections, all ways between two, what two share, or themes."),
    ] = "connections",
    svg: Annotated[str | None, typer.Option(metavar="FILE", help="Draw the answer into this file.")] = None,
    staff: Staff = False,
    as_json: Json = False,
) -> int:
    """Look up what a thing is connected with, or how two things are.

    Example: `desk graph "auth service" --relation depends_on --direction in --staff`
    """
    from agent.commands.graph import show
    from tools.graph_ask import Question

    question = Question(" ".join(entity), other, relation, direction, hops, tuple(then or ()), kind, find)
    return show(question, svg=svg, staff=staff, as_json=as_json)


@graph.command()
def build(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="The YAML file; those built before when left out.")
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Change nothing; tell what is out of date.")] = False,
    with_themes: Annotated[
        bool, typer.Option("--themes", help="Group what is connected into themes; needs the extra `themes`.")
    ] = False,
    model: Annotated[
        bool, typer.Option("--model", help="Have the model read documents and write themes; tells the cost.")
    ] = False,
    max_cost: Annotated[
        float | None, typer.Option(min=0, help="The most money that --model may spend, by DESK_PRICES.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Start --model without being asked.")] = False,
    as_json: Json = False,
) -> int:
    """Build the graph from its file, tables, records and documents; only what changed is read again.

    Exit code 1 with --check: something is out of date; with --model: something is left for another time.

    Example: `desk graph build ./our-graph.yaml --model --max-cost 0.50`
    """
    from agent.commands.graph import Wish, build

    return build(file, Wish(check, with_themes, model, max_cost, yes), as_json=as_json)


@graph.command()
def themes(
    question: Annotated[list[str] | None, typer.Argument(help="What they should be about.")] = None,
    level: Annotated[int, typer.Option(min=0, help="0 for the widest, more for parts of them.")] = 0,
    staff: Staff = False,
    as_json: Json = False,
) -> int:
    """Tell what the graph is about: groups of connected things, and what is most common in them.

    Example: `desk graph themes "the most common problems with the kettle line"`
    """
    from agent.commands.graph import themes

    return themes(" ".join(question or []), level=level, staff=staff, as_json=as_json)


@graph.command()
def same(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME OTHER]", help="Two things, each in quotes.")
    ] = None,
    apart: Annotated[bool, typer.Option("--apart", help="They are not the same; undoes a merge.")] = False,
    as_json: Json = False,
) -> int:
    """Settle that two names mean one thing, or with --apart that they do not; without names, list them.

    Example: `desk graph same "web shop" "Web Shop Frontend"`
    """
    from agent.commands.graph import same

    return same(names or [], apart=apart, as_json=as_json)
