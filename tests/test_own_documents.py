"""A company of documents alone: what is answered where two of them disagree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent import SupportDesk
from agent.commands.answers import show_answer
from agent.settings import Settings
from agent.sources import open_documents
from tools.ingest.documents import ingest
from tools.stores.embedder import OnnxEmbedder

_DOCUMENTS = {
    "policies/returns.md": "---\ntitle: Returns policy 2026\nversion: '2026'\n---\n"
    "Unused boats can be returned within 30 days of purchase.\n",
    "policies/returns-old.md": "---\ntitle: Returns policy 2024\nversion: '2024'\n---\n"
    "Unused boats can be returned within 14 days of purchase.\n",
    "policies/warranty.md": "---\ntitle: Warranty policy for canoes\n---\n"
    "The warranty on a canoe hull lasts 36 months from the day of purchase.\n",
    "faq.md": "# Questions that we are asked most often by our customers\n\n## Warranty\n\n"
    "The warranty on a canoe hull lasts 24 months from the day of purchase.\n",
    "desk/a.md": "---\ntitle: Paddle hire\n---\nHiring a paddle for a weekend costs €12.\n",
    "desk/b.md": "---\ntitle: Paddle rent\n---\nHiring a paddle for a weekend costs €15.\n",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, embedder: OnnxEmbedder) -> Iterator[SupportDesk]:
    """A desk over the documents of a boat yard, without a key and without records."""
    place: Path = tmp_path_factory.mktemp("yard")
    for name, text in _DOCUMENTS.items():
        file = place / "docs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    settings = Settings.model_validate({"home": place / "home", "model": "extractive"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OnnxEmbedder, "load", staticmethod(lambda *_: embedder))
        assert not ingest([place / "docs"], open_documents(settings)).failed
        with SupportDesk.open(settings) as opened:
            yield opened


def test_the_newer_version_answers_and_the_older_is_named(
    desk: SupportDesk, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text has the newer version's words alone; the step and the lines under it name the older one."""
    answer = desk.ask_sync("How long after purchase can I return an unused boat?")
    assert answer.status == "answered"
    assert "30 days" in answer.text
    assert "14 days" not in answer.text
    assert answer.steps[0].outdated == ("Returns policy 2024",)
    show_answer(answer)
    assert "Returns policy 2024" in capsys.readouterr().out


def test_the_more_specific_is_answered_from_and_the_other_shown(desk: SupportDesk) -> None:
    """Without days the policy, whose title names the matter, goes before the general questions."""
    answer = desk.ask_sync("How long does the warranty on a canoe hull last?")
    assert answer.status == "answered"
    assert 0 <= answer.text.find("36 months") < answer.text.find("24 months")
    assert {citation.title.partition(" > ")[0] for citation in answer.citations} == {
        "Warranty policy for canoes",
        "Questions that we are asked most often by our customers",
    }


def test_where_neither_is_newer_or_more_specific_both_are_shown(desk: SupportDesk) -> None:
    """Never silently one of them."""
    answer = desk.ask_sync("What does hiring a paddle for a weekend cost?")
    assert answer.status == "answered"
    assert "€12" in answer.text
    assert "€15" in answer.text
    assert len(answer.citations) == 2
    assert all(claim.verdict == "supported" for claim in answer.claims)
