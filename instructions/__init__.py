"""The prompts, as Markdown files beside this one."""

from functools import cache
from importlib.resources import files
from pathlib import Path


@cache  # asked for at every model call
def read(name: str, folder: Path | None = None) -> str:
    """The text of `NAME.md` in the folder, or of the one that comes with the desk when there is none there.

    Raises:
        FileNotFoundError: There is no such prompt.
    """
    own = folder / f"{name}.md" if folder is not None else None
    if own is not None and own.is_file():
        return own.read_text(encoding="utf-8")
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
