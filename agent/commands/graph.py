"""`desk graph`: ask the graph, build it, and settle which things are the same."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent.commands.look import jsonable
from agent.commands.screen import print_json, say, working
from agent.settings import Settings
from agent.sources import create_graph, database_url, open_documents, open_embedder, open_graph
from tools.errors import BadInput, ConfigurationError

if TYPE_CHECKING:
    from tools.graph_ask import Answer, Question
    from tools.ingest.graph_build import Built, Stale
    from tools.ingest.graph_parts import Runner
    from tools.stores.graph import GraphStore
    from tools.stores.graph_types import Audience

_NO_GRAPH = "there is no graph yet; run `desk demo` or `desk graph build FILE`"


@contextlib.contextmanager
def _opened(settings: Settings) -> Iterator[GraphStore]:
    with working("opening the graph"):
        store = open_graph(settings)
    if store is None:
        raise ConfigurationError(_NO_GRAPH)
    with contextlib.closing(store):
        yield store


def show(question: Question, *, svg: str | None, staff: bool, as_json: bool) -> int:
    """Print what the graph has to say, as the desk's own tool would; draw it where `svg` names a file."""
    from tools.graph_fresh import Freshness
    from tools.graph_lookup import look
    from tools.stores.graph_sources import GraphSources

    settings = Settings.load()
    audience: Audience = "internal" if staff else "public"
    with _opened(settings) as store:
        answer = look(store, question, question.entity, audience, open_embedder(settings))
        planned = bool(answer.findings and GraphSources(store).plans())
        stale = Freshness(store, open_documents(settings)).note(_edges(answer)) if planned else None
    if not answer.about:
        hint = "" if staff else "; what only internal documents state is seen with --staff"
        raise BadInput(f"{answer.missing.rstrip('.')}{hint}")
    if svg is not None:
        _draw(answer, Path(svg))
    if as_json:
        print_json(jsonable(answer))
        return 0
    _print(answer, stale)
    return 0


def _edges(answer: Answer) -> list[Any]:
    return [edge for one in answer.findings for edge in one.edges]


def _print(answer: Answer, stale: str | None) -> None:
    for finding in answer.findings:
        say(finding.title, style="bold")
        told = " ".join(edge.sentence for edge in finding.edges)
        if not told.startswith(finding.text):  # what sums the edges up
            say(finding.text.removesuffix(told).strip(), indent="  ")
        for edge in finding.edges:
            times = ", ".join(
                f"{word} {day:%Y-%m-%d}"
                for word, day in (("since", edge.since), ("until", edge.until))
                if day
            )
            say(f"{edge.sentence}{f' ({times})' if times else ''}", indent="  ")
            say(", ".join(edge.stated_in), indent="     ", style="dim")
    if answer.missing:
        say(answer.missing)
    for note in (*answer.notes, *([stale] if stale else [])):
        say(f"Note: {note}", style="dim")


def _draw(answer: Answer, file: Path) -> None:
    from tools.graph_draw import draw

    try:
        file.write_text(draw(_edges(answer), answer.about), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"--svg: {file} cannot be written ({error.strerror})") from None


@dataclass(frozen=True)
class Wish:
    """What is asked of a build beside reading what changed.

    Attributes:
        check: Change nothing, and only tell what is out of date.
        themes: Make themes; where there are some they are always made anew.
        model: Have a language model read passages, and write the themes' summaries.
        max_cost, yes: See `Budget`.
    """

    check: bool = False
    themes: bool = False
    model: bool = False
    max_cost: float | None = None
    yes: bool = False


def build(file: str | None, wish: Wish, *, as_json: bool) -> int:
    """Bring the graph up to date with its file.

    Returns 1 when with `check` something is out of date, or when a model left something for another time.

    Raises:
        BadInput: Wishes that exclude each other, no price for a limit, or no file to build from.
        ConfigurationError: A model is wished for and none is configured.
    """
    if wish.check and (wish.themes or wish.model):
        raise BadInput("--check changes nothing; leave out --themes and --model")
    if wish.max_cost is not None and not wish.model:
        raise BadInput("--max-cost is for --model; say both")
    from agent.commands.graph_model import Budget, read_with_model, told
    from agent.commands.graph_themes import made_themes
    from agent.models.asking import reading_model
    from tools.ingest.graph_build import Builder
    from tools.stores.graph_meanings import learn
    from tools.stores.graph_sources import GraphSources

    settings = Settings.load()
    if wish.model:
        reading_model(settings)
    budget = Budget.of(settings, wish.max_cost, wish.yes)
    with working("opening the graph") as tell, contextlib.closing(create_graph(settings)) as store:
        files = [file] if file else [plan.file for plan in GraphSources(store).plans()]
        if not files:
            raise BadInput("say which file describes the graph: desk graph build FILE")
        documents = open_documents(settings)
        with _records(settings) as run:
            builders = [Builder(Path(one), store, documents, run) for one in files]
            if wish.check:
                return _tell_stale([(one.source, one.check()) for one in builders], as_json)
            done = [one.build(tell) for one in builders]
            read = read_with_model(builders, settings, budget, tell) if wish.model else []
        learn(store, open_embedder(settings), tell)
        themed = made_themes(store, settings, budget, read, tell, wish.themes, wish.model)
    if as_json:
        print_json({"built": [asdict(one) for one in read or done], "themes": themed and asdict(themed)})
    else:
        for built in done:
            _tell_built(built)
        for each in read:
            say(told(each, budget))
            _tell_built(each.built)
        if themed:
            say(themed.told(budget))
    return int(any(one.spent.left for one in read) or bool(themed and themed.left))


@contextlib.contextmanager
def _records(settings: Settings) -> Iterator[Runner | None]:
    """Runs SELECTs over the records as the desk's own login, read-only; only a graph file asks them."""
    import psycopg
    from psycopg import sql

    with psycopg.connect(database_url(settings), autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = on")
        schema = sql.Identifier(settings.records_schema)
        connection.execute(sql.SQL("SET search_path = {}, pg_catalog").format(schema))

        def run(statement: str) -> tuple[Sequence[str], Sequence[Sequence[Any]]]:
            try:
                cursor = connection.execute(statement.encode())
                return [column.name for column in cursor.description or ()], cursor.fetchall()
            except psycopg.Error as error:
                why = (error.diag.message_primary or type(error).__name__).splitlines()[0]
                raise BadInput(f"a query of the graph file does not run: {why}") from None

        yield run


def _tell_stale(found: Sequence[tuple[str, Stale]], as_json: bool) -> int:
    if as_json:
        print_json({source: asdict(stale) for source, stale in found})
    else:
        for source, stale in found:
            if stale.fresh:
                say(f"{source}: up to date")
            for word, names in (("changed", (*stale.parts, *stale.documents)), ("gone", stale.gone)):
                for name in names:
                    say(f"{word:<8} {name}")
    return int(any(not stale.fresh for _, stale in found))


def _tell_built(built: Built) -> None:
    changed = len(built.stale.parts) + len(built.stale.documents)
    counts = (
        f"{changed} sources read again, {len(built.stale.gone)} gone; {built.passages} passages looked at"
    )
    gone = f"{built.removed_entities} things and {built.removed_edges} edges removed"
    say(f"{built.source}: {counts}; {built.edges} edges stated there; {gone}; {built.seconds:.1f} s")


def themes(question: str, *, level: int, staff: bool, as_json: bool) -> int:
    """Print the themes that a question is about; without one all of a level, the largest first."""
    from tools.graph_ask import Question
    from tools.stores.graph_themes import GraphThemes

    if question:
        return show(Question(question, find="themes"), svg=None, staff=staff, as_json=as_json)
    with _opened(Settings.load()) as store:
        kept = GraphThemes(store)
        if not kept.made():
            raise BadInput("no themes were made yet; run `desk graph build --themes`")
        found, fresh = kept.all("internal" if staff else "public", level), kept.fresh()
    if as_json:
        print_json({"fresh": fresh, "themes": [asdict(one) for one in found]})
        return 0
    for one in found:
        say(f"{one.number}. {one.title}", style="bold")
        part = f", part of {one.parent}" if one.parent else ""
        writer = f", written by {one.written_by}" if one.written_by else ""
        say(f"{one.things} things, {one.connections} connections{part}{writer}", indent="   ", style="dim")
        say(one.summary, indent="   ")
    if not found:
        say(f"There are no themes of level {level}.")
    if not fresh:
        say("Note: the graph has changed since; `desk graph build --themes` makes them anew.", style="dim")
    return 0


def same(names: Sequence[str], *, apart: bool, as_json: bool) -> int:
    """Settle that two things are the same, or apart; without names list what was settled."""
    from tools.stores.graph_sources import GraphSources

    with _opened(Settings.load()) as store:
        kept = GraphSources(store)
        if names:
            if len(names) != 2:
                raise BadInput(
                    "name two things, each in quotes: the one to tell under the other's name first"
                )
            kept.decide(names[0], names[1], same=not apart)
        decisions, merged = kept.decisions(), kept.merged()
    if as_json:
        print_json({"decided": [asdict(one) for one in decisions], "merged": merged})
        return 0
    for name, other in merged.items():
        say(f"{name} is told as {other}")
    for one in decisions:
        if not one.same:
            say(f"{one.name} and {one.other} are kept apart")
    if not merged and not decisions:
        say("No two names are taken for one thing.")
    return 0
