"""Edges that passages state, found in code: sentences, lists, tables, links and front matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.ingest.graph_documents import head_table
from tools.ingest.graph_extract import Extractor, things_in
from tools.ingest.graph_file import GraphFile
from tools.ingest.graph_lexicon import Lexicon, Name

GRAPH = GraphFile.model_validate(
    {
        "relations": {
            "needs": {"forward": "depends on", "inverse": "is needed by", "also": ["needs"]},
            "fits": {"forward": "fits", "inverse": "takes", "from": "part", "to": "bike"},
            "owned_by": {"forward": "is owned by", "inverse": "owns", "also": ["owner"]},
            "see": {"forward": "refers to", "inverse": "is referred to by"},
        },
        "kinds": {"part": {"columns": ["part no"], "pattern": "P-[0-9]+"}, "service": {}},
        "links": "see",
    }
)
NAMES = [
    *(Name(name, name, "service") for name in ("Booking", "Billing", "Vault", "Web Portal")),
    Name("Portal", "Web Portal", "service"),
    Name("Bike M2", "Bike M2", "bike"),
    Name("Saddle", "Saddle", "part"),
    Name("Blue Team", "Blue Team", "team"),
]


def found(text: str, heading: str = "", title: str = "") -> list[tuple[str, str, str]]:
    """The edges in a passage."""
    stated = Extractor(GRAPH, Lexicon(NAMES)).edges(text, heading, title)
    return [(one.src, one.relation, one.dst) for one in stated]


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("Booking depends on Billing.", ["Booking Billing"]),
        (
            "Booking depends on Billing, the Vault and Web Portal.",
            ["Booking Billing", "Booking Vault", "Booking Web Portal"],
        ),
        ("Booking and the portal both depend on Billing.", ["Booking Billing", "Web Portal Billing"]),
        ("Billing is needed by Booking.", ["Booking Billing"]),
        ("Booking, which needs the service Billing, is new.", ["Booking Billing"]),
        (
            "Booking depends on:\n\n- Billing\n- the Vault\n- nothing else",
            ["Booking Billing", "Booking Vault"],
        ),
    ],
)
def test_phrases_in_sentences_and_lists(text: str, edges: list[str]) -> None:
    """A relation's phrase between names states an edge, also with several on either side, and in lists."""
    told = [f"{src} {dst}" for src, relation, dst in found(text) if relation == "needs"]
    assert told == edges
    assert len(found(text)) == len(edges)


@pytest.mark.parametrize(
    "text",
    [
        "Booking does not depend on Billing.",
        "If Booking depends on Billing, call us.",
        "Booking formerly depended on Billing. Booking once needs Billing.",
        "Booking depends on many things. Billing is one.",
        "Booking likes Billing.",
        "Saddle depends on Saddle.",
        "Billing fits Booking.",
    ],
)
def test_what_states_nothing(text: str) -> None:
    """Denied, conditional, past, across sentences, without a phrase, about itself or of the wrong kinds."""
    assert found(text) == []


def test_headings_and_titles_are_what_is_spoken_of() -> None:
    """A sentence without a subject is about the nearest heading that names one thing, else the title."""
    assert found("Depends on Billing.", "Services > Booking") == [("Booking", "needs", "Billing")]
    assert found("Depends on Billing.", "Overview", "The Vault") == [("Vault", "needs", "Billing")]
    assert found("Depends on Billing.", "Booking and Vault", "Web Portal") == []


def test_tables_and_links() -> None:
    """A column headed by a phrase says it of the first one; a link is an edge of the relation for links."""
    head = "| Part | Fits | Owner |\n|---|---|---|\n"
    table = f"{head}| Saddle | Bike M2 | Blue Team |\n| Saddle | not Bike M2 | |\n"
    assert found(table) == [("Saddle", "fits", "Bike M2"), ("Saddle", "owned_by", "Blue Team")]
    assert found("More in [the Vault](vault.md), not ![Billing](b.png).", "Booking") == [
        ("Booking", "see", "Vault")
    ]


def test_front_matter_is_read_as_a_table(tmp_path: Path) -> None:
    """The head of a file says what its title names; what is no text, no file, or no head says nothing."""
    file = tmp_path / "booking.md"
    file.write_text("---\nowner: Blue Team\nneeds: Billing\ntags: [a, b]\n---\n# Booking\n", encoding="utf-8")
    assert found(head_table(str(file), "Booking")) == [
        ("Booking", "owned_by", "Blue Team"),
        ("Booking", "needs", "Billing"),
    ]
    file.write_bytes(b"\xff\xfe")
    assert head_table(str(file), "Booking") == head_table(str(tmp_path / "none"), "Booking") == ""
    file.write_text("# Booking\n\nText.\n", encoding="utf-8")
    assert head_table(str(file), "Booking") == ""


def test_things_that_a_passage_introduces() -> None:
    """Names of a kind's pattern, and those in its columns, each once with its kind."""
    text = "Order P-12 or P-12, not XP-12.\n\n| Part no | Price |\n|---|---|\n| Long Bolt | 3 |\n| | 4 |\n"
    assert things_in(text, GRAPH) == [("P-12", "part"), ("Long Bolt", "part")]
