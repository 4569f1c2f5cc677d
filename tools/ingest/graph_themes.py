"""Makes the themes of a graph: communities by the Leiden algorithm, each with a summary of what is in it.

Leiden (V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing well-connected
communities", Scientific Reports, 2019) groups things so that more edges run inside the groups than chance
would have it; groups that are too large to be told are divided again, which makes the levels. The graph is
given in one order and with one seed, so that the same graph has the same themes. A theme whose things and
edges are what they were keeps its summary, also one that a model wrote.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.errors import ConfigurationError
from tools.graph_text import plural_noun
from tools.graph_themes import ranked
from tools.row_text import sentence_list
from tools.stores.graph_themes import AUDIENCES, GraphThemes, Link, Theme
from tools.stores.graph_types import Audience

if TYPE_CHECKING:
    from tools.stores.graph import GraphStore

_LARGEST = 40  # things in a theme that is not divided any more
_SMALLEST = 3
_SEED = 1
_NAMES = 3  # in a title
_KINDS = 4  # that a summary tells


@dataclass(frozen=True)
class Refreshed:
    """How many themes there are now, and how many of them are new or other than before."""

    themes: int
    changed: int


@dataclass(frozen=True)
class Group:
    """A community: its number, its level, the one it is a part of, and its things' names."""

    number: int
    level: int
    parent: int | None
    things: frozenset[str]


def refresh(store: GraphStore, progress: Callable[[str], None] = lambda _: None) -> Refreshed:
    """Make the themes anew, and summaries for those that changed.

    Raises:
        ConfigurationError: The package that finds them is not installed.
        SourceUnavailable: The graph cannot be reached, or there is none.
    """
    kept = GraphThemes(store)
    version = kept.version()
    before = {one.digest: one for audience in AUDIENCES for one in kept.all(audience)}
    found: list[tuple[Audience, Theme, Sequence[tuple[int, int]]]] = []
    for audience in AUDIENCES:
        progress(f"finding {audience} themes")
        links = kept.links(audience)
        ids = {one.src: one.src_id for one in links} | {one.dst: one.dst_id for one in links}
        inside = _inside(links, groups(links))
        for group, edges in inside:
            theme, degrees = _theme(group, edges, before)
            found.append((audience, theme, [(ids[name], degree) for name, degree in degrees.items()]))
    kept.replace(found, version)
    digests = {theme.digest for _, theme, _ in found}
    return Refreshed(len(digests), len(digests - before.keys()))


def groups(links: Sequence[Link]) -> list[Group]:
    """The communities of some edges, the largest of each level first, numbered in that order.

    Raises:
        ConfigurationError: The package that finds them is not installed.
    """
    try:
        from graspologic_native import hierarchical_leiden
    except ImportError:
        raise ConfigurationError("themes need a small package: pip install 'citedesk[themes]'") from None
    if not links:
        return []
    pairs = Counter((min(one.src, one.dst), max(one.src, one.dst)) for one in links)
    edges = [(a, b, float(times)) for (a, b), times in sorted(pairs.items())]
    things: dict[int, set[str]] = {}
    places: dict[int, tuple[int, int | None]] = {}
    for one in hierarchical_leiden(edges, max_cluster_size=_LARGEST, seed=_SEED):
        things.setdefault(one.cluster, set()).add(one.node)
        places[one.cluster] = (one.level, one.parent_cluster)
    kept = [cluster for cluster, names in things.items() if len(names) >= _SMALLEST]
    kept.sort(key=lambda one: (places[one][0], -len(things[one]), min(things[one])))
    number = {cluster: place for place, cluster in enumerate(kept, 1)}
    return [
        Group(number[one], level, None if parent is None else number[parent], frozenset(things[one]))
        for one in kept
        for level, parent in [places[one]]
    ]


def _inside(links: Sequence[Link], found: Sequence[Group]) -> list[tuple[Group, list[Link]]]:
    """Each group with the edges that run inside it."""
    of: dict[str, list[Group]] = {}
    for group in found:
        for name in group.things:
            of.setdefault(name, []).append(group)
    edges: dict[int, list[Link]] = {group.number: [] for group in found}
    for link in links:
        for group in of.get(link.src, ()):
            if link.dst in group.things:
                edges[group.number].append(link)
    return [(group, edges[group.number]) for group in found]


def _theme(
    group: Group, links: Sequence[Link], before: Mapping[str, Theme]
) -> tuple[Theme, Mapping[str, int]]:
    """The group as a theme, and the degree of each of its things."""
    told = sorted((one.src, one.src_kind, one.phrase, one.dst, one.dst_kind) for one in links)
    digest = hashlib.sha256(repr(told).encode()).hexdigest()
    degrees = Counter(name for one in links for name in (one.src, one.dst))
    old = before.get(digest)
    if old is None:
        kinds = {one.src: one.src_kind for one in links} | {one.dst: one.dst_kind for one in links}
        order = sorted(degrees, key=lambda name: (-degrees[name], name))
        title, summary, writer = sentence_list(order[:_NAMES]), _summary(order, degrees, kinds), ""
    else:
        title, summary, writer = old.title, old.summary, old.written_by
    theme = Theme(
        group.number,
        group.level,
        group.parent,
        digest,
        title,
        summary,
        writer,
        old is not None and old.asked,
        len(group.things),
        len(links),
    )
    return theme, degrees


def _summary(order: Sequence[str], degrees: Mapping[str, int], kinds: Mapping[str, str]) -> str:
    """What is most connected, in all and of each kind of which there are several."""
    of_kind: dict[str, list[tuple[str, int]]] = {}
    for name in order:
        of_kind.setdefault(kinds[name], []).append((name, degrees[name]))
    several = sorted(
        (kind for kind, things in of_kind.items() if things[1:]), key=lambda kind: -len(of_kind[kind])
    )
    told = [ranked("things", [(name, degrees[name]) for name in order])]
    told += [
        ranked(plural_noun(kind), of_kind[kind])
        for kind in several[:_KINDS]
        if len(of_kind[kind]) < len(order)
    ]
    return " ".join(told)
