"""The corpus: pairs of a claim and its evidence, made by rule and written by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

from evals.claims import clothes, corruptions  # noqa: F401 - they register their kinds
from evals.claims.kinds import KINDS
from evals.claims.records import record_cases
from evals.claims.sources import sentences

PER_KIND = 30


class Pair(BaseModel):
    """A claim, what it cites, and whether it follows from that."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    claim: str
    evidence: tuple[str, ...]
    good: bool
    kind: str
    apart: bool = False
    """Of a kind that is kept apart: nothing was tuned on it."""
    question: str = ""


def pairs(per_kind: int = PER_KIND) -> list[Pair]:
    """The whole corpus, the same at every call while the demo company stays as it is."""
    return [*written(), *_made(per_kind), *_records()]


def written() -> list[Pair]:
    """The pairs written by hand."""
    path = Path(__file__).with_name("written.yaml")
    return TypeAdapter(list[Pair]).validate_python(yaml.safe_load(path.read_text(encoding="utf-8")))


def _made(per_kind: int) -> Iterator[Pair]:
    for kind in KINDS:
        draw = random.Random(kind.name)  # noqa: S311 - no secret hangs on it
        said = list(sentences())
        draw.shuffle(said)
        found: dict[tuple[str, tuple[str, ...]], None] = {}
        for one in said:
            for claim, pieces in kind.rule(one, draw):
                found.setdefault((claim, tuple(piece.text for piece in pieces)))
            if len(found) >= per_kind:
                break
        for number, (claim, texts) in enumerate(list(found)[:per_kind], 1):
            yield Pair(
                id=f"{kind.name}-{number:02}",
                claim=claim,
                evidence=texts,
                good=kind.good,
                kind=kind.name,
                apart=kind.apart,
            )


def _records() -> Iterator[Pair]:
    counts: dict[str, int] = {}
    draw = random.Random("records")  # noqa: S311
    for name, good, apart, claim, pieces in record_cases(draw):
        counts[name] = counts.get(name, 0) + 1
        yield Pair(
            id=f"{name}-{counts[name]:02}",
            claim=claim,
            evidence=tuple(piece.text for piece in pieces),
            good=good,
            kind=name,
            apart=apart,
        )
