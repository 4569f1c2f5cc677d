"""The scripted model server, seen through the real clients."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any, Literal

import httpx
import openai
import pytest
from agents import (
    Agent,
    Model,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    RunConfig,
    Runner,
    function_tool,
)
from agents.exceptions import ModelBehaviorError
from openai import AsyncOpenAI

from agent.testing import Call, Calls, Hang, HttpError, Malformed, ModelServer, Reset, Text

Api = Literal["responses", "chat"]
BOTH = pytest.mark.parametrize("api", ["responses", "chat"])
QUIET = RunConfig(tracing_disabled=True)


@pytest.fixture
def server() -> Iterator[ModelServer]:
    """A server without steps."""
    with ModelServer() as running:
        yield running


def client_of(server: ModelServer, retries: int = 0, **options: Any) -> AsyncOpenAI:
    return AsyncOpenAI(api_key="key", base_url=server.base_url, max_retries=retries, **options)


def agent_of(server: ModelServer, api: Api, retries: int = 0) -> Agent[Any]:
    @function_tool
    def add(a: int, b: int) -> str:
        """Add two numbers."""
        return str(a + b)

    client = client_of(server, retries)
    kind: Any = OpenAIResponsesModel if api == "responses" else OpenAIChatCompletionsModel
    model: Model = kind("some-model", client)
    return Agent(name="Adder", model=model, tools=[add])


async def run(server: ModelServer, api: Api, retries: int = 0) -> str:
    result = await Runner.run(agent_of(server, api, retries), "What is 2 + 3?", run_config=QUIET)
    return str(result.final_output)


@BOTH
async def test_a_tool_is_called_and_its_result_comes_back(server: ModelServer, api: Api) -> None:
    """A scripted call runs the real tool, and the next request carries what it returned."""
    server.add(Calls.one("add", a=2, b=3), Text("It is 5."))

    assert await run(server, api) == "It is 5."
    first, second = server.requests
    assert first.api == api
    assert first.body["model"] == "some-model"
    assert first.headers["authorization"] == "Bearer key"
    assert [tool.get("name") or tool["function"]["name"] for tool in first.body["tools"]] == ["add"]
    items = second.body["input" if api == "responses" else "messages"]
    assert (items[-1].get("output") or items[-1].get("content")) == "5"


@BOTH
async def test_several_calls_at_once(server: ModelServer, api: Api) -> None:
    """Calls of one step run side by side, each under an id of its own."""
    server.add(Calls((Call("add", {"a": 1, "b": 1}), Call("add", {"a": 2, "b": 2}))), Text("2 and 4."))

    assert await run(server, api) == "2 and 4."
    items = server.requests[1].body["input" if api == "responses" else "messages"]
    outputs = [item.get("output") or item.get("content") for item in items[-2:]]
    assert outputs == ["2", "4"]


@BOTH
async def test_broken_arguments_reach_the_sdk(server: ModelServer, api: Api) -> None:
    """Arguments that are not JSON go over the wire as they are, and the SDK tells the model."""
    server.add(Calls((Call("add", '{"a": 1,'),)), Text("Sorry."))

    assert await run(server, api) == "Sorry."


@BOTH
async def test_usage_is_counted(server: ModelServer, api: Api) -> None:
    """Each answer reports tokens, so that a run adds them up."""
    server.add(Calls.one("add", a=2, b=3), Text("It is 5."))

    result = await Runner.run(agent_of(server, api), "What is 2 + 3?", run_config=QUIET)
    usage = result.context_wrapper.usage
    assert usage.requests == 2
    assert usage.input_tokens > 0
    assert usage.output_tokens > 0


@BOTH
async def test_streamed_answers(server: ModelServer, api: Api) -> None:
    """With streaming the text arrives in pieces that add up, after a streamed tool call."""
    server.add(Calls.one("add", a=2, b=3), Text("The sum of the two is 5."))

    result = Runner.run_streamed(agent_of(server, api), "What is 2 + 3?", run_config=QUIET)
    deltas = [
        event.data.delta
        async for event in result.stream_events()
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"
    ]
    assert len(deltas) > 1
    assert "".join(deltas) == result.final_output == "The sum of the two is 5."


@BOTH
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, openai.AuthenticationError),
        (404, openai.NotFoundError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
    ],
)
async def test_http_errors(server: ModelServer, api: Api, status: int, kind: type[Exception]) -> None:
    """A scripted status becomes the client's own error."""
    server.add(HttpError(status, "no luck"))

    with pytest.raises(kind, match="no luck"):
        await run(server, api)


@BOTH
async def test_a_retry_gets_the_next_step(server: ModelServer, api: Api) -> None:
    """A client that retries a busy server is told to come back at once and finds the next step."""
    server.add(HttpError(429), HttpError(503), Text("Here now."))

    assert await run(server, api, retries=2) == "Here now."
    assert len(server.requests) == 3


@BOTH
async def test_malformed_json(server: ModelServer, api: Api) -> None:
    """A body that is no JSON is an error, never an answer."""
    server.add(Malformed())

    with pytest.raises((openai.APIError, ModelBehaviorError, ValueError, AttributeError)):
        await run(server, api)


@BOTH
async def test_reset(server: ModelServer, api: Api) -> None:
    """A dropped connection is a connection error."""
    server.add(Reset())

    with pytest.raises(openai.APIConnectionError):
        await run(server, api)
    assert len(server.requests) == 1


@BOTH
async def test_hang_until_released(server: ModelServer, api: Api) -> None:
    """A request hangs until the server lets it go, and then its connection is dropped."""

    def released_once_seen(_body: dict[str, Any]) -> Hang:
        server.release()
        return Hang()

    server.add(released_once_seen)
    with pytest.raises(openai.APIConnectionError):
        await run(server, api)


async def test_a_client_gives_up_on_a_hanging_server(server: ModelServer) -> None:
    """A client's own timeout ends a request that hangs; closing the server then does not wait for it."""
    server.add(Hang())

    with pytest.raises(openai.APITimeoutError):
        await client_of(server, timeout=0.05).responses.create(model="m", input="Hello")


async def test_a_step_can_look_at_the_request(server: ModelServer) -> None:
    """A callable step gets the request's JSON and returns the step to perform."""
    server.add(lambda body: Text(f"You asked {body['model']}."))

    response = await client_of(server).responses.create(model="the-model", input="Hello")
    assert response.output_text == "You asked the-model."


async def test_a_cut_answer_says_so(server: ModelServer) -> None:
    """Text that ran into the token limit carries the mark of it in both APIs."""
    server.add(Text("It is", cut=True), Text("It is", cut=True))
    client = client_of(server)

    response = await client.responses.create(model="m", input="Hello")
    assert response.status == "incomplete"
    completion = await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "Hi"}])
    assert completion.choices[0].finish_reason == "length"


async def test_the_end_of_the_script(server: ModelServer) -> None:
    """A request beyond the script gets a clear refusal that is not retried."""
    with pytest.raises(openai.BadRequestError, match="the script has no step for request 1"):
        await client_of(server, retries=2).responses.create(model="m", input="Hello")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("items", "message"),
    [
        (
            [{"type": "function_call", "call_id": "c1", "name": "add", "arguments": "{}"}],
            "no tool output found",
        ),
        ([{"type": "function_call_output", "call_id": "c1", "output": "5"}], "no tool call found"),
    ],
)
async def test_a_history_that_the_service_would_refuse(
    server: ModelServer, items: list[Any], message: str
) -> None:
    """A tool call without its output, or the other way round, is refused and uses up no step."""
    server.add(Text("unreached"))

    with pytest.raises(openai.BadRequestError, match=message):
        await client_of(server).responses.create(model="m", input=items)
    assert server.requests == []


async def test_concurrent_requests_each_get_one_step(server: ModelServer) -> None:
    """Requests that come at the same time use up exactly one step each."""
    server.add(*(Text(str(number)) for number in range(12)))
    client = client_of(server)

    responses = await asyncio.gather(*(client.responses.create(model="m", input="Hi") for _ in range(12)))
    assert sorted(int(response.output_text) for response in responses) == list(range(12))


async def test_a_server_of_so_many_places() -> None:
    """With a capacity no more requests than that are worked on at once; the others wait their turn."""
    both, counting, inside, peak = threading.Barrier(2), threading.Lock(), 0, 0

    def busy(_: dict[str, Any]) -> Text:
        nonlocal inside, peak
        with counting:
            inside += 1
            peak = max(peak, inside)
        both.wait(timeout=20)  # passes only with a second one beside it
        with counting:
            inside -= 1
        return Text("done")

    with ModelServer(otherwise=busy, capacity=2) as server:
        client = client_of(server)
        await asyncio.gather(*(client.responses.create(model="m", input="Hi") for _ in range(8)))
    assert peak == 2


async def test_unknown_path_and_missing_key(server: ModelServer) -> None:
    """Other addresses are 404, and a request without a key is 401."""
    with pytest.raises(openai.NotFoundError):
        await client_of(server).embeddings.create(model="m", input="Hi")
    async with httpx.AsyncClient() as keyless:
        answer = await keyless.post(f"{server.base_url}/responses", json={"model": "m", "input": "Hi"})
    assert answer.status_code == 401
