"""`desk search`: the documents on their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal

from agent.commands.answers import near
from agent.commands.screen import print_json, say, working
from agent.question import clean_question
from agent.settings import Settings
from agent.sources import open_documents
from tools.errors import BadInput, ConfigurationError

if TYPE_CHECKING:
    from tools.stores.passage import PassageHit

Mode = Literal["hybrid", "dense", "sparse"]


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
    """Print the passages nearest to the query, best first.

    Raises:
        BadInput: There is no query, or no such category.
    """
    settings = Settings.load()
    query = clean_question(query, settings.question_limit)
    audience = "internal" if staff else "public"
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
            audience=audience,
        )
    if not hits and category is not None:
        _known_category(category, [one.category for one in store.collections(audience)])
    if as_json:
        print_json([_hit(hit) for hit in hits])
        return 0
    if not hits:
        say("No passage fits. Try other words, or fewer filters.")
    for number, hit in enumerate(hits, 1):
        passage = hit.passage
        say(passage.place, first=f"{number:>3}. ", indent="     ", style="cyan")
        say("\n".join(line for line in passage.text.splitlines() if line.strip()), indent="     ")
        kind = ", ".join(part for part in (passage.category, passage.version, passage.audience) if part)
        if hit.superseded:
            kind += ", superseded by a newer version"
        scores = f"cosine {hit.dense:.3f}, bm25 {hit.sparse:.3f}"
        say(f"{near(passage.path)}  ({kind}; {scores})", indent="     ", style="dim")
    return 0


def _known_category(category: str, known: list[str]) -> None:
    if category.strip().lower() not in [one.lower() for one in known]:
        raise BadInput(f"there is no category {category!r}; there are: {', '.join(known)}")


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
