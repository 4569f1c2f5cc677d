"""`python -m evals.train_score`: fit the weights of the grader's score, and tell how well it generalises.

Each set has the same weight, and within it the good and the bad. Generalisation is measured over folds of
documents, as it is fitted, over all sets; and on sets left out whole.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
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
_RIDGE = 100.0
_SET = 300.0
"""Weight of a whole set, whatever its size."""
_FOLDS = 5
_SEEDS = 5
"""Ways to deal the documents into folds, over which is averaged."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """A set: for each claim its features (one row), whether it is good, and its document."""

    features: Floats
    good: npt.NDArray[np.bool_]
    groups: tuple[str, ...]

    def some(self, chosen: npt.NDArray[np.bool_]) -> Rows:
        """Those of the claims that are chosen."""
        groups = tuple(group for group, one in zip(self.groups, chosen, strict=True) if one)
        return Rows(self.features[chosen], self.good[chosen], groups)


def rows_of(examples: Sequence[Example]) -> Rows:
    """The examples as rows of features; those that say nothing are left out."""
    found = []
    for example in examples:
        passages = [read_passage(text) for text in example.evidence]
        told = features([read(claim.text) for claim in read_draft(example.claim).claims], passages)
        if told:
            found.append(([told[name] for name in FEATURES], example))
    good = np.array([example.good for _, example in found])
    return Rows(np.array([row for row, _ in found]), good, tuple(example.group for _, example in found))


def fit(sets: Sequence[Rows]) -> Floats:
    """Weights for the features and, last, the bias."""
    weights = np.concatenate([_balance(some.good) for some in sets])
    labels = np.concatenate([some.good for some in sets]).astype(float)
    return _logistic(np.concatenate([some.features for some in sets]), labels, weights)


def _balance(good: npt.NDArray[np.bool_]) -> Floats:
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


def leans(some: Rows, solution: Floats) -> Floats:
    """The lean of each claim: above 0 it is held to be good."""
    lean: Floats = some.features @ solution[:-1] + solution[-1]
    return lean


Measures = tuple[float, float]
"""Balanced accuracy at one half, and AUROC."""


def measure(some: Rows, lean: Floats) -> Measures:
    """How well the leans tell the good from the bad."""
    good, bad = lean[some.good], lean[~some.good]
    return float((good > 0).mean() + (bad <= 0).mean()) / 2, auroc(good.tolist(), bad.tolist())


def without(sets: dict[str, Rows]) -> dict[str, Measures]:
    """Each set, measured by weights that were fitted to the others."""
    return {
        name: measure(some, leans(some, fit([other for key, other in sets.items() if key != name])))
        for name, some in sets.items()
    }


def over_folds(sets: dict[str, Rows], seed: int) -> dict[str, Measures]:
    """All sets over folds that keep the claims of one document together."""
    folds = {name: _folds(some, seed) for name, some in sets.items()}
    found = {name: np.zeros(len(some.good)) for name, some in sets.items()}
    for fold in range(_FOLDS):
        solution = fit([some.some(folds[name] != fold) for name, some in sets.items()])
        for name, some in sets.items():
            held = folds[name] == fold
            found[name][held] = leans(some.some(held), solution)
    return {name: measure(some, found[name]) for name, some in sets.items()}


def _folds(some: Rows, seed: int) -> npt.NDArray[np.int_]:
    groups = sorted(set(some.groups))
    random.Random(seed).shuffle(groups)  # noqa: S311 - no secret hangs on it
    places = {group: number % _FOLDS for number, group in enumerate(groups)}
    return np.array([places[group] for group in some.groups])


def _report(title: str, measured: dict[str, Measures]) -> None:
    domains = [value for name, value in measured.items() if name.startswith("summedits")]
    if domains:
        measured = {**measured, f"summedits, mean of {len(domains)}": _mean(domains)}
    for name, (balanced, area) in measured.items():
        print(f"{name:24} {title:20} balanced {balanced:.3f}  AUROC {area:.3f}")


def _mean(values: Sequence[Measures]) -> Measures:
    return sum(one for one, _ in values) / len(values), sum(other for _, other in values) / len(values)


def main(argv: Sequence[str] | None = None) -> int:
    """Fit, report and write; exit code 2 when there is no data."""
    parser = argparse.ArgumentParser(prog="python -m evals.train_score", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/grounding"))
    parser.add_argument("--dry-run", action="store_true", help="report, and write nothing")
    options = parser.parse_args(argv)
    sets = {name: rows_of(examples) for name, examples in public_sets(options.data) if len(examples) > 100}
    if not sets:
        print(f"there are no sets in {options.data}; name their folder with --data", file=sys.stderr)
        return 2
    sets |= {name: rows_of(examples) for name, examples in corpus(apart=False)}
    _report("fitted without it", without(sets))
    dealt = [over_folds(sets, seed) for seed in range(_SEEDS)]
    _report("over folds of all", {name: _mean([one[name] for one in dealt]) for name in sets})
    solution = fit(list(sets.values()))
    told = dict(zip((*FEATURES, "bias"), (round(float(one), 3) for one in solution), strict=True))
    print(json.dumps(told, indent=2))
    if not options.dry_run:
        _TARGET.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
