"""`python -m training.train --out FILE`: learn the embedder's adapter; see `training/README.md`."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Protocol, TypeVar

import torch
from rich.progress import track
from torch import Tensor, nn

from tools.errors import BadInput
from training import articles, catalogues
from training.answering import Answering
from training.articles import HelpCentre
from training.catalogues import Catalogue
from training.model import Encoder
from training.routing import Routing

_RATE = 6e-4
_DECAY = 0.01
_NOTHING_RATE = 1e-2  # of the one number that "nothing answers" is worth
_WARM_UP = 20  # steps until the rate is full; from then on it falls in a line
_FLOOR = 0.05  # share of the rate that it does not fall below
_NORM = 1.0  # gradients are clipped to it
_SMALLEST = 4  # questions in a batch; of fewer there is little to tell apart

_Company = TypeVar("_Company", HelpCentre, Catalogue)


class Lesson(Protocol):
    """What can be learned: questions in batches of one company each."""

    batch: int

    @property
    def counts(self) -> list[int]:
        """How many questions each company has."""
        ...

    def loss(self, company: int, places: Sequence[int]) -> Tensor:
        """The loss of these questions of one company."""
        ...


def main(argv: Sequence[str] | None = None) -> int:
    """Learn, print what is measured before and after every epoch, and write the adapter.

    Returns:
        The exit code: 2 when the data, a company or the folder to write to are not there.
    """
    options = _parser().parse_args(argv)
    try:
        centres = _split(articles.read(options.data), options.keep_apart, options.questions)
        routes = _split(catalogues.read(options.data), options.keep_apart, options.questions)
        _check(options.keep_apart, [one.company for one in centres[1]] + [one.company for one in routes[1]])
        sizes = [len(one.questions) for one in centres[0]] + [len(one.questions) for one in routes[0]]
        if max(sizes, default=0) < _SMALLEST:
            raise BadInput("nothing to learn from: keep fewer companies apart, or allow more --questions")
        if not options.out.parent.is_dir():
            raise BadInput(f"--out: there is no folder {options.out.parent}; make it first")
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    torch.manual_seed(options.seed)
    draw = random.Random(options.seed)  # noqa: S311  (to learn, not to keep a secret)
    encoder = Encoder()
    answering, routing = Answering(encoder, centres[0], draw), Routing(encoder, routes[0], draw)
    apart = Answering(encoder, centres[1], draw), Routing(encoder, routes[1], draw)
    _tell("base", *apart)
    lessons = answering, routing
    optimizer = _Optimizer(encoder, answering.nothing, options.epochs * len(_batches(lessons, draw)))
    for epoch in range(1, options.epochs + 1):
        answering.refresh()
        losses = []
        for lesson, company, places in track(_batches(lessons, draw), f"epoch {epoch} of {options.epochs}"):
            losses.append(optimizer.step(lesson.loss(company, places)))
        _tell(f"epoch {epoch}, mean loss {fmean(losses):.3f}", *apart)
    encoder.save(options.out)
    print(f"written: {options.out}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m training.train", description="Learn the adapter of the desk's embedder."
    )
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(__file__).parent / "data",
        help="folder of articles_*.jsonl and catalogues_*.jsonl (default: %(default)s)",
    )
    parser.add_argument(
        "--out", type=Path, required=True, help="where to write; the desk reads tools/stores/adapter.npz"
    )
    parser.add_argument(
        "--epochs", type=int, default=2, help="how often to go through all questions (default: %(default)s)"
    )
    parser.add_argument(
        "--keep-apart",
        nargs="*",
        metavar="COMPANY",
        default=[*articles.KEPT_APART, *catalogues.KEPT_APART],
        help="companies to measure with and not learn from, by how their names begin (default: %(default)s)",
    )
    parser.add_argument(
        "--questions", type=int, help="learn from no more than so many of each kind, to try things out"
    )
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (default: %(default)s)")
    return parser


def _split(
    companies: Sequence[_Company], kept_apart: Sequence[str], most: int | None
) -> tuple[list[_Company], list[_Company]]:
    """The companies to learn from, with no more than `most` questions together, and those to measure with."""
    learned: list[_Company] = []
    apart: list[_Company] = []
    left = sum(len(one.questions) for one in companies) if most is None else most
    for one in companies:
        if one.company.startswith(tuple(kept_apart)):
            apart.append(one)
        elif left > 0:
            learned.append(replace(one, questions=one.questions[:left]))
            left -= len(one.questions)
    return learned, apart


def _check(wanted: Sequence[str], found: Sequence[str]) -> None:
    """Raise BadInput when a company to keep apart is not there."""
    for name in wanted:
        if not any(company.startswith(name) for company in found):
            raise BadInput(f"--keep-apart: there is no company {name} in the data")


def _batches(lessons: Sequence[Lesson], draw: random.Random) -> list[tuple[Lesson, int, list[int]]]:
    """All questions once, in batches of one company each, in any order."""
    found: list[tuple[Lesson, int, list[int]]] = []
    for lesson in lessons:
        for company, count in enumerate(lesson.counts):
            order = draw.sample(range(count), count)
            found += [
                (lesson, company, order[start : start + lesson.batch])
                for start in range(0, count, lesson.batch)
                if count - start >= _SMALLEST
            ]
    draw.shuffle(found)
    return found


class _Optimizer:
    """AdamW whose rate rises for some steps and then falls."""

    def __init__(self, encoder: Encoder, nothing: nn.Parameter, steps: int) -> None:
        self._additions = encoder.parameters
        self._steps = steps
        self._done = 0
        groups: list[dict[str, Any]] = [
            {"params": self._additions},
            {"params": [nothing], "lr": _NOTHING_RATE},
        ]
        self._adam = torch.optim.AdamW(groups, lr=_RATE, weight_decay=_DECAY)

    def step(self, loss: Tensor) -> float:
        """Go one step down the loss; returns it."""
        self._adam.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self._additions, _NORM)
        rising, falling = (self._done + 1) / _WARM_UP, 1 - self._done / self._steps
        self._adam.param_groups[0]["lr"] = _RATE * min(1.0, rising) * max(_FLOOR, falling)
        self._adam.step()
        self._done += 1
        return float(loss.detach())


def _tell(when: str, answering: Answering, routing: Routing) -> None:
    """Print what is measured with the companies that were kept apart."""
    measured = {name: value for lesson in (answering, routing) for name, value in lesson.measure().items()}
    print(f"{when}: " + ", ".join(f"{name} {value:.3f}" for name, value in measured.items()), flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
