"""The first lesson: which sentence or passage of a company answers, and whether any does."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from statistics import fmean

import torch
from rich.progress import track
from torch import Tensor, nn

from training.articles import HelpCentre
from training.model import Encoder

SCALE = 20.0
"""Cosines are multiplied by this before they become probabilities."""

_NOTHING = 0.45  # the score of "nothing answers" before learning, as a cosine
_PASSAGES = 0.25  # of the batches
_NEAREST = 6  # wrong answers are drawn from so many nearest to each question
_WRONG_STATEMENTS = 3
_WRONG_PASSAGES = 2
_UNANSWERABLE = 0.5  # weight of a question that nothing answers


@dataclass(frozen=True)
class _Shelf:
    """One company's texts after the frozen layers; of passages, being long, also the vectors at the start."""

    statements: list[Tensor]
    passages: list[Tensor]
    questions: list[Tensor]
    passage_vectors: Tensor


class Answering:
    """Questions, each with what answers it among all that its company says.

    Wrong answers are the nearest ones by the vectors of the last `refresh`, and what answers the other
    questions of a batch. "Nothing" competes with a score of its own, which is learned too.
    """

    batch = 16

    def __init__(self, encoder: Encoder, centres: Sequence[HelpCentre], draw: random.Random) -> None:
        """Put all texts of the centres through the frozen layers."""
        self.nothing = nn.Parameter(torch.tensor(_NOTHING))
        self._encoder = encoder
        self._centres = centres
        self._draw = draw
        self._shelves = [_shelf(encoder, centre) for centre in track(centres, "articles")]
        self._vectors: list[tuple[Tensor, Tensor]] = []

    @property
    def counts(self) -> list[int]:
        """How many questions each company has."""
        return [len(shelf.questions) for shelf in self._shelves]

    def refresh(self) -> None:
        """Bring the vectors by which wrong answers are drawn up to what has been learned."""
        self._vectors = [
            (self._encoder.vectors(shelf.statements), self._encoder.vectors(shelf.questions))
            for shelf in self._shelves
        ]

    def loss(self, company: int, places: Sequence[int]) -> Tensor:
        """The mean of the questions' negative log-probabilities of what answers them, or of "nothing"."""
        asked = [self._centres[company].questions[place] for place in places]
        shelf = self._shelves[company]
        vectors, questions = self._vectors[company]
        if self._draw.random() < _PASSAGES:
            right = [one.passages for one in asked]
            texts, vectors, wrong = shelf.passages, shelf.passage_vectors, _WRONG_PASSAGES
        else:
            right = [one.statements for one in asked]
            texts, wrong = shelf.statements, _WRONG_STATEMENTS
        drawn = frozenset[int]().union(*right)
        for place in places:
            near = torch.topk(vectors @ questions[place], min(_NEAREST, len(texts))).indices.tolist()
            drawn |= set(self._draw.sample(near, min(wrong, len(near))))
        pool = sorted(drawn)
        learned = self._encoder.learn(
            [shelf.questions[place] for place in places] + [texts[place] for place in pool]
        )
        scores = SCALE * learned[: len(places)] @ learned[len(places) :].T
        nothing = (SCALE * self.nothing).expand(len(places), 1)
        chances = torch.log_softmax(torch.cat([scores, nothing], dim=1), dim=1)
        losses = [
            -torch.logsumexp(chances[row, [pool.index(place) for place in answers]], 0)
            if answers
            else -_UNANSWERABLE * chances[row, -1]
            for row, answers in enumerate(right)
        ]
        return torch.stack(losses).mean()

    def measure(self) -> Mapping[str, float]:
        """How well the answers are found, and told from nothing, by cosine alone.

        The last number is the area under the ROC curve of the best cosine: how often a question with an
        answer has a greater one than a question without.
        """
        ranks: list[int] = []
        passage_ranks: list[int] = []
        best: dict[bool, list[float]] = {True: [], False: []}
        for centre, shelf in zip(self._centres, self._shelves, strict=True):
            statements = self._encoder.vectors(shelf.statements)
            passages = self._encoder.vectors(shelf.passages)
            for asked, vector in zip(centre.questions, self._encoder.vectors(shelf.questions), strict=True):
                cosines = statements @ vector
                best[bool(asked.statements)].append(float(cosines.max()))
                if asked.statements:
                    ranks.append(_rank(cosines, asked.statements))
                    passage_ranks.append(_rank(passages @ vector, asked.passages))
        measured: dict[str, list[float]] = {
            "best sentence first": [rank == 0 for rank in ranks],
            "among three": [rank < 3 for rank in ranks],
            "passage among three": [rank < 3 for rank in passage_ranks],
            "answerable told (AUC)": [
                (high > low) + (high == low) / 2 for high, low in product(best[True], best[False])
            ],
        }
        return {name: fmean(values) for name, values in measured.items() if values}


def _shelf(encoder: Encoder, centre: HelpCentre) -> _Shelf:
    passages = encoder.prepare(centre.passages)
    return _Shelf(
        statements=encoder.prepare(centre.statements),
        passages=passages,
        questions=encoder.prepare([asked.text for asked in centre.questions]),
        passage_vectors=encoder.vectors(passages),
    )


def _rank(cosines: Tensor, right: frozenset[int]) -> int:
    """How many texts are nearer than the nearest right one."""
    return int((cosines > cosines[sorted(right)].max()).sum())
