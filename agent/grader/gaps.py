"""What a draft says of its own search: "I could not find …", "The web could not be reached."

Such a sentence needs no evidence, so it may say nothing else. It is recognised by its whole form; whatever
rides along makes it a claim.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Set

from agent.grader.meaning import AUXILIARY, CONDITIONS, EXTENT, MODALS, NEGATIONS, is_content, key_of, read
from agent.grader.words import word_list, word_set

_NOT_FOUND = re.compile(
    r"""(?:(?:i(?:\sa|['’])m\s|we(?:\sa|['’])re\s)?(?:very\s|so\s)?(?:sorry|afraid)[,:]?\s+(?:but\s+)?
        |unfortunately[,:]?\s+)?
    (?:but\s+|that\s+)?(?:i|we)\s+
    (?:could\s?n[o’']t|could\snot|can\s?not|can['’]t|(?:was|were|am|are)\s(?:not\sable|unable)\sto
        |wasn['’]t\sable\sto|did\snot|didn['’]t)\s+
    (?:find|locate|see|verify|confirm|answer)\b(?P<rest>.*)""",
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
SOURCE_WORDS = frozenset(
    key_of(word)
    for word in word_list("""
    information answer anything something document documents documentation record records source sources
    page pages detail details mention result results entry entries data help centre center knowledge
    base guide guides manual manuals database web website online policy policies article articles
    material available evidence passage passages graph map relevant matching match specific statement
    reference our my your the this that any about on in for of from to at regarding concerning and or
    with it
    """)
)
# What the customer wrote, in quotes, is told of nobody.
_QUOTED = re.compile(r"an?\sanswer\sto\s[“\"](?P<words>[^“”\"]+)[”\"]", re.IGNORECASE)
_INDIRECT = word_set("whether if how what when which where who why")
ASKING_WORDS = frozenset(
    key_of(word)
    for word in word_list("""
    tell give share send say mean name number id order model product version email address account date
    customer item serial code reference ticket question help detail details information more exactly
    look check ask like know want need please use own
    price cost amount time day hour size weight length colour status
    """)
)
_NEUTRAL = word_set("you we i us")
_NAMING = word_set("any about from by between")
_STATING = AUXILIARY | NEGATIONS | CONDITIONS | MODALS | (EXTENT - _NAMING)
_SAYS_MORE = word_set("because since as than so other apart beside")
# "I could not find the fault of your kettle" takes the fault for given, unlike "anything about a fault".
_TAKES_FOR_GIVEN = re.compile(
    r"\s*(?:out\s+)?(?:any\s+of\s+)?(?:the|your|their|his|her|its|these|those)\b", re.IGNORECASE
)
# "I did not see any problem with it" gives an opinion.
_JUDGING = frozenset(
    key_of(word)
    for word in word_list(
        "problem issue reason risk danger harm harmful fault defect objection obstacle doubt wrong"
    )
)

_PLACES: dict[str, str] = {
    "documents": r"documents?|documentation|help\s(?:pages?|documents?|cent(?:er|re))|knowledge\sbase",
    "records": r"records?|database|order\srecords?",
    "graph": r"(?:knowledge\s)?graph|map(?:\sof\sproducts\sand\sservices)?",
    "web": r"web|internet",
}
_PLACE = "|".join(f"(?P<{name}>{words})" for name, words in _PLACES.items())
_ONE_PLACE = rf"(?:(?:the|our)\s)?(?:{_PLACE})(?:\s(?:source|search))?"
_WHEN = r"(?:\s(?:just\snow|right\snow|now|at\sthe\smoment|at\spresent|currently|this\stime))?"
_LOOKED = r"(?:reached|searched|looked\s(?:at|up)|read|checked|accessed|queried|used|consulted)"
_LOOK = r"(?:reach|search|look\s(?:at|in|up)|read|check|access|query|use|consult)"
_UNREACHED = re.compile(
    rf"""(?:(?:i(?:\sa|['’])m\s)?(?:sorry|afraid)[,:]?\s(?:but\s)?|unfortunately[,:]?\s|(?:but|and|also)[,]?\s)?
    (?: {_ONE_PLACE}\s(?:(?:could|can)\s?not|couldn['’]t|can['’]t)\sbe\s{_LOOKED}
      | (?:i|we)\s(?:(?:could|can)\s?not|couldn['’]t|can['’]t|(?:was|were|am|are)\sunable\sto)\s{_LOOK}\s
        {_ONE_PLACE.replace("?P<", "?P<i_")}
      | {_ONE_PLACE.replace("?P<", "?P<is_")}\s(?:is|are|was|were)\s(?:unavailable|(?:not\s|un)reachable
        |not\savailable|down|out\sof\sreach|offline)
    ){_WHEN}\s*[.!…]*""",
    re.VERBOSE | re.IGNORECASE,
)


def is_unreached(text: str, unreached: Collection[str] | None = None) -> bool:
    """Whether the sentence says that one of the sources could not be reached, and nothing more.

    Args:
        text: The sentence.
        unreached: The sources that were not reached, so that the sentence is true of these alone; None when
            that is not known.
    """
    match = _UNREACHED.fullmatch(" ".join(text.split()))
    if match is None:
        return False
    named = {
        group.removeprefix("i_").removeprefix("is_") for group, words in match.groupdict().items() if words
    }
    return unreached is None or named <= set(unreached)


def is_not_found(text: str, question: str, topics: Set[str] = frozenset()) -> bool:
    """Whether the sentence says that something was not found, and nothing more.

    Args:
        text: The sentence.
        question: The customer's words.
        topics: Keys that may be taken for given besides the question's: those of the sources' titles.
    """
    match = _NOT_FOUND.fullmatch(text.strip())
    if match is None:
        return False
    rest = re.sub(r"\A[,\s]*(?:but|and)\s+", " but ", match["rest"]).strip(" .!…")
    if (quoted := _QUOTED.fullmatch(rest)) and _words(quoted["words"]) in _words(question):
        return True
    if len(rest) > 300 or re.search(r"[;:()\[\]{}<>=–—]|\s-\s|[.!?…]\s", rest):
        return False
    sentence = read(rest)
    asked = read(question)
    allowed = {value.key for value in asked.values}
    if any(value.key not in allowed for value in sentence.values):
        return False
    known = asked.content | topics | SOURCE_WORDS | ASKING_WORDS
    if sentence.content & _JUDGING - known or (
        _TAKES_FOR_GIVEN.match(rest) and not sentence.content <= known
    ):
        return False
    pauses = [index for index, mark in sentence.breaks if mark == ","]
    pauses += [index for index, key in enumerate(sentence.keys) if key == "and"]
    last = min(pauses, default=len(sentence.keys))
    if any(key not in SOURCE_WORDS and key not in _NEUTRAL for key in sentence.keys[last:]):
        return False
    return _asks_or_names(sentence.keys[:last], known)


def _words(text: str) -> str:
    """The words alone, set off by spaces, so that one text can be looked for in another."""
    return " ".join(["", *re.findall(r"[^\W_]+", text.casefold()), ""])


def _asks_or_names(keys: tuple[str, ...], known: Set[str]) -> bool:
    """Whether these words only name what was looked for, with a verb only in an indirect question."""
    for index, key in enumerate(keys):
        if key in _INDIRECT:
            later = set(keys[index + 1 :])
            if key not in ("whether", "if") and not all(k in known for k in later if is_content(k)):
                return False
            return not later & (NEGATIONS | (CONDITIONS - _INDIRECT) | {"because", "since", "as", "than"})
        if (
            key in AUXILIARY
            or key in NEGATIONS
            or key in CONDITIONS
            or key in MODALS
            or key in EXTENT - _NAMING
        ):
            return False
        if key in _SAYS_MORE or (key == "that" and not set(keys[index:]) <= SOURCE_WORDS):
            return False  # "I could not find that" is whole; "that refunds take 90 days" goes on
    return True
