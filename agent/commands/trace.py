"""`desk trace`."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

from rich.markup import escape
from rich.tree import Tree

from agent.commands.screen import out, plain, print_json, say
from agent.settings import TRACE_FILE, Settings
from agent.sources import prepared_home
from agent.tracing.lines import Line, count, find_line, read_lines

_SHOWN = 20


def trace(trace_id: str | None, *, as_json: bool) -> int:
    """Show one question as a tree, or the last ones and what all of them add up to."""
    file = prepared_home(Settings.load()) / TRACE_FILE
    if trace_id is not None:
        line = find_line(file, trace_id)
        if as_json:
            print_json(line)
        else:
            out().print(_tree(line), no_wrap=True, overflow="ignore", crop=False)
        return 0
    counters = count(read_lines(file)).model_dump()
    last = list(deque(read_lines(file), _SHOWN))
    if as_json:
        print_json({"counters": counters, "last": last})
        return 0
    if not last:
        say("No question has been recorded yet; see DESK_TRACES.", style="dim")
        return 0
    for line in last:
        say(f"{line['id'][6:14]}  {line['at'][:19].replace('T', ' ')}  {_outcome(line)}")
    say()
    for name, value in counters.items():
        told = (
            ", ".join(f"{key} {number}" for key, number in value.items())
            if isinstance(value, dict)
            else value
        )
        if told:
            say(f"{name.replace('_', ' '):>16}  {told}")
    return 0


def _outcome(line: Line) -> str:
    usage = line.get("usage") or {}
    reason = f" ({line['reason']})" if line.get("reason") else ""
    cost = f", {usage['cost']:.4f} {usage['currency']}" if usage.get("cost") else ""
    tokens = usage.get("input_tokens", 0) + usage.get("output_tokens", 0)
    calls = f"{usage.get('model_calls', 0)} model calls, {tokens} tokens{cost}"
    return f"{line.get('status')}{reason}  {usage.get('seconds', 0):.2f} s, {calls}"


def _tree(line: Line) -> Tree:
    question = f"  {line['question']}" if line.get("question") else ""
    root = Tree(escape(plain(f"{line['id']}  {line.get('model')}  {_outcome(line)}{question}")))
    spans = sorted(line.get("spans", ()), key=lambda span: str(span.get("started")))
    known = {span["id"] for span in spans}
    steps = list(line.get("steps") or ())

    def grow(branch: Tree, parent: str | None) -> None:
        for span in spans:
            if span["parent"] == parent or (parent is None and span["parent"] not in known):
                step = next((one for one in steps if one["tool"] == span["name"]), None)
                if step is not None:
                    steps.remove(step)
                grow(branch.add(escape(plain(_words(span, step)))), span["id"])

    grow(root, None)
    return root


def _words(span: Mapping[str, Any], step: Mapping[str, Any] | None) -> str:
    parts = [f"{span['name']}  {span['seconds']:.3f} s"]
    data = span.get("data") or {}
    if span.get("model"):
        parts.append(str(span["model"]))
    if span.get("tokens"):
        parts.append(", ".join(f"{number} tokens {name}" for name, number in span["tokens"].items()))
    if span["name"] == "grade":
        bad = ", ".join(f"{number} {verdict}" for verdict, number in (data.get("bad") or {}).items())
        parts.append(f"draft {data.get('attempt')}: {data.get('claims')} claims, {bad or 'all supported'}")
    if step is not None:
        parts.append(str(step["error"] or f"{step['found']} found, {step['kept']} kept"))
    if span.get("failed"):
        parts.append("failed")
    return "  ".join(parts)
