"""Reading what was recorded: single questions, and what they add up to."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tools.errors import BadInput

Line = Mapping[str, Any]


class Counters(BaseModel):
    """What a number of questions add up to.

    Attributes:
        questions: How many.
        answered: Those answered in full.
        in_part: Those answered in part.
        conversational: Small talk.
        refused: Those refused, by reason.
        failed: Those that ended in an error.
        drafts: Drafts that were graded.
        drafts_refused: Drafts that the grader refused.
        rewritten: Answers whose first draft was refused and whose second passed.
        bad_claims: Claims that did not pass, by verdict.
        searches: Uses of tools.
        nothing_found: Uses of tools that worked and kept nothing.
        unavailable: Uses of tools whose source could not be asked.
        model_calls: In all.
        tokens: Sent and made, in all.
        cost: By the price table, where it had a price.
        seconds: Mean per question.
    """

    questions: int = 0
    answered: int = 0
    in_part: int = 0
    conversational: int = 0
    refused: dict[str, int] = {}
    failed: int = 0
    drafts: int = 0
    drafts_refused: int = 0
    rewritten: int = 0
    bad_claims: dict[str, int] = {}
    searches: int = 0
    nothing_found: int = 0
    unavailable: int = 0
    model_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    seconds: float = 0.0


def read_lines(file: Path) -> Iterator[Line]:
    """The recorded questions, oldest first; a line that is not whole is left out."""
    for one in (file.with_name(f"{file.name}.1"), file):
        if not one.exists():
            continue
        with one.open(encoding="utf-8") as handle:
            for text in handle:
                try:
                    line = json.loads(text)
                except ValueError:
                    continue
                if isinstance(line, dict) and "id" in line:
                    yield line


def find_line(file: Path, trace_id: str) -> Line:
    """The newest question whose id begins like this; `last` is the last one.

    Raises:
        BadInput: There is none.
    """
    wanted = trace_id if trace_id.startswith("trace_") else f"trace_{trace_id}"
    found = None
    for line in read_lines(file):
        if trace_id == "last" or str(line["id"]).startswith(wanted):
            found = line
    if found is None:
        raise BadInput(f"there is no trace {trace_id!r}; `desk trace` lists the last ones")
    return found


def count(lines: Iterable[Line]) -> Counters:
    """What these questions add up to."""
    total: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    bad: Counter[str] = Counter()
    cost = seconds = 0.0
    for line in lines:
        status, reason, usage = line.get("status"), line.get("reason"), line.get("usage") or {}
        grades = [span["data"] for span in line.get("spans", ()) if span.get("name") == "grade"]
        passed = [bool(grade.get("passed")) for grade in grades]
        steps = line.get("steps") or ()
        total["questions"] += 1
        total["failed"] += status == "failed"
        total["conversational"] += status == "conversational"
        total["answered"] += status == "answered" and not reason
        total["in_part"] += status == "answered" and bool(reason)
        total["drafts"] += len(passed)
        total["drafts_refused"] += passed.count(False)
        total["rewritten"] += len(passed) > 1 and passed[-1]
        total["searches"] += len(steps)
        total["nothing_found"] += sum(not step["kept"] and not step["error"] for step in steps)
        total["unavailable"] += sum(str(step["error"]).startswith("unavailable") for step in steps)
        total["model_calls"] += usage.get("model_calls", 0)
        total["tokens"] += usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
        cost += usage.get("cost") or 0.0
        seconds += usage.get("seconds", 0.0)
        if status == "refused":
            refused[str(reason)] += 1
        for grade in grades:
            bad.update(grade.get("bad") or {})
    return Counters(
        **total,
        refused=dict(refused),
        bad_claims=dict(bad),
        cost=round(cost, 6),
        seconds=round(seconds / total["questions"], 4) if total["questions"] else 0.0,
    )
