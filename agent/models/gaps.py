"""An honest gap, in one sentence that states nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from agent.grader import grade
from agent.models.words import content

_ASKS_WHAT = re.compile(r"^(?:what|when|where|which|who|whose|why|how)\b", re.IGNORECASE)
_ASKS_WHETHER = re.compile(
    r"^(do|does|did|can|could|may|will|would|should|must|am|are|is|have|has)\s+(i|you|we|they|it)\s+(.+)$",
    re.IGNORECASE,
)
# A part with one of these says more than what is asked, and is told by its topics alone.
_MORE = re.compile(
    r"[,;:()\[\]“”\"<>=–—.!?]|\b(?:and|or|if|because|since|than|as|not|never|no|only|unless|until|till|except|but)\b"
    r"|n['’]t\b|\d+ (?:days?|weeks?|months?|years?) ago",
    re.IGNORECASE,
)
_OTHER_SIDE = {
    "i": "you",
    "my": "your",
    "me": "you",
    "mine": "yours",
    "you": "we",
    "your": "our",
    "am": "are",
}
_AROUND = " ,.;:!?()"
_LEAST_WORDS = 2
_LONGEST = 150  # characters
_DROPPED = frozenset({"do", "does", "did"})


def not_found(part: str, question: str = "") -> str:
    """A sentence beginning "I could not find", which names what was asked and claims nothing about it.

    Args:
        part: The part of the question, as it was looked for.
        question: The customer's words; what the part has of them is quoted.
    """
    forms = _forms(part, question)
    return next(
        (one for one in forms if grade(one, {}, question or part).passed), "I could not find an answer."
    )


def _forms(part: str, question: str) -> Iterator[str]:
    """How the gap may be put, the kindest first; not each of them states nothing of every part."""
    asked = re.split(r"(?<=[.!?])\s+", part.strip())[-1].strip(" ?.!")
    if not _MORE.search(asked) and len(asked) <= _LONGEST:
        if _ASKS_WHAT.match(asked):
            yield f'I could not find an answer to "{asked}".'
        whether = _ASKS_WHETHER.match(asked)
        if whether and whether[1].lower() not in ("does", "did"):
            verb, who, rest = whether.groups()
            does = "" if verb.lower() in _DROPPED and who.lower() != "it" else f"{verb.lower()} "
            yield f"I could not find whether {_turned(f'{who.lower()} {does}{rest}')}."
    for words in (part, asked):
        if quoted := _own_words(words, question):
            yield f'I could not find an answer to "{quoted}".'
    if topics := " ".join(word for word in content(part) if not _MORE.search(word))[:_LONGEST]:
        yield f"I could not find anything about {topics}."


def _own_words(part: str, question: str) -> str:
    """The longest run of words that the part has from the question, when that is most of it."""
    words, asked = part.split(), question.split()
    one, other = ([word.strip(_AROUND).lower() for word in some] for some in (words, asked))
    run = SequenceMatcher(a=one, b=other, autojunk=False).find_longest_match()
    if run.size < max(_LEAST_WORDS, len(words) / 2):
        return ""
    return re.sub(r"[\[\]\"“”<>]", "", " ".join(asked[run.b : run.b + run.size])).strip(_AROUND)


def _turned(words: str) -> str:
    """The words from the desk's side: "I can return my bike" becomes "you can return your bike"."""
    return re.sub(r"[A-Za-z]+", lambda found: _OTHER_SIDE.get(found[0].lower(), found[0]), words)
