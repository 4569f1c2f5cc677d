"""The web, searched through Tavily or any server that speaks its search API."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from tools.errors import ConfigurationError, SourceUnavailable

_QUERY_LIMIT = 400  # the service refuses longer ones


@dataclass(frozen=True)
class WebPage:
    """One page that the search returned.

    Attributes:
        url: Where it can be opened, always http or https.
        title: The page's own title, or its host name when it gives none.
        content: The part of its text that the service judged to fit the query; untrusted.
        score: The service's own relevance in [0, 1].
        published: The day of publication, or None where the service does not tell.
    """

    url: str
    title: str
    content: str
    score: float
    published: date | None = None


class WebStore:
    """A web search. It holds no connection between searches, so it works from any thread or event loop.

    Args:
        api_key: The service's key.
        base_url: Another server that speaks the same API; Tavily's own when None.
        timeout: Seconds for one search as a whole, its one retry included.

    Raises:
        ConfigurationError: The key or the address cannot be used.
    """

    def __init__(self, api_key: str, base_url: str | None = None, timeout: float = 8.0) -> None:
        # Checked here because a client that trips over a key quotes it in its error.
        if not api_key or not api_key.isascii() or not api_key.isprintable() or " " in api_key:
            raise ConfigurationError("TAVILY_API_KEY: must be one word of plain characters")
        if base_url is not None and not _is_web_address(base_url):
            raise ConfigurationError("DESK_WEB_URL: must be an address such as https://search.example")
        self._api_key = api_key
        self._base_url = base_url.rstrip("/") if base_url else None
        self._timeout = timeout

    def search(self, query: str, *, k: int = 5) -> list[WebPage]:
        """`find` for code without an event loop; the same arguments and errors."""
        return asyncio.run(self.find(query, k=k))

    async def find(self, query: str, *, k: int = 5) -> list[WebPage]:
        """The pages that fit `query`, best first.

        Args:
            query: A few words; beyond 400 characters it is cut at a word, because the service takes no more.
            k: The most pages to return.

        Raises:
            SourceUnavailable: No usable answer in time. The reason holds neither key nor query.
        """
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self._ask(_shortened(query), k)
        except SourceUnavailable:
            raise
        except Exception as error:  # every kind is mapped to a line of our own: theirs can quote the key
            raise SourceUnavailable("web", _reason(error, self._timeout)) from None
        return _pages(answer)[:k]

    def close(self) -> None:
        """Nothing is held open; here so that every store is closed alike."""

    async def _ask(self, query: str, k: int) -> Any:
        import httpx

        try:
            return await self._post(query, k)
        except (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError):
            # The connection was reset. A search changes nothing, so it can safely be sent again.
            return await self._post(query, k)

    async def _post(self, query: str, k: int) -> Any:
        import httpx
        from tavily import AsyncTavilyClient

        async with httpx.AsyncClient(verify=self._tls) as http:
            client = AsyncTavilyClient(self._api_key, api_base_url=self._base_url, client=http)
            return await client.search(query, max_results=k, search_depth="basic", timeout=self._timeout)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Loading the certificates costs more than a local search, so they are loaded once."""
        import httpx

        return httpx.create_ssl_context()


def _shortened(query: str) -> str:
    words = " ".join(query.split())
    if len(words) <= _QUERY_LIMIT:
        return words
    return words[: _QUERY_LIMIT + 1].rpartition(" ")[0] or words[:_QUERY_LIMIT]


def _reason(error: Exception, timeout: float) -> str:
    """One line for what went wrong, without a word of the library's or the server's own text."""
    import httpx
    from tavily import errors

    if isinstance(error, TimeoutError | errors.TimeoutError | httpx.TimeoutException):
        return f"no answer within {timeout:g} seconds; see DESK_WEB_TIMEOUT"
    if isinstance(error, errors.InvalidAPIKeyError):
        return "the key was refused; check TAVILY_API_KEY"
    if isinstance(error, errors.UsageLimitExceededError):
        return "the rate limit was reached; try again later"
    if isinstance(error, errors.ForbiddenError):
        return "the key's plan does not allow this search; check the account behind TAVILY_API_KEY"
    if isinstance(error, errors.BadRequestError):
        return "the query was refused as malformed"
    if isinstance(error, httpx.HTTPStatusError):
        return f"the server answered with status {error.response.status_code}"
    if isinstance(error, httpx.HTTPError):
        return "the connection failed; check the network or DESK_WEB_URL"
    return "the server's answer could not be read"


def _pages(answer: Any) -> list[WebPage]:
    """The usable pages of an answer.

    Raises:
        SourceUnavailable: The answer is not of the API's shape: that is a failure, not "nothing found".
    """
    results = answer.get("results") if isinstance(answer, Mapping) else None
    if not isinstance(results, list):
        raise SourceUnavailable("web", "the server's answer could not be read")
    pages = [_page(result) for result in results if isinstance(result, Mapping)]
    return [page for page in pages if page is not None]


def _page(result: Mapping[str, Any]) -> WebPage | None:
    url, title, content = (_clean(result.get(name)) for name in ("url", "title", "content"))
    if not content or not _is_web_address(url):
        return None
    score = result.get("score")
    return WebPage(
        url=url,
        title=" ".join(title.split()) or urlsplit(url).netloc,
        content=content,
        score=min(1.0, max(0.0, float(score))) if isinstance(score, int | float) else 0.0,
        published=_day(result.get("published_date")),
    )


def _clean(value: object) -> str:
    """The text without characters that cannot be seen, which can hide or reorder what a reader is shown."""
    text = value if isinstance(value, str) else ""
    return "".join(char for char in text if char.isprintable() or char in "\n\t").strip()


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        _ = parts.port  # read here because it raises when it is out of range
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable() and " " not in url


def _day(value: object) -> date | None:
    """A date from `2026-12-01…` or from `Tue, 01 Dec 2026 08:00:00 GMT`; the service uses both."""
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(value).date()
    except (ValueError, TypeError):
        return None
