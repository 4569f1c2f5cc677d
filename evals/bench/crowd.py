"""`python -m evals.bench crowd`: many conversations at once in one process, against a slow model server.

Each conversation is about a document of its own. The model server, a process of its own, answers each request
after a while and works on so many at once; it searches, quotes what was found, and tells when a request holds
anything of another conversation. What the server allows is its capacity divided by its latency.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from agent import SupportDesk
from agent.answer import Answer, Sentence
from agent.models.provider import LanguageModel
from agent.settings import Settings
from agent.sources import open_documents
from agent.testing import Call, Calls, ModelServer, Text
from agent.testing.steps import Scripted
from tools.context import Sources
from tools.ingest.documents import ingest

_CODE = re.compile(r"ZX\d{4}")
_MARK = re.compile(r"talk \d+")
_FOUND = re.compile(r'<evidence id="(\w+)"[^>]*>\n(.*?)\n</evidence>', re.DOTALL)


@dataclass(frozen=True)
class Found:
    """What came of it.

    Attributes:
        conversations: At once.
        questions: In all.
        answered: Of those, with the right words.
        mixed: Answers or requests that held anything of another conversation.
        seconds: Wall time.
        requests_per_second: To the model server.
        allowed_per_second: What the server allows.
        share: Of what it allows.
        first_sentence_seconds: Median to the first sentence, waiting for the server included.
    """

    conversations: int
    questions: int
    answered: int
    mixed: int
    seconds: float
    requests_per_second: float
    allowed_per_second: float
    share: float
    first_sentence_seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    """Run it and print the numbers; returns 1 when anything was mixed or not answered."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench crowd", description=__doc__)
    parser.add_argument("--conversations", type=int, default=100)
    parser.add_argument("--turns", type=int, default=2, help="questions in each conversation")
    parser.add_argument("--latency", type=float, default=0.5, help="seconds of the model server")
    parser.add_argument("--capacity", type=int, default=8, help="requests that it works on at once")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    here, there = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    server = context.Process(target=_serve, args=(there, options.latency, options.capacity), daemon=True)
    server.start()
    try:
        with TemporaryDirectory(prefix="desk") as home:
            found = _measure(Path(home), str(here.recv()), options)
    finally:
        here.send("stop")
        server.join()
    if options.json:
        print(json.dumps(asdict(found), indent=2))
    else:
        for name, value in asdict(found).items():
            print(f"{name.replace('_', ' '):>24}  {value}")
    return 1 if found.mixed or found.answered != found.questions else 0


def _serve(pipe: Connection, latency: float, capacity: int) -> None:
    with ModelServer(otherwise=_write, latency=latency, capacity=capacity) as server:
        pipe.send(server.base_url)
        pipe.recv()


def _write(body: dict[str, Any]) -> Scripted:
    """Search for the code of the latest question, then quote what was found about it."""
    messages = body["messages"]
    if len(set(_MARK.findall(json.dumps(messages)))) != 1:
        return Text("MIXED")
    asked = max(number for number, message in enumerate(messages) if message["role"] == "user")
    code = _CODE.findall(messages[asked]["content"])[0]
    results = " ".join(message["content"] for message in messages[asked:] if message["role"] == "tool")
    for evidence_id, text in _FOUND.findall(results):
        if code in text:
            return Text(f"{text.strip().splitlines()[-1]} [{evidence_id}]")
    arguments = {"query": messages[asked]["content"], "category": None, "version": None, "mode": "sparse"}
    return Calls((Call("vector_search", arguments),))


def _measure(home: Path, base_url: str, options: argparse.Namespace) -> Found:
    codes = [f"ZX{number}" for number in range(1000, 1000 + options.conversations)]
    (home / "pages").mkdir()
    for number, code in enumerate(codes):
        text = f"---\ntitle: Manual {code}\n---\nThe {code} holds {number + 2} litres of water.\n"
        (home / "pages" / f"{code}.md").write_text(text)
    settings = Settings(documents_uri=None).model_copy(
        update={"home": home, "model": "slow", "openai_base_url": base_url, "openai_api_key": "k"}
        | {"api": "chat", "max_seconds": 600.0, "judge": "off"}
    )
    store = open_documents(settings)
    ingest([home / "pages"], store)
    desk = SupportDesk(settings, Sources(documents=store), LanguageModel(settings))
    begun = time.perf_counter()
    talks = asyncio.run(_talks(desk, codes, options.turns))
    seconds = time.perf_counter() - begun
    answers = [answer for talk in talks for answer, _ in talk]
    requests = sum(answer.usage.model_calls for answer in answers)
    allowed = options.capacity / options.latency
    pairs = [(code, answer) for code, talk in zip(codes, talks, strict=True) for answer, _ in talk]
    return Found(
        conversations=len(codes),
        questions=len(answers),
        answered=sum(
            answer.status == "answered" and f"{codes.index(code) + 2} litres" in answer.text
            for code, answer in pairs
        ),
        mixed=sum(set(_CODE.findall(answer.text)) != {code} for code, answer in pairs),
        seconds=round(seconds, 2),
        requests_per_second=round(requests / seconds, 1),
        allowed_per_second=allowed,
        share=round(requests / seconds / allowed, 3),
        first_sentence_seconds=round(median(first for talk in talks for _, first in talk), 2),
    )


async def _talks(desk: SupportDesk, codes: Sequence[str], turns: int) -> list[list[tuple[Answer, float]]]:
    return await asyncio.gather(
        *(_talk(desk, code, f"talk {number}", turns) for number, code in enumerate(codes))
    )


async def _talk(desk: SupportDesk, code: str, mark: str, turns: int) -> list[tuple[Answer, float]]:
    """The answers of one conversation, each with the seconds to its first sentence."""
    talk = desk.conversation()
    told = []
    for turn in range(turns):
        begun, first = time.perf_counter(), 0.0
        question = f"How much water does the {code} hold? ({mark}, {turn})"
        async for event in desk.stream(question, conversation=talk):
            if isinstance(event, Sentence) and not first:
                first = time.perf_counter() - begun
            elif isinstance(event, Answer):
                told.append((event, first))
    return told
