"""The web store: the real Tavily client against real servers, good and bad."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
import traceback
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from demo.web_server import serve
from tools.errors import ConfigurationError, SourceUnavailable
from tools.stores.web import WebPage, WebStore, _pages, _shortened

KEY = "tvly-secret-4711"


class Scripted(ThreadingHTTPServer):
    """Answers each request with the next `(status, body)`, or with what an exception class stands for:
    ConnectionResetError drops the connection, TimeoutError says nothing until the test ends, and
    InterruptedError sends the answer byte by byte for ever."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), ScriptedHandler)
        self.steps: list[Any] = []
        self.seen: list[dict[str, Any]] = []
        self.over = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class ScriptedHandler(BaseHTTPRequestHandler):
    server: Scripted

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append({"path": self.path, "headers": dict(self.headers), "body": json.loads(raw)})
        step = self.server.steps.pop(0)
        if step is ConnectionResetError:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.rfile.close()
            self.connection.close()
        elif step is TimeoutError:
            self.server.over.wait()
        elif step is InterruptedError:
            self.send_response(200)
            self.end_headers()
            while not self.server.over.wait(0.01):
                self.wfile.write(b" ")
        else:
            status, body = step
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Scripted]:
    """A server that does as its steps say."""
    with Scripted() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield running
        running.over.set()
        running.shutdown()
        thread.join()


def good(**fields: Any) -> tuple[int, dict[str, Any]]:
    page = {"url": "https://a.example/", "title": "A", "content": "Text.", "score": 0.7, **fields}
    return 200, {"results": [page]}


def reason(store: WebStore) -> str:
    """The reason of a failed search, after a look that neither key nor query is anywhere in the error."""
    with pytest.raises(SourceUnavailable) as caught:
        store.search("private words")
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown
    assert "private words" not in str(caught.value)
    assert caught.value.source == "web"
    return caught.value.reason


def test_the_recorded_web_answers_through_the_real_client() -> None:
    """A search gives frozen pages, best first, with address, text, score and date."""
    with serve() as url:
        pages = WebStore(KEY, url).search("strike of the parcel drivers", k=2)
    assert len(pages) == 2
    assert pages[0].score >= pages[1].score
    assert pages[0].url.startswith("https://")
    assert "strike" in pages[0].content
    assert isinstance(pages[0].published, date)
    with pytest.raises(AttributeError):
        pages[0].title = "other"  # type: ignore[misc]


def test_what_is_sent(server: Scripted) -> None:
    """The key goes into the header, and only query and options into the body."""
    server.steps = [good()]
    WebStore(KEY, server.url + "/").search("parcel\n strike", k=3)
    (seen,) = server.seen
    assert seen["path"] == "/search"
    headers = {name.lower(): value for name, value in seen["headers"].items()}
    assert headers["authorization"] == f"Bearer {KEY}"
    assert seen["body"] == {"query": "parcel strike", "max_results": 3, "search_depth": "basic"}


def test_a_reset_is_tried_once_more(server: Scripted) -> None:
    """One dropped connection is forgiven."""
    server.steps = [ConnectionResetError, good()]
    assert WebStore(KEY, server.url).search("x")[0].title == "A"
    assert len(server.seen) == 2


def test_two_resets_are_a_failure(server: Scripted) -> None:
    """A second dropped connection is reported, and there is no third try."""
    server.steps = [ConnectionResetError, ConnectionResetError, good()]
    assert "connection failed" in reason(WebStore(KEY, server.url))
    assert len(server.seen) == 2


@pytest.mark.parametrize("step", [TimeoutError, InterruptedError])
def test_no_answer_in_time(server: Scripted, step: type[Exception]) -> None:
    """A server that is silent, or that dribbles for ever, is given up after the timeout as a whole."""
    server.steps = [step]
    assert (
        reason(WebStore(KEY, server.url, timeout=0.3)) == "no answer within 0.3 seconds; see DESK_WEB_TIMEOUT"
    )
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "malformed"),
        (401, "check TAVILY_API_KEY"),
        (403, "plan"),
        (404, "status 404"),
        (429, "rate limit"),
        (432, "plan"),
        (500, "status 500"),
        (503, "status 503"),
    ],
)
def test_refusals_say_what_to_do(server: Scripted, status: int, words: str) -> None:
    """Each refusal is a line of our own; the server's text, which can quote the key, is never passed on."""
    server.steps = [(status, {"detail": {"error": f"bad key {KEY} for private words"}})]
    assert words in reason(WebStore(KEY, server.url))
    assert len(server.seen) == 1


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", [], {"results": "none"}, {"results": None}])
def test_an_unreadable_answer_is_a_failure(server: Scripted, body: Any) -> None:
    """What is not the API's shape is reported as such, never as an empty result."""
    server.steps = [(200, body)]
    assert "could not be read" in reason(WebStore(KEY, server.url))


def test_nobody_listens() -> None:
    """A refused connection names the setting to look at."""
    with socket.socket() as taken:  # bound, not listening: nothing else can take the port meanwhile
        taken.bind(("127.0.0.1", 0))
        store = WebStore(KEY, f"http://127.0.0.1:{taken.getsockname()[1]}")
        assert reason(store) == "the connection failed; check the network or DESK_WEB_URL"


def test_nothing_found_is_not_a_failure(server: Scripted) -> None:
    """An empty list of results is an empty list."""
    server.steps = [(200, {"results": []})]
    assert WebStore(KEY, server.url).search("x") == []


@pytest.mark.parametrize("key", ["", "two words", "line\nbreak", "schlüssel"])
def test_an_unusable_key(key: str) -> None:
    """A key that no header can carry is refused at once, without being quoted."""
    with pytest.raises(ConfigurationError, match=r"^TAVILY_API_KEY: must be one word of plain characters$"):
        WebStore(key)


@pytest.mark.parametrize(
    "url",
    ["", "search.example", "ftp://search.example", "http://", "http://[", "http://a b", "http://a:99999"],
)
def test_an_unusable_address(url: str) -> None:
    """An address that is not http or https is refused at once."""
    with pytest.raises(ConfigurationError, match=r"^DESK_WEB_URL: "):
        WebStore(KEY, url)


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "file:///etc/passwd", "", "https://", "https://a b/", None, 3]
)
def test_a_page_without_a_usable_address_is_left_out(url: Any) -> None:
    """Only pages that a reader can open by http or https come back."""
    assert _pages(good(url=url)[1]) == []


def test_odd_fields_do_no_harm() -> None:
    """Missing titles, wild scores, hidden characters and unknown dates are made good."""
    (page,) = _pages(good(title=None, content="Pay\u202e now\x00.\n", score=7, published_date="yesterday")[1])
    assert page == WebPage("https://a.example/", "a.example", "Pay now.", 1.0, None)


@pytest.mark.parametrize("text", ["2026-12-01", "2026-12-01T08:00:00Z", "Tue, 01 Dec 2026 08:00:00 GMT"])
def test_dates_in_both_forms(text: str) -> None:
    """The service writes dates in two forms, and both are understood."""
    assert _pages(good(published_date=text)[1])[0].published == date(2026, 12, 1)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["url", "title", "content", "score"]), inner)
    ),
    max_leaves=12,
)


@given(json_values)
def test_any_results_give_pages_or_a_clear_failure(results: Any) -> None:
    """Whatever JSON comes, the outcome is a list of well-formed pages or SourceUnavailable."""
    try:
        pages = _pages({"results": results})
    except SourceUnavailable:
        return
    for page in pages:
        assert page.url.startswith(("http://", "https://"))
        assert page.content
        assert 0 <= page.score <= 1


@given(st.text())
def test_a_query_is_never_longer_than_the_service_takes(query: str) -> None:
    """At most 400 characters are sent, and a short query is sent whole."""
    sent = _shortened(query)
    assert len(sent) <= 400
    if len(query) <= 400:
        assert sent == " ".join(query.split())


def test_a_long_query_is_cut_at_a_word() -> None:
    """The cut falls between words."""
    assert _shortened("parcel " * 100).endswith("parcel")
    assert _shortened("x" * 500) == "x" * 400


async def test_searches_side_by_side() -> None:
    """One store serves several searches at once in a loop, and others in threads."""
    with serve() as url:
        store = WebStore(KEY, url)
        found = await asyncio.gather(
            *(store.find("coffee price") for _ in range(4)),
            *(asyncio.to_thread(store.search, "coffee price") for _ in range(4)),
        )
    assert all(pages == found[0] for pages in found)
    assert found[0]
