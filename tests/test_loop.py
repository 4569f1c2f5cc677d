"""The loop of one question: streams, bounds, and what happens when whoever asked goes away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from agents import Model
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.answer import Answer, Event, Sentence
from agent.conversation import Conversation
from agent.desk import SupportDesk
from agent.grader import grade
from agent.models.provider import LanguageModel
from agent.settings import Settings
from agent.testing import Calls, Hang, ModelServer, Text
from agent.testing.writer import Message, Writer
from demo.web_server import serve
from tests.loans import EVIDENCE, FALSE, HARMLESS, MARKS_OF_FALSE, PRICES, QUESTION, TRUE
from tools.context import Sources
from tools.errors import SourceUnavailable
from tools.stores.web import WebPage, WebStore


def desk_of(model: Model, **changes: Any) -> SupportDesk:
    return SupportDesk(Settings().model_copy(update=changes), Sources(), model)


def talk() -> Conversation:
    """A conversation in whose first turn the evidence is found already."""
    made = Conversation()
    for item in EVIDENCE.values():
        made.ledger.add(item.source, title=item.title, text=item.text)
    return made


async def events_of(desk: SupportDesk) -> list[Event]:
    return [event async for event in desk.stream(QUESTION, conversation=talk())]


def whole(text: str) -> Message:
    return Message((text,))


def cut(text: str, places: Sequence[int]) -> tuple[str, ...]:
    ends = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return tuple(text[start:end] for start, end in pairwise(ends)) or ("",)


texts = st.lists(
    st.tuples(st.sampled_from(TRUE * 3 + FALSE + HARMLESS), st.sampled_from([" ", "\n", "\n\n"])), max_size=5
).map(lambda parts: "".join(text + gap for text, gap in parts))
messages = st.builds(
    lambda text, places, then: Message(cut(text, places), then),
    texts,
    st.lists(st.integers(0, 400), max_size=20),
    st.sampled_from(["end", "end", "end", "break", "call", "refusal"]),
)


@settings(max_examples=150)
@given(st.lists(messages, min_size=1, max_size=3))
async def test_no_ungraded_character_is_shown(script: list[Message]) -> None:
    """Whatever a model writes, however it is cut and breaks: all that was shown passes the grader, always."""
    shown, answer = "", None
    try:
        async for event in desk_of(Writer(script), max_turns=4).stream(QUESTION, conversation=talk()):
            if isinstance(event, Sentence):
                shown += event.text
                assert not any(mark in shown for mark in MARKS_OF_FALSE)
                assert grade(shown, EVIDENCE, QUESTION, unreached=()).passed or shown.startswith("I c")
            elif isinstance(event, Answer):
                answer = event
    except SourceUnavailable:
        assert not shown
        return
    assert answer is not None
    assert shown == answer.text
    if answer.status == "answered":
        assert grade(shown, EVIDENCE, QUESTION, unreached=()).passed


async def test_sentences_come_before_the_answer() -> None:
    """Each true sentence is an event of its own, as soon as the next one begins."""
    text = f"{TRUE[0]} {TRUE[1]}"
    *sentences, answer = await events_of(desk_of(Writer([Message(tuple(text))])))
    assert [event.text for event in sentences if isinstance(event, Sentence)] == [TRUE[0], f" {TRUE[1]}"]
    assert isinstance(answer, Answer)
    assert (answer.status, answer.text, answer.incomplete) == ("answered", text, None)


async def test_what_was_shown_stands_when_the_rest_fails() -> None:
    """After two failures the answer ends with an honest line, and says why."""
    bad = Message(tuple(f"{TRUE[0]} {FALSE[0]}"))
    *_, answer = await events_of(desk_of(Writer([bad, whole(FALSE[0])])))
    assert isinstance(answer, Answer)
    assert answer.status == "answered"
    assert answer.text == f"{TRUE[0]}\n\nI could not verify anything else."
    assert answer.incomplete == "unsupported"


async def test_the_repair_writes_only_the_rest() -> None:
    """The second message goes on behind what was shown, and its repetitions are left out."""
    bad = Message(tuple(f"{TRUE[0]} {FALSE[0]}"))
    *_, answer = await events_of(desk_of(Writer([bad, whole(f"{TRUE[0]} {TRUE[1]}")])))
    assert isinstance(answer, Answer)
    assert answer.text == f"{TRUE[0]}\n\n{TRUE[1]}"
    assert answer.incomplete is None


async def test_the_writer_is_told_what_was_read_already() -> None:
    """What was shown is repeated to the model as data, beside what did not pass."""
    with ModelServer(Text(f"{TRUE[0]} {FALSE[0]}"), Text(TRUE[1])) as server:
        chosen = Settings(openai_api_key="k").model_copy(
            update={"openai_base_url": server.base_url, "model": "some", "judge": "off"}
        )
        answer = (await events_of(SupportDesk(chosen, Sources(), LanguageModel(chosen))))[-1]
        told = server.requests[1].body["input"][-1]
    assert isinstance(answer, Answer)
    assert answer.text == f"{TRUE[0]}\n\n{TRUE[1]}"
    assert told["role"] == "developer"
    assert f"<note>{TRUE[0]}</note>" in told["content"]
    assert '1. "A book can be borrowed for 90 days."' in told["content"]


async def test_without_streaming_a_bad_sentence_leaves_nothing() -> None:
    """Nothing was shown, so the whole draft is written again or refused."""
    bad = whole(f"{TRUE[0]} {FALSE[0]}")
    answer = await desk_of(Writer([bad, bad])).ask(QUESTION, conversation=talk())
    assert answer.status == "refused"


@pytest.mark.parametrize(
    "changes", [{"max_tokens": 100}, {"max_cost": 0.000_001, "model": "gpt-5", "prices": PRICES}]
)
async def test_tokens_and_money_run_out(changes: dict[str, Any]) -> None:
    """A question that has used its tokens or its money ends in a refusal for the budget."""
    with ModelServer(Text(FALSE[0]), Text(TRUE[0])) as server:
        chosen = Settings(openai_api_key="k").model_copy(
            update={"openai_base_url": server.base_url, "model": "some", **changes}
        )
        answer = await SupportDesk(chosen, Sources(), LanguageModel(chosen)).ask(
            QUESTION, conversation=talk()
        )
    assert answer.refusal is not None
    assert answer.refusal.reason == "budget"
    assert answer.refusal.found == ("Loans", "Renewals")
    assert answer.usage.model_calls == 1


@pytest.mark.parametrize("api", ["responses", "chat"])
async def test_a_provider_can_cache_what_comes_first(api: str) -> None:
    """Instructions and tools are the same in each request, and a later one only adds to the one before."""
    search = Calls.one("web_search", query="books")
    script = (search, Text(FALSE[0]), Text(TRUE[0])) * 2
    with ModelServer(*script) as server, serve() as url:
        chosen = Settings(openai_api_key="k").model_copy(
            update={"openai_base_url": server.base_url, "model": "some", "api": api, "judge": "off"}
        )
        desk = SupportDesk(chosen, Sources(web=WebStore("k", url)), LanguageModel(chosen))
        for _ in range(2):
            await desk.ask(QUESTION, conversation=talk())
        bodies = [request.body for request in server.requests]
    assert len(bodies) == 6
    assert len({json.dumps(body["tools"]) for body in bodies}) == 1
    told = [body.get("instructions") or body["messages"][0]["content"] for body in bodies]
    assert len(set(told)) == 1
    sent = [body.get("input") or body["messages"] for body in bodies[:3]]
    for before, after in pairwise(sent):
        assert after[: len(before)] == before
        assert len(after) > len(before)


@pytest.mark.parametrize("live", [False, True])
async def test_going_away_stops_the_work(live: bool) -> None:
    """When who asked leaves, the request to the model is dropped and no other is made."""
    with ModelServer(Hang(), Text(TRUE[0])) as server:
        chosen = Settings(openai_api_key="k").model_copy(
            update={"openai_base_url": server.base_url, "model": "some"}
        )
        desk = SupportDesk(chosen, Sources(), LanguageModel(chosen))
        asked = asyncio.create_task(events_of(desk) if live else desk.ask(QUESTION))  # type: ignore[arg-type]
        while not server.requests:
            await asyncio.sleep(0.001)
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        server.release()
        assert len(server.requests) == 1
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not others


async def test_going_away_stops_a_search() -> None:
    """A source that is being asked is given up too, and the model is not asked again."""
    searching, given_up = asyncio.Event(), asyncio.Event()

    class Slow(WebStore):
        async def find(self, query: str, *, k: int = 5) -> list[WebPage]:  # noqa: ARG002
            searching.set()
            try:
                return await asyncio.Future()
            finally:
                given_up.set()

    script = (Calls.one("web_search", query="books"), Text(TRUE[0]))
    with ModelServer(*script) as server:
        chosen = Settings(openai_api_key="k").model_copy(
            update={"openai_base_url": server.base_url, "model": "some"}
        )
        desk = SupportDesk(chosen, Sources(web=Slow("k")), LanguageModel(chosen))
        asked = asyncio.create_task(desk.ask(QUESTION))
        await searching.wait()
        asked.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asked
        await asyncio.wait_for(given_up.wait(), 5)
        assert len(server.requests) == 1


async def test_leaving_a_stream_stops_the_work() -> None:
    """Breaking off the iteration ends the turn, and the conversation can go on."""
    desk, conversation = desk_of(Writer([Message(tuple(f"{TRUE[0]} {TRUE[1]}"), "end")])), talk()
    stream = desk.stream(QUESTION, conversation=conversation)
    async for event in stream:
        assert isinstance(event, Sentence)
        break
    await stream.aclose()
    assert not asyncio.all_tasks() - {asyncio.current_task()}
    async with asyncio.timeout(5), conversation.turn():
        pass
