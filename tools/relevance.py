"""Whether a text bears on what the customer asked, judged without a language model.

The score is `0.85 * cosine + 0.15 * coverage`, where coverage is the share of the question's content words
that the text has, codes counting double; the best part of a question of several parts decides. A text about a
sibling of what was asked for (`B3` where `B2` was asked) is marked down.

Calibration (`python -m evals.relevance`): 25 questions to a bank's support desk whose answering documents are
known, in 3,000 passages. The best answering passage scores 0.44 or more for 21 of the 22 questions for which
one comes up; of another company's nearest passages `RELEVANT` drops 37%. The cosine carries most because the
embedder has learned what answers what. The threshold is low because what is dropped here is lost, and what is
kept is graded again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

import snowballstemmer
from rapidfuzz.distance import OSA

RELEVANT = 0.22
"""A text with this score or a greater one bears on the question."""

_COSINE_WEIGHT = 0.85
_CODE_WEIGHT = 2.0
_SIBLING_FACTOR = 0.5
_LONG_NUMBER = 5  # digits from which a bare number is taken for an id
_FUZZY_LENGTH = 5  # letters from which a word may differ by one; shorter ones have too many neighbours
_CODE = re.compile(r"(?<![\w-])(?=[\w-]*\d)[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*(?![\w-])")
_QUANTITY = re.compile(r"\d+(?:[-_]?[A-Za-z]+)*")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|(?<!\d)(?:19|20)\d\d(?!\d)")
_QUESTION_WORD = (
    "what|when|where|which|who|why|how|can|could|do|does|did|is|are|was|were|will|would|may|should|has|have"
)
_PART_END = re.compile(
    rf"[?!;.]+\s+|\n+|,?\s+(?:and|also|plus|but)\s+(?=(?:also\s+)?(?:{_QUESTION_WORD})\b)", re.IGNORECASE
)

_FUNCTION_TEXT = """
a about above after again all also always am an and any anybody anyone anything are aren't as
ask asked at away be because been before being between both but by can can't cannot come could
couldn't did didn't do does doesn't doing don't done each either else ever every everything
exactly few find for from get gets getting give given go goes going gone gonna got had has
hasn't have haven't having he hello help her here hers hey hi him his how how's i i'd i'll i'm
i've if in instead into is isn't it it's its just kind know last let like long look  looking lot made make
makes many may maybe me mean means might mine more most much must my myself need needs never no
nor not nothing now of off ok okay on once one ones only or other our ours out over own perhaps
please possible put really right said same say says see shall she should show so some somebody
someone something sorry still stuff such sure take tell than thank thanks that that's the their
theirs them then there there's these they they're thing things think this those through to told
too try trying under until up us use used using very want wanted wants was wasn't way we well
went were what what's whats when where where's which while who who's whole whom whose why will
with within without won't would wouldn't yes yet you you're your yours yourself
"""
_FUNCTION_WORDS = frozenset(_FUNCTION_TEXT.split())


def relevance(question: str, text: str, *, cosine: float | None = None) -> float:
    """How much `text` bears on `question`, in [0, 1]; see the module for what the number means.

    Args:
        question: The customer's own words.
        text: A passage or page, with its title.
        cosine: Of the two texts' vectors; without it only the words are compared.
    """
    return relevances(question, [text], None if cosine is None else lambda _: [cosine])[0]


def relevances(
    question: str,
    texts: Sequence[str],
    cosines: Callable[[str], Sequence[float]] | None = None,
) -> list[float]:
    """The relevance of each text.

    Args:
        question: The customer's own words.
        texts: Passages or pages, with their titles.
        cosines: Gives the cosine of each text with a part of the question.
    """
    read = [(content_words(text), codes(text)) for text in texts]
    best = [0.0] * len(texts)
    for part in dict.fromkeys((question, *parts(question))):
        near = [None] * len(texts) if cosines is None else cosines(part)
        asked, asked_codes = content_words(part), codes(part)
        weights = dict.fromkeys(asked, 1.0) | dict.fromkeys(asked_codes, _CODE_WEIGHT)
        covers = [
            {stem for stem in asked if _has(words, stem)} | (asked_codes & found) for words, found in read
        ]
        for name in _names(part, asked):
            # Where a few texts tell of it, the others are of elsewhere.
            if 0 < sum(name in cover for cover in covers) <= len(texts) / 2:
                weights[name] = _CODE_WEIGHT
        for place, (cosine, cover, (_, found)) in enumerate(zip(near, covers, read, strict=True)):
            covered = sum(weights[term] for term in cover) / sum(weights.values()) if weights else 0.0
            score = covered if cosine is None else _mixed(cosine, covered)
            if _of_a_sibling(asked_codes, found):
                score *= _SIBLING_FACTOR
            best[place] = max(best[place], score)
    return best


def _names(part: str, asked: Mapping[str, str]) -> list[str]:
    """The stems of the words that are written with a capital inside a sentence: a place, a brand."""
    inside = part.strip().partition(" ")[2]
    return [stem for stem, word in asked.items() if word[0].isupper() and word in inside]


def missing(question: str, texts: Iterable[str]) -> tuple[str, ...]:
    """The content words and codes of the question, as it writes them, that are in none of the texts."""
    there = " \n".join(texts)
    words, found = content_words(there), codes(there)
    gone = {
        word: question.find(word) for stem, word in content_words(question).items() if not _has(words, stem)
    }
    gone |= {token: question.find(token) for token in _CODE.findall(question) if not codes(token) <= found}
    return tuple(sorted(gone, key=lambda word: gone[word]))


def parts(question: str) -> tuple[str, ...]:
    """The sentences and joined questions in `question` that ask about something."""
    pieces = (piece.strip(" ,") for piece in _PART_END.split(question))
    return tuple(piece for piece in pieces if content_words(piece) or codes(piece))


def content_words(text: str) -> Mapping[str, str]:
    """The words that tell what a text is about, without codes: each stem with the word as first written."""
    words: dict[str, str] = {}
    for match in _WORD.finditer(_CODE.sub(lambda token: " " if _is_code(token[0]) else token[0], text)):
        word = match.group()
        plain = word.replace("’", "'").lower()
        if plain not in _FUNCTION_WORDS and len(plain) > 1:
            words.setdefault(english_stem(plain.removesuffix("'s")), word)
    return words


def codes(text: str) -> frozenset[str]:
    """The codes and ids in a text, in small letters and without dashes: `AB-12` and `ab12` are the same.

    A code mixes letters and digits, or is a number of five digits or more. `30-day`, `5kg` and `1st` are
    quantities, not codes.
    """
    return frozenset(re.sub(r"[-_]", "", token).lower() for token in _CODE.findall(text) if _is_code(token))


def _is_code(token: str) -> bool:
    return len(token) >= _LONG_NUMBER if token.isdecimal() else not _QUANTITY.fullmatch(token)


def _mixed(cosine: float, covered: float) -> float:
    return min(1.0, _COSINE_WEIGHT * max(0.0, cosine) + (1 - _COSINE_WEIGHT) * covered)


def _has(words: Mapping[str, str], stem: str) -> bool:
    if stem in words:
        return True
    # People mistype.
    return len(stem) >= _FUZZY_LENGTH and any(
        other[0] == stem[0]
        and abs(len(other) - len(stem)) <= 1
        and OSA.distance(stem, other, score_cutoff=1) <= 1
        for other in words
    )


def _of_a_sibling(asked: frozenset[str], found: frozenset[str]) -> bool:
    """Whether the text names codes of a shape that was asked for, and none that was asked for."""
    near = {_shape(code) for code in asked & found}
    others = {_shape(code) for code in found} - near
    return any(_shape(code) in others for code in asked)


def _shape(code: str) -> str:
    return re.sub(r"\d+", "#", code)


@lru_cache(maxsize=1)
def _stemmer() -> snowballstemmer.stemmer:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=8192)
def english_stem(word: str) -> str:
    """The Snowball stem of an English word in small letters; `delivery` has that of `deliver`."""
    found = str(_stemmer().stemWord(word))
    if found.endswith("i") and len(found) > 5:
        found = str(_stemmer().stemWord(found[:-1]))
    return found
