"""What documents state: read again where they changed, or where a name in them did."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, cast

from tools.errors import BadInput
from tools.ingest.graph_extract import Extractor, Stated, things_in
from tools.ingest.graph_file import GraphFile
from tools.ingest.graph_lexicon import Lexicon, Name, tokens, wanted
from tools.ingest.graph_model import Unread, checked
from tools.ingest.metadata import front_matter
from tools.stores.graph_passages import ReadPassage
from tools.stores.graph_sources import DOCUMENT, GraphSources, Surface
from tools.stores.graph_types import Audience, EdgeSpec, EntitySpec, Share
from tools.stores.graph_write import ANY_KIND
from tools.stores.passage import Known, Passage

THINGS = ": things in "
"""What stands in the place of `DOCUMENT` in the name of the source of the things a document introduces."""


class Library(Protocol):
    """The documents that are read for edges."""

    def known(self) -> Mapping[str, Known]:
        """Every document by its id."""
        ...

    def passages(self, doc_ids: Sequence[str]) -> Iterable[Passage]:
        """The passages of some documents, in order."""
        ...


@dataclass(frozen=True)
class Reading:
    """What some documents state now, the passages as they were read, and how many were looked at."""

    shares: Mapping[str, Share]
    passages: Sequence[ReadPassage]
    looked: int


class Documents:
    """Reads documents for one graph file."""

    def __init__(
        self, graph: GraphFile, source: str, ontology: str, kept: GraphSources, library: Library
    ) -> None:
        self._graph = graph
        self._source = source
        self._ontology = ontology
        self._kept = kept
        self._library = library
        self._paths: dict[str, str] = {}

    def known(self) -> dict[str, tuple[str, str]]:
        """Every document by its source's name: its id, and the digest of all that it is read by."""
        held = self._library.known()
        self._paths = {doc_id: one.path for doc_id, one in held.items()}
        return {
            f"{self._source}{DOCUMENT}{doc_id}": (doc_id, f"{one.doc_hash} {self._ontology}")
            for doc_id, one in held.items()
        }

    def read(
        self,
        known: Mapping[str, tuple[str, str]],
        changed: Iterable[str],
        gone: Iterable[str],
        declared: Mapping[str, Share],
    ) -> Reading:
        """Read what changed, and the passages in which a name stands that is new, other or gone.

        Args:
            known: See there.
            changed, gone: The sources' names of documents.
            declared: What changed of all that is no document.
        """
        changed = set(changed)
        texts = self._texts(known[name][0] for name in changed)
        found = {name: Share() for gone_one in gone for name in (gone_one, _things(gone_one))}
        for name in changed:
            found[_things(name)] = self._introduced(texts[known[name][0]])
        names, before = self._names({**declared, **found})
        concerned = self._kept.passages_having(f"{self._source}{DOCUMENT}", wanted(set(names) ^ set(before)))
        again = {source for source, _ in concerned if source in known} - changed
        texts |= self._texts(known[name][0] for name in again)
        passages: list[ReadPassage] = []
        looked = 0
        last = {(one.source, one.number): one for one in self._kept.passages(sorted(changed | again))}
        lexicon = Lexicon(names)
        extractor = Extractor(self._graph, lexicon)
        kinds = {one.thing: one.kind for one in names}
        for name in sorted(changed | again):
            doc_id, digest = known[name]
            edges: list[EdgeSpec] = []
            said = self._kept.extracted([passage_digest(one, self._ontology) for one in texts[doc_id]])
            for one in texts[doc_id]:
                own = passage_digest(one, self._ontology)
                old = last.get((name, one.number))
                if old is not None and old.digest == own and (name, one.number) not in concerned:
                    stated = [Stated(*edge) for edge in old.found]
                else:
                    stated = extractor.edges(one.text, one.heading, one.title)
                    looked += 1
                told = tuple((each.src, each.relation, each.dst) for each in stated)
                passages.append(ReadPassage(name, one.number, own, tokens(_all(one)), told))
                stated = [*stated, *checked(said.get(own, ()), _all(one), self._graph, lexicon)]
                edges += [_edge(one, each) for each in dict.fromkeys(stated)]
            ends = dict.fromkeys(end for edge in edges for end in (edge.src, edge.dst))
            found[name] = Share([EntitySpec(end, kinds.get(end, ANY_KIND)) for end in ends], edges, digest)
        return Reading(found, passages, looked)

    def unread(self) -> dict[str, list[Unread]]:
        """The passages that no language model has read yet, by their document's source's name."""
        waiting: dict[str, list[Unread]] = {}
        known = self.known()
        texts = self._texts(doc_id for doc_id, _ in known.values())
        for name, (doc_id, _) in sorted(known.items()):
            digests = [passage_digest(one, self._ontology) for one in texts[doc_id]]
            done = self._kept.extracted(digests)
            for digest, one in zip(digests, texts[doc_id], strict=True):
                if digest not in done:
                    unread = Unread(digest, one.title, one.heading, one.text)
                    waiting.setdefault(name, []).append(unread)
        return waiting

    def _introduced(self, passages: Sequence[Passage]) -> Share:
        """The things that the passages themselves introduce; an empty share where there are none."""
        things = dict(thing for one in passages for thing in things_in(one.text, self._graph))
        specs = [EntitySpec(name, kind) for name, kind in sorted(things.items())]
        return Share(specs, digest=self._ontology if specs else "")

    def _names(self, replaced: Mapping[str, Share]) -> tuple[list[Name], list[Name]]:
        """The names that documents may use, after some sources are replaced and before."""
        old = [one for one in self._kept.surfaces() if DOCUMENT not in one.source]
        new = [one for one in old if one.source not in replaced]
        new += [
            one for name, share in replaced.items() if DOCUMENT not in name for one in _surfaces(name, share)
        ]
        return _usable(new), _usable(old)

    def _texts(self, doc_ids: Iterable[str]) -> dict[str, list[Passage]]:
        texts: dict[str, list[Passage]] = {doc_id: [] for doc_id in sorted(doc_ids)}
        for one in self._library.passages(list(texts)) if texts else ():
            first = not texts[one.doc_id]
            head = head_table(self._paths.get(one.doc_id, ""), one.title) if first else ""
            texts[one.doc_id].append(replace(one, text=f"{head}{one.text}") if head else one)
        return texts


def head_table(path: str, title: str) -> str:
    """A file's front matter as a table about what its title names, to be read as tables are; "" if none."""
    try:
        stated, _ = front_matter(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, BadInput):
        return ""
    cells = {name: value for name, value in stated.items() if "\n" not in value and "|" not in value}
    if not cells:
        return ""
    rows = (["", *cells], ["---"] * (len(cells) + 1), [title, *cells.values()])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows) + "\n"


def passage_digest(passage: Passage, ontology: str) -> str:
    """Of all that a passage is read by, the names that stand in it aside."""
    told = f"{ontology}\0{passage.title}\0{passage.heading}\0{passage.text}"
    return hashlib.sha256(told.encode()).hexdigest()


def _things(name: str) -> str:
    return name.replace(DOCUMENT, THINGS)


def _all(passage: Passage) -> str:
    """All words of a passage that its edges depend on."""
    return f"{passage.title}\n{passage.heading}\n{passage.text}"


def _edge(passage: Passage, stated: Stated) -> EdgeSpec:
    heading = passage.heading.split(" > ")[-1]
    place = f"{passage.doc_id}#{heading}" if heading else passage.doc_id
    audience = cast("Audience", passage.audience)
    return EdgeSpec(stated.src, stated.relation, stated.dst, place, audience, passage.updated)


def _surfaces(source: str, share: Share) -> Iterable[Surface]:
    for one in share.entities:
        for text in dict.fromkeys((one.name, *one.aliases)):
            yield Surface(source, text, one.name, one.kind or ANY_KIND, text == one.name)


def _usable(surfaces: Sequence[Surface]) -> list[Name]:
    """The names for documents: each with its thing's kind, without aliases that two things go by."""
    kinds: dict[str, str] = {}
    owners: dict[str, set[str]] = {}
    for one in surfaces:
        known = kinds.get(one.thing, ANY_KIND)
        if one.kind != ANY_KIND and (known == ANY_KIND or one.kind < known):
            kinds[one.thing] = one.kind
        owners.setdefault(one.text.casefold(), set()).add(one.thing)
    names = {
        Name(one.text, one.thing, kinds.get(one.thing, ANY_KIND))
        for one in surfaces
        if one.is_name or len(owners[one.text.casefold()]) == 1
    }
    return sorted(names, key=lambda name: (name.thing, name.text))
