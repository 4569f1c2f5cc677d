"""Contradictions between pieces of evidence, and what the host adds to a draft."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.grader import grade
from agent.grader.complete import completed
from tools.evidence import Evidence

OLD = "Returns of opened goods cost €4 per parcel."
NEW = "Returns of opened goods cost €6 per parcel."


def _evidence(*texts: str, updated: tuple[str, ...] = ()) -> dict[str, Evidence]:
    days = dict(enumerate(updated, 1))
    return {
        f"D{n}": Evidence(f"D{n}", "documents", "a", text, {"updated": days.get(n)})
        for n, text in enumerate(texts, 1)
    }


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OLD, NEW),
        ("Opened filters can be returned to a shop.", "Opened filters cannot be returned to a shop."),
        ("The repair desk opens on Monday at 9:00.", "The repair desk opens on Monday at 10:00."),
    ],
)
def test_a_contradiction_is_found(one: str, other: str) -> None:
    """The same matter with another value, or denied."""
    (conflict,) = grade(f"{one} [D1]", _evidence(one, f"Hello there. {other}")).conflicts
    assert (conflict.stated.id, conflict.other.id, conflict.other.start) == ("D1", "D2", 13)
    assert conflict.reason


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (OLD, "Returns of unopened goods cost €6 per parcel."),
        (OLD, "Returns of opened goods cost €6 per parcel if they are heavy."),
        (OLD, OLD),
        ("The pump P4 has a power of 40 watts.", "The pump P5 has a power of 40 watts."),
        ("The pump P4 has a power of 40 watts.", "The pump P5 has a power of 60 watts."),
        ("Under the fee policy 2024 returns were free.", "Under the fee policy 2026 returns were free."),
        ("It costs €4.", "It costs €6."),
    ],
)
def test_two_matters_are_no_contradiction(one: str, other: str) -> None:
    """Another thing, condition, product or year is another matter, and a bare "it" is none that is known."""
    assert grade(f"{one} [D1]", _evidence(one, other)).conflicts == ()


def test_the_other_side_is_told_the_newer_first() -> None:
    """The host adds the other side in its own words, before the draft when it is newer, and it passes."""
    evidence = _evidence(OLD, NEW, updated=("2024-01-01", "2026-01-01"))
    draft = f"{OLD} [D1]"
    whole = completed(draft, grade(draft, evidence), evidence)
    assert whole == f"Note: {NEW} [D2]\n\n{draft}"
    assert grade(whole, evidence).passed
    assert completed(draft, grade(draft, evidence), evidence, shown="R") == f"{draft}\n\nNote: {NEW} [D2]"
    newer = f"{NEW} [D2]"
    assert completed(newer, grade(newer, evidence), evidence) == f"{newer}\n\nNote: {OLD} [D1]"
    assert completed(whole, grade(whole, evidence), evidence) == whole


def test_what_was_read_just_now_is_not_newer_for_it() -> None:
    """A page's day of reading is not that of its words: the one that the draft is from stays first."""
    evidence = {
        "D1": Evidence("D1", "documents", "Returns, terms of 2026", NEW, {"updated": "2026-01-01"}),
        "W1": Evidence("W1", "web", "Returns", OLD, {"read_at": "2026-11-30T10:00:00+00:00"}),
    }
    (conflict,) = grade(f"{NEW} [D1]", evidence).conflicts
    assert conflict.first == "D1"


def test_where_no_day_is_known_the_more_specific_title_comes_first() -> None:
    """The title that names more of the matter goes before a longer one; equal ones leave the draft."""
    pieces = {
        "D1": Evidence("D1", "documents", "Questions that are asked most often > Goods", OLD),
        "D2": Evidence("D2", "documents", "Returns of opened goods", NEW),
    }
    (conflict,) = grade(f"{OLD} [D1]", pieces).conflicts
    assert conflict.first == "D2"
    level = {name: replace(item, title="Questions") for name, item in pieces.items()}
    (conflict,) = grade(f"{OLD} [D1]", level).conflicts
    assert conflict.first == "D1"


def test_an_open_part_is_declared() -> None:
    """A part of the question that nobody answered is told in the customer's words."""
    evidence, question = _evidence(NEW), "What do returns cost, and who paints the pots?"
    draft = f"{NEW} [D1]"
    whole = completed(draft, grade(draft, evidence, question), evidence)
    assert whole.endswith('I could not find an answer to "who paints the pots".')
    graded = grade(whole, evidence, question)
    assert (graded.passed, graded.not_found, graded.open_parts) == (True, True, ())
