"""What of a draft may be shown while it is written."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader import Grade, grade
from agent.live import LiveDraft
from tests.loans import EVIDENCE, FALSE, HARMLESS, MARKS_OF_FALSE, QUESTION, TRUE

drafts = st.lists(
    st.tuples(st.sampled_from(TRUE * 3 + FALSE + HARMLESS), st.sampled_from([" ", "\n", "\n\n"])), max_size=6
).map(lambda parts: "".join(text + gap for text, gap in parts))


def check(text: str) -> Grade:
    return grade(text, EVIDENCE, QUESTION, unreached=())


def cut(text: str, places: Sequence[int]) -> list[str]:
    """The text in pieces that end at these places."""
    ends = sorted({place % (len(text) + 1) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(ends)]


@given(
    messages=st.lists(drafts, min_size=1, max_size=3), places=st.lists(st.integers(0, 10_000), max_size=40)
)
def test_nothing_ungraded_is_shown(messages: list[str], places: list[int]) -> None:
    """Whatever is written, wherever it is cut: what was shown passes the grader on its own, at any time."""
    live = LiveDraft(check)
    shown = ""
    for message in messages:
        live.begin()
        for piece in cut(message, places):
            new = live.feed(piece)
            shown += new
            assert shown == live.said
            if new:
                assert check(shown).passed
                assert check(shown).claims
                assert not any(mark in shown for mark in MARKS_OF_FALSE)
        text, graded = live.finish(message)
        assert text.startswith(shown)
        if graded.passed:
            shown += live.show(text)
            break
    assert shown == live.said
    assert not shown or check(shown).passed


@given(st.text(alphabet="[]D12 .!\n-*|#aZ0…", max_size=120), st.lists(st.integers(0, 200), max_size=20))
def test_any_text_is_taken(text: str, places: list[int]) -> None:
    """No draft makes it raise, and nothing that is shown ever changes."""
    live = LiveDraft(check)
    shown = "".join(live.feed(piece) for piece in cut(text, places))
    assert shown == live.said
    assert live.finish(text)[0].startswith(shown)


def feed(live: LiveDraft, text: str) -> list[str]:
    return [new for char in text if (new := live.feed(char))]


def test_a_sentence_comes_when_the_next_begins() -> None:
    """A true sentence is shown with its id as soon as another one follows, and the rest at the end."""
    live = LiveDraft(check)
    assert feed(live, f"{TRUE[0]} {TRUE[1]}") == [TRUE[0]]
    text, graded = live.finish(f"{TRUE[0]} {TRUE[1]}")
    assert graded.passed
    assert live.show(text) == f" {TRUE[1]}"


def test_an_unfinished_sentence_is_not_shown() -> None:
    """Words that would pass alone wait for the condition that may follow them."""
    live = LiveDraft(check)
    assert feed(live, "A reserved book cannot be renewed [D2] unless") == []
    assert feed(live, " nobody waits. [D2] And") == []


def test_an_id_at_the_end_of_the_paragraph_serves_all_of_it() -> None:
    """Sentences without an id of their own are shown together with the one that has it."""
    live = LiveDraft(check)
    paragraph = "A reserved book cannot be renewed. Bring your card. [D2]"
    assert feed(live, f"{paragraph}\n\n{TRUE[0]}") == [paragraph]


def test_a_draft_that_states_nothing_is_not_shown_before_its_end() -> None:
    """A greeting or a gap alone may become a refusal, so it waits."""
    live = LiveDraft(check)
    assert feed(live, "Hello! I could not find anything else. Hello!") == []


def test_after_a_false_sentence_nothing_more_is_shown() -> None:
    """What was shown before it stays; what follows waits for the repair."""
    live = LiveDraft(check)
    assert feed(live, f"{TRUE[0]} {FALSE[0]} {TRUE[1]} {TRUE[1]}") == [TRUE[0]]
    assert not live.finish(f"{TRUE[0]} {FALSE[0]} {TRUE[1]}")[1].passed


def test_a_repair_goes_on_behind_what_was_shown() -> None:
    """A second message that repeats the first is shown without the repetition."""
    live = LiveDraft(check)
    feed(live, f"{TRUE[0]} {FALSE[0]} ")
    live.begin()
    second = f"{TRUE[0]} {TRUE[1]}"
    feed(live, second)
    text, graded = live.finish(second)
    assert graded.passed
    live.show(text)
    assert live.said == f"{TRUE[0]}\n\n{TRUE[1]}"


def test_a_message_that_is_not_what_was_streamed() -> None:
    """When the whole message differs from its pieces, it goes on behind what was shown."""
    live = LiveDraft(check)
    feed(live, f"{TRUE[0]} Then")
    text, graded = live.finish(TRUE[1])
    assert graded.passed
    assert text == f"{TRUE[0]}\n\n{TRUE[1]}"


def test_what_was_shown_cannot_be_taken_back() -> None:
    """Another text than the one that was begun is refused."""
    live = LiveDraft(check)
    feed(live, f"{TRUE[0]} Then")
    with pytest.raises(ValueError, match="taken back"):
        live.show(TRUE[1])
