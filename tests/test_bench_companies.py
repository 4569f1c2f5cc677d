"""The benchmark over companies that nothing was tuned on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.bench.companies import main
from training.articles import KEPT_APART

ARTICLE = {
    "title": "Returns",
    "text": "## Time\n\nYou can return a lamp within 30 days of delivery.\n\n"
    "## Cost\n\nReturning a lamp is free of charge.",
    "questions": [
        {
            "q": "How many days do I have to return a lamp?",
            "a": ["You can return a lamp within 30 days of delivery."],
        },
        {"q": "Is returning a lamp free?", "a": ["Returning a lamp is free of charge."]},
        {"q": "Do you sell train tickets to Paris?", "a": []},
    ],
}


def test_companies_kept_apart_are_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What answers, and what is refused, is counted for these companies and for no others."""
    lines = [{"company": KEPT_APART[0], **ARTICLE}, {"company": "Of another", **ARTICLE}]
    (tmp_path / "articles_1.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert main(["--data", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["companies"], told["right"], told["rightly_refused"]) == (1, 2, 1)
    assert (told["answered_right"], told["unanswerable_refused"]) == (1.0, 1.0)


def test_without_data_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder without the companies gives one clear line and exit code 2."""
    assert main(["--data", str(tmp_path)]) == 2
    assert "name it with --data" in capsys.readouterr().err
