"""The cases: questions with what must come of them, as schema-checked YAML."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter

FOLDER = Path(__file__).parent
Tool = Literal["vector_search", "sql_lookup", "graph_query", "web_search"]


class _Case(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    question: str
    customer: str | None = None
    staff: bool = False
    before: tuple[str, ...] = ()
    """Earlier questions of the same conversation, asked first."""
    held_out: bool = False
    """Never looked at while tuning: the honest number."""


class RoutingCase(_Case):
    """A question and the tools it should reach, none for small talk."""

    tools: tuple[Tool, ...]


class AnswerCase(_Case):
    """A question and what its answer must hold."""

    tools: tuple[Tool, ...] | None = None
    """The tools that it should reach as well, where the case says."""
    expect: Literal["answered", "refused", "conversational"]
    must: tuple[str, ...] = ()
    """Facts that must stand in the answer; `|` parts alternatives."""
    must_not: tuple[str, ...] = ()
    """Facts that must not stand in it."""
    cites: tuple[str, ...] = ()
    """Where the citations may point: parts of a path, a URL, a SELECT, a title or a name."""


C = TypeVar("C", bound=_Case)


def routing_cases() -> list[RoutingCase]:
    """All cases of `evals/routing*.yaml`."""
    return list(_read("routing*.yaml", TypeAdapter(list[RoutingCase])))


def answer_cases() -> list[AnswerCase]:
    """All cases of `evals/answers*.yaml`."""
    return list(_read("answers*.yaml", TypeAdapter(list[AnswerCase])))


def _read(pattern: str, kind: TypeAdapter[list[C]]) -> Iterable[C]:
    seen: set[str] = set()
    for path in sorted(FOLDER.glob(pattern)):
        for case in kind.validate_python(yaml.safe_load(path.read_text(encoding="utf-8"))):
            if case.id in seen:
                raise ValueError(f"{path.name}: the id {case.id} stands twice")
            seen.add(case.id)
            yield case
