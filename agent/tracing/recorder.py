"""The SDK's tracing processor that writes each question as one line of JSON."""

from __future__ import annotations

import json
import os
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

from agents.tracing import Span, Trace, TracingProcessor
from agents.tracing.span_data import (
    AgentSpanData,
    CustomSpanData,
    FunctionSpanData,
    GenerationSpanData,
    GuardrailSpanData,
    ResponseSpanData,
    TurnSpanData,
)

FILE = "citedesk_file"
"""The key of a trace's metadata that says where its line goes; other traces are not recorded."""
CONTENT = "citedesk_content"
"""The key that says whether texts are recorded too."""

_LARGEST = 50_000_000  # bytes; then the file is put aside once as `….1`


class Recorder(TracingProcessor):
    """Collects the spans of each question and writes them when it ends. Safe from several threads."""

    def __init__(self) -> None:
        self._open: dict[str, list[dict[str, Any]]] = {}
        self._content: dict[str, bool] = {}
        self._lock = threading.Lock()

    def on_trace_start(self, trace: Trace) -> None:
        """Begin a question."""
        metadata = _metadata(trace)
        if FILE in metadata:
            with self._lock:
                self._open[trace.trace_id] = []
                self._content[trace.trace_id] = bool(metadata.get(CONTENT))

    def on_span_start(self, span: Span[Any]) -> None:
        """Nothing is known of a span before it ends."""

    def on_span_end(self, span: Span[Any]) -> None:
        """Keep what a span tells."""
        spans = self._open.get(span.trace_id)
        if spans is None:
            return
        told = _told(span.span_data, self._content.get(span.trace_id, False))
        seconds = _seconds(span.started_at, span.ended_at)
        error = {"failed": True} if span.error else {}
        place = {"id": span.span_id, "parent": span.parent_id, "started": span.started_at}
        spans.append({**place, **told, "seconds": seconds, **error})

    def on_trace_end(self, trace: Trace) -> None:
        """Write the question's line."""
        with self._lock:
            spans = self._open.pop(trace.trace_id, None)
            self._content.pop(trace.trace_id, None)
        if spans is None:
            return
        outcome = next((span.pop("data") for span in spans if span["name"] == "answer"), {"status": "failed"})
        line = {
            "id": trace.trace_id,
            "at": datetime.now().astimezone().isoformat(timespec="milliseconds"),
            "conversation": getattr(trace, "group_id", None),
            **outcome,
            "spans": [span for span in spans if span["name"] != "answer"],
        }
        with self._lock:
            _append(Path(_metadata(trace)[FILE]), json.dumps(line, ensure_ascii=False, default=str))

    def shutdown(self) -> None:
        """Nothing is held back."""

    def force_flush(self) -> None:
        """Nothing is held back."""


def _metadata(trace: Trace) -> dict[str, Any]:
    return getattr(trace, "metadata", None) or {}


def _told(data: Any, content: bool) -> dict[str, Any]:
    """What a span is called, and the figures in it; its texts only with `content`."""
    match data:
        case AgentSpanData():
            return {"name": "run"}
        case TurnSpanData():
            return {"name": f"turn {data.turn}"}
        case ResponseSpanData():
            texts = {"input": data.input, "output": _dumped(data.response)} if content else {}
            model = data.response.model if data.response else None
            return {"name": "model", "model": model, "tokens": _tokens(data.usage), **texts}
        case GenerationSpanData():
            texts = {"input": data.input, "output": data.output} if content else {}
            return {"name": "model", "model": data.model, "tokens": _tokens(data.usage), **texts}
        case FunctionSpanData():
            texts = {"input": data.input, "output": data.output} if content else {}
            return {"name": data.name, **texts}
        case GuardrailSpanData():
            return {"name": data.name, "triggered": data.triggered}
        case CustomSpanData():
            return {"name": data.name, "data": dict(data.data)}
    return {"name": str(data.type)}


def _dumped(response: Any) -> Any:
    return [item.model_dump(mode="json") for item in response.output] if response else None


def _tokens(usage: Any) -> dict[str, int]:
    found = usage or {}
    return {name: found[f"{name}_tokens"] for name in ("input", "output") if f"{name}_tokens" in found}


def _seconds(started: str | None, ended: str | None) -> float:
    if not started or not ended:
        return 0.0
    return round((datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds(), 4)


def _append(file: Path, line: str) -> None:
    """Add a line; a trace that cannot be written must not cost the answer."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and file.stat().st_size > _LARGEST:
            file.replace(file.with_name(f"{file.name}.1"))
        # One write of one line to a file opened for appending is whole, whoever else writes.
        handle = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(handle, f"{line}\n".encode())
        finally:
            os.close(handle)
    except OSError:
        return
