"""What the embedder has learned for a support desk: small low-rank additions to the model's weights.

Low-rank adaptation after Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models" (2021). It was
learned from customers' questions to invented companies, each with the sentence, passage or saved lookup
that answers it; `training/` holds the questions and the script. The file is a plain NumPy archive, read
without pickle.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path

import numpy as np

FILE = Path(__file__).with_name("adapter.npz")
# The weight matrices of one layer, in the order in which the model multiplies by them.
MATRICES = ("query", "key", "value", "attended", "widened", "narrowed")
_MULTIPLICATION = re.compile(r"node_MatMul_(\d+)")


@lru_cache(maxsize=1)
def digest() -> str:
    """The file's SHA-256, in hexadecimal: vectors made with another one are not comparable."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()


def adapt(model: Path) -> None:
    """Add what was learned to the weights of the ONNX model, in place.

    Args:
        model: all-MiniLM-L6-v2 with float weights, as `onnxruntime` folds it.

    Raises:
        ValueError: The model does not have the expected matrices.
    """
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(model))
    weights = {tensor.name: tensor for tensor in graph.graph.initializer}
    numbered = sorted(
        (int(found[1]), node.input[1])
        for node in graph.graph.node
        if node.op_type == "MatMul" and (found := _MULTIPLICATION.fullmatch(node.name))
        if node.input[1] in weights
    )
    names = [name for _, name in numbered]
    with np.load(FILE, allow_pickle=False) as learned:
        layers = len(names) // len(MATRICES)
        wanted = {key.rpartition(".")[0] for key in learned.files}
        places = {
            f"{layer}.{matrix}": names[layer * len(MATRICES) + at]
            for layer in range(layers)
            for at, matrix in enumerate(MATRICES)
        }
        if not wanted <= places.keys():
            raise ValueError(f"{FILE.name} does not fit the embedding model")
        for place in sorted(wanted):
            tensor = weights[places[place]]
            up, down = (learned[f"{place}.{part}"].astype(np.float32) for part in ("up", "down"))
            added = numpy_helper.to_array(tensor) + (up @ down).T
            tensor.CopyFrom(numpy_helper.from_array(added.astype(np.float32), tensor.name))
    onnx.save(graph, str(model))
