"""What the embedder has learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tools.stores import adapter
from tools.stores.embedder import OnnxEmbedder


def test_the_archive_is_small_and_plain() -> None:
    """It is read without pickle, holds pairs of matrices for known places, and stays below a megabyte."""
    assert adapter.FILE.stat().st_size < 1_000_000
    with np.load(adapter.FILE, allow_pickle=False) as learned:
        for key in learned.files:
            layer, matrix, part = key.split(".")
            assert layer.isdigit()
            assert matrix in adapter.MATRICES
            assert part in ("up", "down")
            assert np.isfinite(learned[key]).all()


def test_another_model_is_refused(tmp_path: Path) -> None:
    """A model without the matrices that were learned for is not touched."""
    ids = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 2])
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 2])
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2, 2], [1.0, 0.0, 0.0, 1.0])
    node = helper.make_node("MatMul", ["x", "w"], ["y"], name="node_MatMul_1")
    file = tmp_path / "small.onnx"
    onnx.save(helper.make_model(helper.make_graph([node], "small", [ids], [out], [weight])), str(file))
    before = file.read_bytes()
    with pytest.raises(ValueError, match="does not fit"):
        adapter.adapt(file)
    assert file.read_bytes() == before


def test_what_answers_is_nearer_than_what_shares_words(embedder: OnnxEmbedder) -> None:
    """The reason for the adapter: a sentence that answers beats one that only speaks of the same things."""
    cases = [
        (
            "my gran lives on an island, can you bring it there?",
            "Remote regions are served by boat twice a week.",
            "An island kitchen has room for four.",
        ),
        (
            "it smells burnt when I switch it on",
            "A scorched odour at first use is harmless and fades within an hour.",
            "The switch is on the right side.",
        ),
        (
            "my card got declined",
            "A payment fails when the bank does not approve the amount.",
            "A loyalty card is made of recycled paper.",
        ),
    ]
    for question, answer, beside in cases:
        asked, right, wrong = embedder.embed([question, answer, beside])
        assert asked @ right > asked @ wrong + 0.03
