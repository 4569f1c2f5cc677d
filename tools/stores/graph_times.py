"""What was stated of some things at any time, whether it still holds or not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tools.stores.graph_types import Audience, Edge
from tools.stores.graph_walk import WAYS

if TYPE_CHECKING:
    from tools.stores.graph import GraphStore
    from tools.stores.graph_types import Direction

_MOST = 100  # edges
_AT = {
    "out": """
SELECT e.src, e.dst, e.src, e.rel, e.dst FROM entity n JOIN edge e ON e.src = n.id
WHERE n.name = ANY (%(names)s) AND e.rel = %(rel)s AND (e.public OR %(staff)s) ORDER BY 1, 2 LIMIT %(most)s
""",
    "in": """
SELECT e.dst, e.src, e.src, e.rel, e.dst FROM entity n JOIN edge e ON e.dst = n.id
WHERE n.name = ANY (%(names)s) AND e.rel = %(rel)s AND (e.public OR %(staff)s) ORDER BY 1, 2 LIMIT %(most)s
""",
}


def history(
    store: GraphStore, names: Sequence[str], relation: str, direction: Direction, audience: Audience
) -> list[Edge]:
    """All edges of a relation at some things, those too that have ended.

    Raises:
        SourceUnavailable: The database is down or slow.
    """
    with store.walking(relation, audience) as walker:
        asked = {
            "names": list(names),
            "rel": walker.relation,
            "staff": audience == "internal",
            "most": _MOST,
        }
        return [edge for way in WAYS[direction] for edge in walker.edges_of(_AT[way], asked)]
