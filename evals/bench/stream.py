"""`python -m evals.bench stream`: does an ungraded character ever reach a reader, and how soon does the first
sentence come?

First many streams of random drafts: true sentences, false ones, gaps and greetings, in random pieces, with
breaks, refusals and wrong calls in between. Each sentence that is shown is graded again here, together with
all that was shown before it. Then answers of five sentences at the pace of a language model: seconds to the
first sentence and to the whole.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median

from agent import SupportDesk
from agent.answer import Answer, Sentence
from agent.conversation import Conversation
from agent.grader import grade
from agent.settings import Settings
from agent.testing.writer import Message, Writer
from tools.context import Sources
from tools.errors import SourceUnavailable
from tools.evidence import Evidence, Ledger

_QUESTION = "What do the items cost, and what must I know about them?"
_TOKEN = 4  # characters


@dataclass
class Streams:
    """What came of the random streams; `ungraded` counts those that showed what they should not have."""

    streams: int = 0
    sentences: int = 0
    characters: int = 0
    ungraded: int = 0
    differing: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


def main(argv: Sequence[str] | None = None) -> int:
    """Run both and print the numbers; returns 1 when an ungraded character was shown."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench stream", description=__doc__)
    parser.add_argument("--streams", type=int, default=10_000, help="how many random streams")
    parser.add_argument("--pace", type=float, default=60.0, help="tokens per second of the paced answers")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    found = asyncio.run(_random_streams(options.streams, random.Random(options.seed)))  # noqa: S311
    first, whole = asyncio.run(_paced(options.pace))
    report = {**asdict(found), "first_sentence_seconds": first, "whole_seconds": whole}
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        for name, value in report.items():
            print(f"{name.replace('_', ' '):>22}  {value}")
    return 1 if found.ungraded or found.differing else 0


def _facts(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """Pairs of a true sentence and a false one about the same item."""
    pairs = []
    for _ in range(count):
        item, price, days = f"item K{rng.randrange(10, 99)}", rng.randrange(5, 90), rng.randrange(2, 60)
        true, false = rng.choice(
            [
                (f"The {item} costs €{price}.", f"The {item} costs €{price + 100}."),
                (f"The {item} can be returned within {days} days.", f"The {item} can never be returned."),
                (f"The {item} cannot be repaired.", f"The {item} can be repaired."),
            ]
        )
        pairs.append((true, false))
    return pairs


def _message(rng: random.Random, facts: Sequence[tuple[str, str]]) -> Message:
    parts = []
    for _ in range(rng.randrange(6)):
        number = rng.randrange(len(facts))
        true, false = facts[number]
        kind = rng.random()
        if kind < 0.6:
            parts.append(f"{true} [D{number + 1}]")
        elif kind < 0.75:
            parts.append(f"{false} [D{number + 1}]")
        elif kind < 0.8:
            parts.append(f"{true} [D{rng.randrange(1, 9)}]")
        elif kind < 0.85:
            parts.append(true)
        else:
            parts.append(
                rng.choice(["Hello!", "I could not find anything else.", "# Prices", "- ", "[see](x)"])
            )
    text = "".join(part + rng.choice([" ", "\n", "\n\n"]) for part in parts)
    ends = sorted({rng.randrange(len(text) + 1) for _ in range(rng.randrange(40))} | {0, len(text)})
    pieces = tuple(text[start:end] for start, end in itertools.pairwise(ends)) or ("",)
    return Message(pieces, rng.choice(["end", "end", "end", "break", "call", "refusal"]))


async def _random_streams(count: int, rng: random.Random) -> Streams:
    found = Streams(streams=count)
    begun = time.perf_counter()
    for _ in range(count):
        facts = _facts(rng, rng.randrange(1, 5))
        conversation = _conversation([true for true, _ in facts])
        evidence = conversation.ledger.citable()
        desk = _desk(Writer([_message(rng, facts) for _ in range(rng.randrange(1, 4))]))
        shown, bad, answer = "", False, None
        try:
            async for event in desk.stream(_QUESTION, conversation=conversation):
                if isinstance(event, Sentence):
                    shown += event.text
                    found.sentences += 1
                    bad = bad or not (_passes(shown, evidence) or shown.startswith("I c"))
                elif isinstance(event, Answer):
                    answer = event
        except SourceUnavailable:
            bad = bad or bool(shown)
        found.characters += len(shown)
        found.ungraded += bad
        found.differing += answer is not None and answer.text != shown
        end = _end(answer)
        found.ends[end] = found.ends.get(end, 0) + 1
    found.seconds = round(time.perf_counter() - begun, 1)
    return found


async def _paced(tokens_per_second: float) -> tuple[float, float]:
    """Median seconds to the first sentence and to the whole, of answers of five sentences."""
    facts = [f"The part number {number} fits every kettle that was made in its year." for number in range(5)]
    text = " ".join(f"{fact} [D{number}]" for number, fact in enumerate(facts, 1))
    pieces = tuple(text[start : start + _TOKEN] for start in range(0, len(text), _TOKEN))

    async def one() -> tuple[float, float]:
        begun, first = time.perf_counter(), 0.0
        desk = _desk(Writer([Message(pieces)], pause=1 / tokens_per_second))
        async for event in desk.stream(_QUESTION, conversation=_conversation(facts)):
            if isinstance(event, Sentence) and not first:
                first = time.perf_counter() - begun
        return first, time.perf_counter() - begun

    await one()
    times = await asyncio.gather(*(one() for _ in range(5)))
    return round(median(first for first, _ in times), 3), round(median(whole for _, whole in times), 3)


def _desk(writer: Writer) -> SupportDesk:
    return SupportDesk(Settings(max_turns=4), Sources(), writer)


def _conversation(facts: Sequence[str]) -> Conversation:
    """A conversation in whose first turn these facts are found already, as D1, D2 and so on."""
    ledger = Ledger()
    for number, fact in enumerate(facts):
        ledger.add("documents", title=f"Page {number}", text=fact)
    return Conversation(ledger=ledger)


def _passes(text: str, evidence: dict[str, Evidence]) -> bool:
    return grade(text, evidence, _QUESTION, unreached=()).passed


def _end(answer: Answer | None) -> str:
    if answer is None:
        return "model unavailable"
    if answer.refusal is not None:
        return f"refused: {answer.refusal.reason}"
    return f"{answer.status}, in part" if answer.incomplete else answer.status
