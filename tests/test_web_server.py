"""The recorded web, asked over HTTP as the real service would be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from demo.web_server import PAGES, Index, RecordedPage, read_pages, serve
from tools.errors import BadInput

KEY = {"Authorization": "Bearer some-key"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The base URL of the demo's own pages."""
    with serve() as base:
        yield base


def post(url: str, path: str, body: Any, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.post(url + path, json=body, headers=KEY if headers is None else headers)


def test_every_recorded_page_can_be_found_by_its_title(url: str) -> None:
    """The demo has at least a dozen pages, and the search for a page's title puts that page first."""
    pages = read_pages(PAGES)
    assert len(pages) >= 12
    assert len({page.url for page in pages}) == len(pages)
    for page in pages:
        results = post(url, "/search", {"query": page.title}).json()["results"]
        assert results[0]["url"] == page.url


def test_results_have_the_shape_of_the_api(url: str) -> None:
    """A result has address, title, content, a score below 1 and its date; the best comes first."""
    answer = post(url, "/search", {"query": "strike of the parcel drivers", "max_results": 3}).json()
    results = answer["results"]
    assert answer["query"] == "strike of the parcel drivers"
    assert 1 <= len(results) <= 3
    assert [result["score"] for result in results] == sorted((r["score"] for r in results), reverse=True)
    for result in results:
        assert result["url"].startswith("https://")
        assert result["title"]
        assert result["content"]
        assert 0 < result["score"] < 1
        assert result["published_date"].startswith("2026-")


def test_no_shared_word_finds_nothing(url: str) -> None:
    """A query of unknown words has an empty list of results."""
    assert post(url, "/search", {"query": "xyzzy quux"}).json()["results"] == []


def test_extract_gives_the_pages_text(url: str) -> None:
    """Extract returns known pages and names the unknown ones as failed."""
    page = read_pages(PAGES)[0]
    answer = post(url, "/extract", {"urls": [page.url, "https://nowhere.example/"]}).json()
    assert answer["results"] == [{"url": page.url, "raw_content": page.content}]
    assert [failed["url"] for failed in answer["failed_results"]] == ["https://nowhere.example/"]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer"}])
def test_a_key_must_be_there(url: str, headers: dict[str, str]) -> None:
    """Without a key the answer is 401."""
    assert post(url, "/search", {"query": "coffee"}, headers).status_code == 401


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/search", {}, 400),
        ("/search", {"query": " "}, 400),
        ("/search", {"query": 7}, 400),
        ("/search", {"query": "w" * 401}, 400),
        ("/search", {"query": "coffee", "max_results": 21}, 400),
        ("/search", ["coffee"], 400),
        ("/extract", {"urls": []}, 400),
        ("/crawl", {"url": "https://x.example"}, 404),
    ],
)
def test_bad_requests_are_refused(url: str, path: str, body: Any, status: int) -> None:
    """What the service would refuse is refused, with an error in words."""
    answer = post(url, path, body)
    assert answer.status_code == status
    assert answer.json()["detail"]["error"]


def test_a_body_that_is_not_json(url: str) -> None:
    """Broken JSON is 400, and the server goes on."""
    assert httpx.post(f"{url}/search", content=b"{", headers=KEY).status_code == 400
    assert post(url, "/search", {"query": "coffee"}).status_code == 200


def test_any_folder_of_pages_works(tmp_path: Path) -> None:
    """The server serves whatever folder it is given, an empty one too."""
    with serve(pages=tmp_path) as base:
        assert post(base, "/search", {"query": "tea"}).json()["results"] == []
    (tmp_path / "tea.md").write_text(
        "---\nurl: https://tea.example/\ntitle: Tea\npublished: 2026-01-02\n---\nTea is hot.\n",
        encoding="utf-8",
    )
    with serve(pages=tmp_path) as base:
        results = post(base, "/search", {"query": "hot tea"}).json()["results"]
    assert [(result["url"], result["content"]) for result in results] == [
        ("https://tea.example/", "Tea is hot.")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Tea is hot.",
        "---\nurl: https://tea.example/\ntitle: Tea\n---\nTea.",
        "---\nurl: https://tea.example/\ntitle: Tea\npublished: soon\n---\nTea.",
        "---\ntitle: Tea: hot\n---\nTea.",
    ],
)
def test_a_broken_page_is_named(tmp_path: Path, text: str) -> None:
    """A page with a missing, wrong or unreadable field stops the server with a line that names the file."""
    (tmp_path / "tea.md").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"tea\.md needs a front matter"):
        read_pages(tmp_path)


def test_the_rarer_word_weighs_more() -> None:
    """Of two pages with one query word each, the one with the rarer word comes first."""
    from datetime import date

    def page(number: int, text: str) -> RecordedPage:
        return RecordedPage(f"https://p.example/{number}", f"Page {number}", date(2026, 1, 1), text)

    pages = [page(1, "water water"), page(2, "water tea"), page(3, "water milk"), page(4, "saffron milk")]
    ranked = Index(pages).rank("water saffron", 10)
    assert ranked[0][0].url == "https://p.example/4"
    assert len(ranked) == 4
