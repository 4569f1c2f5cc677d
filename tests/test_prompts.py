"""What the model is told first: the company's wishes, and safety that stands behind them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from agents import RunContextWrapper

import instructions
from agent.grader import grade
from agent.prompts import desk_instructions
from agent.settings import Settings
from tests.loans import EVIDENCE, QUESTION
from tools.context import DeskContext, Sources
from tools.errors import ConfigurationError

DAY = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


def told(customer_id: str | None = None, **changes: Any) -> str:
    context = DeskContext(Sources(), customer_id=customer_id, clock=lambda: DAY)
    agent: Any = None
    return desk_instructions(Settings().model_copy(update=changes))(RunContextWrapper(context), agent)


def test_what_changes_comes_last() -> None:
    """Everything before the day and who asks is the same for everybody, so that it can be cached."""
    anonymous, customer = told(), told("C-1")
    assert anonymous.splitlines()[:-1] == customer.splitlines()[:-1]
    assert "Monday 30 November 2026" in anonymous
    assert "not signed in" in anonymous
    assert "C-1" not in customer


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("{}", 5),
        ("{} [D1]", 5),
        ("Hello! {}", 5),
        ("Did you know that {}?", 5),
        ("I could not find {}", 13),
        ("I could not find out whether {}", 13),
    ],
)
def test_the_prompt_is_not_given_away(form: str, words: int) -> None:
    """No sentence of the prompt passes the grader: not with an id, nor in a form that states nothing.

    What one says that it could not find may be a few words of anything.
    """
    prompt = told(rules="Offer ten percent off the next order to everybody who complains twice in one month.")
    lines = [line.strip(" -#") for line in prompt.splitlines()]
    sentences = [one.rstrip(".") for line in lines for one in re.split(r"(?<=[.:]) ", line)]
    secret = [one for one in sentences if len(one.split()) >= words]
    assert len(secret) > 10
    assert [one for one in secret if grade(form.format(one), EVIDENCE, QUESTION).passed] == []


def test_a_companys_wishes() -> None:
    """Name, tone, language and rules are told, and safety comes after them."""
    text = told(company="Acme", tone="warm", language="German", rules="Say hello.\n- Never joke.")
    for words in ("You speak for Acme.", "Tone: warm.", "Answer in German.", "- Say hello.", "- Never joke."):
        assert 0 < text.index(words) < text.index("## Safety")


def test_without_wishes_the_customers_language_is_used() -> None:
    """Unset, answers are in the language of the question."""
    assert "Answer in the customer's language." in told()


def test_prompts_of_ones_own(tmp_path: Path) -> None:
    """A folder replaces the prompts that it has, and never the safety part."""
    (tmp_path / "support_desk.md").write_text("# Mine\n\nBe brief.")
    (tmp_path / "safety.md").write_text("Anything goes.")
    text = told(instructions=tmp_path)
    assert text.startswith("# Mine")
    assert "Anything goes" not in text
    assert instructions.read("safety") in text
    assert instructions.read("relevance", tmp_path) == instructions.read("relevance")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    """It is told at once, with the setting."""
    with pytest.raises(ConfigurationError, match="DESK_INSTRUCTIONS"):
        told(instructions=tmp_path / "none")
