"""The HTML page of graded answers."""

from __future__ import annotations

import io
import json
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from agent.grader.files import GradedItem, grade_lines
from agent.grader.page import Page


class _Reader(HTMLParser):
    """Collects the tags that are open, the marked words and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.marked: list[str] = []
        self.text = ""
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002 - the signature is given
        self.scripts += tag in ("script", "img", "link", "iframe")
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] == "mark":
            self.marked.append(data)


def _page(*lines: dict[str, object]) -> _Reader:
    file = io.StringIO()
    page = Page(file)
    for graded in grade_lines(json.dumps(line) for line in lines):
        assert isinstance(graded, GradedItem)
        page.add(graded)
    page.end()
    reader = _Reader()
    reader.feed(file.getvalue())
    assert not reader.open
    return reader


def test_supported_words_are_marked() -> None:
    """Each claim stands beside its evidence, and the words that both have are marked on both sides."""
    reader = _page(
        {
            "id": "a",
            "claim": "The pot holds 2 litres.",
            "evidence": ["We sell pots. The pot holds 1.5 litres."],
        }
    )
    assert reader.marked.count("pot") == 2
    assert "litres" in reader.marked
    assert "2" not in reader.marked
    assert "We sell pots." in reader.text
    assert "contradicted" in reader.text


def test_the_summary_counts_answers_and_claims() -> None:
    """An answer counts when every claim of it is supported."""
    good = {"id": 1, "claim": "The pot is red.", "evidence": ["The pot is red."]}
    bad = {"answer": "The pot is red. It is new.", "passages": ["The pot is red."]}
    assert "1 of 2 answers are supported throughout" in _page(good, bad).text


@given(st.text(min_size=1, max_size=80), st.text(max_size=80), st.text(max_size=40))
def test_nothing_in_the_texts_becomes_markup(claim: str, evidence: str, name: str) -> None:
    """Whatever the texts hold, the page stays well-formed and loads nothing."""
    line = {"id": name, "question": name, "answer": f"{claim}<script>x</script>", "passages": [evidence]}
    assert _page(line).scripts == 0
