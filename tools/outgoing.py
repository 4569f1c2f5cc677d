"""What may leave the house in a web search once somebody's records have been seen."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tools.evidence import Ledger
from tools.relevance import content_words

_TOKEN = re.compile(r"[^\s,;:!?()\[\]{}\"“”<>]+")
_ADDRESS = re.compile(r"\S+@\S+")


def public_words(query: str, question: str, ledger: Ledger) -> str:
    """The query with only those words that are the customer's own or were found in public.

    Before any records were found in the conversation nothing is taken out. Afterwards a word stays when it
    stands in the customer's question or in this turn's documents, graph or web pages, or when it says
    nothing by itself ("the", "in"). So neither a value of a row nor any disguise of one can go out. E-mail
    addresses never stay.

    Args:
        query: What the model would send.
        question: The customer's own words.
        ledger: The conversation's evidence.
    """
    query = _ADDRESS.sub(" ", query)
    if not ledger.found_ever("records"):
        return " ".join(query.split())
    texts = [
        question,
        *(f"{one.title} {one.text}" for one in ledger.citable().values() if one.source != "records"),
    ]
    words, stems = _words(texts), frozenset().union(*(content_words(text) for text in texts))
    kept = [token for token in _TOKEN.findall(query) if _is_public(token, words, stems)]
    return " ".join(kept)


def _words(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(_plain(token) for text in texts for token in _TOKEN.findall(text))


def _is_public(token: str, words: frozenset[str], stems: frozenset[str]) -> bool:
    plain = _plain(token)
    if plain in words:
        return True
    return plain.isalpha() and all(stem in stems for stem in content_words(plain))


def _plain(token: str) -> str:
    return token.strip(".'’*_").lower()
