"""What language models cost, by a table of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent.desk import SupportDesk
from agent.models.provider import LanguageModel
from agent.prices import load_prices
from agent.settings import Settings
from tests.loans import PRICES
from tools.context import Sources
from tools.errors import ConfigurationError


def test_tokens_become_money() -> None:
    """The first name that fits decides; cached tokens have their own price, or the one of all others."""
    prices = load_prices(PRICES)
    assert prices.cost("gpt-5-mini", 1_000_000, 400_000, 500_000) == pytest.approx(1.2 + 0.2 + 4)
    assert prices.cost("gpt-5-nano-2", 1_000_000, 400_000, 500_000) == pytest.approx(1 + 1)
    assert prices.cost("other", 1, 0, 1) is None


def test_no_price_is_made_up() -> None:
    """The table that comes with the desk prices what costs nothing, and no provider's model."""
    prices = load_prices()
    assert prices.cost("extractive", 1000, 0, 1000) == 0
    assert not prices.knows("gpt-5-mini")


def test_a_bound_in_money_needs_prices() -> None:
    """A model without a price, whatever its task, is told when the desk opens, not in mid-question."""
    chosen = Settings(openai_api_key="k").model_copy(update={"model": "gpt-5", "max_cost": 1.0})
    model = LanguageModel(chosen)
    with pytest.raises(ConfigurationError, match=r"DESK_MAX_COST.* gpt-5;.*DESK_PRICES"):
        SupportDesk(chosen, Sources(), model)
    priced = chosen.model_copy(update={"prices": PRICES})
    SupportDesk(priced, Sources(), model)
    with pytest.raises(ConfigurationError, match="no price for other"):
        SupportDesk(priced.model_copy(update={"rewrite_model": "other"}), Sources(), model)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "cannot be read"),
        ("a: [", "is not YAML"),
        ("models: [{name: a, input: -1, output: 0}]", "models.0.input"),
        ("models: [{name: a, price: 1}]", "models.0"),
    ],
)
def test_a_table_that_is_none(tmp_path: Path, text: str | None, told: str) -> None:
    """Whatever is wrong is told in one line with the setting."""
    file = tmp_path / "mine.yaml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigurationError, match=f"DESK_PRICES.*{told}"):
        load_prices(file)
