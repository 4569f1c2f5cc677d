"""A small local web: recorded pages behind an HTTP server that speaks Tavily's search API.

With it the real Tavily client runs where there is no network. A page is a Markdown file with the front
matter `url`, `title` and `published`; any folder of such files works.
API: https://docs.tavily.com/documentation/api-reference/endpoint/search
"""

from __future__ import annotations

import json
import math
import re
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tools.errors import BadInput

PAGES = Path(__file__).parent / "web"

_WORD = re.compile(r"[^\W_]+")
_BODY_LIMIT = 1_000_000


@dataclass(frozen=True)
class RecordedPage:
    """One page: its address, its title, the day it was published, and its text."""

    url: str
    title: str
    published: date
    content: str


def read_pages(folder: Path) -> list[RecordedPage]:
    """The pages of a folder, by file name.

    Raises:
        BadInput: A page cannot be read; the line names the file and what to mend.
    """
    return [_read_page(path) for path in sorted(folder.glob("*.md"))]


def _read_page(path: Path) -> RecordedPage:
    import frontmatter
    import yaml

    try:
        post = frontmatter.load(str(path))
        return RecordedPage(
            url=str(post["url"]),
            title=str(post["title"]),
            published=date.fromisoformat(str(post["published"])),
            content=post.content.strip(),
        )
    except (OSError, ValueError, KeyError, yaml.YAMLError) as error:
        raise BadInput(
            f"{path} needs a front matter with url, title and published, such as 2026-12-01"
        ) from error


class Index:
    """Okapi BM25 over title and text, the title counted three times.

    Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the usual
    k1 = 1.2 and b = 0.75.
    """

    def __init__(self, pages: Sequence[RecordedPage], *, k1: float = 1.2, b: float = 0.75) -> None:
        from snowballstemmer import stemmer

        self._stem = stemmer("english")
        self._pages = list(pages)
        self._counts = [Counter(self._terms(f"{page.title} " * 3 + page.content)) for page in self._pages]
        self._lengths = [counts.total() for counts in self._counts]
        self._average = sum(self._lengths) / max(1, len(self._lengths))
        self._documents = Counter(term for counts in self._counts for term in counts)
        self._k1, self._b = k1, b

    def rank(self, query: str, limit: int) -> list[tuple[RecordedPage, float]]:
        """The pages that share a word with the query, best first, each with a score in (0, 1)."""
        terms = set(self._terms(query))
        scored = [(page, self._score(number, terms)) for number, page in enumerate(self._pages)]
        hits = sorted((hit for hit in scored if hit[1] > 0), key=lambda hit: -hit[1])
        return [(page, round(score / (score + 5), 4)) for page, score in hits[:limit]]

    def _score(self, number: int, terms: set[str]) -> float:
        counts = self._counts[number]
        norm = self._k1 * (1 - self._b + self._b * self._lengths[number] / self._average)
        return sum(
            self._rarity(term) * counts[term] * (self._k1 + 1) / (counts[term] + norm)
            for term in terms
            if term in counts
        )

    def _rarity(self, term: str) -> float:
        n = self._documents[term]
        return math.log(1 + (len(self._pages) - n + 0.5) / (n + 0.5))

    def _terms(self, text: str) -> list[str]:
        return [str(word) for word in self._stem.stemWords(_WORD.findall(text.lower()))]


class _Refused(Exception):
    """A request that is answered with this status and these words."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, pages: Sequence[RecordedPage]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.pages = {page.url: page for page in pages}
        self.index = Index(pages)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        try:
            body = self._body()
            answers = {"/search": self._search, "/extract": self._extract}
            answer = answers.get(self.path)
            if answer is None:
                raise _Refused(404, "there is only POST /search and POST /extract")
            if not self.headers.get("Authorization", "").removeprefix("Bearer").strip():
                raise _Refused(401, "Unauthorized: missing or invalid API key.")
            self._send(200, answer(body))
        except _Refused as refused:
            self._send(refused.status, {"detail": {"error": str(refused)}})

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: what a customer searches for belongs in no log."""

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _BODY_LIMIT:
            self.close_connection = True
            raise _Refused(400, "Content-Length is missing or too large.")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except ValueError:
            raise _Refused(400, "The body is not JSON.") from None
        if not isinstance(body, dict):
            raise _Refused(400, "The body is not a JSON object.")
        return body

    def _search(self, body: dict[str, Any]) -> dict[str, Any]:
        query, limit = body.get("query"), body.get("max_results", 5)
        if not isinstance(query, str) or not query.strip():
            raise _Refused(400, "Query is missing.")
        if len(query) > 400:
            raise _Refused(400, "Query is too long. Max query length is 400 characters.")
        if not isinstance(limit, int) or not 0 <= limit <= 20:
            raise _Refused(400, "max_results must be between 0 and 20.")
        results = [
            {
                "url": page.url,
                "title": page.title,
                "content": page.content,
                "score": score,
                "published_date": page.published.isoformat(),
                "raw_content": None,
            }
            for page, score in self.server.index.rank(query, limit)
        ]
        return {"query": query, "answer": None, "images": [], "results": results, "response_time": 0.01}

    def _extract(self, body: dict[str, Any]) -> dict[str, Any]:
        urls = body.get("urls")
        wanted = [urls] if isinstance(urls, str) else urls
        if not isinstance(wanted, list) or not wanted:
            raise _Refused(400, "URLs are missing.")
        pages = self.server.pages
        return {
            "results": [{"url": url, "raw_content": pages[url].content} for url in wanted if url in pages],
            "failed_results": [{"url": url, "error": "not found"} for url in wanted if url not in pages],
            "response_time": 0.01,
        }

    def _send(self, status: int, body: dict[str, Any]) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serve(port: int = 0, pages: Path = PAGES) -> Iterator[str]:
    """Serve the pages of a folder on 127.0.0.1 until the block ends; yields the base URL.

    Args:
        port: The port, or 0 for any free one.
        pages: The folder of recorded pages.

    Raises:
        BadInput: A page cannot be read.
        OSError: The port is taken.
    """
    with _Server(port, read_pages(pages)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()
