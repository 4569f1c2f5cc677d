"""Builds the demo company: documents, records and graph, from the files in this folder."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from agent.settings import Settings
from agent.sources import create_graph, database_url, open_documents, open_embedder, prepared_home
from tools.errors import ConfigurationError

FOLDER = Path(__file__).parent
_STAMP = "demo.sha256"
# What decides the content of the stores: the company's files, and the code that takes them in.
_INPUTS = (
    FOLDER / "documents",
    FOLDER / "database",
    FOLDER / "graph.yaml",
    FOLDER / "products.yaml",
    FOLDER.parent / "tools" / "ingest",
    FOLDER.parent / "tools" / "stores",
)


class DemoQuestion(BaseModel):
    """One question of `questions.yaml`: what it shows, the question, and who asks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    question: str
    customer: str | None = None


def read_questions() -> list[DemoQuestion]:
    """The questions that the demo asks."""
    listed = yaml.safe_load((FOLDER / "questions.yaml").read_text(encoding="utf-8"))
    return [DemoQuestion(**item) for item in listed]


def demo_settings(settings: Settings) -> Settings:
    """The same settings, except that the demo never touches a database, documents or web of your own."""
    own = {"database_url": None, "documents_uri": None, "tavily_api_key": None, "web_url": None}
    return settings.model_copy(update=own)


def build(settings: Settings, progress: Callable[[str], None] | None = None) -> None:
    """Fill the stores of `settings` with the demo company; at once when they hold it already.

    Raises:
        ConfigurationError: The home holds documents that are not the demo's.
        SourceUnavailable: The database cannot be reached.
    """
    tell = progress or (lambda _: None)
    stamp = prepared_home(settings) / _STAMP
    wanted = _fingerprint(settings)
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted:
        return
    _documents(settings, tell, stamp)
    tell("loading the database")
    from demo.database.load import load

    load(database_url(settings), schema=settings.records_schema, role=settings.reader_role)
    tell("loading the graph")
    from tools.ingest.edges import load_graph
    from tools.ingest.graph_themes import refresh
    from tools.stores.graph_meanings import learn

    with contextlib.closing(create_graph(settings)) as store:
        load_graph(FOLDER / "graph.yaml", store)
        learn(store, open_embedder(settings), tell)
        with contextlib.suppress(ConfigurationError):  # without the extra `themes` there are none
            refresh(store)
    stamp.write_text(wanted, encoding="utf-8")


def _documents(settings: Settings, tell: Callable[[str], None], stamp: Path) -> None:
    from tools.ingest.documents import ingest

    tell("opening the documents")
    store = open_documents(settings)
    if not stamp.exists() and store.count():
        raise ConfigurationError(
            f"DESK_HOME: {settings.home} holds documents of your own; give the demo another folder, "
            "such as DESK_HOME=.desk-demo"
        )
    stamp.write_text("building", encoding="utf-8")  # from here on, what is in there is the demo's
    report = ingest([FOLDER / "documents"], store, progress=lambda now: tell(now.doing))
    if report.failed:
        failed = report.failed[0]
        raise ConfigurationError(
            f"the demo's document {failed.path} cannot be taken in ({failed.reason}); if {settings.home} was "
            "filled from another copy of this project, set DESK_HOME to a new folder"
        )


def _fingerprint(settings: Settings) -> str:
    """A hash of the names and contents of all inputs, and of where they go."""
    digest = hashlib.sha256()
    for where in (settings.embedder, settings.embedding_model, settings.records_schema, settings.reader_role):
        digest.update(where.encode() + b"\0")
    for top in _INPUTS:
        for path in sorted([top] if top.is_file() else top.rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                digest.update(str(path.relative_to(FOLDER.parent)).encode() + b"\0")
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()
