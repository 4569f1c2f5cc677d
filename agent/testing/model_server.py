"""A real HTTP server that speaks OpenAI's Responses and Chat Completions, with scripted answers."""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from agent.testing import chat_wire, responses_wire
from agent.testing.steps import (
    Broken,
    Calls,
    Empty,
    Hang,
    HttpError,
    Malformed,
    Quirks,
    Refusal,
    Reply,
    Reset,
    Scripted,
    Step,
    Text,
)
from agent.testing.wire import PATHS, Api, error_event, fault

_WIRES = {"responses": responses_wire, "chat": chat_wire}


@dataclass(frozen=True)
class SeenRequest:
    """One request that reached a scripted step.

    Attributes:
        api: Which API was called.
        headers: Its headers, with names in lower case.
        body: Its JSON.
    """

    api: Api
    headers: Mapping[str, str]
    body: Mapping[str, Any]


class ModelServer:
    """Answers each request with the next step of a script. Use it as a context manager.

    A request that the real service would refuse (no key, a tool call without its output) is refused likewise
    and uses up no step. When the steps have run out, the answer is the step `otherwise`, or status 400, which
    no client retries.

    Args:
        steps: The script.
        otherwise: What is done when the script has run out, again and again.
        latency: Seconds before each answer.
        capacity: How many answers are worked on at once, the others waiting; None for any number.
        quirks: How the server differs from the service.

        with ModelServer(Calls.one("search", query="x"), Text("Found it.")) as server:
            client = AsyncOpenAI(api_key="any", base_url=server.base_url)
    """

    def __init__(
        self,
        *steps: Step,
        otherwise: Step | None = None,
        latency: float = 0.0,
        capacity: int | None = None,
        quirks: Quirks | None = None,
    ) -> None:
        self.latency = latency
        self.slots = threading.Semaphore(capacity) if capacity else contextlib.nullcontext()
        self.quirks = quirks or Quirks()
        self._otherwise = otherwise
        self._steps = deque(steps)
        self._lock = threading.Lock()
        self._requests: list[SeenRequest] = []
        self._released = threading.Event()
        self._http = _Server(self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    @property
    def base_url(self) -> str:
        """What a client takes as `base_url`."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def requests(self) -> list[SeenRequest]:
        """The requests so far, in order."""
        with self._lock:
            return list(self._requests)

    def add(self, *steps: Step) -> None:
        """Append steps to the script."""
        with self._lock:
            self._steps.extend(steps)

    def release(self) -> None:
        """Let every request that hangs go."""
        self._released.set()

    def __enter__(self) -> ModelServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.release()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def take(self, request: SeenRequest) -> Scripted:
        """Record a request and give the step for it."""
        with self._lock:
            self._requests.append(request)
            beyond = HttpError(400, f"the script has no step for request {len(self._requests)}")
            step = self._steps.popleft() if self._steps else self._otherwise or beyond
        return step(dict(request.body)) if callable(step) else step

    def wait(self) -> None:
        """Block until released."""
        self._released.wait()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, script: ModelServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        api = PATHS.get(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if api is None:
            self._fail(HttpError(404, f"there is no POST {self.path}"))
            return
        if not self.headers.get("Authorization", "").removeprefix("Bearer").strip():
            self._fail(HttpError(401, "You didn't provide an API key."))
            return
        body = json.loads(raw)
        if refused := fault(api, body, self.server.script.quirks):
            self._fail(HttpError(400, refused))
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.script.slots:
            time.sleep(self.server.script.latency)
            step = self.server.script.take(SeenRequest(api, headers, body))
        self._perform(step, api, body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: a test's output is its own."""

    def _perform(self, step: Scripted, api: Api, body: dict[str, Any]) -> None:
        match step:
            case Text() | Calls() | Refusal() | Empty() if body.get("stream"):
                self._stream(self._events(step, api, body))
            case Text() | Calls() | Refusal() | Empty():
                self._send(200, json.dumps(self._whole(step, api, body)))
            case HttpError():
                self._fail(step)
            case Malformed():
                self._send(200, step.body)
            case Broken():
                self._break(step, api, body)
            case Hang():
                self.server.script.wait()
                self._drop()
            case Reset():
                self._drop()

    def _events(self, reply: Reply, api: Api, body: dict[str, Any]) -> list[str]:
        told: list[str] = _WIRES[api].events(reply, body, self.server.script.quirks)
        return told

    def _whole(self, reply: Reply, api: Api, body: dict[str, Any]) -> dict[str, Any]:
        told: dict[str, Any] = _WIRES[api].whole(reply, body, self.server.script.quirks)
        return told

    def _break(self, step: Broken, api: Api, body: dict[str, Any]) -> None:
        if body.get("stream"):
            sent = self._events(step.answer, api, body)
            sent = sent[: int(len(sent) * step.after)]
            kind = "text/event-stream"
        else:
            text = json.dumps(self._whole(step.answer, api, body))
            sent = [text[: int(len(text) * step.after)]]
            kind = "application/json"
        if step.how == "garbage":
            sent.append('data: {"id": \n\n')
        elif step.how == "error":
            sent.append(error_event(api))
        self._stream(sent, kind)
        if step.how == "reset":
            self._drop()

    def _fail(self, error: HttpError) -> None:
        kind = "invalid_request_error" if error.status < 500 else "server_error"
        body = {"error": {"message": error.message, "type": kind, "param": None, "code": None}}
        again = (
            {"retry-after-ms": "1"}
            if error.retry_after is None
            else {"retry-after": f"{error.retry_after:g}"}
        )
        self._send(error.status, json.dumps(body), again)

    def _send(self, status: int, body: str, headers: Mapping[str, str] | None = None) -> None:
        data = body.encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(OSError):  # the client may have gone
            self.wfile.write(data)

    def _stream(self, parts: Sequence[str], kind: str = "text/event-stream") -> None:
        self.close_connection = True  # without a length, the end of the connection is the end of the stream
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        with contextlib.suppress(OSError):
            for part in parts:
                self.wfile.write(part.encode())
                self.wfile.flush()

    def _drop(self) -> None:
        self.close_connection = True
        # Lingering for zero seconds makes the kernel send a reset in place of an orderly end.
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()  # the socket is only let go when nothing reads from it
        self.connection.close()
