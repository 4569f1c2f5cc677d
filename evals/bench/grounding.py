"""`python -m evals.bench grounding`: the grader against sets of claims and the texts they should follow from.

For each set: what the gate passes, what the veto rejects and what the whole releases, of the good and of the
bad claims; how well the score alone tells them apart (AUROC, and balanced accuracy at 0.5); the same for each
kind of error; processor milliseconds a claim; and the balanced accuracy of a control that sees the claims
without their evidence, which is how much the set gives away.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import quantiles

from rich.console import Console
from rich.table import Table

from agent.grader.files import grade_claim
from agent.grader.grades import ClaimGrade
from evals.bench._claim_sets import Example, corpus, public_sets
from evals.bench._control import claim_only
from evals.bench._shares import Share, auroc, bootstrap, share

Graded = tuple[Example, ClaimGrade]
_HALF = 0.5


@dataclass(frozen=True)
class Scores:
    """What the grader did with one set; milliseconds of processor time a claim."""

    claims: int
    caught: Share
    """Bad claims that are not released."""
    passed: Share
    """Good claims that are released."""
    balanced: Share
    """The mean of the two."""
    gate_passed: Share
    gate_caught: Share
    veto_caught: Share
    veto_spared: Share
    """Good claims that the veto leaves alone."""
    auroc: Share
    """Of the score, which orders what is uncertain."""
    score_balanced: Share
    """Balanced accuracy of the score at 0.5."""
    control_balanced: float
    """Balanced accuracy of a model that sees the claims alone, over folds by document."""
    ms_median: float
    ms_p95: float
    kinds: dict[str, dict[str, float]]
    """By kind of error: how many, and the shares caught by the whole, by the veto and by the score."""


def measure(examples: Sequence[Example]) -> tuple[Scores, list[Graded]]:
    """Grade every example."""
    graded: list[Graded] = []
    spent: list[float] = []
    for example in examples:
        started = time.process_time()
        claim = grade_claim(example.claim, list(example.evidence), example.question)
        spent.append(1000 * (time.process_time() - started))
        graded.append((example, claim))
    return _scores(graded, spent), graded


def _scores(graded: list[Graded], spent: list[float]) -> Scores:
    def over(measure: object) -> Share:
        return bootstrap(graded, measure)  # type: ignore[arg-type]

    return Scores(
        claims=len(graded),
        caught=over(lambda some: share([not released(c) for e, c in some if not e.good])),
        passed=over(lambda some: share([released(c) for e, c in some if e.good])),
        balanced=over(lambda some: _balanced(some, [released(c) for _, c in some])),
        gate_passed=over(lambda some: share([c.stage == "gate" for e, c in some if e.good])),
        gate_caught=over(lambda some: share([c.stage != "gate" for e, c in some if not e.good])),
        veto_caught=over(lambda some: share([c.stage == "veto" for e, c in some if not e.good])),
        veto_spared=over(lambda some: share([c.stage != "veto" for e, c in some if e.good])),
        auroc=over(
            lambda some: auroc([c.score for e, c in some if e.good], [c.score for e, c in some if not e.good])
        ),
        score_balanced=over(lambda some: _balanced(some, [c.score >= _HALF for _, c in some])),
        control_balanced=claim_only([example for example, _ in graded]),
        ms_median=quantiles(spent, n=20)[9] if len(spent) > 1 else sum(spent),
        ms_p95=quantiles(spent, n=20)[18] if len(spent) > 1 else sum(spent),
        kinds=_kinds(graded),
    )


def released(claim: ClaimGrade) -> bool:
    """Whether a reader would be shown it."""
    return claim.verdict == "supported"


def _balanced(graded: Sequence[Graded], said_good: Sequence[bool]) -> float:
    pairs = list(zip(graded, said_good, strict=True))
    good = share([said for (example, _), said in pairs if example.good])
    bad = share([not said for (example, _), said in pairs if not example.good])
    return (good + bad) / 2


def _kinds(graded: Sequence[Graded]) -> dict[str, dict[str, float]]:
    names = sorted({kind for example, _ in graded for kind in example.kinds})
    table: dict[str, dict[str, float]] = {}
    for name in names:
        some = [(example, claim) for example, claim in graded if name in example.kinds]
        good = some[0][0].good
        table[name] = {
            "claims": len(some),
            "good": float(good),
            "right": share([released(claim) == good for _, claim in some]),
            "veto": share([claim.stage == "veto" for _, claim in some]),
            "score": share([(claim.score >= _HALF) == good for _, claim in some]),
        }
    return table


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; exit code 2 when there is no data."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench grounding", description=__doc__)
    parser.add_argument(
        "--data", type=Path, default=Path("../shared/data/grounding"), help="folder of the public sets"
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="sets whose name holds this text")
    parser.add_argument(
        "--corpus",
        action="store_true",
        help="the corpus over the demo company instead, without its kinds apart",
    )
    parser.add_argument(
        "--apart", action="store_true", help="its kinds that are kept apart: when all else is done"
    )
    parser.add_argument(
        "--own",
        action="store_true",
        help="what the desk's own model writes over the evals, before any repair",
    )
    parser.add_argument("--wrong", action="store_true", help="print what was released or stopped wrongly")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    if options.own:
        return _own(as_json=options.json, wrong=options.wrong)
    own = options.corpus or options.apart
    chosen = corpus(apart=options.apart) if own else public_sets(options.data)
    sets = [(name, examples) for name, examples in chosen if options.only in name]
    if not sets:
        print(f"there are no sets in {options.data}; name their folder with --data", file=sys.stderr)
        return 2
    measured = {name: measure(examples) for name, examples in sets}
    if options.json:
        print(json.dumps({name: asdict(scores) for name, (scores, _) in measured.items()}, indent=2))
        return 0
    console = Console(width=190)
    console.print(_table({name: scores for name, (scores, _) in measured.items()}))
    console.print(_kind_table({name: scores for name, (scores, _) in measured.items()}))
    if options.wrong:
        for name, (_, graded) in measured.items():
            for example, claim in graded:
                if released(claim) != example.good and not options.apart:
                    console.print(
                        f"[bold]{name}[/] {example.good} {example.kinds} {claim.verdict}: {claim.reason}"
                    )
                    console.print(f"  {example.claim}", highlight=False, markup=False)
    return 0


def _own(*, as_json: bool, wrong: bool) -> int:
    """The share of the desk's own sentences that pass, and which do not."""
    from evals.bench._own_sentences import own_sentences  # it opens a whole desk

    claims = own_sentences()
    passed = bootstrap(claims, lambda some: share([released(claim) for claim in some]))
    if as_json:
        print(json.dumps({"claims": len(claims), "passed": asdict(passed)}, indent=2))
    else:
        print(f"{len(claims)} sentences of the desk's own model, of which pass: {passed}")
    for claim in claims if wrong else ():
        if not released(claim):
            print(f"{claim.verdict}: {claim.reason}\n  {claim.text}\n  {claim.quote}")
    return 0


def _table(rows: dict[str, Scores]) -> Table:
    table = Table(
        "set", "claims", "bad caught", "good passed", "veto: bad", "veto: good spared", "AUROC", "score",
        "control", "ms p50", "p95", title="Claims with their evidence",
    )  # fmt: skip
    for name, scores in rows.items():
        table.add_row(
            name,
            str(scores.claims),
            *map(
                str,
                (
                    scores.caught,
                    scores.passed,
                    scores.veto_caught,
                    scores.veto_spared,
                    scores.auroc,
                    scores.score_balanced,
                ),
            ),
            f"{scores.control_balanced:.3f}",
            f"{scores.ms_median:.1f}",
            f"{scores.ms_p95:.1f}",
        )
    return table


def _kind_table(rows: dict[str, Scores]) -> Table:
    table = Table("set", "kind", "claims", "right", "veto", "score right", title="By kind")
    for name, scores in rows.items():
        for kind, shares in scores.kinds.items():
            numbers = (f"{shares[key]:.3f}" for key in ("right", "veto", "score"))
            table.add_row(name, kind, f"{shares['claims']:.0f}", *numbers)
    return table


if __name__ == "__main__":
    raise SystemExit(main())
