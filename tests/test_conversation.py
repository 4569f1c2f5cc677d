"""What a conversation remembers, where it is kept, and what it never keeps."""

from __future__ import annotations

import asyncio
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from agent.answer import Answer
from agent.conversation import Conversation
from agent.desk import SupportDesk
from agent.models.provider import LanguageModel
from agent.settings import Settings
from agent.testing import Calls, ModelServer, Text
from agent.testing.writer import Message, Writer
from tests.loans import EVIDENCE, FALSE, QUESTION, TRUE
from tools.context import Sources
from tools.errors import BadInput, ConfigurationError, SourceUnavailable


@pytest.fixture(params=["file", "postgres"])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Settings:
    """Settings that keep conversations, in each of the two places."""
    url = request.getfixturevalue("database_url") if request.param == "postgres" else None
    return Settings().model_copy(update={"home": tmp_path, "sessions_url": url, "model": "some"})


def desk_of(settings: Settings, *texts: str) -> SupportDesk:
    return SupportDesk(settings, Sources(), Writer([Message((text,)) for text in texts]))


def find(talk: Conversation) -> None:
    """Let the tools of this turn have found the evidence."""
    for item in EVIDENCE.values():
        talk.ledger.add(item.source, title=item.title, text=item.text)


async def ask(desk: SupportDesk, talk: Conversation, question: str = QUESTION, **options: Any) -> Answer:
    return await desk.ask(question, conversation=talk, **options)


async def test_a_kept_conversation_goes_on_in_another_process(kept: Settings) -> None:
    """What was said is there again, and the numbers of evidence go on where they stopped."""
    name = uuid4().hex
    with ModelServer(Calls.one("nothing"), Text(FALSE[0]), Text(TRUE[0])) as server:
        chosen = kept.model_copy(update={"openai_base_url": server.base_url, "openai_api_key": "k"})
        first = SupportDesk(chosen, Sources(), LanguageModel(chosen))
        talk = first.conversation(name)
        find(talk)
        assert (await ask(first, talk)).text.startswith(TRUE[0])
    again = SupportDesk(kept, Sources(), Writer([Message(("Hello!",))]))
    later = again.conversation(name)
    assert later is not talk
    async with later.turn() as history:
        told = str(history)
        assert QUESTION in told
        assert TRUE[0] in told
        assert FALSE[0] not in told
        assert "checked against the evidence" not in told
        assert EVIDENCE["D2"].text not in told
    assert later.ledger.citable() == {}


async def test_evidence_ids_are_never_used_again(kept: Settings) -> None:
    """In a later run the ids of the earlier one are gone, also those of a turn that was refused."""
    name = uuid4().hex
    talk = desk_of(kept).conversation(name)
    step = Answer.model_validate(
        {
            "status": "refused",
            "text": "I could not find that.",
            "steps": [
                {"tool": "vector_search", "arguments": {"query": "loans"}, "found": 2, "kept": 2}
                | {"best_score": 0.9, "seconds": 0.1, "error": None}
            ],
        }
    )
    async with talk.turn():
        find(talk)
        await talk.keep(QUESTION, step)
    later = desk_of(kept).conversation(name)
    async with later.turn() as history:
        assert "D1: <note>Loans</note>" in str(history)
        assert later.ledger.add("documents", title="New", text="New").id == "D3"
        assert later.ledger.add("web", title="New", text="New").id == "W1"


async def test_a_name_is_another_conversation_for_somebody_else(kept: Settings) -> None:
    """No customer reads what another one said, whatever name is chosen."""
    desk = desk_of(kept, "Hello!")
    name = uuid4().hex
    await ask(desk, desk.conversation(name), "I am the first")
    for customer in ("C-1", f"{name}"):
        async with desk.conversation(name, customer).turn() as history:
            assert history == []
    async with desk.conversation(name).turn() as history:
        assert "I am the first" in str(history)


async def test_a_conversation_has_one_owner() -> None:
    """Handed to another customer's question, it is refused before anything is asked."""
    desk = desk_of(Settings(), "Hello!")
    talk = desk.conversation()
    talk.belongs_to("C-1")
    with pytest.raises(BadInput, match="somebody else"):
        await ask(desk, talk)
    assert talk.asked == 0


async def test_earlier_turns_are_handed_to_the_model() -> None:
    """The model sees what was said, and of the tools what they were asked, with ids that pair up."""
    with ModelServer(Text("Hello!"), Text("Hello!")) as server:
        chosen = Settings(openai_api_key="k").model_copy(
            update={"openai_base_url": server.base_url, "model": "some"}
        )
        desk = SupportDesk(chosen, Sources(), LanguageModel(chosen))
        talk = desk.conversation()
        answer = await ask(desk, talk, "hi")
        step = {"tool": "web_search", "arguments": {"query": "x"}, "found": 1, "kept": 0}
        steps = [{**step, "best_score": None, "seconds": 0.0, "error": None}]
        await talk.keep("earlier", Answer.model_validate({**answer.model_dump(), "steps": steps}))
        assert (await ask(desk, talk, "hi again")).status == "conversational"
        items = server.requests[1].body["input"]
    assert [item.get("role") or item.get("type") for item in items] == [
        "user", "assistant", "user", "function_call", "function_call_output", "assistant", "user",
    ]  # fmt: skip


async def test_only_the_last_turns_are_read() -> None:
    """A long conversation does not grow without bound, and begins with a question."""
    desk = desk_of(Settings(), "Hello!")
    talk = desk.conversation()
    for number in range(25):
        await ask(desk, talk, f"hi {number}")
    async with talk.turn() as history:
        assert len(history) == 40
        assert history[0].get("content") == "hi 5"


async def test_a_conversation_can_be_forgotten(kept: Settings) -> None:
    """After clearing nothing of it is left."""
    desk = desk_of(kept, "Hello!")
    talk = desk.conversation(uuid4().hex)
    await ask(desk, talk, "hi")
    await talk.clear()
    async with talk.turn() as history:
        assert history == []


def test_threads_and_loops_share_a_kept_conversation(kept: Settings) -> None:
    """Six turns at once, each in an event loop of its own, are kept one behind the other."""
    desk = desk_of(kept, "Hello!")
    name = uuid4().hex
    with ThreadPoolExecutor(6) as workers:
        list(
            workers.map(
                lambda number: asyncio.run(ask(desk, desk.conversation(name), f"hi {number}")), range(6)
            )
        )

    async def roles() -> list[Any]:
        async with desk.conversation(name).turn() as history:
            return [item.get("role") for item in history]

    assert asyncio.run(roles()) == ["user", "assistant"] * 6


async def test_two_processes_take_turns_in_postgresql(database_url: str, tmp_path: Path) -> None:
    """While one desk holds a turn of a conversation, another desk on the same database waits."""
    chosen = Settings().model_copy(update={"home": tmp_path, "sessions_url": database_url})
    name = uuid4().hex
    one, other = desk_of(chosen, "Hello!"), desk_of(chosen, "Hello!")
    async with one.conversation(name).turn():
        waiting = asyncio.create_task(ask(other, other.conversation(name), "hi"))
        async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as connection:
            blocked: Any = None
            while not blocked:
                cursor = await connection.execute(
                    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                )
                blocked = await cursor.fetchone()
        assert not waiting.done()
    assert (await waiting).status == "conversational"


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    """Conversations hold what customers said."""
    desk_of(Settings().model_copy(update={"home": tmp_path})).conversation("a")
    assert stat.S_IMODE(os.stat(tmp_path / "conversations.db").st_mode) == 0o600


def test_places_that_cannot_be_used(tmp_path: Path) -> None:
    """A wrong address, or a file in the way, is one line that names the setting."""
    with pytest.raises(ConfigurationError, match="DESK_SESSIONS_URL"):
        desk_of(Settings().model_copy(update={"sessions_url": "nonsense"})).conversation("a")
    (tmp_path / "conversations.db").write_text("no database" * 100)
    with pytest.raises(ConfigurationError, match="DESK_HOME"):
        desk_of(Settings().model_copy(update={"home": tmp_path})).conversation("a")


async def test_a_database_that_is_down() -> None:
    """The question fails with one line, before the model is asked."""
    chosen = Settings().model_copy(update={"sessions_url": "postgresql://nobody@127.0.0.1:1/none"})
    desk = desk_of(chosen, "Hello!")
    with pytest.raises(SourceUnavailable, match="DESK_SESSIONS_URL"):
        await ask(desk, desk.conversation("a"), "hi")
