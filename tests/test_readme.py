"""What the README says is so. Run this file to write the parts that are generated."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
import typer.main

from agent.cli import app
from agent.settings import Settings

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"


def settings_table() -> str:
    """The settings as a table: variable, default, meaning."""
    lines = ["| Variable | Default | Meaning |", "| --- | --- | --- |"]
    for name, field in Settings.model_fields.items():
        variable = field.validation_alias or f"DESK_{name.upper()}"
        default = "" if field.default is None else f"`{field.default}`"
        lines.append(f"| `{variable}` | {default} | {field.description or ''} |")
    return "\n".join(lines)


def commands_table() -> str:
    """The commands with the first line of their help."""
    lines = ["| Command | What it does |", "| --- | --- |"]
    lines += [f"| `desk {name}` | {told.splitlines()[0].rstrip('.')} |" for name, told in commands(app)]
    return "\n".join(lines)


def commands(within: typer.Typer, before: str = "") -> Iterator[tuple[str, str]]:
    """Every command's name, with the groups it is in, and its help."""
    for command in within.registered_commands:
        assert command.callback is not None
        yield before + (command.name or command.callback.__name__), command.callback.__doc__ or ""
    for group in within.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, f"{before}{group.typer_instance.info.name} ")


def example() -> str:
    """The example, as it is run."""
    return f"```python\n{(ROOT / 'examples' / 'run_sync.py').read_text(encoding='utf-8')}```"


GENERATED = {"settings": settings_table, "commands": commands_table, "example": example}


def block(name: str) -> re.Pattern[str]:
    """Where a generated part stands."""
    return re.compile(rf"(<!-- {name} -->\n)(.*?)(<!-- /{name} -->)", re.DOTALL)


def shell_lines() -> list[str]:
    """Every command line in the README's shell blocks, without its comment."""
    blocks = re.findall(r"```bash\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return [line.split("  #")[0].strip() for text in blocks for line in text.splitlines() if line.strip()]


@pytest.mark.parametrize("name", GENERATED)
def test_generated_parts_are_current(name: str) -> None:
    """Settings, commands and example are the code's; `python tests/test_readme.py` writes them anew."""
    found = block(name).search(README.read_text(encoding="utf-8"))
    assert found is not None
    assert found[2] == f"{GENERATED[name]()}\n"


def test_each_setting_is_explained() -> None:
    """No setting stands in the table without a meaning."""
    assert not [name for name, field in Settings.model_fields.items() if not field.description]


@pytest.mark.parametrize("line", [line for line in shell_lines() if line.startswith("desk ")])
def test_command_lines_parse(line: str) -> None:
    """Each `desk` line has only commands, arguments and options that exist."""
    command, arguments = typer.main.get_command(app), shlex.split(line)[1:]
    name: str | None = "desk"
    while hasattr(command, "commands"):
        name, command, arguments = command.resolve_command(typer.Context(command), arguments)
    command.make_context(name, arguments).close()


def test_make_targets_exist() -> None:
    """Each `make` word in the README is a target."""
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    used = set(re.findall(r"`?make ([a-z]+)", README.read_text(encoding="utf-8")))
    assert used
    assert used <= targets


def test_paths_exist() -> None:
    """Each file or folder of the project that the README names is there."""
    named = re.findall(
        r"`((?:agent|tools|instructions|demo|evals|examples|tests)/[\w./]*)`", README.read_text()
    )
    assert named
    assert not [path for path in named if not (ROOT / path).exists()]


def test_the_grader_example_is_true() -> None:
    """The lines about the grader run as they stand and print what the comment says."""
    found = re.search(r"```python\n(from agent\.grader.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    code = found[1]
    printed: list[object] = []
    exec(code, {"print": printed.append})  # noqa: S102 - our own README
    assert [str(one) for one in printed] == re.findall(r"# (\w+)$", code, re.MULTILINE)


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    for part, make in GENERATED.items():
        before, after = re.split(block(part), text)[0], re.split(block(part), text)[-1]
        text = f"{before}<!-- {part} -->\n{make()}\n<!-- /{part} -->{after}"
    README.write_text(text, encoding="utf-8")
