"""Where conversations are kept: the SDK's sessions in SQLite, or in PostgreSQL."""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from agents import SQLiteSession

from agent.conversation import Conversation
from tools.errors import ConfigurationError, SourceUnavailable

if TYPE_CHECKING:
    from agents.memory import Session

_SESSIONS = "citedesk_conversations"
_MESSAGES = "citedesk_turns"


class Sessions(Protocol):
    """A place for conversations."""

    def open(self, key: str) -> Session:
        """The session of this key, made when there is none."""

    def alone(self, key: str) -> Any:
        """A context manager that keeps other processes out of the conversation."""


class Conversations:
    """A desk's conversations. One that is asked for twice is the same, so that its turns wait for each other.

    Args:
        sessions: Opens the place where those that have a name are kept, when the first one is asked for.
    """

    def __init__(self, sessions: Callable[[], Sessions]) -> None:
        self._open_sessions = sessions
        self._sessions: Sessions | None = None
        self._known: weakref.WeakValueDictionary[str, Conversation] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()

    def new(self) -> Conversation:
        """A conversation that is forgotten with the process."""
        made = Conversation()
        made.session = SQLiteSession(made.id)
        return made

    def named(self, name: str, customer_id: str | None) -> Conversation:
        """The kept conversation of this name, of this customer; others' of the same name are others.

        Raises:
            ConfigurationError: They are to be kept where nothing can be kept.
        """
        # A digest, so that no name can be made to look like a name of somebody else's.
        key = hashlib.sha256(repr((customer_id, name)).encode()).hexdigest()[:40]
        with self._lock:
            known = self._known.get(key)
            if known is None:
                sessions = self._sessions = self._sessions or self._open_sessions()
                known = Conversation(sessions.open(key), id=key, alone=lambda: sessions.alone(key))
                self._known[key] = known
            return known


class SqliteSessions:
    """Conversations in a file.

    Args:
        file: The database; made when there is none, readable by its owner alone.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def open(self, key: str) -> Session:
        """See `Sessions.open`.

        Raises:
            ConfigurationError: The file cannot be made.
        """
        try:
            self._file.touch(mode=0o600)
            return SQLiteSession(key, self._file, sessions_table=_SESSIONS, messages_table=_MESSAGES)
        except Exception as error:
            raise ConfigurationError(f"DESK_HOME: conversations cannot be kept in {self._file}") from error

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:  # noqa: ARG002
        """Nothing is done: processes that share a file must not share a conversation."""
        yield


class PostgresSessions:
    """Conversations in PostgreSQL, in tables that are made where they are missing.

    Args:
        url: `postgresql://…`, of a login that may make and write tables in its search path.

    Raises:
        ConfigurationError: The address cannot be used, or SQLAlchemy is not installed.
    """

    def __init__(self, url: str) -> None:
        try:
            from sqlalchemy.engine import make_url
            from sqlalchemy.exc import ArgumentError
            from sqlalchemy.ext.asyncio import create_async_engine
            from sqlalchemy.pool import NullPool
        except ImportError:
            raise ConfigurationError("DESK_SESSIONS_URL: needs `pip install citedesk[sessions]`") from None
        try:
            address = make_url(url).set(drivername="postgresql+psycopg")
        except ArgumentError:
            raise ConfigurationError(
                "DESK_SESSIONS_URL: must be an address such as postgresql://user:password@host:5432/database"
            ) from None
        self._url = url
        # No pool: a connection belongs to one event loop, and a script opens one for each question.
        self._engine = create_async_engine(address, poolclass=NullPool)

    def open(self, key: str) -> Session:
        """See `Sessions.open`."""
        from agents.extensions.memory import SQLAlchemySession

        return SQLAlchemySession(
            key,
            engine=self._engine,
            create_tables=True,
            sessions_table=_SESSIONS,
            messages_table=_MESSAGES,
        )

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Hold PostgreSQL's advisory lock of the conversation.

        Raises:
            SourceUnavailable: The database cannot be reached.
        """
        import psycopg

        number = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], signed=True)
        try:
            connection = await psycopg.AsyncConnection.connect(self._url, autocommit=True)
        except psycopg.Error:
            raise SourceUnavailable(
                "conversations", "their database does not answer; check DESK_SESSIONS_URL"
            ) from None
        async with connection:  # closing it gives the lock back
            await connection.execute("SELECT pg_advisory_lock(%s)", [number])
            yield


def open_sessions(url: str | None, home: Path) -> Sessions:
    """Where conversations are kept: PostgreSQL when there is an address, else a file in this folder.

    Raises:
        ConfigurationError: The address cannot be used.
    """
    return PostgresSessions(url) if url else SqliteSessions(home / "conversations.db")
