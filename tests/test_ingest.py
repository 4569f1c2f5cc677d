"""Files to the documents store."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path

import openpyxl
import pptx
import pytest

from tools.errors import BadInput
from tools.ingest import files
from tools.ingest.documents import IngestReport, Progress, ingest
from tools.stores.documents import DocumentStore
from tools.stores.embedder import OnnxEmbedder
from tools.stores.passage import Passage

_DEMO = Path(__file__).parent.parent / "demo" / "documents"


@pytest.fixture
def store(tmp_path: Path, embedder: OnnxEmbedder) -> DocumentStore:
    """An empty store."""
    return DocumentStore.open(str(tmp_path / "store"), embedder)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small folder of documents."""
    root = tmp_path / "docs"
    (root / "care").mkdir(parents=True)
    (root / "care" / "wash.md").write_text(
        "---\ntitle: Washing\nversion: 1.10\naudience: internal\nupdated: 2026-03-01\n---\n"
        "# Wash\n\nBy hand.\n"
    )
    (root / "sizes.txt").write_text("Sizes run small.\r\n\r\nTake one more.\r\n")
    return root


def _outcome(report: IngestReport) -> tuple[tuple[str, ...], ...]:
    return report.added, report.changed, report.unchanged, report.removed


def test_metadata_come_from_front_matter_or_defaults(store: DocumentStore, folder: Path) -> None:
    """Front matter is taken as written; without it, title, category and audience have their defaults."""
    assert _outcome(ingest([folder], store)) == (("sizes.txt", "care/wash.md"), (), (), ())
    (wash,) = store.search("washing", k=1, audience="internal")
    assert (wash.passage.title, wash.passage.category, wash.passage.version) == ("Washing", "care", "1.10")
    assert wash.passage.updated == date(2026, 3, 1)
    (sizes,) = store.search("sizes", k=1)
    assert (sizes.passage.title, sizes.passage.category, sizes.passage.audience) == (
        "Sizes",
        "general",
        "public",
    )


def test_passages_point_into_the_file(store: DocumentStore, folder: Path) -> None:
    """The span of a Markdown passage cuts its text out of the file itself."""
    ingest([folder], store)
    (hit,) = store.search("by hand", k=1, audience="internal")
    text = Path(hit.passage.path).read_text()
    assert text[hit.passage.start : hit.passage.end] == hit.passage.text == "# Wash\n\nBy hand."


def test_only_what_changed_is_done(store: DocumentStore, folder: Path) -> None:
    """A second run skips what is the same, replaces what changed, and removes what is gone."""
    ingest([folder], store)
    assert _outcome(ingest([folder], store)) == ((), (), ("sizes.txt", "care/wash.md"), ())
    (folder / "sizes.txt").write_text("Sizes run large.")
    (folder / "care" / "wash.md").unlink()
    assert _outcome(ingest([folder], store)) == ((), ("sizes.txt",), (), ("care/wash.md",))
    assert [hit.passage.text for hit in store.search("sizes", audience="internal")] == ["Sizes run large."]


def test_sidecar_is_part_of_the_document(store: DocumentStore, folder: Path) -> None:
    """Metadata beside a file are read, win over its own, and a change of them is a change of the document."""
    ingest([folder], store)
    (folder / "care" / "wash.md.yaml").write_text("title: Laundry\naudience: public\n")
    report = ingest([folder], store)
    assert report.changed == ("care/wash.md",)
    assert report.ignored == ()
    (hit,) = store.search("by hand", k=1)
    assert (hit.passage.title, hit.passage.version) == ("Laundry", "1.10")


def test_nothing_is_removed_outside_the_folder_given(store: DocumentStore, folder: Path) -> None:
    """Taking in one folder leaves the documents of others alone, even when their files are gone."""
    other = folder.parent / "other"
    other.mkdir()
    (other / "faq.md").write_text("Ask us.")
    ingest([folder, other], store)
    (folder / "sizes.txt").unlink()
    assert ingest([other], store).removed == ()
    assert ingest([folder], store).removed == ("sizes.txt",)


def test_file_known_from_another_folder_keeps_its_id(store: DocumentStore, folder: Path) -> None:
    """A subfolder or a single file that was taken in before is not taken in twice."""
    ingest([folder], store)
    assert ingest([folder / "care"], store).unchanged == ("care/wash.md",)
    assert ingest([folder / "care" / "wash.md"], store).unchanged == ("care/wash.md",)


def test_same_id_from_two_folders_is_refused(store: DocumentStore, folder: Path) -> None:
    """A file never takes the place of another one of the same relative path."""
    other = folder.parent / "other"
    other.mkdir()
    (other / "sizes.txt").write_text("Other sizes.")
    ingest([folder], store)
    (failure,) = ingest([other], store).failed
    assert "same id" in failure.reason
    assert [hit.passage.text for hit in store.search("sizes", k=1)] != ["Other sizes."]


def test_moved_folder_is_taken_over(store: DocumentStore, folder: Path) -> None:
    """When the folder was moved as a whole, its documents are replaced in place."""
    ingest([folder], store)
    moved = folder.rename(folder.parent / "moved")
    assert ingest([moved], store).changed == ("sizes.txt", "care/wash.md")
    assert {held.path for held in store.known().values()} == {
        str(moved / "sizes.txt"),
        str(moved / "care" / "wash.md"),
    }


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("broken.pdf", b"%PDF-1.7 and then nothing", "PDF"),
        ("broken.docx", b"not a zip", "DOCX"),
        ("empty.md", b"  \n", "no text"),
        ("latin.txt", "Größe".encode("latin-1"), "UTF-8"),
        ("bytes.md", b"abc\0def", "not a text"),
        ("yaml.md", b"---\ntitle: [\n---\nText", "YAML"),
        ("staff.md", b"---\naudience: stuff\n---\nText", "public or internal"),
        ("dated.md", b"---\nupdated: yesterday\n---\nText", "2026-03-01"),
    ],
)
def test_broken_file_is_reported_and_the_rest_goes_in(
    store: DocumentStore, folder: Path, name: str, content: bytes, reason: str
) -> None:
    """One clear reason for the broken file; the others are taken in all the same."""
    (folder / name).write_bytes(content)
    report = ingest([folder], store)
    (failure,) = report.failed
    assert failure.path == str(folder / name)
    assert reason in failure.reason
    assert "\n" not in failure.reason
    assert report.added == ("sizes.txt", "care/wash.md")


def test_document_that_breaks_keeps_its_last_good_form(store: DocumentStore, folder: Path) -> None:
    """A file that can no longer be read does not take its passages out of the store."""
    ingest([folder], store)
    (folder / "sizes.txt").write_bytes(b"\xff\xfe\xfa")
    report = ingest([folder], store)
    assert len(report.failed) == 1
    assert report.removed == ()
    assert store.search("sizes", k=1)


def test_dry_run_tells_and_does_nothing(store: DocumentStore, folder: Path) -> None:
    """A dry run reports the same and leaves the store empty."""
    dry = ingest([folder], store, dry_run=True)
    assert store.count() == 0
    real = ingest([folder], store)
    assert (_outcome(dry), dry.passages) == (_outcome(real), real.passages)


def test_hidden_and_foreign_files_are_left_out(store: DocumentStore, folder: Path) -> None:
    """Hidden files and folders are not looked at; files of other kinds are named."""
    (folder / ".git").mkdir()
    (folder / ".git" / "notes.md").write_text("secret")
    (folder / "photo.jpg").write_bytes(b"\xff\xd8")
    report = ingest([folder], store)
    assert report.ignored == (str(folder / "photo.jpg"),)
    assert len(report.added) == 2


def test_a_link_out_of_the_folder_is_not_followed(
    store: DocumentStore, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A link cannot bring in what lies outside; one to a file of the folder is read."""
    outside = tmp_path_factory.mktemp("outside") / "secret.md"
    outside.write_text("The code of the safe is 1234.")
    (folder / "link.md").symlink_to(outside)
    report = ingest([folder], store)
    assert [failure.path for failure in report.failed] == [str(folder / "link.md")]
    assert "link.md" not in store.known()


def test_wrong_path_is_one_clear_line(store: DocumentStore, tmp_path: Path) -> None:
    """A path that does not exist, or a file that is not read, stops before anything is done."""
    with pytest.raises(BadInput, match="does not exist"):
        ingest([tmp_path / "nowhere"], store)
    (tmp_path / "photo.jpg").write_bytes(b"")
    with pytest.raises(BadInput, match="these can"):
        ingest([tmp_path / "photo.jpg"], store)


def test_progress_names_what_is_read(store: DocumentStore, folder: Path) -> None:
    """Each document that is read is told once, and done with once it is embedded; unchanged ones are not."""
    told: list[Progress] = []
    ingest([folder], store, progress=told.append)
    read = [now for now in told if now.doing.startswith("reading")]
    assert [now.doing for now in read] == ["reading sizes.txt", "reading care/wash.md"]
    assert [now.done for now in read] == [0, 0]
    assert (told[-1].done, told[-1].passages) == (told[-1].total, 2)
    told.clear()
    ingest([folder], store, progress=told.append)
    assert told == []


def test_progress_goes_on_where_nothing_changed(
    store: DocumentStore, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long run over what is unchanged still tells how far it is, now and then."""
    ingest([folder], store)
    monkeypatch.setattr("tools.ingest.documents._TOLD", 2)
    told: list[Progress] = []
    ingest([folder], store, progress=told.append)
    assert [(now.doing, now.done) for now in told] == [("comparing", told[0].total)]


def test_other_formats_become_text(store: DocumentStore, folder: Path) -> None:
    """HTML, CSV, DOCX and PDF are read, with their title and tables."""
    (folder / "hours.html").write_text(
        "<html><head><title>Opening hours</title></head><body><p>Open <b>daily</b>.</p></body></html>"
    )
    (folder / "prices.csv").write_text("Tool,Price\nHammer,12 euro\n")
    for kind in ("docx", "pdf"):
        source = next(_DEMO.rglob(f"*.{kind}"))
        (folder / f"copy.{kind}").write_bytes(source.read_bytes())
    report = ingest([folder], store)
    assert not report.failed
    assert {"hours.html", "prices.csv", "copy.docx", "copy.pdf"} <= set(report.added)
    (hours,) = store.search("when is it open daily", k=1)
    assert hours.passage.title == "Opening hours"
    (price,) = store.search("price of a hammer", k=1)
    assert "| Hammer | 12 euro |" in price.passage.text


def test_span_is_exact_whatever_the_format(store: DocumentStore, folder: Path) -> None:
    """Each passage is cut out of its document as read by its own span, and passages are numbered in order."""
    for kind in ("docx", "pdf", "html"):
        source = next(_DEMO.rglob(f"*.{kind}"))
        (folder / source.name).write_bytes(source.read_bytes())
    book, deck = openpyxl.Workbook(), pptx.Presentation()
    book.worksheets[0].append(["Boot", "Price"])
    book.save(folder / "boots.xlsx")
    deck.slides.add_slide(deck.slide_layouts[0]).shapes.title.text = "Boots for hire"
    deck.save(folder / "hire.pptx")
    (folder / "prices.csv").write_text("Tool;Price\nHammer;12 euro\n")
    (folder / "many.jsonl").write_text('{"id": 1, "text": "---\\ntitle: One\\n---\\nDry\\r\\nboots.\\n"}\n')
    (folder / "help.json").write_text(
        json.dumps([{"id": 7, "title": "Ways", "body": "<p>By <b>card</b></p>"}])
    )
    assert not ingest([folder], store).failed
    kinds = set()
    for file in files.listing([folder.resolve()], store.known()).files:
        for found in files.documents(file):
            assert isinstance(found, files.Unread)
            text, passages = found.read().text, store.passages([found.doc_id])
            assert [one.number for one in passages] == list(range(len(passages)))
            assert [text[one.start : one.end] for one in passages] == [one.text for one in passages] != []
            kinds.add(file.path.suffix)
    assert kinds == {".md", ".txt", ".docx", ".pdf", ".html", ".xlsx", ".pptx", ".csv", ".jsonl", ".json"}


def test_every_document_is_written_once(
    store: DocumentStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A corpus of several transactions writes each document in one of them, and holds only one in memory."""
    root = tmp_path / "many"
    root.mkdir()
    for number in range(9):
        (root / f"{number}.md").write_text(f"Shelf {number} holds boots.\n")
    monkeypatch.setattr("tools.ingest.documents._BATCH", 4)
    written: list[list[str]] = []
    real = store.replace_all

    def counted(batch: Mapping[str, Sequence[Passage]], embedded: Callable[[int], None]) -> None:
        written.append(list(batch))
        real(batch, embedded)

    monkeypatch.setattr(store, "replace_all", counted)
    assert ingest([root], store).passages == store.count() == 9
    assert [len(batch) for batch in written] == [4, 4, 1]
    assert len({doc_id for batch in written for doc_id in batch}) == 9
