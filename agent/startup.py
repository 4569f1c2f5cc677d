"""What makes a command start sooner. Nothing depends on it: without it everything works, only later."""

from __future__ import annotations

import gc
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec
from types import ModuleType


@contextmanager
def quick_start() -> Iterator[None]:
    """Open things in here: no looking for garbage, and pydantic models are built when first used.

    The libraries below the desk define some two thousand pydantic models while they are imported, of which a
    question uses a few dozen; `defer_build` is pydantic's own setting for that, here made the default for
    models that say nothing. Opening also makes a great many objects that all stay, so that a collection
    finds nothing. Measured together: about half of the processor time of the imports.
    """
    put_off("lance_namespace_urllib3_client")  # the REST client of a catalogue service that a folder has not
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


def put_off(package: str) -> None:
    """Let a package's own code run when something of it is first asked for; its submodules load as ever.

    Nothing happens when it is imported already or not installed.
    """
    if package in sys.modules:
        return
    spec = importlib.util.find_spec(package)
    if spec is None or spec.loader is None:
        return
    sys.modules[package] = _Later.of(spec)


class _Later(ModuleType):
    """A package that is filled at the first look at a name that it does not have."""

    @classmethod
    def of(cls, spec: ModuleSpec) -> ModuleType:
        """The empty package of this spec."""
        module = importlib.util.module_from_spec(spec)
        module.__class__ = cls
        return module

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__class__ = ModuleType  # type: ignore[assignment]
        loader = self.__spec__.loader if self.__spec__ else None
        if loader is not None:
            loader.exec_module(self)
        return getattr(self, name)


def _pydantic_defaults() -> dict[str, object]:
    """Pydantic's defaults, which have no public name; an empty dict when they are not where they were."""
    try:
        from pydantic._internal._config import config_defaults
    except ImportError:
        return {}
    return config_defaults  # type: ignore[return-value]
