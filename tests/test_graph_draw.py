"""The picture of an answer."""

from __future__ import annotations

import sys
from xml.etree import ElementTree

import pytest

from tools.errors import ConfigurationError
from tools.graph_draw import draw
from tools.stores.graph_types import Edge, Relation

NEEDS = Relation("needs", "needs", "is needed by")
_SVG = "{http://www.w3.org/2000/svg}"


def drawn(edges: list[Edge], title: str = "Booking") -> tuple[ElementTree.Element, str]:
    """The picture as XML, and all that is written in it."""
    root = ElementTree.fromstring(draw(edges, title))  # noqa: S314 - our own picture
    return root, " ".join("".join(one.itertext()) for one in root.iter(f"{_SVG}text"))


def test_each_thing_is_a_box_and_each_edge_an_arrow() -> None:
    """Names and phrases stand in the picture once; two edges between the same things share an arrow."""
    owns = Relation("owns", "owns", "is owned by")
    edges = [
        Edge("Booking", NEEDS, "Billing"),
        Edge("Billing", NEEDS, "Vault"),
        Edge("Booking", owns, "Billing"),
    ]
    root, written = drawn([*edges, edges[0]])
    boxes = [one for one in root.iter(f"{_SVG}rect") if one.find(f"{_SVG}title") is not None]
    assert {one.findtext(f"{_SVG}title") for one in boxes} == {"Booking", "Billing", "Vault"}
    assert len(boxes) == 3
    assert "owns" in written
    spots = {one.findtext(f"{_SVG}title"): (float(one.get("x", 0)), float(one.get("y", 0))) for one in boxes}
    assert len(set(spots.values())) == 3
    assert len({spots[name][0] for name in ("Booking", "Billing", "Vault")}) == 3  # a layer for each


def test_what_is_asked_about_is_marked() -> None:
    """The things that the title names have a colour of their own."""
    root, _ = drawn([Edge("Booking", NEEDS, "Billing")])
    fill = {one.findtext(f"{_SVG}title"): one.get("fill") for one in root.iter(f"{_SVG}rect")}
    assert fill["Booking"] != fill["Billing"]


def test_names_are_text_and_cycles_are_drawn() -> None:
    """No name adds to the picture, things may need each other, and what needs itself alone is left out."""
    bad = '<script>alert(1)</script>"&'
    root, written = drawn([Edge(bad, NEEDS, "A"), Edge("A", NEEDS, bad), Edge("A", NEEDS, "A")])
    assert root.find(f".//{_SVG}script") is None
    assert "alert(1)" in written


def test_too_many_edges_are_cut_and_that_is_said() -> None:
    """Beyond 80 the rest is left out, with the numbers in the title."""
    _, written = drawn([Edge("Booking", NEEDS, f"Thing {n}") for n in range(100)])
    assert "the first 80 of 100 connections" in written
    assert "Thing 79" in written
    assert "Thing 80" not in written


def test_without_the_packages_it_is_told_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra."""
    monkeypatch.setitem(sys.modules, "drawsvg", None)
    with pytest.raises(ConfigurationError, match=r"pip install 'citedesk\[draw\]'"):
        draw([Edge("A", NEEDS, "B")], "A")
