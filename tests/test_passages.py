"""Markdown to passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tools.ingest.passages import (
    PASSAGE_TOKENS,
    WHOLE_TOKENS,
    estimate_tokens,
    first_heading,
    split_passages,
)

_BLOCKS = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(
            [
                "# Top",
                "## Under",
                "Underlined\n===",
                "- a\n- b\n  - c",
                "1. x\n2. y",
                "> said",
                "```\ncode\n```",
            ]
        ),
        st.sampled_from(
            ["| a | b |\n| --- | --- |\n| 1 | 2 |", "---", "<!-- note -->", "<b>bold</b>", "[r]: /x"]
        ),
        st.integers(1, 60).map(lambda n: "Water boils at different heights. " * n),
        st.integers(1, 150).map(lambda n: "| a | b |\n| --- | --- |\n" + "| one thing | another |\n" * n),
        st.integers(1, 150).map(lambda n: "- a point to remember\n" * n),
        st.integers(1, 3000).map(lambda n: "x" * n),
    ),
    max_size=12,
)


@given(_BLOCKS)
def test_passages_are_spans_in_order_and_nothing_is_lost(blocks: list[str]) -> None:
    """Spans are exact and in order, and only headings, comments and rules may be in none of them."""
    text = "\n\n".join(blocks).replace("\r\n", "\n").replace("\r", "\n")
    spans = split_passages(text)
    reached = 0
    for span in spans:
        assert reached <= span.start < span.end <= len(text)
        inside = text[span.start : span.end]
        assert inside == inside.strip()
        reached = span.end
    covered = {index for span in spans for index in range(span.start, span.end)}
    left = "".join(char if index not in covered else "\n" for index, char in enumerate(text))
    for line in left.splitlines():
        stripped = line.strip()
        is_silent = "<!--" in stripped or set(stripped) <= set("-*_= \t")
        assert not stripped or is_silent or stripped.startswith("#") or stripped == "Underlined"


@given(_BLOCKS)
def test_passages_stay_within_bounds(blocks: list[str]) -> None:
    """No passage is longer than a whole table may be, apart from the heading line in front."""
    text = "\n\n".join(blocks).replace("\r\n", "\n").replace("\r", "\n")
    for span in split_passages(text):
        assert estimate_tokens(text[span.start : span.end]) <= WHOLE_TOKENS + 60


def test_passage_begins_with_its_heading_and_knows_those_above() -> None:
    """The first passage of a section holds the heading line; the path names the headings around it."""
    text = "# Manual\n\nFor all.\n\n## Care\n\n### Filter\n\nRinse it.\n\n## Storage\n\nKeep dry.\n"
    found = [(text[span.start : span.end], span.headings) for span in split_passages(text)]
    assert found == [
        ("# Manual\n\nFor all.", ("Manual",)),
        ("### Filter\n\nRinse it.", ("Manual", "Care", "Filter")),
        ("## Storage\n\nKeep dry.", ("Manual", "Storage")),
    ]


def test_front_matter_is_left_out() -> None:
    """With `begin` the spans still point into the whole text, and what lies before it is in none."""
    text = "---\ntitle: T\n---\n# H\n\nBody."
    (span,) = split_passages(text, text.index("# H"))
    assert text[span.start : span.end] == "# H\n\nBody."
    assert first_heading(text, text.index("# H")) == "H"


def test_list_stays_with_its_introduction() -> None:
    """A list of more than a passage's length stays in one piece with the line that introduces it."""
    items = "".join(f"- point number {number} of the list\n" for number in range(40))
    text = f"Some words before.\n\nMind the following:\n\n{items}"
    assert PASSAGE_TOKENS < estimate_tokens(items) < WHOLE_TOKENS
    pieces = [text[span.start : span.end] for span in split_passages(text)]
    assert f"Mind the following:\n\n{items.strip()}" in pieces


def test_code_stays_whole_and_a_heading_in_it_is_none() -> None:
    """Code of more than a passage's length stays in one piece with its introduction, whatever is in it."""
    code = "```\n" + "# A remark\n\nboat.row(to=shore)\n" * 22 + "```"
    text = f"# Rowing\n\nRun this:\n\n{code}\n"
    assert PASSAGE_TOKENS < estimate_tokens(code) <= WHOLE_TOKENS
    (span,) = split_passages(text)
    assert text[span.start : span.end] == text.rstrip()
    assert span.headings == ("Rowing",)


def test_long_table_is_cut_between_rows_and_keeps_its_columns() -> None:
    """A table that is too long is cut between rows, and each later piece names the columns."""
    rows = [f"| tool {number} | {number} euro |" for number in range(120)]
    text = "\n".join(["## Prices", "", "| Tool | Price |", "| --- | --- |", *rows])
    first, *later = split_passages(text)
    assert later
    assert first.headings == ("Prices",)
    assert {span.headings for span in later} == {("Prices", "Columns: Tool, Price")}
    assert [line for span in later for line in text[span.start : span.end].split("\n")] == rows[-len(rows) :][
        len(rows) - sum(text[span.start : span.end].count("\n") + 1 for span in later) :
    ]


def test_long_paragraph_is_cut_between_sentences() -> None:
    """The pieces of a long paragraph are whole sentences."""
    text = " ".join(f"This is sentence number {number}, and it is not short." for number in range(60))
    pieces = [text[span.start : span.end] for span in split_passages(text)]
    assert len(pieces) > 1
    assert all(piece.startswith("This") and piece.endswith("short.") for piece in pieces)
    assert all(estimate_tokens(piece) <= PASSAGE_TOKENS for piece in pieces)
