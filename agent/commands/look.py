"""`desk search` and `desk graph`: each source on its own."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from agent.commands.answers import near
from agent.commands.screen import print_json, say, working
from agent.question import clean_question
from agent.settings import Settings
from agent.sources import open_documents, open_graph
from tools.errors import BadInput, ConfigurationError

if TYPE_CHECKING:
    from tools.stores.graph import Entity, GraphStore, Neighbourhood, Path
    from tools.stores.graph_types import Audience
    from tools.stores.passage import PassageHit

Mode = Literal["hybrid", "dense", "sparse"]
Direction = Literal["out", "in", "any"]


def search(
    query: str,
    *,
    k: int,
    mode: Mode,
    category: str | None,
    version: str | None,
    updated_since: date | None,
    staff: bool,
    as_json: bool,
) -> int:
    """Print the passages nearest to the query, best first."""
    settings = Settings.load()
    query = clean_question(query, settings.question_limit)
    with working("opening the documents"):
        store = open_documents(settings)
        if store.count() == 0:
            raise ConfigurationError("DESK_HOME: no documents yet; run `desk demo` or `desk ingest PATH`")
        hits = store.search(
            query,
            k=k,
            mode=mode,
            category=category,
            version=version,
            updated_since=updated_since,
            audience="internal" if staff else "public",
        )
    if as_json:
        print_json([_hit(hit) for hit in hits])
        return 0
    if not hits:
        say("No passage fits. Try other words, or fewer filters.")
    for number, hit in enumerate(hits, 1):
        passage = hit.passage
        say(passage.place, first=f"{number:>3}. ", indent="     ", style="cyan")
        say(" ".join(passage.text.split()), indent="     ")
        kind = ", ".join(part for part in (passage.category, passage.version, passage.audience) if part)
        if hit.superseded:
            kind += ", superseded by a newer version"
        scores = f"cosine {hit.dense:.3f}, bm25 {hit.sparse:.3f}"
        say(f"{near(passage.path)}  ({kind}; {scores})", indent="     ", style="dim")
    return 0


def graph(
    name: str,
    *,
    other: str | None,
    relation: str | None,
    direction: Direction,
    hops: int | None,
    staff: bool,
    as_json: bool,
) -> int:
    """Print what a thing is connected with, or how it is connected with another."""
    with working("opening the graph"):
        store = open_graph(Settings.load())
    if store is None:
        raise ConfigurationError("there is no graph yet; run `desk demo` or `desk ingest --graph FILE`")
    audience: Audience = "internal" if staff else "public"
    with contextlib.closing(store):
        known = [one.name for one in store.relations()]
        if relation is not None and relation not in known:
            raise BadInput(f"there is no relation {relation!r}; there are {', '.join(known)}")
        entity = _entity(store, name, audience)
        if other is not None:
            end = _entity(store, other, audience)
            found: Path | Neighbourhood = store.path(
                entity, end, hops or 6, relation=relation, direction=direction, audience=audience
            )
        elif hops is None or hops == 1:
            found = store.neighbours(entity, relation, direction, audience=audience)
        else:
            found = store.closure(entity, relation, direction, hops, audience=audience)
    if as_json:
        print_json(jsonable(found))
        return 0
    if not found.edges:
        say(
            "No connection was found."
            if other
            else f"Nothing is stated about {entity.name} in this direction."
        )
    for edge in found.edges:
        say(edge.sentence)
        if edge.stated_in:
            say(", ".join(edge.stated_in), indent="     ", style="dim")
    if found.cut:
        say(f"There may be more: the search stopped at its limit of {found.cut}.", style="dim")
    return 0


def _entity(store: GraphStore, name: str, audience: Audience) -> Entity:
    """The one thing that a name means.

    Raises:
        BadInput: It means none, or several; the line names the nearest.
    """
    mentions = store.find_mentions(name, audience=audience)
    if not mentions:
        near_ones = [one.name for one in store.suggest(name, audience=audience)]
        hint = f"did you mean {' or '.join(near_ones)}?" if near_ones else "try another name, or --staff"
        raise BadInput(f"there is nothing called {name!r} in the graph; {hint}")
    best = max(mentions, key=lambda mention: (mention.score, len(mention.text)))
    if not best.clear:
        several = [best.entity.name, *(one.name for one in best.alternatives)]
        raise BadInput(f"{name!r} can be {' or '.join(several[:5])}; say which")
    return best.entity


def jsonable(value: Any) -> Any:
    """Dataclasses as objects, tuples as lists; the rest as it is."""
    if is_dataclass(value) and not isinstance(value, type):
        return jsonable(asdict(value))
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    return value


def _hit(hit: PassageHit) -> dict[str, Any]:
    scores = {"score": hit.score, "dense": hit.dense, "sparse": hit.sparse, "superseded": hit.superseded}
    return {**asdict(hit.passage), **scores}
