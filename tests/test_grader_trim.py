"""Trimming a draft to what is supported."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader import grade
from agent.grader.trim import trimmed
from tools.evidence import Evidence

EVIDENCE = {
    "D1": Evidence(
        "D1",
        "documents",
        "Loans",
        "A book can be borrowed for 28 days. Bring your card. Maps are red. They are new.",
    ),
}
QUESTION = "How long can a book be borrowed?"
GOOD = "A book can be borrowed for 28 days. [D1]"


def _trim(draft: str, question: str = QUESTION) -> str | None:
    return trimmed(draft, grade(draft, EVIDENCE, question), question)


@pytest.mark.parametrize(
    ("draft", "left"),
    [
        (f"{GOOD} Cats paint the hall [D1].", GOOD),
        (f"Cats paint the hall. {GOOD}", GOOD),
        (
            f"{GOOD}\n\n- Bring your card. [D1]\n- Cats paint the hall. [D1]",
            f"{GOOD}\n\n- Bring your card. [D1]",
        ),
        (f"{GOOD} Cats paint the hall. [D1] [D7] Bring your card. [D1]", f"{GOOD} Bring your card. [D1]"),
    ],
)
def test_what_is_not_supported_goes_with_its_ids(draft: str, left: str) -> None:
    """The sentence, its ids and its list marker go; the rest stays as it was, and passes."""
    assert _trim(draft) == left
    assert grade(left, EVIDENCE, QUESTION).passed


@pytest.mark.parametrize(
    "draft",
    [
        GOOD,
        "Cats paint the hall. [D1]",
        f"{GOOD} This holds only for members. [D1]",
        f"{GOOD} Unless it is reserved. [D1]",
        f"{GOOD} Maps cannot be borrowed. [D1]",
        "A book can be kept for ever. [D1] Maps are red. [D1]",
        f"Ask the cats in the hall. [D1] They are new. [D1] {GOOD}",
    ],
)
def test_what_may_not_be_shown_is_not_trimmed(draft: str) -> None:
    """Nothing to cut, nothing left, a limit that would go, a sentence that leans on one that goes, or a
    rest that does not answer."""
    assert _trim(draft) is None


SENTENCES = (
    GOOD,
    "Bring your card. [D1]",
    "Maps are red. [D1]",
    "Cats paint the hall. [D1]",
    "Dogs sing.",
    "Hello!",
)


@given(st.lists(st.sampled_from(SENTENCES), max_size=6), st.sampled_from((" ", "\n", "\n- ", "\n\n")))
def test_what_is_left_passes(parts: list[str], gap: str) -> None:
    """Whatever is cut, what is left says only what is supported, in the draft's own words."""
    draft = gap.join(parts)
    left = _trim(draft)
    if left is not None:
        assert grade(left, EVIDENCE, QUESTION).passed
        assert "Cats" not in left
        assert "Dogs" not in left
        assert GOOD in left
