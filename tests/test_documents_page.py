"""What docs/documents.md says is so: its commands run, its bounds are the code's, its formats are read."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from agent.cli import main
from agent.settings import Settings
from evals.bench import __main__ as bench
from tools.ingest import files, metadata
from tools.stores.embedder import OnnxEmbedder
from tools.stores.rerank import open_reranker

PAGE = (Path(__file__).parent.parent / "docs" / "documents.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)

_OWN = {
    "policies/returns.md": "---\ntitle: Returns\nversion: '2026'\nupdated: 2026-03-01\n---\n"
    "A boat can be returned within 30 days.\n",
    "policies/returns-2024.md": "---\ntitle: Returns\nversion: '2024'\n---\nReturned within 14 days.\n",
    "staff.md": "---\naudience: internal\n---\nThe discount is 15 percent.\n",
    "parts.csv": "Part,Price\nPX-7731,12 euro\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents of one's own, in which the page's commands run one after another."""
    place = tmp_path_factory.mktemp("page")
    for name, text in _OWN.items():
        file = place / "our-docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return place


def lines(word: str) -> list[str]:
    """The page's command lines from the blocks with a word, without their comments."""
    return [
        line.split("  #")[0].strip() for text in BLOCKS if word in text for line in text.splitlines() if line
    ]


@pytest.mark.parametrize("block", ["desk ingest", "desk search", "evals.bench"])
def test_commands_run(
    block: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    embedder: OnnxEmbedder,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each line ends well, one after another, and every search finds something."""
    monkeypatch.chdir(place)
    monkeypatch.setenv("DESK_HOME", str(place / "home"))
    monkeypatch.setattr(OnnxEmbedder, "load", staticmethod(lambda *_: embedder))
    assert lines(block)
    for line in lines(block):
        words = shlex.split(line)
        if words[0] == "desk":
            assert main(words[1:]) == 0, line
        elif words[:3] == ["python", "-m", "evals.bench"]:
            assert bench.main(words[3:]) == 0, line
        else:
            subprocess.run(["bash", "-c", line], check=True)
        told = capsys.readouterr().out
        assert told or words[0] in ("mkdir", "echo", "printf"), line
        assert "No passage" not in told, line


def test_settings_of_a_reranker_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each variable of the example is a setting, and the address is one that is taken for a server."""
    for line in lines("DESK_RERANKER"):
        name, value = line.removeprefix("export ").split("=", 1)
        monkeypatch.setenv(name.strip(), value)
    settings = Settings.load()
    assert settings.reranker.startswith("http")
    assert settings.reranker_model
    assert settings.reranker_key
    assert open_reranker("http://127.0.0.1:8000/v1/rerank", model="m", api_key="k") is not None


def test_bounds_are_those_of_the_code() -> None:
    """Each row of the table of bounds names where it is set, and what is set there."""
    rows = re.findall(r"^\| [^|]+ \| ([\d.]+) \| `([\w.]+)` \|$", PAGE, re.MULTILINE)
    assert len(rows) >= 10
    for value, where in rows:
        module, _, name = where.rpartition(".")
        found = getattr(importlib.import_module(module), name) if module else Settings().max_searches
        assert float(value) == found, where


def test_every_kind_of_file_is_in_the_table() -> None:
    """The formats of the table are those that are read, no more and no fewer."""
    table = PAGE.split("| Kind |")[1].split("\n\n")[0]
    first = [row.split("|")[1] for row in table.splitlines()[2:]]
    assert {*re.findall(r"`(\.\w+)`", " ".join(first))} == files.SUFFIXES


def test_every_metadatum_is_in_the_table() -> None:
    """So are the names of the metadata."""
    table = PAGE.split("| Name |")[1].split("\n\n")[0]
    assert re.findall(r"^\| `(\w+)`", table, re.MULTILINE) == list(metadata.Metadata.__dataclass_fields__)


def test_the_beir_example_is_in_the_format(place: Path) -> None:
    """Five lines, and what they write is JSON."""
    block = next(text for text in BLOCKS if "evals.bench" in text)
    assert len(block.splitlines()) == 5
    for found in re.findall(r"^echo '(.*)' >", block, re.MULTILINE):
        assert "_id" in json.loads(found)
