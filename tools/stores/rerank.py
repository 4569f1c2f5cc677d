"""What reads a query and a passage together and says how well they fit: none by default.

Two kinds: a cross-encoder on this machine (`pip install 'citedesk[rerank]'`), and a server.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from tools.errors import ConfigurationError, SourceUnavailable

Reranker = Callable[[str, Sequence[str]], Sequence[float]]
"""Gives each text a score for the query, higher for a better fit."""

CROSS_ENCODER = "cross-encoder/ms-marco-MiniLM-L6-v2"
"""The model when none is named; Apache-2.0, 23 million parameters."""


def open_reranker(
    kind: str, *, model: str | None = None, api_key: str | None = None, timeout: float = 5.0
) -> Reranker | None:
    """The reranker of a kind.

    Args:
        kind: `none`, `cross-encoder`, or the address of a server that speaks Cohere's rerank API.
        model: Which model; the default of the kind when None.
        api_key: Sent to a server as a bearer token.
        timeout: Seconds that a server may take for one query.

    Raises:
        ConfigurationError: The kind is none of these, or the cross-encoder cannot be loaded.
    """
    if kind == "none":
        return None
    if kind == "cross-encoder":
        return _cross_encoder(model or CROSS_ENCODER)
    if kind.startswith(("http://", "https://")):
        return _server(kind, model, api_key, timeout)
    raise ConfigurationError("DESK_RERANKER: write none, cross-encoder, or the http address of a server")


def _cross_encoder(model: str) -> Reranker:
    if importlib.util.find_spec("sentence_transformers") is None:
        raise ConfigurationError(
            "DESK_RERANKER=cross-encoder needs a package that is not there: pip install 'citedesk[rerank]'"
        )

    @cache
    def encoder() -> Any:  # on the first search: an ingest needs none, and it takes seconds
        from sentence_transformers import CrossEncoder

        try:
            return CrossEncoder(model)
        except Exception as error:  # the hub, the disk and torch each have their own errors
            reason = f"DESK_RERANKER_MODEL: {model} cannot be loaded ({type(error).__name__})"
            raise ConfigurationError(reason) from None

    def scores(query: str, texts: Sequence[str]) -> Sequence[float]:
        found: list[float] = encoder().predict([(query, text) for text in texts]).tolist()
        return found

    return scores


def _server(url: str, model: str | None, api_key: str | None, timeout: float) -> Reranker:
    import httpx

    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    client = httpx.Client(headers=headers, timeout=timeout)

    def scores(query: str, texts: Sequence[str]) -> Sequence[float]:
        asked: dict[str, Any] = {"query": query, "documents": list(texts), "top_n": len(texts)}
        try:
            answer = client.post(url, json=asked if model is None else {**asked, "model": model})
            if answer.status_code in (401, 403):
                raise ConfigurationError("DESK_RERANKER_KEY was refused by the reranker")
            answer.raise_for_status()
            given = {int(one["index"]): float(one["relevance_score"]) for one in answer.json()["results"]}
            return [given[place] for place in range(len(texts))]
        except httpx.HTTPStatusError as error:
            reason = f"the reranker failed (HTTP {error.response.status_code})"
            raise SourceUnavailable("documents", reason) from None
        except httpx.HTTPError as error:
            reason = f"the reranker cannot be reached ({type(error).__name__})"
            raise SourceUnavailable("documents", reason) from None
        except (KeyError, TypeError, ValueError):
            raise SourceUnavailable("documents", "the reranker gave no score for each passage") from None

    return scores
