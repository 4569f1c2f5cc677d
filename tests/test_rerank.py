"""What re-reads the best passages."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tools.errors import ConfigurationError, SourceUnavailable
from tools.stores.documents import DocumentStore
from tools.stores.embedder import OnnxEmbedder
from tools.stores.passage import Passage
from tools.stores.rerank import open_reranker


class _Server(ThreadingHTTPServer):
    """A server of the rerank API: the shortest text fits best. `answer` stands in for that, if it is set."""

    answer: tuple[int, Any] | None = None

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str | None, dict[str, Any]]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/rerank"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.headers["Authorization"], body))
        results = [
            {"index": at, "relevance_score": 1 / len(text)} for at, text in enumerate(body["documents"])
        ]
        results.sort(key=lambda one: -one["relevance_score"])
        status, answer = self.server.answer or (200, {"results": results})
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: Any) -> None:
        """Nothing: pytest's output is for tests."""


@pytest.fixture
def server() -> Iterator[_Server]:
    """A running server."""
    with _Server() as made:
        threading.Thread(target=made.serve_forever, daemon=True).start()
        yield made
        made.shutdown()


def test_server_decides_the_order(server: _Server, tmp_path: Path, embedder: OnnxEmbedder) -> None:
    """The store asks the server with the query, the texts, the model and the key, and ranks as it says."""
    reranker = open_reranker(server.url, model="small", api_key="secret")
    store = DocumentStore.open(str(tmp_path), embedder, reranker=reranker)
    texts = ["A rope, a rope and a rope.", "A saw."]
    for number, text in enumerate(texts):
        plain = ("T", "", text, 0, len(text), "x", None, "public", None, "/x", "h")
        store.replace(str(number), [Passage(str(number), str(number), *plain)])
    assert [hit.passage.text for hit in store.search("rope")] == [texts[1], texts[0]]
    ((key, asked),) = server.seen
    assert (key, asked["model"], asked["query"]) == ("Bearer secret", "small", "rope")
    assert sorted(asked["documents"]) == [f"T\n{text}" for text in texts]


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        ((500, {"error": "secret inside"}), SourceUnavailable, "HTTP 500"),
        ((401, {}), ConfigurationError, "DESK_RERANKER_KEY"),
        ((200, {"results": [{"index": 0, "relevance_score": 1}]}), SourceUnavailable, "each passage"),
        ((200, ["no"]), SourceUnavailable, "each passage"),
    ],
)
def test_server_that_fails_is_one_clear_line(
    server: _Server, answer: tuple[int, Any], error: type[Exception], told: str
) -> None:
    """What the server says is never quoted, and no order is made up in its place."""
    server.answer = answer
    reranker = open_reranker(server.url)
    assert reranker is not None
    with pytest.raises(error, match=told) as caught:
        reranker("rope", ["a", "b"])
    assert "secret" not in str(caught.value)


def test_server_that_is_not_there_is_unavailable(server: _Server) -> None:
    """A refused connection is a source that is down."""
    url = server.url
    server.server_close()
    reranker = open_reranker(url, timeout=1.0)
    assert reranker is not None
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        reranker("rope", ["a"])


def test_kinds() -> None:
    """None is none; a word that means nothing names the setting; a missing package is named."""
    assert open_reranker("none") is None
    with pytest.raises(ConfigurationError, match="DESK_RERANKER"):
        open_reranker("magic")
    try:
        import sentence_transformers  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigurationError, match=r"citedesk\[rerank\]"):
            open_reranker("cross-encoder")
    else:
        assert open_reranker("cross-encoder") is not None
