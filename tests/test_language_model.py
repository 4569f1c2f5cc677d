"""The desk driven by a language model behind OpenAI's two APIs, over real HTTP, good and bad."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.desk import SupportDesk
from agent.models.provider import LanguageModel
from agent.settings import Settings
from agent.testing import Call, Calls, Hang, HttpError, Malformed, ModelServer, Reset, Text
from demo.web_server import serve
from tests.ferry import BAD, DAYS, GOOD, PAGE, QUESTION, SEARCH
from tools.context import Sources
from tools.errors import DeskError, SourceUnavailable
from tools.stores.web import WebStore

KEY = "sk-secret-4711"
pytestmark = pytest.mark.usefixtures("quick_retries")
UNCITED = Text(DAYS)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebStore]:
    """A web of one page."""
    folder: Path = tmp_path_factory.mktemp("pages")
    (folder / "strike.md").write_text(PAGE, encoding="utf-8")
    with serve(pages=folder) as url:
        yield WebStore("some-key", url)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """The model's server, without steps."""
    with ModelServer() as running:
        yield running


@pytest.fixture(params=["responses", "chat"])
def settings(
    request: pytest.FixtureRequest, server: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Settings:
    """Settings that point at the server, once for each API."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
    monkeypatch.setenv("DESK_API", request.param)
    monkeypatch.setenv("DESK_MODEL", "some-model")
    monkeypatch.setenv("DESK_HOME", str(tmp_path))
    return Settings.load()


@pytest.fixture
def desk(settings: Settings, web: WebStore) -> SupportDesk:
    """A desk that has the web alone."""
    return open_desk(settings, web)


def open_desk(settings: Settings, web: WebStore, **changes: Any) -> SupportDesk:
    chosen = settings.model_copy(update=changes)
    return SupportDesk(chosen, Sources(web=web), LanguageModel(chosen))


def sent(server: ModelServer, number: int) -> str:
    """All that a request told the model, as text."""
    return json.dumps(dict(server.requests[number].body), ensure_ascii=False)


async def test_a_good_answer(server: ModelServer, desk: SupportDesk) -> None:
    """The model searches, reads fenced evidence, and its cited answer is released with its source."""
    server.add(SEARCH, GOOD)

    answer = await desk.ask(QUESTION)
    assert answer.status == "answered"
    assert "10 and 11 March 2027" in answer.text
    (citation,) = answer.citations
    assert citation.id == "W1"
    assert citation.locator["url"] == "https://news.example/ferry-strike"
    assert [(step.tool, step.kept) for step in answer.steps] == [("web_search", 1)]
    assert answer.usage.model_calls == len(server.requests) == 2
    assert answer.usage.input_tokens > 0
    assert server.requests[0].body["model"] == "some-model"
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert "web_search" in sent(server, 0)
    assert '<evidence id=\\"W1\\"' in sent(server, 1)


async def test_an_uncited_draft_is_repaired_once(server: ModelServer, desk: SupportDesk) -> None:
    """A draft without ids goes back with the grade as feedback, and its repair is released."""
    server.add(SEARCH, UNCITED, GOOD)

    answer = await desk.ask(QUESTION)
    assert answer.status == "answered"
    assert answer.citations[0].id == "W1"
    assert answer.usage.model_calls == len(server.requests) == 3
    assert sent(server, 2).count(UNCITED.text) >= 1


@pytest.mark.parametrize(
    "drafts",
    [(UNCITED, UNCITED), (BAD, BAD), (UNCITED, BAD), (BAD, Text(GOOD.text.replace("W1", "W7")))],
)
async def test_two_bad_drafts_are_refused(
    server: ModelServer, desk: SupportDesk, drafts: tuple[Text, Text]
) -> None:
    """After one failed repair the desk refuses, in its own words, and says where it looked."""
    server.add(SEARCH, *drafts)

    answer = await desk.ask(QUESTION)
    assert answer.status == "refused"
    assert answer.refusal is not None
    assert answer.refusal.reason == "unsupported"
    assert answer.refusal.checked == ("web",)
    assert "March" not in answer.text
    assert answer.citations == ()
    assert len(server.requests) == 3


async def test_an_answer_without_a_search_is_refused(server: ModelServer, desk: SupportDesk) -> None:
    """What a model says from memory is never released, however sure it sounds."""
    server.add(UNCITED, GOOD)

    answer = await desk.ask(QUESTION)
    assert answer.status == "refused"
    assert "March" not in answer.text


async def test_small_talk(server: ModelServer, desk: SupportDesk) -> None:
    """A greeting needs no tool and no source."""
    server.add(Text("Hello! How can I help you?"))

    answer = await desk.ask("Hi there")
    assert answer.status == "conversational"
    assert answer.steps == ()


async def test_not_found_is_an_honest_refusal(server: ModelServer, desk: SupportDesk) -> None:
    """A model that says what it could not find is refused as not found, without a repair."""
    server.add(
        Calls.one("web_search", query="tariff of zeppelins"), Text("I could not find the price of zeppelins.")
    )

    answer = await desk.ask("What do zeppelins cost?")
    assert answer.status == "refused"
    assert answer.refusal is not None
    assert answer.refusal.reason == "not_found"
    assert len(server.requests) == 2


async def test_rejected_drafts_are_forgotten(server: ModelServer, desk: SupportDesk) -> None:
    """In a conversation the next question sees approved turns alone, and old evidence is citable no more."""
    server.add(SEARCH, BAD, GOOD, GOOD, GOOD)
    talk = desk.conversation()

    first = await desk.ask(QUESTION, conversation=talk)
    second = await desk.ask("Are you sure about the ferry drivers?", conversation=talk)
    assert first.status == "answered"
    assert GOOD.text in sent(server, 3)
    assert "17 and 18" not in sent(server, 3)
    assert second.status == "refused"


@pytest.mark.parametrize(
    ("calls", "told"),
    [
        (Calls.one("crystal_ball", question="strike"), "crystal_ball"),
        (Calls((Call("web_search", '{"query": '),)), "Rejected:"),
        (Calls.one("web_search", wrong="strike"), "Rejected:"),
    ],
)
async def test_a_wrong_call_is_told_to_the_model(
    server: ModelServer, desk: SupportDesk, calls: Calls, told: str
) -> None:
    """An invented tool or broken arguments come back as words, and the model can do better."""
    server.add(calls, SEARCH, GOOD)

    answer = await desk.ask(QUESTION)
    assert answer.status == "answered"
    assert told in sent(server, 1)


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (HttpError(401, f"Incorrect API key {KEY}"), "OPENAI_API_KEY"),
        (HttpError(404, "no such model"), "DESK_MODEL"),
        (HttpError(429, "slow down"), "rate limit"),
        (HttpError(500, "oops"), "status 500"),
        (Reset(), "OPENAI_BASE_URL"),
    ],
)
async def test_a_provider_that_fails(
    server: ModelServer, desk: SupportDesk, failure: HttpError | Reset, words: str
) -> None:
    """A failing provider is one clear line that says what to do, without key or question."""
    server.add(*[failure] * 3)

    with pytest.raises(SourceUnavailable) as caught:
        await desk.ask(QUESTION)
    line = str(caught.value)
    assert words in line
    assert "\n" not in line
    assert KEY not in line
    assert QUESTION not in line


@pytest.mark.parametrize("body", ['{"output": [', '{"hello": 1}', "<html>", "null", '""'])
async def test_an_unreadable_answer(server: ModelServer, desk: SupportDesk, body: str) -> None:
    """A server that does not speak the API gives one clear line or a refusal, never a Python error."""
    server.add(*[Malformed(body)] * 3)

    try:
        outcome = (await desk.ask(QUESTION)).text
    except DeskError as error:
        outcome = str(error)
    assert outcome
    assert "\n" not in outcome
    assert "hello" not in outcome


async def test_a_failure_after_the_search(server: ModelServer, desk: SupportDesk) -> None:
    """A provider that breaks off in the middle is reported, not papered over with what was found."""
    server.add(SEARCH, *[HttpError(503)] * 3)

    with pytest.raises(SourceUnavailable, match="status 503"):
        await desk.ask(QUESTION)


async def test_a_busy_provider_is_tried_again(server: ModelServer, desk: SupportDesk) -> None:
    """A passing failure is not seen by the customer."""
    server.add(HttpError(429), SEARCH, HttpError(503), GOOD)

    assert (await desk.ask(QUESTION)).status == "answered"


async def test_a_model_that_hangs(server: ModelServer, settings: Settings, web: WebStore) -> None:
    """A question ends within its seconds, as a refusal for the budget."""
    server.add(Hang())

    answer = await open_desk(settings, web, max_seconds=0.3).ask(QUESTION)
    assert answer.status == "refused"
    assert answer.refusal is not None
    assert answer.refusal.reason == "budget"


async def test_a_model_that_never_answers(server: ModelServer, settings: Settings, web: WebStore) -> None:
    """A model that only ever searches is stopped by the bound on its turns."""
    server.add(*(Calls.one("web_search", query=f"ferry drivers strike {number}") for number in range(9)))

    answer = await open_desk(settings, web, max_turns=3).ask(QUESTION)
    assert answer.status == "refused"
    assert answer.refusal is not None
    assert answer.refusal.reason == "budget"
    assert len(server.requests) == 3


async def test_a_web_that_is_down(server: ModelServer, settings: Settings) -> None:
    """When the only source is down the refusal says so, and does not say that nothing was found."""
    server.add(SEARCH, *[Text("I could not find the days of the strike: the web could not be reached.")] * 2)
    with ModelServer() as other:  # something that listens, and is no web search
        answer = await open_desk(settings, WebStore("some-key", other.base_url)).ask(QUESTION)

    assert answer.refusal is not None
    assert answer.refusal.reason == "unavailable"
    assert "Unavailable:" in sent(server, 1)


def test_several_event_loops(server: ModelServer, desk: SupportDesk) -> None:
    """A script may ask again and again, each time in an event loop of its own."""
    server.add(SEARCH, GOOD, SEARCH, GOOD)

    assert [desk.ask_sync(QUESTION).status for _ in range(2)] == ["answered", "answered"]
