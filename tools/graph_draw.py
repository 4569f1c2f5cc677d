"""Draws the edges of an answer as an SVG: in layers from left to right (K. Sugiyama et al., 1981)."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tools.errors import ConfigurationError
from tools.stores.graph_types import Edge

_MOST = 80  # edges; more than that is a ball of wool
_WIDE = 20  # letters in one line of a box
_BOX = 160
_GAP = 150  # between two layers, for the phrases
_LINE = 16
_ROW = 18  # between two boxes of a layer
_MARGIN = 24
_INK, _PALE, _HOT = "#1f2933", "#f2f5f8", "#fff3d6"
_FONT = "Helvetica, Arial, sans-serif"


def draw(edges: Sequence[Edge], title: str) -> str:
    """The edges as SVG text: a box for each thing, an arrow with its phrase for each edge.

    Args:
        edges: What to draw; beyond 80 the rest is left out, and the title says so.
        title: What stands above; the things that it names are marked.

    Raises:
        ConfigurationError: The packages that draw are not installed.
    """
    try:
        import drawsvg
        from fast_sugiyama import from_edges
    except ImportError:
        raise ConfigurationError("drawing needs two small packages: pip install 'citedesk[draw]'") from None
    distinct = list(dict.fromkeys((edge.src, edge.relation.forward, edge.dst) for edge in edges))
    shown = [edge for edge in distinct if edge[0] != edge[2]][:_MOST]
    things = list(dict.fromkeys(name for src, _, dst in shown for name in (src, dst)))
    number = {name: place for place, name in enumerate(things, 1)}
    lines = {name: textwrap.wrap(name, _WIDE)[:3] or [name[:_WIDE]] for name in things}
    tall = _LINE * max((len(one) for one in lines.values()), default=1) + 12
    layouts = from_edges([(number[src], number[dst]) for src, _, dst in shown], check_layout=False)
    spots, width, height = _spots(layouts, len(things), tall)
    more = f" (the first {_MOST} of {len(distinct)} connections)" if len(distinct) > _MOST else ""
    picture: Any = drawsvg.Drawing(width, height, font_family=_FONT)
    picture.append(drawsvg.Rectangle(0, 0, width, height, fill="white"))
    picture.append(drawsvg.Text(f"{title}{more}", 16, _MARGIN, 30, fill=_INK, font_weight="bold"))
    arrow = drawsvg.Marker(-0.1, -0.5, 0.9, 0.5, scale=8, orient="auto-start-reverse")
    arrow.append(drawsvg.Lines(-0.1, -0.5, -0.1, 0.5, 0.9, 0, fill="#7b8794", close=True))
    joined: dict[tuple[str, str], list[str]] = {}
    for src, phrase, dst in shown:
        back = spots[number[dst]][0] < spots[number[src]][0]  # told against the arrow
        pair = (dst, src) if back else (src, dst)
        joined.setdefault(pair, []).append(f"← {phrase}" if back else phrase)
    out, into = Counter(left for left, _ in joined), Counter(right for _, right in joined)
    for (left, right), phrases in joined.items():
        # Where the curves have spread, so that phrases do not lie upon each other.
        along = 0.3 if into[right] > out[left] else 0.7
        told = " · ".join(sorted(phrases, key=lambda one: one.startswith("←")))
        _arrow(drawsvg, picture, arrow, spots[number[left]], spots[number[right]], told, along)
    for name in things:
        x, y = spots[number[name]]
        fill = _HOT if name in title else _PALE
        box = drawsvg.Rectangle(
            x - _BOX / 2, y - tall / 2, _BOX, tall, rx=6, fill=fill, stroke="#9aa5b1", stroke_width=1
        )
        box.append_title(name)
        picture.append(box)
        named = lines[name]
        for place, line in enumerate(named):
            at = y + (place - (len(named) - 1) / 2) * _LINE
            picture.append(
                drawsvg.Text(line, 12, x, at, fill=_INK, text_anchor="middle", dominant_baseline="central")
            )
    return str(picture.as_svg())


def _spots(
    layouts: Sequence[Any], things: int, tall: float
) -> tuple[dict[int, tuple[float, float]], float, float]:
    """Where the middle of each box is, and the size of the picture: components below each other, layers in
    columns from left to right.
    """
    spots: dict[int, tuple[float, float]] = {}
    below = 56.0
    widest = 400.0
    for positions, *_ in layouts:
        real = [(node, x, y) for node, (x, y) in positions if node <= things]
        ranks = sorted({y for _, _, y in real}, reverse=True)
        bottom = below
        for column, rank in enumerate(ranks):
            here = sorted((x, node) for node, x, y in real if y == rank)
            for row, (_, node) in enumerate(here):
                spots[node] = (
                    _MARGIN + _BOX / 2 + column * (_BOX + _GAP),
                    below + tall / 2 + row * (tall + _ROW),
                )
            bottom = max(bottom, below + len(here) * (tall + _ROW))
        _centre(spots, [node for node, *_ in real], below, bottom - _ROW, tall)
        widest = max(widest, 2 * _MARGIN + len(ranks) * (_BOX + _GAP) - _GAP)
        below = bottom + _ROW
    return spots, widest, below + _MARGIN


def _centre(
    spots: dict[int, tuple[float, float]], nodes: Sequence[int], top: float, bottom: float, tall: float
) -> None:
    """Move each column to the middle of the tallest one."""
    columns: dict[float, list[int]] = {}
    for node in nodes:
        columns.setdefault(spots[node][0], []).append(node)
    for x, here in columns.items():
        free = (bottom - top) - (len(here) * (tall + _ROW) - _ROW)
        for node in here:
            spots[node] = (x, spots[node][1] + free / 2)


def _arrow(
    drawsvg: Any,
    picture: Any,
    arrow: Any,
    start: tuple[float, float],
    end: tuple[float, float],
    phrase: str,
    t: float,
) -> None:
    """A curve between two boxes side by side, its phrase at `t` of its way in [0, 1]."""
    (x1, y1), (x2, y2) = start, end
    back = phrase.startswith("←")
    a, b = x1 + _BOX / 2 + 8 * back, x2 - _BOX / 2 - 8 * (not back)
    bend = (b - a) / 2
    ends = {"marker_start" if back else "marker_end": arrow}
    path = drawsvg.Path(stroke="#7b8794", stroke_width=1.2, fill="none", **ends)
    path.M(a, y1).C(a + bend, y1, b - bend, y2, b, y2)
    picture.append(path)
    x = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * (a + bend) + 3 * (1 - t) * t**2 * (b - bend) + t**3 * b
    y = (1 - t) ** 3 * y1 + 3 * (1 - t) ** 2 * t * y1 + 3 * (1 - t) * t**2 * y2 + t**3 * y2
    label = {"fill": "#52606d", "text_anchor": "middle", "dominant_baseline": "central"}
    picture.append(
        drawsvg.Text(phrase, 10, x, y, stroke="white", stroke_width=4, paint_order="stroke", **label)
    )
