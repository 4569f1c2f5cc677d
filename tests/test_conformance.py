"""One suite for whatever drives the desk: each model and API, plain and streamed, in good days and bad."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from agent.testing import (
    Broken,
    Call,
    Calls,
    Empty,
    Hang,
    HttpError,
    Malformed,
    ModelServer,
    Quirks,
    Refusal,
    Reset,
    Step,
    Text,
)
from demo.web_server import serve
from tests.ferry import (
    APIS,
    BAD,
    DAYS,
    GOOD,
    LONG,
    PAGE,
    SEARCH,
    ask,
    driven_by,
    outcome,
    over_http,
)
from tools.context import Sources
from tools.errors import DeskError, SourceUnavailable
from tools.stores.embedder import OnnxEmbedder
from tools.stores.web import WebStore

pytestmark = pytest.mark.usefixtures("quick_retries")
MODES = pytest.mark.parametrize("mode", ["plain", "streamed"])
OVER_HTTP = pytest.mark.parametrize("api", APIS)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sources]:
    """A web of one page."""
    folder: Path = tmp_path_factory.mktemp("pages")
    (folder / "strike.md").write_text(PAGE, encoding="utf-8")
    with serve(pages=folder) as url:
        yield Sources(web=WebStore("some-key", url))


@MODES
@pytest.mark.parametrize("driver", ["extractive", "scripted", *APIS])
async def test_the_right_answer(sources: Sources, embedder: OnnxEmbedder, driver: str, mode: str) -> None:
    """Every model searches and gives the cited answer; its calls, tokens and seconds are counted."""
    steps = (SEARCH, GOOD)
    with ModelServer(*steps) as server:
        answer = await ask(driven_by(driver, steps, server, sources, embedder), mode)
    assert outcome(answer) == "answered"
    assert answer.text == GOOD.text
    assert answer.citations[0].locator["url"] == "https://news.example/ferry-strike"
    assert [(step.tool, step.kept) for step in answer.steps] == [("web_search", 1)]
    assert answer.usage.model_calls == 2
    assert set(answer.usage.stages) == {"model", "tools", "grade"}


@MODES
@pytest.mark.parametrize("driver", ["extractive", "scripted", *APIS])
async def test_a_refusal(sources: Sources, embedder: OnnxEmbedder, driver: str, mode: str) -> None:
    """What no source knows is refused by every model, in the desk's own words, naming where it was sought."""
    question = "What is the monthly salary of the mayor?"
    steps = (Calls.one("web_search", query="salary of the mayor"), Text("I could not find an answer."))
    with ModelServer(*steps) as server:
        answer = await ask(driven_by(driver, steps, server, sources, embedder), mode, question)
    assert outcome(answer) == "not_found"
    assert answer.refusal is not None
    assert answer.refusal.checked == ("web",)
    assert answer.citations == ()


@MODES
@pytest.mark.parametrize("driver", ["scripted", *APIS])
@pytest.mark.parametrize(
    ("steps", "ends"),
    [
        ((SEARCH, BAD, GOOD), "answered"),
        ((SEARCH, BAD, BAD), "unsupported"),
        ((GOOD, GOOD), "unsupported"),
        ((SEARCH, Text("I could not find the price of a zeppelin flight.")), "unsupported"),
        ((SEARCH, Text("I could not find an answer.")), "not_found"),
        ((Text("Hello! How can I help you?"),), "conversational"),
        ((Calls.one("crystal_ball", query="x"), SEARCH, GOOD), "answered"),
        ((Calls((Call("web_search", '{"query": '),)), SEARCH, GOOD), "answered"),
        ((Calls.one("web_search", wrong="strike"), SEARCH, GOOD), "answered"),
        ((SEARCH, Text("x" * 200_000, piece=500), Text("A" * 200_000, piece=500)), "unsupported"),
        ((SEARCH, Text(f"{DAYS} [W1] " * 4000, piece=500), Text("y. " * 70_000, piece=500)), "unsupported"),
    ],
)
async def test_drafts(
    sources: Sources,
    embedder: OnnxEmbedder,
    driver: str,
    mode: str,
    steps: tuple[Text | Calls, ...],
    ends: str,
) -> None:
    """Good drafts, bad ones, repairs, wrong calls and endless answers end alike whatever the model is."""
    steps = (*steps, *[steps[-1]] * 2)
    with ModelServer(*steps) as server:
        answer = await ask(driven_by(driver, steps, server, sources, embedder), mode)
    assert outcome(answer) == ends


FAILURES: list[tuple[str, tuple[Step, ...], str]] = [
    ("401", (HttpError(401, "Incorrect API key sk-1"),), "OPENAI_API_KEY"),
    ("404", (HttpError(404, "no such model"),), "DESK_MODEL"),
    ("429", (HttpError(429, "slow down"),) * 2, "rate limit"),
    ("429 once", (HttpError(429, "slow down", retry_after=0.01), SEARCH, GOOD), "answered"),
    ("500", (HttpError(500),) * 2, "status 500"),
    ("503 in the middle", (SEARCH, *[HttpError(503)] * 2), "status 503"),
    ("503 once", (SEARCH, HttpError(503), GOOD), "answered"),
    ("timeout", (Hang(),) * 2, "DESK_MODEL_TIMEOUT"),
    ("reset", (Reset(),) * 2, "could not be reached"),
    ("reset once", (SEARCH, Reset(), GOOD), "answered"),
    ("malformed", (Malformed(),) * 3, "could not be read|not what it should be|broke off"),
    ("a page", (Malformed("<html>"),) * 3, "could not be read|broke off"),
    ("null", (Malformed("null"),) * 3, "could not be read|broke off"),
    ("refusal", (SEARCH, Refusal()), "declined"),
    ("content filter", (SEARCH, Text("The ferry", filtered=True)), "declined"),
    ("filter at once", (Text("", filtered=True),), "declined"),
    ("cut", (SEARCH, Text(DAYS, cut=True), GOOD), "answered"),
    ("cut twice", (SEARCH, Text("The ferry", cut=True), Text("The ferry", cut=True)), "unsupported"),
    ("empty once", (SEARCH, Empty(), GOOD), "answered"),
    ("empty", (Empty(),) * 4, "unsupported"),
    ("no words", (Text(""),) * 4, "unsupported"),
    ("endless calls", (SEARCH,) * 30, "budget"),
    ("forty calls", (Calls(SEARCH.calls * 40),), "budget"),
    ("unknown status", (HttpError(418, "teapot"),), "status 418"),
]


@MODES
@OVER_HTTP
@pytest.mark.parametrize(
    ("steps", "ends"), [case[1:] for case in FAILURES], ids=[case[0] for case in FAILURES]
)
async def test_failures(sources: Sources, api: str, mode: str, steps: tuple[Step, ...], ends: str) -> None:
    """Each way in which a provider fails is a refusal of its kind, or one clear line without the key."""
    with ModelServer(*steps) as server:
        desk = over_http(server, sources, api, model_timeout=0.05 if "TIMEOUT" in ends else 20.0)
        try:
            ended = outcome(await ask(desk, mode))
        except SourceUnavailable as error:
            ended = str(error)
        server.release()
    if ended in ("answered", "unsupported", "declined", "budget"):
        assert ended == ends
    else:
        assert any(part in ended for part in ends.split("|")), ended
        assert "\n" not in ended
        assert "sk-1" not in ended


@OVER_HTTP
@pytest.mark.parametrize("how", ["reset", "close", "garbage", "error"])
@pytest.mark.parametrize(
    ("then", "ends"), [(LONG, "answered"), (Reset(), "unavailable"), (BAD, "unsupported")]
)
async def test_a_stream_that_breaks_off(
    sources: Sources, api: str, how: str, then: Text | Reset, ends: str
) -> None:
    """What was shown before a break stands; the rest comes with the second try or is told to be missing."""
    broken = Broken(LONG, after=0.7, how=how)  # type: ignore[arg-type]
    with ModelServer(SEARCH, broken, *[then] * 4) as server:
        answer = await ask(over_http(server, sources, api), "streamed")
    assert answer.text.startswith(GOOD.text)
    assert outcome(answer) == ends
    if ends == "answered":
        assert "12 March" in answer.text
    else:
        assert answer.status == "answered"
        assert answer.text.endswith("I could not verify anything else.")


@OVER_HTTP
@pytest.mark.parametrize("how", ["reset", "close", "garbage"])
async def test_an_answer_that_breaks_off(sources: Sources, api: str, how: str) -> None:
    """Half a body is never an answer: it is asked for again, or told in one line."""
    broken = Broken(LONG, after=0.7, how=how)  # type: ignore[arg-type]
    with ModelServer(SEARCH, broken, *[GOOD] * 4) as server:
        try:
            ended = (await ask(over_http(server, sources, api), "plain")).text
        except SourceUnavailable as error:
            ended = str(error)
    assert ended == GOOD.text or "could not be read" in ended


@MODES
@OVER_HTTP
@pytest.mark.parametrize(
    "quirks",
    [
        Quirks(call_ids="same"),
        Quirks(call_ids="missing"),
        Quirks(arguments="object"),
        Quirks(call_type=False),
        Quirks(call_ids="missing", arguments="object", call_type=False, usage=False),
        Quirks(calls_in="tags"),
        Quirks(calls_in="json"),
        Quirks(calls_in="marker"),
        Quirks(rejects=frozenset({"strict"})),
        Quirks(rejects=frozenset({"strict", "stream_options", "parallel_tool_calls", "store", "include"})),
    ],
    ids=lambda quirks: json.dumps(
        {k: v for k, v in vars(quirks).items() if v != vars(Quirks())[k]}, default=sorted
    ),
)
async def test_quirks(sources: Sources, api: str, mode: str, quirks: Quirks) -> None:
    """A server that differs from the service is understood: two calls, one more, and the answer."""
    two = Calls((*SEARCH.calls, Call("web_search", {"query": "ferry crossings as usual"})))
    again = Calls.one("web_search", query="drivers of ferries strike")
    with ModelServer(two, again, GOOD, quirks=quirks) as server:
        answer = await ask(over_http(server, sources, api), mode)
    assert outcome(answer) == "answered"
    assert len(answer.steps) == 3
    assert answer.usage.input_tokens > 0


pieces_of_text = st.sampled_from(
    [*DAYS.split(), DAYS, "[W1]", "[W9]", "17 March.", "{", "<tool_call>", "\n", "•", "]"]
)
replies = st.one_of(
    st.lists(pieces_of_text, max_size=8).map(lambda words: Text(" ".join(words))),
    st.sampled_from([SEARCH, GOOD, LONG, BAD, Empty(), Refusal(), Calls.one("nothing"), Calls(())]),
    st.sampled_from([Text(DAYS, cut=True), HttpError(400), Malformed('{"choices": [{}], "output": [{}]}')]),
    st.builds(
        Broken,
        st.sampled_from([GOOD, LONG, SEARCH, BAD]),
        st.floats(0, 1),
        st.sampled_from(["reset", "close", "garbage", "error"]),
    ),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
    ).map(
        lambda value: Malformed(json.dumps({"id": "r", "choices": value, "output": value, "status": value}))
    ),
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example([Malformed('{"choices": [{}], "output": [{}]}')], "responses", "plain", Quirks())
@example([Malformed('{"output": [{"type": "function_call"}]}')], "responses", "plain", Quirks())
@given(
    steps=st.lists(replies, max_size=4),
    api=st.sampled_from(APIS),
    mode=st.sampled_from(["plain", "streamed"]),
    quirks=st.builds(
        Quirks,
        call_ids=st.sampled_from(["own", "same", "missing"]),
        arguments=st.sampled_from(["text", "object"]),
        call_type=st.booleans(),
        calls_in=st.sampled_from(["field", "tags", "json", "marker"]),
        usage=st.booleans(),
    ),
)
async def test_a_hostile_server(
    sources: Sources, steps: list[Step], api: str, mode: str, quirks: Quirks
) -> None:
    """Whatever a server sends, the end is an answer that is supported, a refusal, or one clear line."""
    with ModelServer(SEARCH, *steps, otherwise=HttpError(404), quirks=quirks) as server:
        try:
            ended = outcome(await ask(over_http(server, sources, api, max_turns=4), mode))
        except DeskError as error:
            ended = str(error)
    assert "\n" not in ended
