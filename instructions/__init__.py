"""The prompts, as Markdown files beside this one."""

from functools import cache
from importlib.resources import files


@cache  # asked for at every model call
def read(name: str) -> str:
    """The text of `instructions/NAME.md`.

    Raises:
        FileNotFoundError: There is no such prompt.
    """
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
