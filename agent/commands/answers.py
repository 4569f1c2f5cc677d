"""An answer as a person reads it: the text, then a numbered list of where to look."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.answer import Answer, StepRecord
from agent.commands.screen import say
from tools.context import Step

_IDS = re.compile(r"\[([DRGW]\d+(?:\s*,\s*[DRGW]\d+)*)\]")
_EDGES_SHOWN = 6


def show_answer(answer: Answer) -> None:
    """Print an answer, or a refusal with what was looked at."""
    numbers = Numbers()
    say(numbers.shown(answer.text), style="bold" if answer.status == "answered" else "")
    show_sources(answer, numbers)


def show_sources(answer: Answer, numbers: Numbers) -> None:
    """Print where to look: the sources under their numbers, or under a refusal the steps that were taken."""
    if answer.citations:
        say()
        for citation in sorted(answer.citations, key=lambda one: numbers.of(one.id)):
            say(
                f"{citation.title}  ({citation.source})",
                first=f"{numbers.of(citation.id):>3}. ",
                indent="     ",
                style="cyan",
            )
            say(f"“{' '.join(citation.quote.split())}”", indent="     ")
            for line in where(citation.source, citation.locator):
                say(line, indent="     ", style="dim")
        outdated = dict.fromkeys(title for step in answer.steps for title in step.outdated)
        if outdated:
            say(f"Left out, as there is a newer version: {', '.join(outdated)}", style="dim")
    elif answer.refusal is not None:
        say()
        for step in answer.steps:
            say(step_line(step), indent="     ", style="dim")


class Numbers:
    """Shows ids such as `[D7]` as `[1]`: the number of the source in the list below, by first appearance."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, evidence_id: str) -> int:
        """The number of an id, from 1."""
        return self._numbers.setdefault(evidence_id, len(self._numbers) + 1)

    def shown(self, text: str) -> str:
        """The text with numbers in place of ids."""
        return _IDS.sub(
            lambda match: "".join(f"[{self.of(one.strip())}]" for one in match[1].split(",")), text
        )


def where(source: str, locator: Mapping[str, Any]) -> list[str]:
    """Where to open a piece of evidence, as lines: the file and heading, the SELECT, the edges or the URL."""
    if source == "documents":
        place = " > ".join(
            str(part) for part in (near(locator.get("path", "")), locator.get("heading")) if part
        )
        updated = locator.get("updated")
        return [place + (f"  (updated {updated})" if updated else "")] if place else []
    if source == "records":
        return [" ".join(str(locator.get("sql", "")).split())]
    if source == "graph":
        edges = list(locator.get("edges", ()))
        lines = [edge_line(edge) for edge in edges[:_EDGES_SHOWN]]
        return lines + ([f"and {len(edges) - _EDGES_SHOWN} more"] if len(edges) > _EDGES_SHOWN else [])
    read = str(locator.get("read_at") or "")[:16].replace("T", " ")
    return [str(locator.get("url", "")) + (f"  (read {read} UTC)" if read else "")]


def edge_line(edge: Mapping[str, Any]) -> str:
    """One edge, with the place that states it."""
    stated = edge.get("stated_in") or ()
    places = (stated,) if isinstance(stated, str) else stated
    arrow = f"{edge['src']} -{edge['relation']}-> {edge['dst']}"
    return f"{arrow}  ({', '.join(near(place) for place in places)})" if places else arrow


def step_line(step: Step | StepRecord) -> str:
    """One use of a tool in a few words."""
    asked = ", ".join(str(value) for value in step.arguments.values() if value not in (None, ""))
    result = step.error or f"{step.found} found, {step.kept} kept"
    return f"{step.tool}({asked}): {result}"


def near(path: object) -> str:
    """A path as short as it can be told from here."""
    text = str(path)
    try:
        return str(Path(text).relative_to(Path.cwd()))
    except ValueError:
        return text
