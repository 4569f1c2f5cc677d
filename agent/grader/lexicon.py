"""Kinds of words and their base forms: `lexicon.txt`, derived from WordNet 3.0 by `training.lexicon`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def words_of(kind: str) -> frozenset[str]:
    """The keys of a kind: `person` for nouns that name one, `thought` for what is thought or perceived."""
    return frozenset(_lexicon().get(kind, ()))


def base_form(key: str) -> str:
    """The key of the word that an irregular form belongs to: "go" of "went". Others as they are."""
    return _irregular().get(key, key)


@cache
def _lexicon() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for line in files(__package__).joinpath("lexicon.txt").read_text(encoding="utf-8").splitlines():
        name, _, words = line.partition(":")
        if line[0] != "#":
            found[name] = found.get(name, ()) + tuple(words.split())
    return found


@cache
def _irregular() -> dict[str, str]:
    return dict(pair.split("/", 1) for pair in _lexicon().get("irregular", ()))
