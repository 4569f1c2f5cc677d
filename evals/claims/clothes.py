"""Good claims: a sentence of the source as it stands, or in other clothes that change nothing."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from evals.claims.kinds import Made, kind
from evals.claims.sources import Said, passages, sentences

_WORDS = {
    "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nine",
    "10": "ten", "12": "twelve", "14": "fourteen", "20": "twenty", "24": "twenty-four", "30": "thirty",
}  # fmt: skip
_EQUAL = {
    "7 days": "a week", "14 days": "two weeks", "24 hours": "one day", "48 hours": "2 days",
    "60 minutes": "1 hour", "12 months": "a year", "2 weeks": "14 days", "1 week": "7 days",
    "2 years": "24 months", "3 years": "36 months", "90 seconds": "1.5 minutes", "2,000 watts": "2 kW",
    "1,000 watts": "1 kilowatt", "1.5 litres": "1,500 ml", "1.7 litres": "1700 millilitres",
    "working days": "business days",
}  # fmt: skip
_FRAMES = (
    "According to our policy, {}", "Please note that {}", "Note: {}", "I found that {}", "Unfortunately, {}",
    "Our documents state that {}", "In short, {}", "Based on the manual, {}",
)  # fmt: skip


@kind(good=True)
def verbatim(said: Said, _draw: random.Random) -> Iterator[Made]:
    """The sentence as it stands."""
    yield said.sentence, (said.piece,)


@kind(good=True, apart=True)
def verbatim_among_many(said: Said, draw: random.Random) -> Iterator[Made]:
    """The sentence as it stands, citing four other pieces besides."""
    pieces = [*draw.sample(passages(), 4), said.piece]
    draw.shuffle(pieces)
    yield said.sentence, tuple(pieces)


@kind(good=True)
def numbers_in_words(said: Said, _draw: random.Random) -> Iterator[Made]:
    """ "7" becomes "seven"."""
    match = re.search(r"(?<![\w.,€-])(\d+)(?= [a-z])", said.sentence)
    if match and match[1] in _WORDS:
        yield said.sentence[: match.start()] + _WORDS[match[1]] + said.sentence[match.end() :], (said.piece,)


@kind(good=True, apart=True)
def equal_values(said: Said, _draw: random.Random) -> Iterator[Made]:
    """ "14 days" becomes "two weeks"."""
    for written, other in _EQUAL.items():
        match = re.search(rf"(?<![\d.,]){re.escape(written)}\b", said.sentence)
        if match:
            yield said.sentence[: match.start()] + other + said.sentence[match.end() :], (said.piece,)


@kind(good=True)
def framed(said: Said, draw: random.Random) -> Iterator[Made]:
    """The sentence behind "Please note that" and the like."""
    first, _, rest = said.sentence.partition(" ")
    if first in ("The", "A", "An", "You", "Your", "Each", "Every", "This"):
        yield draw.choice(_FRAMES).format(f"{first.lower()} {rest}"), (said.piece,)


@kind(good=True, apart=True)
def contracted(said: Said, _draw: random.Random) -> Iterator[Made]:
    """ "Cannot" becomes "can't"."""
    for written, other in (
        ("cannot", "can't"), ("is not", "isn't"), ("are not", "aren't"), ("does not", "doesn't"),
        ("do not", "don't"), ("must not", "mustn't"), ("will not", "won't"), ("it is", "it's"),
    ):  # fmt: skip
        if re.search(rf"\b{written}\b", said.sentence):
            yield re.sub(rf"\b{written}\b", other, said.sentence, count=1), (said.piece,)
            return


@kind(good=True, apart=True)
def condition_first(said: Said, _draw: random.Random) -> Iterator[Made]:
    """The condition at the end is put at the beginning."""
    match = re.fullmatch(r"([^,;:]+?) (if|unless|when|until) ([^,;:.]+)\.", said.sentence)
    if match and match[1].split()[0] in ("The", "A", "An", "You", "Your", "Each", "Every", "It"):
        yield f"{match[2].capitalize()} {match[3]}, {match[1][0].lower()}{match[1][1:]}.", (said.piece,)


@kind(good=True)
def joined(said: Said, draw: random.Random) -> Iterator[Made]:
    """Two sentences of two passages in one, with both ids."""
    other = draw.choice(sentences())
    if other.piece != said.piece and len(said.sentence) + len(other.sentence) < 250:
        second = other.sentence
        if second.split()[0] in ("The", "A", "An", "You", "Your", "Each", "Every"):
            second = second[0].lower() + second[1:]
        yield f"{said.sentence.removesuffix('.')}, and {second}", (said.piece, other.piece)


@kind(good=True)
def marked_up(said: Said, draw: random.Random) -> Iterator[Made]:
    """The sentence as a list item, in bold or in quotes."""
    yield draw.choice(("- {}", "**{}**", "1. {}", "> {}")).format(said.sentence), (said.piece,)


@kind(good=True, apart=True)
def voice_changed(said: Said, _draw: random.Random) -> Iterator[Made]:
    """ "You can return X" becomes "X can be returned"."""
    match = re.fullmatch(
        r"You (can|may|must) (return|register|change|cancel|print|remove|replace|clean|order|enter|use) "
        r"((?:the|an?|your|unused)\b[^,;:.]*?)"
        r"( (?:within|in|at|by|with|for|if|on|until|before|after) [^;:.]*)?\.",
        said.sentence,
    )
    if match:
        verb = match[2] + ("d" if match[2].endswith("e") else "led" if match[2] == "cancel" else "ed")
        subject = match[3][0].upper() + match[3][1:]
        yield f"{subject} {match[1]} be {verb}{match[4] or ''}.", (said.piece,)
