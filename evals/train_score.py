"""`python -m evals.train_score`: fit the weights of the grader's score, and tell how well it generalises.

A claim of several sentences counts by its worst one, which is chosen anew with each fit (multiple-instance
learning, as in Andrews, Tsochantaridis and Hofmann, 2002). Each set has the same weight, and within it the
good and the bad. Generalisation is measured on sets left out, and over folds of documents within each.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from agent.grader.claims import read_draft
from agent.grader.meaning import read
from agent.grader.passages import read_passage
from agent.grader.score import FEATURES, features
from evals.bench._claim_sets import Example, corpus, public_sets
from evals.bench._shares import auroc

_TARGET = Path(__file__).resolve().parents[1] / "agent" / "grader" / "score.json"
_RIDGE = 30.0
_ROUNDS = 4
_SET = 300.0
"""Weight of a whole set, whatever its size."""
_FOLDS = 5

Floats = npt.NDArray[np.float64]
Bags = list[tuple[Floats, bool, str]]
"""For each claim the features of its sentences (rows), whether it is good, and its document."""


def bags(examples: Sequence[Example]) -> Bags:
    """The examples as rows of features; those that say nothing are left out."""
    found: Bags = []
    for example in examples:
        passages = [read_passage(text) for text in example.evidence]
        told = [features(read(claim.text), passages) for claim in read_draft(example.claim).claims]
        rows = [[one[name] for name in FEATURES] for one in told if one]
        if rows:
            found.append((np.array(rows), example.good, example.group))
    return found


def fit(sets: Sequence[Bags]) -> Floats:
    """Weights for the features and, last, the bias."""
    chosen = [np.array([rows.mean(axis=0) for rows, _, _ in some]) for some in sets]
    labels = np.concatenate([[good for _, good, _ in some] for some in sets]).astype(float)
    weights = np.concatenate([_balance(some) for some in sets])
    solution = np.zeros(len(FEATURES) + 1)
    for _ in range(_ROUNDS):
        solution = _logistic(np.concatenate(chosen), labels, weights)
        chosen = [np.array([rows[np.argmin(_lean(rows, solution))] for rows, _, _ in some]) for some in sets]
    return solution


def _balance(some: Bags) -> Floats:
    good = np.array([one for _, one, _ in some])
    weights: Floats = np.where(good, 0.5 / max(1, good.sum()), 0.5 / max(1, (~good).sum())) * _SET
    return weights


def _logistic(rows: Floats, labels: Floats, weights: Floats) -> Floats:
    """Ridge logistic regression by Newton's method, on standardised features."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    design = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    ridge = np.diag([*[_RIDGE] * len(mean), 1e-6])
    solution = np.zeros(design.shape[1])
    for _ in range(25):
        likely = 1 / (1 + np.exp(-design @ solution))
        slope = design.T @ (weights * (likely - labels)) + ridge @ solution
        bend = (design * (weights * likely * (1 - likely))[:, None]).T @ design + ridge
        solution = solution - np.linalg.solve(bend, slope)
    plain = solution[:-1] / spread
    return np.append(plain, solution[-1] - plain @ mean)


def _lean(rows: Floats, solution: Floats) -> Floats:
    lean: Floats = rows @ solution[:-1] + solution[-1]
    return lean


def judge(some: Bags, solution: Floats) -> list[float]:
    """The lean of each claim: that of its worst sentence."""
    return [float(_lean(rows, solution).min()) for rows, _, _ in some]


def _report(name: str, some: Bags, leans: Sequence[float]) -> str:
    good = [lean for lean, (_, label, _) in zip(leans, some, strict=True) if label]
    bad = [lean for lean, (_, label, _) in zip(leans, some, strict=True) if not label]
    balanced = (np.mean(np.array(good) > 0) + np.mean(np.array(bad) <= 0)) / 2
    return f"{name:42} balanced {balanced:.3f}  AUROC {auroc(good, bad):.3f}"


def _folds(some: Bags) -> list[float]:
    places = {
        group: number % _FOLDS for number, group in enumerate(dict.fromkeys(group for *_, group in some))
    }
    leans = [0.0] * len(some)
    for fold in range(_FOLDS):
        solution = fit([[one for one in some if places[one[2]] != fold]])
        for number, one in enumerate(some):
            if places[one[2]] == fold:
                leans[number] = judge([one], solution)[0]
    return leans


def main(argv: Sequence[str] | None = None) -> int:
    """Fit, report and write; exit code 2 when there is no data."""
    parser = argparse.ArgumentParser(prog="python -m evals.train_score", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/grounding"))
    parser.add_argument("--dry-run", action="store_true", help="report, and write nothing")
    options = parser.parse_args(argv)
    sets = {name: bags(examples) for name, examples in public_sets(options.data) if len(examples) > 100}
    if not sets:
        print(f"there are no sets in {options.data}; name their folder with --data", file=sys.stderr)
        return 2
    sets |= {name: bags(examples) for name, examples in corpus(apart=False)}
    for name, some in sets.items():
        others = [other for key, other in sets.items() if key != name]
        print(_report(f"{name}, fitted without it", some, judge(some, fit(others))))
        print(_report(f"{name}, over its own folds", some, _folds(some)))
    solution = fit(list(sets.values()))
    told = dict(zip((*FEATURES, "bias"), (round(float(one), 3) for one in solution), strict=True))
    print(json.dumps(told, indent=2))
    if not options.dry_run:
        _TARGET.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
