"""The direction of imports, and what a first import costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("agent", "tools", "instructions", "demo", "evals")

# A module may import modules of its own layer and of lower ones. The longest prefix that fits decides.
LAYERS = {
    "tools": 0,
    "instructions": 0,
    "agent.answer": 1,
    "agent.grader": 1,
    "agent": 2,
    "demo": 3,
    "agent.cli": 4,
    "agent.__main__": 4,
    "agent.commands": 4,
    "evals": 5,
}
HEAVY = {
    "agents",
    "openai",
    "lancedb",
    "numpy",
    "onnxruntime",
    "psycopg",
    "pydantic",
    "rich",
    "sqlglot",
    "tavily",
}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the project's packages, with its file."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported(path: Path) -> Iterator[tuple[str, int]]:
    """What a file imports of the project, wherever in the file it stands, with the line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from ((name, node.lineno) for name in names if name.split(".")[0] in PACKAGES)


def layer(module: str) -> int:
    """The layer of a module, or of a name in it."""
    parts = module.split(".")
    return next(LAYERS[key] for n in range(len(parts), 0, -1) if (key := ".".join(parts[:n])) in LAYERS)


@pytest.mark.parametrize(("module", "path"), list(modules()), ids=[name for name, _ in modules()])
def test_imports_point_one_way(module: str, path: Path) -> None:
    """A module imports nothing of a higher layer: cli -> desk -> grader -> tools."""
    for name, line in imported(path):
        # The package's own front door loads the desk on demand.
        if module == "agent" and name == "agent.desk.SupportDesk":
            continue
        assert layer(name) <= layer(module), f"{path}:{line}: {module} imports {name}"


def test_the_layers_are_told_apart() -> None:
    """The rule can fail: the desk stands above the grader, and the grader above the tools."""
    assert layer("tools.evidence.Evidence") < layer("agent.grader.grade") < layer("agent.desk.SupportDesk")
    assert layer("agent.desk") < layer("agent.commands.ask") == layer("agent.cli.main")


@pytest.mark.parametrize(
    ("module", "allowed"),
    [
        ("agent.cli", set()),
        ("agent.grader", {"numpy", "pydantic"}),
        ("agent.settings", {"pydantic"}),
        ("tools.evidence", set()),
    ],
)
def test_a_first_import_is_light(module: str, allowed: set[str]) -> None:
    """What everybody imports first brings no heavy library along, so that `desk --help` comes at once."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, {module}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    assert not (HEAVY - allowed) & set(done.stdout.split())
