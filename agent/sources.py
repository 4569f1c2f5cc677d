"""Opens the four sources that the settings name."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from agent.settings import Settings
from tools.context import Sources
from tools.errors import ConfigurationError, SourceUnavailable

if TYPE_CHECKING:
    from tools.stores.documents import DocumentStore
    from tools.stores.embedder import Embedder
    from tools.stores.graph import GraphStore
    from tools.stores.records import RecordStore
    from tools.stores.web import WebStore

GRAPH_SCHEMA = "desk_graph"
_CONNECT_SECONDS = 5
_HANG_SECONDS = 2  # past its own time limit, after which a server is taken to hang
_SIGNS = {
    "refused": "the database refuses connections",
    "authentication failed": "the database refused the user or the password",
    "does not exist": "the database has no such user or database",
    "timeout": f"the database did not answer within {_CONNECT_SECONDS} seconds",
    "resolve": "the database's host is not known",
}


def prepared_home(settings: Settings) -> Path:
    """The folder of DESK_HOME, made when it is not there.

    Raises:
        ConfigurationError: It cannot be made, read or written.
    """
    home = settings.home.expanduser().absolute()
    try:
        home.mkdir(parents=True, exist_ok=True)
        usable = os.access(home, os.R_OK | os.W_OK | os.X_OK)
    except OSError as error:
        raise ConfigurationError(f"DESK_HOME: {home} cannot be used ({error.strerror})") from None
    if not usable:
        raise ConfigurationError(f"DESK_HOME: {home} cannot be read and written; set it to a folder of yours")
    return home


def open_embedder(settings: Settings) -> Embedder:
    """What turns text into vectors.

    Raises:
        ConfigurationError: The model cannot be prepared, or a key is missing.
    """
    from tools.stores import embedder

    return embedder.open_embedder(
        settings.embedder,
        prepared_home(settings) / "models",
        model=settings.embedding_model,
        api_key=settings.openai_api_key,
        base_url=settings.openai_base_url,
    )


def open_documents(settings: Settings) -> DocumentStore:
    """The documents of DESK_DOCUMENTS_URI, or those under DESK_HOME; empty when none were ingested.

    Raises:
        ConfigurationError: The home or the address cannot be used, or another embedder filled the store.
        SourceUnavailable: The store cannot be reached.
    """
    from tools.stores.documents import DocumentStore
    from tools.stores.rerank import open_reranker

    reranker = open_reranker(settings.reranker, model=settings.reranker_model, api_key=settings.reranker_key)
    uri = settings.documents_uri or str(prepared_home(settings) / "documents")
    return DocumentStore.open(uri, open_embedder(settings), reranker=reranker)


def database_url(settings: Settings) -> str:
    """The PostgreSQL of DESK_DATABASE_URL, or the embedded one under DESK_HOME, made and started if need be.

    Raises:
        ConfigurationError: The embedded server's start script cannot take a path like this.
        SourceUnavailable: The embedded one does not start.
    """
    from tools.stores.postgres import embedded_url

    if settings.database_url is not None:
        return settings.database_url
    folder = _embedded_folder(settings)
    if " " in str(folder):
        raise ConfigurationError(
            f"DESK_HOME: the embedded PostgreSQL cannot live under a path with a space ({folder.parent}); "
            "set it to another folder, or DESK_DATABASE_URL to a server of your own"
        )
    return embedded_url(folder)


def open_records(settings: Settings) -> RecordStore | None:
    """The records of the database, or None when there are none: nothing set and nothing embedded.

    Raises:
        ConfigurationError: DESK_DATABASE_URL is set and has no schema DESK_RECORDS_SCHEMA.
        SourceUnavailable: The database is down.
    """
    url = _filled_database(settings)
    if url is None:
        return None
    if not _has_schema(url, settings.records_schema, "records"):
        if settings.database_url is None:
            return None
        raise ConfigurationError(
            f"DESK_RECORDS_SCHEMA: the database has no schema {settings.records_schema!r}"
        )
    from tools.stores.postgres import open_pool
    from tools.stores.records import RecordStore

    return RecordStore(
        open_pool(url, max_size=settings.pool_size, patience=settings.statement_timeout + _HANG_SECONDS),
        schema=settings.records_schema,
        role=settings.reader_role,
        statement_timeout=settings.statement_timeout,
        row_cap=settings.row_cap,
        lock_timeout=settings.lock_timeout,
        byte_cap=settings.byte_cap,
        cost_ceiling=settings.cost_ceiling,
        time_zone=settings.time_zone,
        customer_columns=settings.customer_column_names,
        staff=settings.staff_records,
    )


def open_graph(settings: Settings) -> GraphStore | None:
    """The graph in the same database, or None when none was loaded there.

    Raises:
        SourceUnavailable: The database is down.
    """
    url = _filled_database(settings)
    if url is None or not _has_schema(url, GRAPH_SCHEMA, "graph"):
        return None
    from tools.stores.graph import GraphStore
    from tools.stores.postgres import open_pool

    return GraphStore(open_pool(url, max_size=settings.pool_size), schema=GRAPH_SCHEMA)


def create_graph(settings: Settings) -> GraphStore:
    """The graph, for loading something into it, which makes its tables where they are missing.

    Raises:
        SourceUnavailable: The embedded database does not start.
    """
    from tools.stores.graph import GraphStore
    from tools.stores.postgres import open_pool

    return GraphStore(open_pool(database_url(settings), max_size=settings.pool_size), schema=GRAPH_SCHEMA)


def open_web(settings: Settings) -> WebStore | None:
    """The web search, or None when neither TAVILY_API_KEY nor DESK_WEB_URL is set.

    Raises:
        ConfigurationError: The key or the address cannot be used.
    """
    from tools.stores.web import WebStore

    if settings.tavily_api_key is None and settings.web_url is None:
        return None
    key = settings.tavily_api_key or "none"  # the client wants one, whatever the server thinks of it
    return WebStore(key, settings.web_url, settings.web_timeout)


def open_sources(settings: Settings) -> Sources:
    """All four sources; documents and database are opened side by side, since each takes a while.

    Raises:
        ConfigurationError: A setting is wrong, or there is nothing to answer from yet.
        SourceUnavailable: A source cannot be opened.
    """
    with ThreadPoolExecutor(thread_name_prefix="open") as workers:
        database = workers.submit(lambda: (open_records(settings), open_graph(settings)))
        documents = open_documents(settings)
        records, graph = database.result()
    if records is None and documents.count() == 0:
        raise ConfigurationError(
            f"DESK_HOME: nothing to answer from in {settings.home} yet; run `desk demo` or `desk ingest PATH`"
        )
    return Sources(documents=documents, records=records, graph=graph, web=open_web(settings))


def _embedded_folder(settings: Settings) -> Path:
    return prepared_home(settings) / "postgres"


def _filled_database(settings: Settings) -> str | None:
    """The database's address, or None when none is set and the embedded one was never filled."""
    if settings.database_url is None and not (_embedded_folder(settings) / "PG_VERSION").exists():
        return None
    return database_url(settings)


def _has_schema(url: str, schema: str, source: str) -> bool:
    import psycopg

    try:
        with psycopg.connect(url, connect_timeout=_CONNECT_SECONDS) as connection:
            row = connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = %s", [schema]).fetchone()
    except psycopg.ProgrammingError:
        raise ConfigurationError(
            "DESK_DATABASE_URL: must be an address such as postgresql://user:password@host:5432/database"
        ) from None
    except psycopg.Error as error:
        raise SourceUnavailable(source, f"{_why(error)}; check DESK_DATABASE_URL") from None
    return row is not None


def _why(error: Exception) -> str:
    """Why no connection came about, in our own words: the driver's can quote parts of the address."""
    text = str(error)
    return next((words for sign, words in _SIGNS.items() if sign in text), "the database does not answer")
