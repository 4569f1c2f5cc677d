"""`python -m training.lexicon`: derive `agent/grader/lexicon.txt` from WordNet 3.0.

Of WordNet (Miller, WordNet: A Lexical Database for English, 1995) it keeps, of the words that its tagged
texts use, those that mostly name a person or are of thinking and perceiving, and the irregular forms of
all. On Debian the data are in the package `wordnet-base`; wndb(5WN) and lexnames(5WN) describe them.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from agent.grader.meaning import is_content, key_of

_TARGET = Path(__file__).resolve().parents[1] / "agent" / "grader" / "lexicon.txt"
_PARTS = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}
_KINDS = {
    ("noun", 18): "person",
    ("noun", 9): "thought",
    ("verb", 31): "thought",
    ("verb", 39): "thought",
}
"""Lexicographer files told apart: noun.person; noun.cognition, verb.cognition and verb.perception."""
_DEMEANING = re.compile(r"\b(?:slur|offensive|disparag|derogat|contempt|obscene|vulgar|sexual|skin)")
"""In a gloss. Such words are left out, as are those with such a sense beside the commonest."""
_WIDTH = 110
_HEADER = """\
# Kinds of words, in the grader's keys, and irregular forms: derived from WordNet 3.0 by
# `python -m training.lexicon`. WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.
# The licence is in lexicon-licence.txt, beside it.
"""


def read_files(folder: Path) -> dict[tuple[str, str], int]:
    """For each part of speech and word the lexicographer file of its commonest sense."""
    found = {}
    for part in dict.fromkeys(_PARTS.values()):
        lines = (folder / f"data.{part}").read_text(encoding="utf-8").splitlines()
        senses = {line[:8]: line for line in lines if not line.startswith(" ")}
        for line in (folder / f"index.{part}").read_text(encoding="utf-8").splitlines():
            told = line.split()
            if not line.startswith(" ") and _is_word(told[0]):
                own = [senses[place] for place in told[6 + int(told[3]) :]]
                if not any(_DEMEANING.search(sense.partition("|")[2]) for sense in own):
                    found[part, told[0]] = int(own[0].split(maxsplit=2)[1])
    return found


def read_counts(folder: Path) -> Counter[tuple[str, str]]:
    """How often the tagged texts use a word as a part of speech."""
    counts: Counter[tuple[str, str]] = Counter()
    for line in (folder / "cntlist.rev").read_text(encoding="utf-8").splitlines():
        sense, _, count = line.split()
        word, place = sense.split("%")
        counts[_PARTS[place[0]], word] += int(count)
    return counts


def _is_word(text: str) -> bool:
    return text.isascii() and text.isalpha() and len(text) > 2


def kinds(folder: Path) -> dict[str, str]:
    """The kind of every key, by what it is used as most; empty for those of no kind that is told apart."""
    counts, numbers = read_counts(folder), read_files(folder)
    most: dict[str, tuple[int, str]] = {}
    for (part, word), number in numbers.items():
        used, key = counts[part, word], key_of(word)
        if used and is_content(key) and used > most.get(key, (0, ""))[0]:
            most[key] = (used, _KINDS.get((part, number), ""))
    return {key: kind for key, (_, kind) in most.items()}


def irregular(folder: Path, known: Iterable[str]) -> dict[str, str]:
    """The keys of irregular forms that are no words of their own, with the key of the word."""
    words, found = set(known), {}
    for part in dict.fromkeys(_PARTS.values()):
        for line in (folder / f"{part}.exc").read_text(encoding="utf-8").splitlines():
            form, base = (key_of(word) for word in line.split()[:2])
            if form != base and base in words and form not in words and _is_word(form):
                found[form] = base
    return found


def _wrapped(name: str, words: Iterable[str]) -> list[str]:
    """Lines of words, each behind the name of what they are."""
    lines: list[str] = []
    for word in sorted(words):
        if not lines or len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(f"{name}:")
        lines[-1] += f" {word}"
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Write the lexicon; exit code 2 when WordNet is not there."""
    parser = argparse.ArgumentParser(prog="python -m training.lexicon", description=__doc__)
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    options = parser.parse_args(argv)
    if not (options.wordnet / "data.noun").is_file():
        print(f"WordNet is not in {options.wordnet}; name its folder with --wordnet", file=sys.stderr)
        return 2
    told = kinds(options.wordnet)
    lines = []
    for kind in dict.fromkeys(_KINDS.values()):
        lines += _wrapped(kind, (key for key, own in told.items() if own == kind))
    forms = irregular(options.wordnet, told)
    lines += _wrapped("irregular", (f"{form}/{base}" for form, base in forms.items()))
    _TARGET.write_text(_HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(lines)} lines in {_TARGET.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
