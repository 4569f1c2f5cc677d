"""Bad claims: a sentence of the source with one thing made wrong."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

from evals.claims.kinds import Made, kind
from evals.claims.sources import Said, named_in, passages, siblings

_NUMBER = re.compile(r"(?<![\w.,#-])(\d+(?:[.,]\d+)?)(?![\w-]|[.,]\d)")
_AUXILIARY = re.compile(r"\b(is|are|can|may|must|does|do|will|was|were)\b(?! not\b)")
_NOT = re.compile(r"\b(cannot|(is|are|can|may|must|does|do|will|was|were) not)\b")
_CONDITION = re.compile(
    r",? (?:if|unless|only if|as long as|provided that|except|until|but only|but not) [^.;:]+(?=\.$)"
)
_FRONTED = re.compile(
    r"^(?:If|Unless|When|Until|Without|With|During|In|After|Before|Outside) [^,.;:]+, (?=\w)"
)
_UNITS = {
    "days": ("weeks", "hours", "months"), "day": ("week", "month"), "hours": ("days", "minutes"),
    "minutes": ("hours", "seconds"), "seconds": ("minutes",), "weeks": ("days", "months"),
    "months": ("days", "years"), "years": ("months",), "year": ("month",), "litres": ("millilitres",),
    "watts": ("kilowatts",), "volts": ("watts",), "°C": ("°F",), "grams": ("kilograms",),
    "kilograms": ("grams",), "metres": ("centimetres",), "percent": ("euros",), "points": ("euros",),
}  # fmt: skip
_OPPOSITES = (
    ("before", "after"), ("after", "before"), ("free", "charged"), ("open", "closed"), ("closed", "open"),
    ("below", "above"), ("above", "below"), ("less", "more"), ("more", "less"), ("first", "last"),
    ("opened", "unopened"), ("unused", "used"), ("cold", "hot"), ("hot", "cold"), ("small", "large"),
    ("longer", "shorter"), ("removed", "added"), ("on", "off"), ("accepts", "refuses"), ("starts", "ends"),
    ("stops", "starts"), ("empty", "full"), ("full", "empty"), ("clean", "dirty"), ("new", "old"),
    ("with", "without"), ("without", "with"), ("covers", "excludes"), ("covered", "excluded"),
    ("lower", "higher"), ("earlier", "later"), ("later", "earlier"), ("paid", "unpaid"), ("valid", "void"),
)  # fmt: skip
_INVENTED = (
    ", free of charge", ", also on Sundays", " within two hours", " at any of our shops", ", as a courtesy",
    " and you get a voucher", " for members of the club", ", whatever the reason", " with the blue key",
    ", which takes a few minutes", " and we call you first", " in every country",
)  # fmt: skip


def _one(text: str, said: Said) -> Iterator[Made]:
    """The claim with its own evidence, unless the evidence says it after all."""
    if text and text != said.sentence and text not in said.piece.text:
        yield text[0].upper() + text[1:], (said.piece,)


@kind()
def value_changed(said: Said, draw: random.Random) -> Iterator[Made]:
    """Another number, which does not stand in the passage."""
    places = list(_NUMBER.finditer(said.sentence))
    if places:
        place = draw.choice(places)
        other = _other_number(place[1], said.piece.text, draw)
        yield from _one(f"{said.sentence[: place.start()]}{other}{said.sentence[place.end() :]}", said)


def _other_number(number: str, text: str, draw: random.Random) -> str:
    whole, mark, part = number.partition(".")
    for _ in range(20):
        other = (
            str(max(1, int(whole.replace(",", "")) + draw.choice((-2, -1, 1, 2, 5, 10, 30)))) + mark + part
        )
        if not re.search(rf"(?<!\d){re.escape(other)}(?!\d)", text):
            return other
    return number


@kind(apart=True)
def unit_changed(said: Said, draw: random.Random) -> Iterator[Made]:
    """The same number of something else."""
    for unit, others in _UNITS.items():
        match = re.search(rf"(?<=\d )(?:working )?{unit}\b", said.sentence)
        if match:
            other = draw.choice(others)
            yield from _one(said.sentence[: match.start()] + other + said.sentence[match.end() :], said)
    if "€" in said.sentence:
        yield from _one(said.sentence.replace("€", "$", 1), said)


@kind()
def negation_added(said: Said, _draw: random.Random) -> Iterator[Made]:
    """ "Is" becomes "is not"."""
    match = _AUXILIARY.search(said.sentence)
    if match and not _NOT.search(said.sentence):
        yield from _one(f"{said.sentence[: match.end()]} not{said.sentence[match.end() :]}", said)


@kind(apart=True)
def negation_lost(said: Said, _draw: random.Random) -> Iterator[Made]:
    """ "Is not" becomes "is"."""
    match = _NOT.search(said.sentence)
    if match:
        kept = match[0].removesuffix(" not") if match[0] != "cannot" else "can"
        yield from _one(said.sentence[: match.start()] + kept + said.sentence[match.end() :], said)
    elif " no " in said.sentence:
        yield from _one(said.sentence.replace(" no ", " a ", 1), said)


@kind()
def condition_dropped(said: Said, _draw: random.Random) -> Iterator[Made]:
    """The condition or exception at the end goes."""
    match = _CONDITION.search(said.sentence)
    if match:
        yield from _one(said.sentence[: match.start()] + said.sentence[match.end() :], said)


@kind(apart=True)
def opening_dropped(said: Said, _draw: random.Random) -> Iterator[Made]:
    """The condition, time or place at the beginning goes."""
    match = _FRONTED.match(said.sentence)
    if match:
        yield from _one(said.sentence[match.end() :], said)


@kind()
def sibling(said: Said, draw: random.Random) -> Iterator[Made]:
    """Another thing of the same kind, which the passage does not name."""
    for name in named_in(said.sentence):
        others = [other for other in siblings()[name] if other not in said.piece.text]
        if others:
            yield from _one(said.sentence.replace(name, draw.choice(others), 1), said)
            return


@kind(apart=True)
def sibling_evidence(said: Said, draw: random.Random) -> Iterator[Made]:
    """A true sentence that cites the passage about another thing of the same kind."""
    for name in named_in(said.sentence):
        others = siblings()[name]
        pieces = [
            piece
            for piece in passages()
            if name not in piece.text
            and said.sentence not in piece.text
            and any(other in piece.text for other in others)
        ]
        if pieces:
            yield said.sentence, (draw.choice(pieces),)
            return


@kind(apart=True)
def old_version(said: Said, draw: random.Random) -> Iterator[Made]:
    """What was true in one year is said of another."""
    years = re.findall(r"\b20[12]\d\b", said.sentence)
    if years:
        year = draw.choice(years)
        yield from _one(said.sentence.replace(year, str(int(year) + draw.choice((-2, -1, 1, 2)))), said)


@kind()
def quantifier(said: Said, _draw: random.Random) -> Iterator[Made]:
    """All against some, only against also, at least against at most."""
    swaps = (
        (r"\bat least\b", "at most"), (r"\bat most\b", "at least"), (r"\bup to\b", "at least"),
        (r"\bmore than\b", "less than"), (r"\bless than\b", "more than"), (r"\bevery\b", "the first"),
        (r"\bEvery\b", "Some"), (r"\bEach\b", "Not every"), (r"\b[Aa]ll\b", "some"), (r"\bonly\b", "also"),
        (r"\bOnly\b", "Also"), (r"\bonce\b", "twice"), (r"\bnever\b", "sometimes"), (r"\bwithin\b", "after"),
    )  # fmt: skip
    for pattern, other in swaps:
        if re.search(pattern, said.sentence):
            yield from _one(re.sub(pattern, other, said.sentence, count=1), said)
            return


@kind(apart=True)
def force(said: Said, _draw: random.Random) -> Iterator[Made]:
    """What may be done must be, and what must be may."""
    swaps = (
        (r"\bmust\b(?! not)", "may"), (r"\bcan\b(?! not)", "must"), (r"\bmay\b(?! not)", "must"),
        (r"\bmay not\b", "need not"), (r"\bmust not\b", "need not"), (r"\bwill\b", "may"),
        (r"\bis needed\b", "can be used"), (r"\bare needed\b", "can be used"),
    )  # fmt: skip
    for pattern, other in swaps:
        if re.search(pattern, said.sentence):
            yield from _one(re.sub(pattern, other, said.sentence, count=1), said)
            return


@kind(apart=True)
def opposite(said: Said, draw: random.Random) -> Iterator[Made]:
    """A word becomes its opposite."""
    fits = [(word, other) for word, other in _OPPOSITES if re.search(rf"\b{word}\b", said.sentence)]
    if fits:
        word, other = draw.choice(fits)
        yield from _one(re.sub(rf"\b{word}\b", other, said.sentence, count=1), said)


@kind()
def invented(said: Said, draw: random.Random) -> Iterator[Made]:
    """A detail that nobody stated rides along."""
    yield from _one(f"{said.sentence.removesuffix('.')}{draw.choice(_INVENTED)}.", said)


@kind(apart=True)
def roles_swapped(said: Said, _draw: random.Random) -> Iterator[Made]:
    """Who and whom change places: `A and B` around a verb."""
    names = list(named_in(said.sentence))
    if len(names) == 2 and " and " not in said.sentence and ", " not in said.sentence:
        one, other = names
        swapped = said.sentence.replace(one, "\0").replace(other, one).replace("\0", other)
        yield from _one(swapped, said)


@kind()
def wrong_evidence(said: Said, draw: random.Random) -> Iterator[Made]:
    """The right words with the id of another passage of the same document."""
    stem = said.piece.place.partition("#")[0]
    others = [
        piece
        for piece in passages()
        if piece.place.startswith(f"{stem}#") and said.sentence not in piece.text
    ]
    if others:
        yield said.sentence, (draw.choice(others),)


@kind(apart=True)
def spliced(said: Said, draw: random.Random) -> Iterator[Made]:
    """The subject of one sentence with what another sentence of the passage says of something else."""
    match = re.match(r"((?:The|An?|Your|Every|Each) [^,;]+?) (is|are|can|may|must|has|have) ", said.sentence)
    others = re.findall(
        r"(?:^|(?<=[.] ))(?:The|An?|Your|Every|Each) ([^,;.]+?) (is|are|can|may|must|has|have) ([^.;:]+)\.",
        said.piece.text,
    )
    if match:
        fits = [
            rest
            for subject, verb, rest in others
            if verb == match[2] and subject.lower() not in match[1].lower()
        ]
        if fits:
            yield from _one(f"{match[1]} {match[2]} {draw.choice(fits)}.", said)


@kind()
def modifier_dropped(said: Said, _draw: random.Random) -> Iterator[Made]:
    """A word that narrows what is spoken of goes: an opened kettle becomes a kettle."""
    match = re.search(
        r"\b(unused|opened|sealed|empty|clean|new|other|faulty|damaged|registered|working|original|cold|full"
        r"|spare|public|internal|second|main|standard|express|large|small|paid|late|early|unopened) (?=\w)",
        said.sentence,
    )
    if match:
        yield from _one(said.sentence[: match.start()] + said.sentence[match.end() :], said)
