"""The price table of language models."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

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

    def cost(
        self, model: str, input_tokens: int, cached_input_tokens: int, output_tokens: int
    ) -> float | None:
        """Money for these tokens, of which `cached_input_tokens` are among the sent ones; None: no price."""
        price = next((one for one in self.models if fnmatchcase(model, one.name)), None)
        if price is None:
            return None
        cached = price.input if price.cached_input is None else price.cached_input
        fresh = input_tokens - cached_input_tokens
        return (fresh * price.input + cached_input_tokens * cached + output_tokens * price.output) / _MILLION


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
