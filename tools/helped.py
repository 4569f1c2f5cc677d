"""A search of the documents with a language model's help.

It drops what does not bear on the question, and where nothing is left it is asked for another query, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tools.context import Help
from tools.relevance import missing
from tools.retrieval import Retrieved


def with_help(help: Help | None, search: Callable[[str], Retrieved], question: str, query: str) -> Retrieved:
    """What a search keeps; without help, or where it gives none, exactly what the code keeps.

    Args:
        help: The language model's.
        search: Searches for a query, and grades against the question.
        question: The customer's own words.
        query: What to look for first.

    Raises:
        DeskError: The search fails.
    """
    found = search(query)
    if help is None:
        return found
    kept, open_ = _kept(help, found, question)
    if kept.kept:
        return kept
    texts = [f"{one.hit.passage.place}\n{one.hit.passage.text}" for one in found.kept]
    other = help.other_query(question, query, (*missing(question, texts), *open_))
    if other is None:
        return kept
    again, _ = _kept(help, search(other), question)
    return replace(again, rewrites=(*found.rewrites, other, *again.rewrites))


def _kept(help: Help, found: Retrieved, question: str) -> tuple[Retrieved, tuple[str, ...]]:
    """The finding without what the model calls irrelevant, and what it says that this leaves open."""
    if not found.kept:
        return found, ()
    texts = [f"{one.hit.passage.place}\n{one.hit.passage.text}" for one in found.kept]
    verdicts = help.relevant(question, texts)
    if verdicts is None:
        return found, ()
    kept = tuple(one for one, verdict in zip(found.kept, verdicts, strict=True) if verdict.bears)
    said = dict.fromkeys(verdict.missing for verdict in verdicts if verdict.missing)
    return replace(found, kept=kept), tuple(said)
