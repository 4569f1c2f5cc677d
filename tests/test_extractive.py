"""The extractive model in real runs of the SDK, with real tools of a company that the house does not know."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from agents import Agent, RunConfig, Runner

from agent.grader import grade
from agent.models import ExtractiveModel, open_model
from agent.models.words import Meaning
from agent.settings import Settings
from tests.bicycle_library import HANDBOOK, Library
from tools.errors import ConfigurationError

if TYPE_CHECKING:
    from agents import RunResult
    from agents.items import TResponseInputItem

    from tools.stores.embedder import OnnxEmbedder

QUIET = RunConfig(tracing_disabled=True)


class Desk:
    """An agent over a library, driven by the extractive model."""

    def __init__(self, embedder: OnnxEmbedder) -> None:
        self.library = Library(Meaning(embedder))
        self.model = ExtractiveModel(embedder)
        self.agent: Agent[Any] = Agent(
            name="library", instructions="Answer.", model=self.model, tools=list(self.library.tools())
        )

    async def run(self, items: str | list[TResponseInputItem]) -> RunResult:
        return await Runner.run(self.agent, items, run_config=QUIET, max_turns=8)

    async def ask(self, question: str) -> str:
        return str((await self.run(question)).final_output)

    @property
    def asked(self) -> list[str]:
        return [tool for tool, _ in self.library.calls]


@pytest.fixture
def desk(embedder: OnnxEmbedder) -> Desk:
    return Desk(embedder)


async def test_an_answer_from_documents(desk: Desk) -> None:
    """One call to the tool whose description fits, then the evidence's own words with its id."""
    text = await desk.ask("How long can I keep a cargo bike?")
    assert "Cargo bikes are an exception: they come back within 3 days. [D1]" in text
    assert desk.asked == ["handbook"]


async def test_an_answer_from_records(desk: Desk) -> None:
    """An id in the question, however typed, goes into the statement."""
    assert await desk.ask("when is loan l3001 due back?") == (
        "Loan L-3001, a City Bike B2, is due back on 9 December 2026. [R1]"
    )
    assert desk.library.calls == [("ledger", "SELECT * FROM loan('L-3001')")]


async def test_an_answer_from_relations(desk: Desk) -> None:
    """A question about how things hang together goes along the relation, in the right direction."""
    assert "City Bike B2 uses Battery P4. [G1]" in await desk.ask("Which battery does the City Bike B2 use?")
    assert desk.library.calls == [("parts_map", "uses out")]


async def test_two_questions_at_once(desk: Desk) -> None:
    """Each part is put to its own source in one round, and answered in its own line."""
    text = await desk.ask("When is loan L-3001 due and when are you open?")
    first, second = text.splitlines()
    assert "9 December 2026. [R1]" in first
    assert "10:00 to 18:00. [D1]" in second
    assert sorted(desk.asked) == ["handbook", "ledger"]


async def test_half_an_answer_says_what_is_missing(desk: Desk) -> None:
    """A part without an answer is named beside the part that has one."""
    text = await desk.ask("When are you open and do you sell train tickets to Paris?")
    assert "10:00 to 18:00. [D1]" in text
    assert "I could not find whether we sell train tickets to Paris." in text


@pytest.mark.parametrize("question", ["Hello!", "thank you very much", "Who are you?"])
async def test_small_talk_needs_no_tool(desk: Desk, question: str) -> None:
    """Small talk is answered in a sentence or two, without a source and without a claim."""
    text = await desk.ask(question)
    assert desk.asked == []
    assert "[" not in text
    assert len(text) < 120


@pytest.mark.parametrize(
    "question",
    [
        "How much can the City Bike B9 carry?",
        "What does code L7 mean?",
        "When is loan L-9999 due?",
        "Do you sell train tickets to Paris?",
        "What is the salary of the director?",
    ],
)
async def test_what_nobody_knows_is_refused(desk: Desk, question: str) -> None:
    """A near miss is not an answer: other models, codes and loans are never told for the one asked about."""
    text = await desk.ask(question)
    assert text.startswith("I could not find")
    assert "[" not in text
    assert 1 <= len(desk.asked) <= 3


async def test_a_weak_query_is_asked_in_other_words_once(desk: Desk) -> None:
    """When a source has nothing, the question is put again without its fillers, never in the same words."""
    await desk.ask("Could you please tell me whether you sell train tickets?")
    queries = [query for tool, query in desk.library.calls if tool == "handbook"]
    assert len(queries) == 2
    assert queries[1] == "sell train tickets"
    assert len(set(desk.library.calls)) == len(desk.library.calls)


async def test_the_rest_is_asked_side_by_side(desk: Desk) -> None:
    """The best source is asked alone; what is left to try takes one round, and then it refuses."""
    result = await desk.run("Could you please tell me whether you sell train tickets?")
    assert len(desk.asked) == 3
    assert [response.output[0].type for response in result.raw_responses] == [
        *("function_call", "function_call"),
        "message",
    ]
    assert [len(response.output) for response in result.raw_responses] == [1, 2, 1]


async def test_the_last_resort_waits_for_the_others(desk: Desk) -> None:
    """What goes out to the public is asked only when the house's own sources have been, and had nothing."""
    result = await desk.run("Can I take the cargo bike onto the Aurora?")
    assert desk.asked == ["ledger", "handbook", "newspaper"]
    assert [len(response.output) for response in result.raw_responses] == [1, 1, 1, 1]


async def test_what_two_parts_ask_is_asked_once(desk: Desk) -> None:
    """One lookup answers both parts, where each would have made it."""
    text = await desk.ask("When is loan L-3001 due back and which bike is loan L-3001?")
    assert desk.library.calls == [("ledger", "SELECT * FROM loan('L-3001')")]
    assert text.count("[R1]") >= 1
    assert "I could not find" not in text


async def test_a_source_that_is_down_gives_no_answer(desk: Desk) -> None:
    """An unreachable source is not asked again and again, and nothing is made up for it."""
    desk.library.handbook_down = True
    assert (await desk.ask("Do I have to wear a helmet?")).startswith("I could not find")
    assert desk.asked.count("handbook") == 1


@pytest.mark.parametrize(
    "question",
    [
        "Can I extend my loan?",
        "How do I mend a flat tyre?",
        "What does code L2 mean?",
        "How many City Bike B2 are free?",
        "Which bikes have I borrowed?",
        "Which bikes use Saddle S9?",
        "Is the Canal Bridge closed?",
        "When are you open and do you sell train tickets to Paris?",
        "Do you have boats?",
        "Hello!",
        "thanks, bye",
        "ok",
        "Who are you?",
        "See you soon",
    ],
)
async def test_the_grader_passes_the_draft(desk: Desk, question: str) -> None:
    """Every form in which the model quotes, renders, refuses or greets is one that the grader verifies."""
    draft = await desk.ask(question)
    graded = grade(draft, desk.library.ledger_of_evidence.citable(), question)
    assert graded.passed, (draft, graded.claims)


async def test_a_follow_up(desk: Desk) -> None:
    """A follow-up takes the question from the customer's earlier message and the thing from this one."""
    result = await desk.run(
        [
            {"role": "user", "content": "How much can the City Bike B2 carry?"},
            {"role": "assistant", "content": "The City Bike B2 carries up to 120 kg. [D1]"},
            {"role": "user", "content": "And the B3?"},
        ]
    )
    assert "140 kg" in str(result.final_output)


async def test_repair_drops_the_refused_claim(desk: Desk) -> None:
    """With feedback on a draft, what the feedback names is not said again and no tool is called."""
    first = await desk.run("Can I extend my loan?")
    draft = str(first.final_output)
    assert "You may extend a loan once by 7 days. [D1]" in draft
    note = 'This sentence is not supported: "You may extend a loan once by 7 days." Answer again.'
    calls = len(desk.asked)
    repaired = await desk.run([*first.to_input_list(), {"role": "developer", "content": note}])
    assert "once by 7 days" not in str(repaired.final_output)
    assert len(desk.asked) == calls


async def test_every_statement_is_the_evidence_s_own(desk: Desk) -> None:
    """What is quoted stands in the handbook word for word."""
    written = " ".join(text for _, text in HANDBOOK)
    for question in (
        "What does a late bike cost?",
        "Who can join?",
        "When are you open?",
        "Are helmets free?",
    ):
        text = await desk.ask(question)
        for sentence in re.split(r" \[D\d+\]\s*", text):
            assert sentence in written or sentence.startswith("I could not find")


async def test_call_ids_are_never_used_again(desk: Desk) -> None:
    """The SDK silently skips a call id that it has seen: each must be new for ever."""
    seen: set[str] = set()
    for _ in range(2):
        result = await desk.run("When are you open and how much is membership?")
        for item in result.to_input_list():
            if isinstance(item, dict) and item.get("type") == "function_call":
                assert item["call_id"] not in seen  # type: ignore[typeddict-item]
                seen.add(str(item["call_id"]))  # type: ignore[typeddict-item]
    assert len(seen) == 4


async def test_streaming_gives_the_same(desk: Desk) -> None:
    """A streamed run ends with the same draft, told piece by piece on the way."""
    streamed = Runner.run_streamed(desk.agent, "When are you open?", run_config=QUIET)
    heard = ""
    async for event in streamed.stream_events():
        if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
            heard += event.data.delta
    assert heard == str(streamed.final_output) == await Desk.ask(desk, "When are you open?") or "[D" in heard


async def test_usage_is_counted(desk: Desk) -> None:
    """Bounds on tokens mean something without a provider too."""
    result = await desk.run("When are you open?")
    usage = result.context_wrapper.usage
    assert usage.requests == 2
    assert usage.input_tokens > 100
    assert 0 < usage.output_tokens < 500


async def test_without_tools_nothing_is_claimed(embedder: OnnxEmbedder) -> None:
    """A desk without sources can find nothing, and says so."""
    agent = Agent(name="bare", model=ExtractiveModel(embedder))
    result = await Runner.run(agent, "When are you open?", run_config=QUIET)
    assert str(result.final_output).startswith("I could not find")


def settings(**values: Any) -> Settings:
    return Settings(_env_file=None, **values)


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "DESK_MODEL"):
        monkeypatch.delenv(name, raising=False)


def test_no_key_means_extractive(embedder: OnnxEmbedder) -> None:
    """Without a key and an address, the model that needs neither drives the agent; so it does when named."""
    assert isinstance(open_model(settings(), lambda: embedder), ExtractiveModel)
    named = settings(model="extractive", OPENAI_API_KEY="key")
    assert isinstance(open_model(named, lambda: embedder), ExtractiveModel)


def test_a_named_model_needs_a_key(embedder: OnnxEmbedder) -> None:
    """A language model without a key or an address is a setting to correct, told in one line."""
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        open_model(settings(model="gpt-5"), lambda: embedder)


def test_a_language_model_asks_for_no_embedder() -> None:
    """The embedder is not opened when no extractive model needs it."""

    def never() -> OnnxEmbedder:
        raise AssertionError("the embedder was opened")

    open_model(settings(OPENAI_API_KEY="key"), never)
