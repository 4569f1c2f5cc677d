"""What makes a command start sooner. Nothing depends on it: without it everything works, only later."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quick_start() -> Iterator[None]:
    """Open things in here: no looking for garbage, and pydantic models are built when first used.

    The libraries below the desk define some two thousand pydantic models while they are imported, of which a
    question uses a few dozen; `defer_build` is pydantic's own setting for that, here made the default for
    models that say nothing. Opening also makes a great many objects that all stay, so that a collection
    finds nothing. Measured together: about half of the processor time of the imports.
    """
    defaults = _pydantic_defaults()
    before = defaults.get("defer_build", False)
    gc.disable()
    defaults["defer_build"] = True
    try:
        yield
    finally:
        defaults["defer_build"] = before
        gc.freeze()
        gc.enable()


def _pydantic_defaults() -> dict[str, object]:
    """Pydantic's defaults, which have no public name; an empty dict when they are not where they were."""
    try:
        from pydantic._internal._config import config_defaults
    except ImportError:
        return {}
    return config_defaults  # type: ignore[return-value]
