"""What turns the meaning of a sentence, and a sentence as the keys that must agree."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from agent.grader.text import plain
from agent.grader.values import Value, find_values
from agent.grader.words import expand, lemma, word_list, word_set

SENTENCE_LIMIT = 1_000
"""Characters of one sentence; a longer one can neither be supported nor support."""

NEGATIONS = word_set("not no never none neither nor nothing nobody nowhere without cannot hardly scarcely")
CONDITIONS = word_set("""
    if unless till except excepting excluding exclude until only provided providing otherwise although though
    however but whereas while when whenever where wherever besides instead rather than once depending
    subject solely exclusively whether
    """)
MODALS = word_set("can may must should will would could might shall cannot")
EXTENT = word_set("""
    all every each any some most many few several both half always usually often sometimes mostly
    typically generally rarely least more less over under above below minimum maximum up before after
    within by from between about around approximately nearly almost exactly
    """)
TURNING = NEGATIONS | CONDITIONS | MODALS | EXTENT
# Words that may come and go without a change in what is said. Everything else must agree, in order.
_SOFT = word_set("a an the also please therefore thus then do does specified respective")
_POSSESSIVES = word_set("my your our their his her its")
_BE = dict.fromkeys(word_list("is are am be been being"), "be") | dict.fromkeys(word_list("was were"), "was")

DOING = "~ing"
"""The key before a verb in its active form behind "to be"."""
_BETWEEN = word_set("not now still already just currently")


def _equals(words: str) -> dict[str, str]:
    """Words for the key of the first: they say the same wherever support texts use them."""
    first, *others = words.split()
    return dict.fromkeys(others, lemma(first))


_SAME = {
    **_BE,
    "has": "have",
    "customer": "you",
    "customers": "you",
    "&": "and",
    "+": "and",
    "upto": "up",
    "til": "until",
    **_equals("buy purchase purchases purchased purchasing"),
    **_equals("need require requires required requiring"),
    **_equals("allow permit permits permitted permitting"),
    **_equals("begin start starts started starting commence commences commenced"),
    **_equals("recover restore restores restored restoring"),
    **_equals("help assist assists assisted assisting"),
    **_equals("delete erase erases erased erasing"),
    **_equals("get obtain obtains obtained receive receives received receiving"),
    **_equals("enough sufficient"),
    **_equals("about approximately roughly"),
}
_FUNCTION = word_set("""
    a an the and or of to in on at for with from by as be was have had do did you we i he she it they
    them us me this these those that there here which who whom whose what how why then so such than into
    out up down off per via their your our my its his her will would can could may might must shall
    should not no nor also if when where while because since about get got make let yes please
    """)
_FIXED = TURNING | _FUNCTION | word_set("something anything everything someone always during else able same")


def key_of(word: str) -> str:
    """The key of one word in lower case: words that turn the meaning stand for themselves, others inflect."""
    return _SAME.get(word) or (word if word in _FIXED else lemma(word))


_MANY: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _many, _one in (
    ("is required to", "must"),
    ("is able to", "can"),
    ("in order to", "to"),
    ("as well as", "and"),
    ("no later than", "by"),
    ("have to", "must"),
    ("need to", "must"),
    ("prior to", "before"),
    ("can not", "cannot"),
):
    _keys = tuple(key_of(word) for word in _many.split())
    _MANY.setdefault(_keys[-1], []).append((_keys, _one))
_WORD = re.compile(r"[^\W_]+(?:-(?=[^\W_]))?|[<>≤≥=±×~&+%€$£#@]")
WEEKDAYS = {
    name: n for n, name in enumerate(word_list("monday tuesday wednesday thursday friday saturday sunday"))
}
"""Their keys, counted from 0 for Monday."""


@dataclass(frozen=True)
class Sentence:
    """A sentence as keys.

    Attributes:
        keys: Every word and value that must agree, in order.
        possessives: For each key, the possessive before it, or an empty string.
        values: The values, in order.
        breaks: Where punctuation stands: position in `keys` to the mark.
        content: The keys that carry a topic, as a set.
        markers: The keys that turn the meaning, in order.
        names: The keys that are written with a capital inside the sentence.
    """

    keys: tuple[str, ...]
    possessives: tuple[str, ...]
    values: tuple[Value, ...]
    breaks: tuple[tuple[int, str], ...]
    content: frozenset[str]
    markers: tuple[str, ...]
    names: frozenset[str] = frozenset()


@lru_cache(maxsize=20_000)
def read(text: str, now: datetime | None = None) -> Sentence:
    """A sentence, Markdown aside, as keys. Empty when it is longer than `SENTENCE_LIMIT`."""
    if len(text) > SENTENCE_LIMIT:
        return Sentence((), (), (), (), frozenset(), ())
    written = expand(plain(text))
    values = tuple(find_values(written, now))
    keys: list[str] = []
    soft: list[tuple[int, str]] = []
    breaks: list[tuple[int, str]] = []
    names: set[str] = set()
    position = 0
    for value in (*values, None):
        _read_words(written, position, value.start if value else len(written), keys, soft, breaks, names)
        if value:
            _join_date(keys, value)
            keys.append(value.key)
            position = value.end
    owners = dict(soft)
    content = frozenset(key for key in keys if is_content(key))
    markers = tuple(key for key in keys if key in TURNING)
    possessives = tuple(owners.get(index, "") for index in range(len(keys)))
    return Sentence(
        tuple(keys), possessives, values, tuple(breaks), content, markers, frozenset(names) & content
    )


def _read_words(
    text: str,
    start: int,
    end: int,
    keys: list[str],
    soft: list[tuple[int, str]],
    breaks: list[tuple[int, str]],
    names: set[str],
) -> None:
    position = start
    for match in _WORD.finditer(text, start, end):
        if text[position : match.start()] not in ("", " "):
            _punctuation(text[position : match.start()], keys, breaks)
        position = match.end()
        word = match[0].rstrip("-").lower()
        if word in _SOFT and not (match[0] == "A" and keys):  # "plan A" is not "a plan"
            continue
        if word in _POSSESSIVES:
            soft.append((len(keys), word))
            continue
        if match[0][0].isupper() and keys:
            names.add(key_of(word))
        if _is_active(word, keys):
            keys.append(DOING)
        keys.append(key_of(word))
        _join(keys)
    _punctuation(text[position:end], keys, breaks)


def _is_active(word: str, keys: list[str]) -> bool:
    """Whether this is "charging" of "is charging", which "charged" of "is charged" has its form with."""
    before = keys[-2:-1] if keys[-1:] and keys[-1] in _BETWEEN else keys[-1:]
    return word.endswith("ing") and word != "being" and bool(before) and before[0] in ("be", "was")


def _punctuation(between: str, keys: list[str], breaks: list[tuple[int, str]]) -> None:
    for mark in between:
        if mark in ",;:()—–" or (mark == "-" and between.startswith(" ")):
            breaks.append((len(keys), mark))


def _join(keys: list[str]) -> None:
    """Put one key for several that say the same, at the end of the list."""
    for many, one in _MANY.get(keys[-1], ()):
        if tuple(keys[-len(many) :]) == many:
            keys[-len(many) :] = [one]
            return


def _join_date(keys: list[str], value: Value) -> None:
    """Before a date, "on" says nothing, and the right weekday neither."""
    if value.kind != "date":
        return
    whole = re.fullmatch(r"\d{4}-\d\d-\d\d", value.amount)
    if keys and whole and WEEKDAYS.get(keys[-1]) == datetime.fromisoformat(value.amount).weekday():
        keys.pop()
    if keys and keys[-1] == "on":
        keys.pop()


def is_content(key: str) -> bool:
    """Whether a key carries a topic: a value, or a word that is not a function word or marker."""
    return "=" in key or (
        key not in _FUNCTION and key not in NEGATIONS and key not in CONDITIONS and key.isalnum()
    )


AUXILIARY = word_set("be was have had do did will would can could may might must shall should cannot")
_FRAGMENT = 2
"""Keys up to which words without an auxiliary are a fragment even before a full stop: "Lid."."""


def is_fragment(text: str) -> bool:
    """Whether these words are no sentence of their own, as far as can be told: `lid`, `gift cards`."""
    keys = read(text).keys
    ended = text.rstrip(" *_\"'”’)").endswith((".", "!", "?"))
    return not AUXILIARY & set(keys) and (not ended or len(keys) <= _FRAGMENT)


def agree(mine: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether the keys are the same; a date without its year agrees with one in any year."""
    return mine == theirs or (
        len(mine) == len(theirs)
        and all(
            a == b or (a.startswith("date=--") and b == f"{b[:9]}{a[6:]}")
            for a, b in zip(mine, theirs, strict=True)
        )
    )
