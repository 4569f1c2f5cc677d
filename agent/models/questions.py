"""A customer's message, taken apart: small talk, its separate questions, and what a follow-up points at."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agent.models.words import Meaning, codes, content, family, is_content, stem, stems, tokens, word_set

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_OPENER = (
    r"(?:what|when|where|which|who|whose|why|how|is|are|was|were|do|does|did|can|could|may|should|will|would|has|have|"
    r"tell me|show me|list|find|explain)"
)
_JOINT = re.compile(
    rf"(?:\s*[,;]\s*|\s+)(?:and|plus|but|or)\s+(?:also\s+|then\s+)?(?={_OPENER}\b)"
    rf"|\s*[,;]\s*(?:also\s+)?(?={_OPENER}\b\s+\w+)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:(?:and|also|plus|but|so|ok|okay|well|hi|hello|hey|dear team|good (?:morning|afternoon|evening)|"
    r"thanks|thank you|one more thing|another question|quick question)\b[\s,:!.-]*)+",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:it|its|they|them|their|that one|this one|the same)\b", re.IGNORECASE)
_OTHER = re.compile(r"\bthe other(?: one\b|(?=\s*(?:[?.!,]|$)))", re.IGNORECASE)
_BARE_POINTING = re.compile(r"\b(?:that|this|these|those|one|ones|other)\b", re.IGNORECASE)
_DEFINITE = re.compile(r"\b(?:the|that|this)\b", re.IGNORECASE)
_SELF_CONTAINED = re.compile(r"\b(?:you|your|we|our|i|my|me|there)\b", re.IGNORECASE)
_ASKS = re.compile(rf"^(?:{_OPENER})\b", re.IGNORECASE)
_TOPIC_FIRST = re.compile(rf"^[^,;]+,\s*{_OPENER}\b[^,;]*$", re.IGNORECASE)
_AGAIN = re.compile(
    r"^(?:(?:and |but )?(?:what|how) about|(?:and |same )?(?:for|with))\s+(.+)$", re.IGNORECASE
)
_THING = re.compile(r"\b(?=(my|the|a|an|your|our|this|that)\s+((?:[\w-]+\s*){1,4}))", re.IGNORECASE)
_NUMBERED = re.compile(r"\b([^\W\d_]+) (?:number )?\d{4,}\b")
_KIND = re.compile(r"^(?:which|what|how many)\s+([^\W\d_]+)", re.IGNORECASE)

_GREETS = word_set("hi hello hey hiya greetings howdy good")
_THANKS = word_set("thanks thank thx cheers ty")
# Two names of things are of one kind from this cosine on: a kettle and a toaster, not a kettle and a week.
_OF_ONE_KIND = 0.45
_PARTS = word_set("bye goodbye later soon care night")
# Words that a message of nothing but courtesy is made of.
_COURTEOUS = (
    _GREETS
    | _THANKS
    | _PARTS
    | word_set(
        """
        morning afternoon evening day weekend there dear team you much so very really many lot a lots
        for your the help great perfect see take have nice ok okay cool super fine alright got it
        understood yes no sure all that this was is were been helpful helped clear useful kind lovely
        wonderful brilliant excellent amazing good and well then again everything appreciated appreciate
        i too time patience needed wanted asked just now out best wishes regards kind enjoy rest stay
        of safe warm thankful grateful glad happy support answer answers quick solved sorted works again had
        """
    )
)
# What is said to the desk about itself, in the manner of those who would have it do something else.
_INSTRUCTING = re.compile(
    r"\b(?:ignore|forget|disregard|override)\b.{0,20}\b(?:all|any|previous|prior|above|earlier)\b.*"
    r"\b(?:instructions?|rules|prompts?)\b|\b(?:system|hidden|initial) (?:prompt|instructions)\b",
    re.IGNORECASE | re.DOTALL,
)
_IDENTITY = re.compile(
    r"\b(?:who|what) are you\b|\bare you (?:a |an )?(?:human|robot|bot|real|person|machine|ai)\b"
    r"|\bwhat can you do\b|\bwhat(?:'s| is) your name\b|\bhow are you\b|\bwhat do you do\b"
    r"|\b(?:(?:any|some)(?:body|one)|you) (?:there|around)\W*$|\b(?:is )?there (?:any|some)(?:body|one)\W*$",
    re.IGNORECASE,
)


def small_talk(message: str) -> str | None:
    """A friendly reply that states nothing, when the message asks for nothing; else None."""
    words = [re.sub(r"['’](?:ve|s|re|m|d|ll)$", "", word.lower()) for word in tokens(message)]
    found = set(words)
    if not words:
        return "What would you like to know?"
    if _INSTRUCTING.search(message) or (_IDENTITY.search(message) and len(words) <= 10):
        return "Hello! I am here to help. What would you like to know?"
    if len(words) > 20 or not found <= _COURTEOUS or ("?" in message and len(words) > 2):
        return None
    if found & _THANKS:
        return "You are welcome! Is there anything else?"
    if found & _PARTS:
        return "Goodbye!"
    if found & _GREETS:
        return "Hello! What can I help you with?"
    return "Is there anything else?"


def split(message: str) -> list[str]:
    """The separate questions of a message, as `pieces` gives them, each able to stand alone.

    A part that only points ("how much is it?") is given what the message is about.
    """
    parts = pieces(message)
    return [part if number == 0 else carry(part, parts[:number]) for number, part in enumerate(parts)]


def pieces(message: str) -> list[str]:
    """The separate questions of a message in its own words.

    A statement belongs to the question after it, or before it when none follows.
    """
    parts: list[str] = []
    pending = ""
    for sentence in _SENTENCE.split(message.strip()):
        bare = _LEADING.sub("", sentence.strip())
        asks_of_pending = bool(pending) and bare.endswith("?") and len(tokens(bare)) > 2
        if not content(bare) and not _ASKS.match(bare) and not asks_of_pending:
            continue
        if not (bare.endswith("?") or _ASKS.match(bare)):
            pending = f"{pending} {bare}".strip()
            continue
        joined = [bare] if _TOPIC_FIRST.match(bare) and not _ASKS.match(bare) else _JOINT.split(bare)
        joined = [piece for piece in joined if piece and piece.strip(" ?.,")]
        for number, piece in enumerate(_merged(joined)):
            parts.append(f"{pending} {piece}".strip() if number == 0 else piece)
        pending = ""
    if pending:
        if parts:
            parts[-1] = f"{parts[-1]} {pending}"
        else:
            parts.append(pending)
    return parts


def _merged(joined: list[str]) -> list[str]:
    """Pieces too thin to be a question of their own go back to the piece before."""
    kept: list[str] = []
    for piece in joined:
        if kept and not content(piece):
            kept[-1] = f"{kept[-1]} and {piece}"
        else:
            kept.append(piece.strip())
    return kept


def stand_alone(message: str, earlier: Sequence[str], meaning: Meaning) -> str:
    """A follow-up with what it leaves out taken from the customer's earlier messages, the latest first.

    "And the B3?" asks the question before again, about something else, and so does "B3?" alone; "is it free?"
    points at a thing, and "the other one" at what was named beside it or before it.
    """
    if not earlier:
        return message
    message = _the_other(message, earlier)
    bare = _LEADING.sub("", message.strip())
    again = _AGAIN.match(bare)
    rest = (again[1] if again else bare).strip(" ?.!")
    short = not _ASKS.match(bare) and len(tokens(rest)) <= 5
    only_named = bool(codes(rest)) and all(codes(word) or word[0].isupper() for word in content(rest))
    if again or (short and (_LEADING.match(message.strip()) or only_named)):
        before = stand_alone(earlier[-1], earlier[:-1], meaning)
        return _asked_again(before, rest, meaning) if content(rest) else message
    if _points(bare) or (bare != message.strip() and _leaves_out(bare)):
        return carry(message, earlier)
    return message


def _the_other(message: str, earlier: Sequence[str]) -> str:
    """The message with the name in place of "the other one": of the kind named last, another than that."""
    named = [word for text in reversed(earlier) for word in tokens(text) if codes(word)]
    other = next((word for word in named if _are_siblings(word, named[0])), None)
    return message if other is None or codes(message) else _OTHER.sub(other, message, count=1)


def _are_siblings(word: str, other: str) -> bool:
    """Whether two codes are of one kind and not the same."""
    one, two = codes(word)[0], codes(other)[0]
    return one != two and family(one) == family(two)


def _asked_again(question: str, rest: str, meaning: Meaning) -> str:
    """The question with another thing in place of its own, or beside it when they are not of one kind."""
    kinds = {family(code) for code in codes(rest)}
    old = next((word for word in tokens(question) if codes(word) and family(codes(word)[0]) in kinds), None)
    if old is not None:
        new = re.sub(r"^(?:the|a)\s+", "", subject(f"about {rest}") or rest)
        return re.sub(rf"\b{re.escape(old)}\b", new, question)
    thing = content(rest)
    if len(thing) == 1 and not codes(thing[0]) and len(tokens(rest)) <= 3:
        words = [word for word in content(question) if stem(word) != stem(thing[0])]
        near = meaning.cosines(thing[0], words)
        if near and max(near) >= _OF_ONE_KIND:
            return re.sub(rf"\b{re.escape(words[near.index(max(near))])}\b", thing[0], question)
    return f"{question.rstrip(' ?.!')}, {rest}?"


def carry(part: str, earlier: Sequence[str]) -> str:
    """The part with the thing named in the earlier texts, when it names none itself but leaves one out."""
    if codes(part) or not (_points(part) or _leaves_out(part)):
        return part
    found = next(((thing, text) for text in reversed(earlier) if (thing := subject(text))), None)
    if found is None or stems(found[0]) <= stems(part):
        return part
    thing, text = found
    if _POINTING.search(part) and _can_stand_for_it(thing):
        return _POINTING.sub(thing, part, count=1)
    about = thing if _can_stand_for_it(thing) else " ".join(content(text))
    return f"{part.rstrip(' ?.!')} ({about})?"


def _can_stand_for_it(thing: str) -> bool:
    """Whether "it" may be this thing: a place or a person in the question before is rarely what it is."""
    return any(char.isdigit() for char in thing) or thing.startswith(("the ", "my "))


def _points(part: str) -> bool:
    return bool(_POINTING.search(part) or (_BARE_POINTING.search(part) and len(content(part)) <= 2))


def _leaves_out(part: str) -> bool:
    """Whether a short question has no one and nothing that it could be about: "how long is the warranty".

    What is named without an article, "how long do refunds take", is meant in general.
    """
    few = len(content(part))
    return few <= 2 and not _SELF_CONTAINED.search(part) and (few < 2 or bool(_DEFINITE.search(part)))


def subject(text: str) -> str | None:
    """What a text is about: a code with its capitals, else a run of capitals, else the last thing named."""
    words = tokens(text)
    for place, word in enumerate(words):
        if codes(word):
            run = _run_around(words, place)
            before = words[place - 1] if run[0] == word and place > 1 else ""
            noun = [before] if before and is_content(before) and not is_content(words[place - 2]) else []
            return " ".join(noun + run)
    numbered = _NUMBERED.search(text)
    if numbered and is_content(numbered[1]):
        return numbered[0]
    for place, word in enumerate(words):
        if place and word[0].isupper() and is_content(word):
            return " ".join(_run_around(words, place))
    things = [(match[1].lower(), _noun(match[2])) for match in _THING.finditer(text)]
    named = [("my" if owner == "my" else "the", noun) for owner, noun in things if noun]
    if named:
        return " ".join(next((thing for thing in reversed(named) if thing[0] == "my"), named[-1]))
    kind = _KIND.match(text.strip())
    return f"the {kind[1]}" if kind and is_content(kind[1]) else None


def _run_around(words: list[str], place: int) -> list[str]:
    """The capitals and codes that stand beside a word."""

    def belongs(word: str) -> bool:
        return bool(codes(word)) or (word[0].isupper() and is_content(word))

    start = place
    while start > 1 and belongs(words[start - 1]):
        start -= 1
    end = place + 1
    while end < len(words) and belongs(words[end]):
        end += 1
    return words[start:end]


def _noun(words: str) -> str:
    kept: list[str] = []
    for word in words.split():
        if not is_content(word):
            break
        kept.append(word)
    return " ".join(kept[:2])
