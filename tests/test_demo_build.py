"""The demo company goes into a home of its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent.settings import Settings
from agent.sources import open_documents
from demo import build as demo
from tools.errors import ConfigurationError
from tools.ingest.documents import ingest


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.model_validate({"home": tmp_path / "home"})


@pytest.fixture
def company(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A demo of one document; its folder."""
    folder = tmp_path / "demo"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "lamps.md").write_text("# Lamps\n\nThe Lamp L7 is lit by Bulb B2.\n")
    monkeypatch.setattr(demo, "FOLDER", folder)
    monkeypatch.setattr(demo, "_INPUTS", (folder / "documents",))
    return folder


def test_documents_of_your_own_are_left_alone(settings: Settings, company: Path, tmp_path: Path) -> None:
    """The demo is never mixed with other documents, and the message names the setting."""
    own = tmp_path / "own.md"
    own.write_text("# Ours\n\nWe sell boats.\n")
    ingest([own], open_documents(settings))
    with pytest.raises(ConfigurationError, match=r"DESK_HOME.*documents of your own"):
        demo.build(settings)


def test_a_home_that_another_copy_filled_is_told_as_such(
    settings: Settings, company: Path, tmp_path: Path
) -> None:
    """With the demo of another folder in the home, the message says why it fails and what to set."""
    other = tmp_path / "copy" / "documents"
    shutil.copytree(company / "documents", other)
    ingest([other], open_documents(settings))
    (settings.home / "demo.sha256").write_text("of another version")
    with pytest.raises(ConfigurationError, match=r"has the same id.*set DESK_HOME to a new folder"):
        demo.build(settings)
