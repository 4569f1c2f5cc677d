"""The HTTP client of a language model: what it sends is trimmed to what the server takes, and what comes back
is put right.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any

import httpx2
from openai import DefaultAsyncHttpxClient

from agent.models.mend import Reply, ids_in, without

_reply: ContextVar[Reply | None] = ContextVar("reply", default=None)

# What a server may not know and the desk can do without.
_OPTIONAL = (
    "strict",
    "parallel_tool_calls",
    "stream_options",
    "store",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning_effort",
    "reasoning",
    "verbosity",
    "include",
    "metadata",
    "response_format",
    "text",
)


class Wire:
    """What has been learned of one server, and the client that heeds it.

    Attributes:
        dropped: Fields that the server has refused, and which are no longer sent.
    """

    def __init__(self) -> None:
        self.dropped: set[str] = set()

    def client(self) -> httpx2.AsyncClient:
        """A client for one event loop."""
        return DefaultAsyncHttpxClient(
            verify=_certificates(),
            headers={"Accept-Encoding": "identity"},  # answers are read as they come
            event_hooks={"request": [self._sending], "response": [self._received]},
        )

    def learn(self, refusal: str) -> bool:
        """Take a refusal of a request to heart. Returns whether it is worth sending again."""
        named = {name for name in _OPTIONAL if re.search(rf"(?<![\w.]){name}(?!\w)", refusal)}
        fresh = named - self.dropped
        self.dropped |= fresh
        return bool(fresh)

    async def _sending(self, request: httpx2.Request) -> None:
        body = _json(request.content)
        reply = _reply.get()
        if reply is not None:
            reply.taken |= ids_in(body)
        if self.dropped and body is not None:
            content = json.dumps(without(body, self.dropped)).encode()
            request.stream = httpx2.ByteStream(content)
            request.headers["Content-Length"] = str(len(content))

    async def _received(self, response: httpx2.Response) -> None:
        reply = _reply.get()
        if reply is None or response.status_code != 200:
            return
        streamed = "text/event-stream" in response.headers.get("content-type", "")
        stream = response.stream
        if isinstance(stream, httpx2.AsyncByteStream):
            response.stream = _Mended(stream, _events(stream, reply) if streamed else _whole(stream, reply))


@cache
def _certificates() -> ssl.SSLContext:
    """Loading them takes longer than opening a client, and a script opens one for each event loop."""
    return httpx2.create_ssl_context()


@contextmanager
def reading() -> Iterator[Reply]:
    """Put right the answer of the request that is made in here, and tell how it ended."""
    reply = Reply()
    token = _reply.set(reply)
    try:
        yield reply
    finally:
        _reply.reset(token)


class _Mended(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, parts: AsyncIterator[bytes]) -> None:
        self._inner = inner
        self._parts = parts

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._parts:
            yield part

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _whole(stream: httpx2.AsyncByteStream, reply: Reply) -> AsyncIterator[bytes]:
    content = b"".join([part async for part in stream])
    body = _json(content)
    yield content if body is None else json.dumps(reply.whole(body)).encode()


async def _events(stream: httpx2.AsyncByteStream, reply: Reply) -> AsyncIterator[bytes]:
    rest = b""
    async for part in stream:
        *lines, rest = (rest + part).split(b"\n")
        for line in lines:
            yield _line(line, reply) + b"\n"
    if rest:
        yield _line(rest, reply)


def _line(line: bytes, reply: Reply) -> bytes:
    """A line of an event stream; both APIs write the data of an event on one line."""
    if not line.startswith(b"data:"):
        return line
    if line[5:].strip() == b"[DONE]":
        reply.done()
        return line
    body = _json(line[5:])
    return line if body is None else b"data: " + json.dumps(reply.event(body)).encode()


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None
