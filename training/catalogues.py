"""What invented companies keep in their sources, and which source a customer's message belongs to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agent.models.catalogue import read_description
from tools import graph_query, sql_lookup, vector_search, web_search
from tools.context import Sources
from tools.errors import BadInput

KEPT_APART = ("Brennick", "Pellumo")
"""The companies that the adapter in use was measured with; nothing was learned from them."""

SOURCES = ("documents", "records", "graph", "web")
"""The sources, as `Routed.source` names them."""

_TOOLS = (vector_search, sql_lookup, graph_query, web_search)
_SMALL_TALK = "none"


@dataclass(frozen=True)
class Routed:
    """A customer's message.

    Attributes:
        text: The customer's words.
        source: Which source to ask first.
        lines: Places of the source's own lines that it is about; none when it is about no line.
    """

    text: str
    source: str
    lines: frozenset[int]


@dataclass(frozen=True)
class Catalogue:
    """What one company's sources say of themselves, and what is asked.

    Attributes:
        company: Its name and what it does.
        lines: For each source: comments and example questions of saved lookups, phrases of relations, titles
            of articles.
        questions: Without small talk, which asks no source.
    """

    company: str
    lines: Mapping[str, tuple[str, ...]]
    questions: tuple[Routed, ...]


@cache
def examples() -> Mapping[str, tuple[str, ...]]:
    """For each source the example questions of the desk's own tool, which every company has."""
    return {
        source: read_description(tool.build(Sources()).description).examples
        for source, tool in zip(SOURCES, _TOOLS, strict=True)
    }


def read(folder: Path) -> list[Catalogue]:
    """The catalogues in `catalogues_*.jsonl`: lines of {company, records, graph, documents, questions}.

    Raises:
        BadInput: There is no such file in the folder.
    """
    files = sorted(folder.glob("catalogues_*.jsonl"))
    if not files:
        raise BadInput(f"there is no catalogues_*.jsonl in {folder}; name its folder with --data")
    return [
        catalogue(json.loads(line))
        for file in files
        for line in file.read_text(encoding="utf-8").splitlines()
    ]


def catalogue(told: Mapping[str, Any]) -> Catalogue:
    """One company's catalogue; see `read`.

    Raises:
        KeyError: A question names a line that is not there.
    """
    named = {
        "records": {one["name"]: (one["comment"], *one["asked_as"]) for one in told["records"]},
        "graph": {one["name"]: (one["forward"], one["inverse"]) for one in told["graph"]},
        "documents": {title: (title,) for titles in told["documents"].values() for title in titles},
        "web": {},
    }
    places: dict[str, dict[str, frozenset[int]]] = {}
    for source, entries in named.items():
        places[source], start = {}, 0
        for name, texts in entries.items():
            places[source][name] = frozenset(range(start, start + len(texts)))
            start += len(texts)
    return Catalogue(
        company=told["company"],
        lines={
            source: tuple(text for texts in entries.values() for text in texts)
            for source, entries in named.items()
        },
        questions=tuple(
            Routed(
                one["q"], one["source"], places[one["source"]][one["line"]] if "line" in one else frozenset()
            )
            for one in told["questions"]
            if one["source"] != _SMALL_TALK
        ),
    )
