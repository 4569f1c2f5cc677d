"""Edges that a language model finds in passages: in batches, within a budget, no passage twice.

The model only proposes. What it says is kept as it is, so that nothing is paid for twice; an edge counts when
its relation is one of the graph's, both names are known and stand in the passage, and their kinds fit.
"""

from __future__ import annotations

import html
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field, create_model

from tools.ingest.graph_extract import Stated
from tools.ingest.graph_file import GraphFile
from tools.ingest.graph_lexicon import Lexicon

_BATCH = 6  # passages in one call
_LETTERS = 4  # of a token, about
_BESIDE = 400  # tokens of instructions and schema that go with each call, about
_OUT = 120  # tokens of an answer about one passage, about


@dataclass(frozen=True)
class Unread:
    """A passage that no model has read yet: the digest it is kept under, where it stands, and its text."""

    digest: str
    title: str
    heading: str
    text: str


@dataclass(frozen=True)
class Reply:
    """A model's answer in the shape asked for, None where it gave none; and the tokens that it took."""

    answer: BaseModel | None
    input_tokens: int
    output_tokens: int


Ask = Callable[[str, type[BaseModel], int | None], Reply]
"""Asks a model: what it is given, the shape of its answer, and the most tokens that the answer may have."""

Room = Callable[[int, int], int | None]
"""How many tokens may still be made once so many were sent and made; None where there is no limit."""

Found = tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Estimate:
    """What reading some passages will take, about."""

    passages: int
    calls: int
    input_tokens: int
    output_tokens: int


@dataclass(frozen=True)
class Spent:
    """What was read, and what it took; `left` passages were not begun, or their answer could not be used."""

    passages: int
    left: int
    input_tokens: int
    output_tokens: int


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Edge(_Closed):
    src: str
    relation: str
    dst: str


class _Passage(_Closed):
    number: int
    edges: list[_Edge]


class _Answer(_Closed):
    passages: list[_Passage]


def estimate(graph: GraphFile, unread: Sequence[Unread]) -> Estimate:
    """About what it will take to read these passages."""
    batches = _batches(unread)
    return Estimate(len(unread), len(batches), sum(_sent(graph, one) for one in batches), _OUT * len(unread))


def read(
    graph: GraphFile,
    unread: Sequence[Unread],
    ask: Ask,
    keep: Callable[[Mapping[str, Found]], None],
    room: Room = lambda _sent, _got: None,
    progress: Callable[[str], None] = lambda _: None,
) -> Spent:
    """Have a model read the passages, batch by batch; a batch whose answer is of no use is asked in halves.

    Args:
        keep: Called with what each batch brought, by digest; what was kept is not asked again.
        room: No call is begun that may go over it.

    Raises:
        SourceUnavailable: The model cannot be reached; the batches before it are kept.
    """
    shape = _shape(graph)
    waiting = deque(_batches(unread))
    done = sent = got = 0
    each = _OUT
    while waiting:
        batch = waiting.popleft()
        most = room(sent + _sent(graph, batch), got)
        if most is not None and most < each * len(batch):
            break
        reply = ask(_given(graph, batch), shape, most)
        sent, got = sent + reply.input_tokens, got + reply.output_tokens
        each = max(each, reply.output_tokens // len(batch))
        found = _by_digest(cast("_Answer", reply.answer), batch) if reply.answer else {}
        if not found and batch[1:]:
            waiting.extendleft((batch[len(batch) // 2 :], batch[: len(batch) // 2]))
        keep(found)
        done += len(found)
        progress(f"{done} of {len(unread)} passages read by the model")
    return Spent(done, len(unread) - done, sent, got)


def checked(
    found: Iterable[tuple[str, str, str]], text: str, graph: GraphFile, names: Lexicon
) -> list[Stated]:
    """Of what a model said about a passage that which the passage can state: see the module.

    Args:
        text: All words of the passage, with its title and headings.
    """
    there = {one.thing: one.kind for one in names.find(text)}
    kept = []
    for src, relation, dst in found:
        ends = [next((one.thing for one in names.find(name)), None) for name in (src, dst)]
        told = graph.relations.get(relation)
        if told is None or ends[0] == ends[1] or None in ends or not {*ends} <= there.keys():
            continue
        fits = (not told.source or there[str(ends[0])] in told.source) and (
            not told.target or there[str(ends[1])] in told.target
        )
        if fits:
            kept.append(Stated(str(ends[0]), relation, str(ends[1])))
    return list(dict.fromkeys(kept))


def _batches(unread: Sequence[Unread]) -> list[Sequence[Unread]]:
    return [unread[start : start + _BATCH] for start in range(0, len(unread), _BATCH)]


def _sent(graph: GraphFile, batch: Sequence[Unread]) -> int:
    """About how many tokens a call sends."""
    return _BESIDE + len(_given(graph, batch)) // _LETTERS


def _given(graph: GraphFile, batch: Sequence[Unread]) -> str:
    """The relations with what they mean, and the passages, fenced as data."""
    relations = [
        f"- {name}: <src> {one.forward} <dst>; that is, <dst> {one.inverse} <src>"
        for name, one in graph.relations.items()
    ]
    passages = [
        f'<passage number="{number}" title="{html.escape(f"{one.title} > {one.heading}")}">\n'
        f"{html.escape(one.text, quote=False)}\n</passage>"
        for number, one in enumerate(batch, 1)
    ]
    return "\n".join(["Relations:", *relations, "", *passages])


def _shape(graph: GraphFile) -> type[BaseModel]:
    """The answer's shape. A server that holds to schemas is shown the relations; what another one makes up
    is no reason to lose the rest of its answer.
    """
    named: Any = Annotated[str, Field(json_schema_extra={"enum": list(graph.relations)})]
    edge = create_model("Edge", __base__=_Edge, relation=(named, ...))
    passage = create_model("Passage", __base__=_Passage, edges=(list[edge], ...))
    return create_model("Connections", __base__=_Answer, passages=(list[passage], ...))


def _by_digest(answer: _Answer, batch: Sequence[Unread]) -> dict[str, Found]:
    """What was said about each passage; nothing for those that the answer leaves out."""
    return {
        batch[one.number - 1].digest: tuple((edge.src, edge.relation, edge.dst) for edge in one.edges)
        for one in answer.passages
        if 1 <= one.number <= len(batch)
    }
