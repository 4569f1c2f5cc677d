"""`python -m evals.grounding`: the grader against public sets of claims and the texts they should follow
from.

Reads `wice_dev.jsonl`, `summedits_*.jsonl` and `small_llm_answers_open.jsonl` from a folder that is not
part of this repository, and prints for each set: how many of the bad claims were caught, how many of the
good ones passed, their mean (balanced accuracy), and how well the score alone tells good from bad (AUROC).
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from agent.grader.files import grade_claim
from agent.grader.grades import ClaimGrade


@dataclass(frozen=True)
class Example:
    """A claim, the texts it cites, and whether it follows from them."""

    claim: str
    evidence: list[str]
    good: bool
    question: str = ""


@dataclass(frozen=True)
class Scores:
    """What the grader did with one set; shares in [0, 1], milliseconds a claim."""

    claims: int
    caught: float
    passed: float
    balanced: float
    auroc: float
    milliseconds: float
    verdicts: dict[str, int]


def load(folder: Path) -> Iterator[tuple[str, list[Example]]]:
    """Every set of the folder under its name."""
    for path in sorted(folder.glob("*.jsonl")):
        yield (
            path.stem,
            [_example(json.loads(line)) for line in path.read_text().splitlines() if line.strip()],
        )


def _example(data: dict[str, Any]) -> Example:
    if "summary" in data:
        return Example(data["summary"], [data["document"]], int(data["label"]) == 1)
    if "answer" in data:
        texts = [passage["text"] for passage in data["passages"]]
        return Example(data["answer"], texts, data["label"] == "supported", data["question"])
    return Example(data["claim"], ["\n".join(data["evidence"])], data["label"] == "supported")


def measure(examples: Sequence[Example]) -> Scores:
    """Grade every example."""
    started = time.perf_counter()
    graded = [
        (example, grade_claim(example.claim, example.evidence, example.question)) for example in examples
    ]
    seconds = time.perf_counter() - started
    good = [claim for example, claim in graded if example.good]
    bad = [claim for example, claim in graded if not example.good]
    passed = sum(claim.verdict == "supported" for claim in good) / max(1, len(good))
    caught = sum(claim.verdict != "supported" for claim in bad) / max(1, len(bad))
    return Scores(
        claims=len(graded),
        caught=caught,
        passed=passed,
        balanced=(passed + caught) / 2,
        auroc=_auroc(good, bad),
        milliseconds=1000 * seconds / max(1, len(graded)),
        verdicts=dict(Counter(claim.verdict for _, claim in graded)),
    )


def _auroc(good: Sequence[ClaimGrade], bad: Sequence[ClaimGrade]) -> float:
    pairs = [(one.score > other.score) + 0.5 * (one.score == other.score) for one in good for other in bad]
    return sum(pairs) / max(1, len(pairs))


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table, or say that the data is not there."""
    parser = argparse.ArgumentParser(prog="python -m evals.grounding")
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/grounding"), help="folder of the sets"
    )
    parser.add_argument("--show-passed", action="store_true", help="print the bad claims that passed")
    options = parser.parse_args(argv)
    if not any(options.data.glob("*.jsonl")):
        print(f"skipped: there are no sets in {options.data}; name their folder with --data")
        return
    table = Table("set", "claims", "bad caught", "good passed", "balanced", "AUROC", "ms a claim", "verdicts")
    for name, examples in load(options.data):
        scores = measure(examples)
        shares = (scores.caught, scores.passed, scores.balanced, scores.auroc)
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(scores.verdicts.items()))
        table.add_row(
            name,
            str(scores.claims),
            *(f"{share:.3f}" for share in shares),
            f"{scores.milliseconds:.1f}",
            verdicts,
        )
        if options.show_passed:
            for example in examples:
                if not example.good and grade_claim(example.claim, example.evidence).verdict == "supported":
                    print(f"{name}: {example.claim}")
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
