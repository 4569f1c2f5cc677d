"""The price table of language models."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.settings import Settings
from tools.errors import ConfigurationError

_MILLION = 1_000_000


class Price(BaseModel):
    """What models of one name cost per million tokens; `*` in the name stands for anything."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cached_input: float | None = Field(None, ge=0)


class PriceTable(BaseModel):
    """Prices of models, the first that fits deciding."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    currency: str = "USD"
    models: tuple[Price, ...] = ()

    def knows(self, model: str) -> bool:
        """Whether there is a price for this model."""
        return self._price(model) is not None

    def cost(
        self, model: str, input_tokens: int, cached_input_tokens: int, output_tokens: int
    ) -> float | None:
        """Money for these tokens, of which `cached_input_tokens` are among the sent ones; None: no price."""
        price = self._price(model)
        if price is None:
            return None
        cached = price.input if price.cached_input is None else price.cached_input
        fresh = input_tokens - cached_input_tokens
        return (fresh * price.input + cached_input_tokens * cached + output_tokens * price.output) / _MILLION

    def _price(self, model: str) -> Price | None:
        return next((one for one in self.models if fnmatchcase(model, one.name)), None)


def prices_of(settings: Settings) -> PriceTable:
    """The table that the settings name.

    Raises:
        ConfigurationError: See `load_prices`; or money is bounded and a model of the desk has no price.
    """
    prices = load_prices(settings.prices)
    asked = (settings.chosen_model, settings.chosen_judge, settings.relevance_model, settings.rewrite_model)
    unknown = next((name for name in asked if name and not prices.knows(name)), None)
    if settings.max_cost is not None and unknown is not None:
        raise ConfigurationError(
            f"DESK_MAX_COST: there is no price for {unknown}; name a table that has one in DESK_PRICES"
        )
    return prices


@cache
def load_prices(path: Path | None = None) -> PriceTable:
    """The table of this file, or the one that comes with the desk.

    Raises:
        ConfigurationError: The file cannot be read, or is not such a table.
    """
    try:
        if path is None:
            text = files("agent.models").joinpath("prices.yaml").read_text(encoding="utf-8")
        else:
            text = path.expanduser().read_text(encoding="utf-8")
        return PriceTable.model_validate(yaml.safe_load(text))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not text"
        raise ConfigurationError(f"DESK_PRICES: {path} cannot be read ({reason})") from None
    except yaml.YAMLError:
        raise ConfigurationError(f"DESK_PRICES: {path} is not YAML") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigurationError(f"DESK_PRICES: {path}: {where}: {first['msg'].lower()}") from None
