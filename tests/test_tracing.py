"""Traces: what a question's line holds, and what it must not hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agents import Runner
from opentelemetry import trace as otel_trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agent.answer import Answer
from agent.cli import main
from agent.conversation import Conversation
from agent.desk import SupportDesk
from agent.models.provider import LanguageModel
from agent.settings import TRACE_FILE, Settings
from agent.testing import Calls, HttpError, ModelServer, Step, Text
from agent.tracing import Traces, install
from agent.tracing.lines import count, find_line, read_lines
from tests.loans import EVIDENCE, FALSE, PRICES, QUESTION, TRUE
from tools.context import Sources
from tools.errors import BadInput, SourceUnavailable

SECRETS = ("borrowed", "28 days", "renewed", "mary@example.org", "Loans", "Zebras")
WORDS = f"{QUESTION} I am mary@example.org."


async def ask(
    home: Path, *steps: Step, content: bool = False, api: str = "chat", live: bool = False
) -> Answer:
    install(otel=False, content=False)
    with ModelServer(*steps) as server:
        chosen = Settings(openai_api_key="sk-1").model_copy(
            update={
                "openai_base_url": server.base_url,
                "model": "gpt-5-mini",
                "api": api,
                "trace_content": content,
                "prices": PRICES,
            }
        )
        traces = Traces(home / TRACE_FILE, "gpt-5-mini", content=content)
        desk = SupportDesk(chosen, Sources(), LanguageModel(chosen), traces=traces)
        talk = Conversation()
        for item in EVIDENCE.values():
            talk.ledger.add(item.source, title=item.title, text=item.text)
        if live:
            *_, answer = [event async for event in desk.stream(WORDS, conversation=talk)]
            assert isinstance(answer, Answer)
            return answer
        return await desk.ask(WORDS, conversation=talk)


def line_of(home: Path, answer: Answer) -> Any:
    assert answer.trace_id
    return find_line(home / TRACE_FILE, answer.trace_id)


@pytest.mark.parametrize("live", [False, True])
@pytest.mark.parametrize("api", ["chat", "responses"])
async def test_a_question_is_one_line_without_anything_personal(tmp_path: Path, api: str, live: bool) -> None:
    """It tells the outcome, each model call with its tokens, each tool and each grade, and quotes nothing."""
    steps = (Calls.one("crystal_ball", query="mary@example.org"), Text(FALSE[3]), Text(TRUE[0]))
    answer = await ask(tmp_path, *steps, api=api, live=live)
    (text,) = (tmp_path / TRACE_FILE).read_text().splitlines()
    for secret in SECRETS:
        assert secret not in text
    line = line_of(tmp_path, answer)
    assert (line["status"], line["usage"]["model_calls"]) == ("answered", 3)
    assert line["usage"]["cost"] > 0
    models = [span for span in line["spans"] if span["name"] == "model"]
    assert len(models) == 3
    assert line["model"] == "gpt-5-mini"
    assert all(span["tokens"]["input"] > 0 for span in models)
    grades = [span["data"] for span in line["spans"] if span["name"] == "grade"]
    assert [(one["attempt"], one["passed"]) for one in grades] == [(1, False), (2, True)]
    assert grades[0]["bad"] == {"unknown_id": 1}


async def test_content_is_recorded_when_switched_on(tmp_path: Path) -> None:
    """With the setting on, question, prompts and answer are there."""
    answer = await ask(tmp_path, Text(TRUE[0]), content=True)
    line = line_of(tmp_path, answer)
    assert line["question"] == WORDS
    assert line["text"] == answer.text
    assert any("input" in span for span in line["spans"])


async def test_a_question_that_fails_is_recorded(tmp_path: Path) -> None:
    """When the provider is down there is a line all the same."""
    with pytest.raises(SourceUnavailable):
        await ask(tmp_path, HttpError(401, "mary@example.org"))
    (line,) = read_lines(tmp_path / TRACE_FILE)
    assert line["status"] == "failed"
    assert "mary" not in json.dumps(line)


async def test_other_traces_are_not_recorded(tmp_path: Path) -> None:
    """A plain run of the SDK, not begun by the desk, leaves no line."""
    install(otel=False, content=False)
    with ModelServer(Text(TRUE[0])) as server:
        chosen = Settings(openai_api_key="k").model_copy(
            update={"openai_base_url": server.base_url, "model": "some", "home": tmp_path}
        )
        desk = SupportDesk(chosen, Sources(), LanguageModel(chosen))
        agent = desk.agent.clone(output_guardrails=[])
        await Runner.run(agent, WORDS, context=desk.context(), run_config=desk.run_config)
    assert not (tmp_path / TRACE_FILE).exists()


async def test_counters(tmp_path: Path) -> None:
    """How often the grader fired, drafts were rewritten and questions refused adds up."""
    await ask(tmp_path, Text(TRUE[0]))
    await ask(tmp_path, Text(FALSE[0]), Text(TRUE[0]))
    await ask(tmp_path, Text(FALSE[0]), Text(FALSE[3]))
    await ask(tmp_path, Text(f"{TRUE[0]} {FALSE[0]} {TRUE[1]}"), Text(FALSE[3]), live=True)
    await ask(tmp_path, Text("Hello!"))
    told = count(read_lines(tmp_path / TRACE_FILE))
    assert (told.questions, told.answered, told.in_part, told.conversational) == (5, 2, 1, 1)
    assert told.refused == {"unsupported": 1}
    assert (told.drafts, told.drafts_refused, told.rewritten) == (8, 5, 1)
    assert told.bad_claims["unknown_id"] == 2
    assert told.model_calls == 8
    assert told.cost > 0


def test_finding_a_line(tmp_path: Path) -> None:
    """An id, its beginning, or `last`; a broken line is passed over, and an old file is read too."""
    file = tmp_path / TRACE_FILE
    (tmp_path / f"{TRACE_FILE}.1").write_text('{"id": "trace_aa1", "status": "answered"}\n')
    file.write_text('{"id": "trace_bb2"}\n{"id": "trace_b\n{"id": "trace_cc3"}\n{"x": 1}\n')
    assert [line["id"] for line in read_lines(file)] == ["trace_aa1", "trace_bb2", "trace_cc3"]
    assert find_line(file, "aa")["id"] == "trace_aa1"
    assert find_line(file, "trace_bb2")["id"] == "trace_bb2"
    assert find_line(file, "last")["id"] == "trace_cc3"
    with pytest.raises(BadInput, match="dd"):
        find_line(file, "dd")


async def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`desk trace last` prints a tree, `desk trace` the last ones with the counters, both as JSON too."""
    monkeypatch.setenv("DESK_HOME", str(tmp_path))
    assert main(["trace"]) == 0
    assert "DESK_TRACES" in capsys.readouterr().out
    answer = await ask(tmp_path, Text(FALSE[3]), Text(TRUE[0]))
    assert main(["trace", "last"]) == 0
    tree = capsys.readouterr().out
    assert str(answer.trace_id) in tree
    assert "draft 1: 1 claims, 1 unknown_id" in tree
    assert "draft 2: 1 claims, all supported" in tree
    assert "gpt-5-mini" in tree
    assert main(["trace"]) == 0
    assert "drafts refused  1" in capsys.readouterr().out
    assert main(["trace", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["counters"]["drafts"] == 2
    assert main(["trace", "last", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == answer.trace_id
    assert main(["trace", "no-such"]) == 2


async def test_a_line_that_cannot_be_written_costs_no_answer(tmp_path: Path) -> None:
    """The answer comes even when the disk is full or the folder is a file."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert (await ask(blocked / "under", Text(TRUE[0]))).status == "answered"


async def test_opentelemetry(tmp_path: Path) -> None:
    """With the extra the same spans go to OpenTelemetry, and nothing personal either."""
    instrumentor = pytest.importorskip(
        "openinference.instrumentation.openai_agents"
    ).OpenAIAgentsInstrumentor()
    spans = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    otel_trace.set_tracer_provider(provider)
    install(otel=True, content=False)
    try:
        await ask(tmp_path, Text(TRUE[0]))
    finally:
        instrumentor.uninstrument()
    told = json.dumps([json.loads(span.to_json()) for span in spans.get_finished_spans()])
    assert "gpt-5-mini" in told
    for secret in SECRETS:
        assert secret not in told
