"""Sets of claims with the texts that they should follow from, in one shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.claims.pairs import pairs


@dataclass(frozen=True)
class Example:
    """A claim, what it cites, and whether it follows from that.

    Attributes:
        claim: One or more sentences.
        evidence: The texts.
        good: Whether the claim follows from them.
        question: What was asked, or empty.
        kinds: What is wrong with it (or, for a good one, how it was made), as the set names it.
        group: What it shares with others that are not independent of it: its document.
    """

    claim: str
    evidence: tuple[str, ...]
    good: bool
    question: str = ""
    kinds: tuple[str, ...] = ()
    group: str = ""


def public_sets(folder: Path) -> Iterator[tuple[str, list[Example]]]:
    """Every `*.jsonl` of a folder under its name: WiCE, SummEdits, and answers with passages."""
    for path in sorted(folder.glob("*.jsonl")):
        lines = path.read_text(encoding="utf-8").splitlines()
        yield path.stem, [_example(json.loads(line)) for line in lines if line.strip()]


def corpus(*, apart: bool) -> Iterator[tuple[str, list[Example]]]:
    """The pairs over the demo company, those kept apart or all others."""
    name = "demo company, apart" if apart else "demo company"
    yield (
        name,
        [
            Example(
                pair.claim, pair.evidence, pair.good, pair.question, (pair.kind,), " ".join(pair.evidence)
            )
            for pair in pairs()
            if pair.apart == apart
        ],
    )


def _example(data: dict[str, Any]) -> Example:
    if "summary" in data:
        text = data["document"]
        good = int(data["label"]) == 1
        kinds = () if good else tuple(data["edit_types"] or ("unnamed",))
        return Example(data["summary"], (text,), good, "", kinds, text[:200])
    if "answer" in data:
        texts = tuple(passage["text"] for passage in data["passages"])
        return Example(
            data["answer"], texts, data["label"] == "supported", data["question"], (), data["question"]
        )
    text = "\n".join(data["evidence"])
    good = data["label"] == "supported"
    return Example(data["claim"], (text,), good, "", () if good else (data["label"],), text[:200])
