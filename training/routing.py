"""The second lesson: which source a question belongs to, and which line of its catalogue it is about."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import TypeVar

import torch
from rich.progress import track
from torch import Tensor, nn

from training.answering import SCALE
from training.catalogues import SOURCES, Catalogue, examples
from training.model import Encoder

_T = TypeVar("_T")

_EXAMPLES = 8  # drawn for each source and batch from the tools' example questions
_LINES = 14  # and from the company's own lines, beside those asked about
_LINE = 0.5  # weight of the right line beside the right source
_LESSON = 0.7  # weight of the lesson beside the other


class Routing:
    """Questions, each with its source and mostly a line of its company's catalogue."""

    batch = 24

    def __init__(self, encoder: Encoder, catalogues: Sequence[Catalogue], draw: random.Random) -> None:
        """Put all texts of the catalogues and of the tools' descriptions through the frozen layers."""
        self._encoder = encoder
        self._catalogues = catalogues
        self._draw = draw
        self._examples = {source: encoder.prepare(texts) for source, texts in examples().items()}
        self._lines = [
            {source: encoder.prepare(one.lines[source]) for source in SOURCES}
            for one in track(catalogues, "catalogues")
        ]
        self._questions = [encoder.prepare([asked.text for asked in one.questions]) for one in catalogues]

    @property
    def counts(self) -> list[int]:
        """How many questions each company has."""
        return [len(questions) for questions in self._questions]

    def loss(self, company: int, places: Sequence[int]) -> Tensor:
        """The mean of the questions' negative log-probabilities of their source, and in it of their line."""
        asked = [self._catalogues[company].questions[place] for place in places]
        pool: list[Tensor] = []
        columns: dict[str, list[int]] = {}
        of_line: dict[tuple[str, int], int] = {}
        for source in SOURCES:
            start = len(pool)
            pool += _drawn(self._draw, self._examples[source], _EXAMPLES)
            own = self._lines[company][source]
            lines = set(_drawn(self._draw, range(len(own)), _LINES))
            lines = lines.union(*(one.lines for one in asked if one.source == source))
            for line in sorted(lines):
                of_line[source, line] = len(pool)
                pool.append(own[line])
            columns[source] = list(range(start, len(pool)))
        learned = self._encoder.learn([*(self._questions[company][place] for place in places), *pool])
        scores = SCALE * learned[: len(places)] @ learned[len(places) :].T
        by_source = torch.stack([torch.logsumexp(scores[:, columns[source]], 1) for source in SOURCES], 1)
        wanted = torch.tensor([SOURCES.index(one.source) for one in asked])
        loss = nn.functional.cross_entropy(by_source, wanted, reduction="sum")
        for row, one in enumerate(asked):
            if one.lines:
                right = [of_line[one.source, line] for line in one.lines]
                total = by_source[row, SOURCES.index(one.source)]
                loss = loss + _LINE * (total - torch.logsumexp(scores[row, right], 0))
        return _LESSON * loss / len(places)

    def measure(self) -> Mapping[str, float]:
        """How often the nearest text is the right source's, and the nearest line the right saved lookup's."""
        known = {source: self._encoder.vectors(texts) for source, texts in self._examples.items()}
        sources: list[bool] = []
        lookups: list[bool] = []
        for at, catalogue in enumerate(self._catalogues):
            lines = {
                source: self._encoder.vectors(texts) for source, texts in self._lines[at].items() if texts
            }
            questions = self._encoder.vectors(self._questions[at])
            for asked, vector in zip(catalogue.questions, questions, strict=True):
                sources.append(_nearest_source(vector, known, lines) == asked.source)
                if asked.source == "records":
                    lookups.append(int((lines["records"] @ vector).argmax()) in asked.lines)
        measured = {"source of a question": sources, "saved lookup": lookups}
        return {name: fmean(values) for name, values in measured.items() if values}


def _nearest_source(vector: Tensor, known: Mapping[str, Tensor], lines: Mapping[str, Tensor]) -> str:
    """The source of the text that is nearest, among the tools' examples and the company's own lines."""
    return max(
        SOURCES,
        key=lambda source: max(
            float((texts[source] @ vector).max()) for texts in (known, lines) if source in texts
        ),
    )


def _drawn(draw: random.Random, texts: Sequence[_T], count: int) -> list[_T]:
    return draw.sample(texts, min(count, len(texts)))
