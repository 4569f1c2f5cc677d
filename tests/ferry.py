"""A web of one page about a ferry strike, a script of what models say of it, and desks over each model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from uuid import uuid4

from agents import Model
from agents.testing import ScriptedModel, assistant_message, function_call

from agent.answer import Answer, Sentence
from agent.desk import SupportDesk
from agent.models.extractive import ExtractiveModel
from agent.models.provider import LanguageModel
from agent.settings import Settings
from agent.testing import Calls, ModelServer, Text
from tools.context import Sources
from tools.stores.embedder import OnnxEmbedder

QUESTION = "On which days will the ferry drivers strike?"
SEARCH = Calls.one("web_search", query="ferry drivers strike")
DAYS = "The ferry drivers will strike on 10 and 11 March 2027."
GOOD = Text(f"{DAYS} [W1]")
LONG = Text(f"{DAYS} [W1] The day crossings on 12 March run as usual. [W1]")
BAD = Text("The ferry drivers will strike on 17 and 18 March 2027. [W1]")
PAGE = """---
url: https://news.example/ferry-strike
title: Ferry drivers announce a strike
published: 2027-03-01
---
The ferry drivers will strike on 10 and 11 March 2027. The day crossings on 12 March run as usual.
"""
APIS = ("responses", "chat")


@cache
def base() -> Settings:
    """Reading the environment takes longer than many a test here."""
    own = {"model": "some-model", "openai_api_key": "sk-1", "max_seconds": 20.0, "model_retries": 1}
    return Settings().model_copy(update=own)


def chosen(**changes: object) -> Settings:
    return base().model_copy(update=changes)


def over_http(server: ModelServer, sources: Sources, api: str, **changes: object) -> SupportDesk:
    settings = chosen(openai_base_url=server.base_url, api=api, **changes)
    return SupportDesk(settings, sources, LanguageModel(settings))


def scripted(*steps: Text | Calls) -> Model:
    return ScriptedModel(
        [
            [assistant_message(step.text)]
            if isinstance(step, Text)
            else [function_call(one.name, one.arguments_text(), call_id=uuid4().hex) for one in step.calls]
            for step in steps
        ]
    )


def driven_by(
    driver: str, steps: Sequence[Text | Calls], server: ModelServer, sources: Sources, embedder: OnnxEmbedder
) -> SupportDesk:
    """A desk over one of the models: those over HTTP follow the server's script, `scripted` these steps."""
    if driver in APIS:
        return over_http(server, sources, driver)
    model = scripted(*steps) if driver == "scripted" else ExtractiveModel(embedder)
    return SupportDesk(chosen(), sources, model)


async def ask(desk: SupportDesk, mode: str, question: str = QUESTION) -> Answer:
    """The answer; when it is streamed, what was shown must be its text, to the letter."""
    if mode == "plain":
        return await desk.ask(question)
    events = [event async for event in desk.stream(question)]
    answer = events[-1]
    assert isinstance(answer, Answer)
    assert "".join(event.text for event in events if isinstance(event, Sentence)) == answer.text
    return answer


def outcome(answer: Answer) -> str:
    """How it ended, in a word."""
    if answer.status == "answered":
        assert all(claim.verdict == "supported" for claim in answer.claims)
        assert "17" not in answer.text
    return answer.refusal.reason if answer.refusal else answer.incomplete or answer.status
