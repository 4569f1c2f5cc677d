"""What the embedder's adapter was learned from, and how it is read; learning itself needs other packages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.models.relevance import in_context
from agent.models.statements import Statement
from agent.models.transcript import Piece
from tools.errors import BadInput
from training import articles, catalogues
from training.articles import HelpCentre, answering, help_centre
from training.catalogues import SOURCES, catalogue, examples

DATA = Path(articles.__file__).parent / "data"
ARTICLE = {
    "title": "Lamp",
    "text": (
        "## Care\n\nWipe the lamp with a [dry cloth](cloth.md). It must never get wet.\n\n"
        "## Bulb\n\n| Size | Power |\n| --- | --- |\n| small | 5 watts |\n| large | 9 watts |\n"
    ),
    "questions": [
        {"q": "how do I clean it", "a": ["Wipe the lamp with a [dry cloth](cloth.md)."]},
        {"q": "how strong is the big one", "a": ["| large | 9 watts |"]},
        {"q": "is there a red one", "a": []},
        {"q": "who sells it", "a": ["Every shop in the valley sells this one."]},
    ],
}
CATALOGUE = {
    "company": "Lampwright: makes lamps",
    "records": [
        {"name": "orders", "comment": "The orders.", "asked_as": ["Where is it?", "Has it left?"]},
        {"name": "price", "comment": "A price.", "asked_as": ["What is it?"]},
    ],
    "graph": [{"name": "fits", "forward": "fits", "inverse": "takes"}],
    "documents": {"Care": ["Cleaning", "Bulbs"]},
    "questions": [
        {"q": "how much", "source": "records", "line": "price"},
        {"q": "which bulb goes in", "source": "graph", "line": "fits"},
        {"q": "is it dear elsewhere", "source": "web"},
        {"q": "hello", "source": "none"},
    ],
}


def lines(pattern: str) -> Iterator[dict[str, Any]]:
    """Every line of the data files with such a name."""
    for file in sorted(DATA.glob(pattern)):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


@pytest.fixture(scope="module")
def centres() -> list[HelpCentre]:
    """All articles, cut once."""
    return articles.read(DATA)


def test_every_article_is_as_described() -> None:
    """An article has a company, a title, a text and questions, each with a list of sentences of the text."""
    for article in lines("articles_*.jsonl"):
        assert set(article) == {"company", "title", "text", "questions"}
        assert article["questions"]
        for question in article["questions"]:
            assert set(question) == {"q", "a"}
            assert question["q"].strip()
            assert all(answer.strip() for answer in question["a"])


def test_marked_answers_are_statements(centres: list[HelpCentre]) -> None:
    """For 98% of the questions with an answer, all that was marked is found in what the desk cuts."""
    kept = sum(bool(asked.statements) for centre in centres for asked in centre.questions)
    assert kept > 2000
    assert kept >= 0.98 * (kept + sum(centre.lost for centre in centres))


def test_every_company_has_questions_without_an_answer(centres: list[HelpCentre]) -> None:
    """Else nothing would be learned of when to say that nothing answers."""
    for centre in centres:
        assert {bool(asked.statements) for asked in centre.questions} == {True, False}


def test_every_line_asked_about_is_in_its_catalogue() -> None:
    """A question names a line of its own source; only the web and small talk have none."""
    for told in lines("catalogues_*.jsonl"):
        assert set(told) == {"company", "records", "graph", "documents", "questions"}
        names = {
            "records": {one["name"] for one in told["records"]},
            "graph": {one["name"] for one in told["graph"]},
            "documents": {title for titles in told["documents"].values() for title in titles},
        }
        for question in told["questions"]:
            if question["source"] in names:
                assert question["line"] in names[question["source"]]
            else:
                assert question["source"] in {"web", "none"}
                assert "line" not in question


def test_companies_kept_apart_are_there(centres: list[HelpCentre]) -> None:
    """Each company that the adapter was measured with is in the data, once."""
    for names, companies in (
        (articles.KEPT_APART, [one.company for one in centres]),
        (catalogues.KEPT_APART, [one.company for one in catalogues.read(DATA)]),
    ):
        assert names
        for name in names:
            assert sum(company.startswith(name) for company in companies) == 1


@pytest.mark.parametrize("part", [articles, catalogues])
def test_a_folder_without_data_is_told(part: Any, tmp_path: Path) -> None:
    """A wrong folder gives one line that names the option."""
    with pytest.raises(BadInput, match="--data"):
        part.read(tmp_path)


def test_an_article_is_cut_with_its_answers() -> None:
    """Answers point at statements and passages; a question whose answer is not found is left out."""
    centre = help_centre("Lampwright", [ARTICLE, ARTICLE])
    assert centre.statements[:4] == (
        "Lamp, Care: Wipe the lamp with a dry cloth.",
        "Lamp, Care: It must never get wet.",
        "Lamp, Bulb, Size, Power: small: power 5 watts.",
        "Lamp, Bulb, Size, Power: large: power 9 watts.",
    )
    assert centre.passages[0].startswith("Lamp, Care: Wipe the lamp")
    assert centre.passages[1].startswith("Lamp, Bulb: | Size | Power |")
    places = [(set(asked.statements), set(asked.passages)) for asked in centre.questions]
    assert places == [({0}, {0}), ({3}, {1}), (set(), set()), ({4}, {2}), ({7}, {3}), (set(), set())]
    assert centre.lost == 2


def test_statements_are_learned_as_they_are_compared() -> None:
    """A statement is written under its title just as the desk writes it when it looks for an answer."""
    one = Statement("It must never get wet.", Piece("D1", "Lamp > Care", ""), 0, context="Rules")
    assert in_context(one.piece.title, one.context, one.text) == "Lamp, Care, Rules: It must never get wet."


def test_an_answer_is_known_again() -> None:
    """As part of a statement, around it, or by most of its words; else not at all."""
    said = [
        "Payment is due in 14 days, unless agreed otherwise.",
        "Returns are free.",
        "We ship on weekdays.",
    ]
    assert answering("Payment is due in 14 days", said) == {0}
    assert answering("**Note:** Returns are free. Always.", said) == {1}
    assert answering("We ship only on weekdays.", said) == {2}
    assert answering("Gift cards never expire.", said) == frozenset()
    assert answering("...", said) == frozenset()
    assert answering("Returns are free.", []) == frozenset()


@given(st.lists(st.text("abcdefgh ", min_size=1).filter(str.strip), min_size=1, unique=True), st.data())
def test_a_statement_answers_itself(said: list[str], data: st.DataObject) -> None:
    """A statement that was marked word for word is always among those found."""
    at = data.draw(st.integers(0, len(said) - 1))
    assert at in answering(f"{said[at]}.", said)


def test_a_catalogue_is_read_with_its_questions() -> None:
    """Every question points at all texts of its line in its own source; small talk is left out."""
    read = catalogue(CATALOGUE)
    assert read.lines["records"] == ("The orders.", "Where is it?", "Has it left?", "A price.", "What is it?")
    assert read.lines["graph"] == ("fits", "takes")
    assert read.lines["documents"] == ("Cleaning", "Bulbs")
    assert set(read.lines) == set(SOURCES)
    told = [(asked.source, set(asked.lines)) for asked in read.questions]
    assert told == [("records", {3, 4}), ("graph", {0, 1}), ("web", set())]


def test_a_line_that_is_not_there_is_an_error() -> None:
    """Data that point nowhere are not learned from in silence."""
    question = {"q": "how much", "source": "records", "line": "prices"}
    with pytest.raises(KeyError, match="prices"):
        catalogue({**CATALOGUE, "questions": [question]})


def test_the_tools_bring_their_own_questions() -> None:
    """Each source has example questions, those that its tool shows a model."""
    assert set(examples()) == set(SOURCES)
    assert all(len(questions) > 5 for questions in examples().values())
