"""Files of one document each."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pptx
import pytest
from pptx.util import Inches

from tools.errors import BadInput
from tools.ingest.metadata import language, office_properties
from tools.ingest.readers import Document, read_document


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., Document]:
    """Writes a file of this content and reads it."""

    def write_and_read(name: str, content: str | bytes, *, doc_id: str | None = None) -> Document:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_document(path, doc_id or name)

    return write_and_read


def _slides() -> bytes:
    deck: Any = pptx.Presentation()
    for title, text in (("Boats for hire", "Canoes are for two."), ("Prices", "See the table.")):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = text
        slide.notes_slide.notes_text_frame.text = "Tell nobody about the discount."
    table = deck.slides[1].shapes.add_table(2, 2, Inches(1), Inches(4), Inches(5), Inches(1)).table
    for row, column, text in ((0, 0, "Boat"), (0, 1, "Day"), (1, 0, "Canoe"), (1, 1, "€30")):
        table.cell(row, column).text = text
    deck.core_properties.title = "Hire 2026"
    deck.core_properties.language = "en-GB"
    deck.core_properties.modified = datetime(2026, 3, 1, 12, 0)
    out = io.BytesIO()
    deck.save(out)
    return out.getvalue()


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    first = book.active
    assert first is not None
    first.title = "Prices"
    for row in (
        ["Boat", "Day", "From"],
        ["Canoe | double", 30.1 + 0.2, datetime(2026, 4, 1)],
        [],
        [None, None],
    ):
        first.append(row)
    hidden = book.create_sheet("Margins")
    hidden.append(["Canoe", "80 %"])
    hidden.sheet_state = "hidden"
    book.create_sheet("Empty")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def test_slides_keep_titles_and_tables_and_lose_the_speakers_notes(read: Callable[..., Document]) -> None:
    """Each slide's title is a heading, tables are tables, and what the speaker noted is not there."""
    deck = read("hire.pptx", _slides())
    assert "# Boats for hire" in deck.text
    assert "Canoes are for two." in deck.text
    assert "| Canoe | €30 |" in deck.text
    assert "discount" not in deck.text
    assert (deck.language, deck.updated) == ("en-gb", date(2026, 3, 1))


def test_workbook_becomes_a_table_for_each_sheet(read: Callable[..., Document]) -> None:
    """Visible sheets with something in them, numbers and dates as they are shown, no empty rows."""
    assert read("prices.xlsx", _workbook()).text == (
        "## Prices\n\n| Boat | Day | From |\n| --- | --- | --- |\n| Canoe \\| double | 30.3 | 2026-04-01 |"
    )


def test_first_row_names_the_columns_where_none_is_marked(read: Callable[..., Document]) -> None:
    """A table without a marked head, as word processors make them, has its column names all the same."""
    page = "<table><tr><td>Boat</td><td>Day</td></tr><tr><td>Canoe</td><td>€30</td></tr></table>"
    assert read("a.html", page).text == "| Boat | Day |\n| --- | --- |\n| Canoe | €30 |"
    marked = page.replace("<td>Boat</td><td>Day</td>", "<th>Boat</th><th>Day</th>")
    assert read("b.html", marked).text == read("a.html", page).text


@pytest.mark.parametrize(
    "content", ["Boat;Day\nCanoe;30,00\n", "Boat\tDay\nCanoe\t30,00\n", 'Boat,Day\r\nCanoe,"30,00"\r\n']
)
def test_columns_may_be_separated_by_anything_usual(read: Callable[..., Document], content: str) -> None:
    """Commas, semicolons and tabs give the same table."""
    assert read("prices.csv", content).text == "| Boat | Day |\n| --- | --- |\n| Canoe | 30,00 |"


def test_language_is_stated_or_the_pages_own(read: Callable[..., Document]) -> None:
    """Front matter says it, else the page's `lang`; what is no language tag is nothing."""
    assert read("a.md", "---\nlanguage: pt_BR\n---\nOlá").language == "pt-br"
    assert read("a.html", '<!doctype html><html lang="de"><body><p>Hallo</p></body></html>').language == "de"
    assert read("b.md", "Hello").language is None
    assert [language(one) for one in ("de", "zh-Hans-CN", "", "a language", None)] == [
        "de",
        "zh-hans-cn",
        *[None] * 3,
    ]


def test_date_of_a_template_is_not_the_documents(read: Callable[..., Document]) -> None:
    """A file that says that it was never changed since it was made does not tell when it was updated."""
    deck: Any = pptx.Presentation()
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Hello"
    deck.core_properties.modified = deck.core_properties.created = datetime(2013, 1, 1)
    out = io.BytesIO()
    deck.save(out)
    assert read("a.pptx", out.getvalue()).updated is None


@pytest.mark.parametrize("name", ["a.pptx", "a.xlsx", "a.docx"])
@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 broken", b"not a zip"])
def test_broken_office_file_is_one_clear_reason(
    read: Callable[..., Document], name: str, content: bytes
) -> None:
    """Whatever the parser says, the reason names the format in one line."""
    with pytest.raises(BadInput, match=f"{name[2:].upper()} file") as caught:
        read(name, content)
    assert "\n" not in str(caught.value)


def test_properties_that_do_harm_are_not_read() -> None:
    """Neither an entity that grows without end nor a file of another kind gives properties."""
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x><title>&b;</title></x>'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("docProps/core.xml", bomb)
    assert office_properties(out.getvalue()) == {}
    assert office_properties(b"no zip") == {}
