"""What states nothing: courtesies, questions back, headings, and the frames around a statement.

Each rule takes a whole sentence or a closed form, so that a statement cannot ride along: what is not
recognised is a claim, and a claim must be shown.
"""

from __future__ import annotations

import re
from collections.abc import Set
from functools import lru_cache

from agent.grader.gaps import ASKING_WORDS, SOURCE_WORDS
from agent.grader.meaning import AUXILIARY, CONDITIONS, MODALS, NEGATIONS, Sentence, is_content, key_of, read
from agent.grader.words import word_list, word_set

_COURTESIES = re.compile(
    r"""(?:
      (?:hi|hello|hey|dear\scustomer|greetings|good\s(?:morning|afternoon|evening|day))(?:\sthere|\sagain)?
    | (?:many\s)?thank(?:s|\syou)(?:\s(?:so|very)\smuch|\sa\slot)?(?:\sagain)?
      (?:\sfor\s(?:your\s(?:question|message|patience|understanding|time|interest)
        |asking|reaching\sout|contacting\sus|getting\sin\stouch|waiting|writing))?
    | you(?:\sa|['’])re\s(?:very\s)?welcome|my\spleasure|(?:great|good)\squestion|understood|i\ssee
    | (?:i(?:\sa|['’])m\s)?(?:very\s|so\s)?sorry
      (?:\s(?:to\shear|about|for)\s(?:that|this|(?:the|any)\s(?:inconvenience|trouble)))?
    | (?:i|we)\sapologi[sz]e(?:\sfor\s(?:the|any)\s(?:inconvenience|trouble|confusion))?
    | (?:i(?:\sa|['’])m|we(?:\sa|['’])re|i(?:['’]d|\swould)\sbe)\s(?:happy|glad|here|pleased)
      \sto\s(?:help|assist)(?:\syou)?(?:\s(?:with\sthat|with\sthis|further|today))?
    | (?:please\s)?(?:let\s(?:me|us)\sknow|feel\sfree\sto\s(?:ask|reach\sout|contact\sus)|just\sask
        |(?:do\snot|don['’]t)\shesitate\sto\s(?:ask|contact\sus))
      (?:\sif\s(?:you\s(?:have\s(?:any\s)?(?:other|more|further)?\s?questions
          |need\s(?:anything\selse|any\shelp|(?:more|further)\s(?:help|assistance))
          |would\slike\s(?:more\shelp|to\sknow\smore))
        |there\sis\sanything\selse(?:\si\scan\s(?:do|help(?:\syou)?\swith))?))?
    | (?:i|we)\shope\s(?:this|that)\shelps(?:\syou)?
    | have\sa\s(?:nice|great|good|lovely)\s(?:day|evening|weekend)
    | good\s?bye|bye|see\syou|take\scare|(?:best|kind)\sregards|best\swishes|all\sthe\sbest
    | (?:how|what)\scan\s(?:i|we)\s(?:help|do\sfor)(?:\syou)?(?:\swith)?(?:\stoday)?
    | is\sthere\sanything\selse(?:\s(?:i|we)\scan\s(?:do|help)(?:\s(?:for\syou|you\swith|with))?)?
    | here(?:\sis|\sare|['’]s)\swhat\s(?:i|we)\s(?:found|could\sfind)
    | (?:i|we)\sfound\s(?:this|the\sfollowing)
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_GLUE = re.compile(r"[\s,;:.!?…–—-]*(?:\band\b|\bbut\b)?[\s,;:.!?…–—-]*", re.IGNORECASE)

_QUESTION_START = re.compile(
    # "When shall I send the refund?" would promise one; "When did you buy it?" asks.
    r"(?:(?:and|so|or)\s)?(?:which|what|who|(?:where|when|how)\s(?:do|did|have|are|were|was|is)\s(?:you|your|it)"
    r"|(?:could|can|would|do|did|are|have)\syou|(?:may|can|shall|should|could)\si\s(?:ask|check|look|know|have)"
    r"|is\s(?:it|this|that)|was\sit)\b",
    re.IGNORECASE,
)
_FACTIVE = frozenset(
    key_of(word)
    for word in word_list("aware realise realize remember forget notice since because given as that right")
)

_FRAME = re.compile(
    r"""\s*(?:
      (?:please\s)?(?:also\s)?note(?:\sthat\b|\s?[:,])
    | (?:important|note|warning|tip|caution|attention|remember|good\sto\sknow)\s?[:!]
    | (?:unfortunately|fortunately|luckily|in\sshort|in\ssummary|in\saddition|additionally|also|furthermore
      |moreover|however|therefore|so|finally|as\sfor\syour\squestion|good\snews)\s?[,:]
    | (?:i|we)\s(?:have\s)?(?:found|see|can\ssee|can\sconfirm)\sthat\b
    | (?:according\sto|based\son|as\sstated\sin|as\sdescribed\sin|per|from)\s(?P<source>[^,.;:]{1,80}),
    | (?P<sayer>[^,.;:]{1,60}?)\s(?:says?|states?|shows?|confirms?|mentions?|explains?|indicates?)\sthat\b
    )\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_YES_NO = re.compile(
    r"\s*(?P<answer>(?P<no>no|nope|not really|not at all|never|false|wrong)"
    r"|yes|yep|yeah|correct|exactly|right|indeed|true"
    r"|(?P<mild>sure|of course|certainly|absolutely|okay|ok|great))"
    r"\b(?:\s*[,.!:;–—]+|\s+-+(?=\s)|-+\s|\s*$)\s*",  # not the hyphen of "no-show"
    re.IGNORECASE,
)
_DENIAL = re.compile(r"\s*(?:never|false|wrong|not (?:really|at all))\b", re.IGNORECASE)
_OPEN_QUESTION = re.compile(
    r"\s*(?:what|which|who|whose|where|when|why|how|tell|show|give|please)\b", re.IGNORECASE
)
_LEAD_IN = re.compile(
    r"(?:here\s(?:is|are)|these\sare|this\sis|below\s(?:is|are)|the\sfollowing|steps?|summary|in\sshort|sources?|details?"
    r"|answer|i\sfound|we\sfound)\b[^.!?]*",
    re.IGNORECASE,
)
_HEADING_WORDS = frozenset(
    key_of(word)
    for word in word_list("""
    answer summary source sources details steps step note notes overview question short what i found
    about your the for and of how to information reference references here is are this below following
    these that we if in with on it you
    """)
)
_SAYING_WORDS = SOURCE_WORDS | frozenset(
    key_of(word)
    for word in word_list("section faq terms return shipping warranty product support team current i we")
)


_OURSELVES = word_set("it this that these we i")
_OTHERS = word_set("you they he she who")


def is_courtesy(text: str) -> bool:
    """Whether the sentence is made of greetings, thanks and offers of help alone."""
    position, found = 0, False
    while position < len(text):
        match = _COURTESIES.match(text, position)
        if match and match.end() > position and not text[match.end() : match.end() + 1].isalnum():
            position, found = match.end(), True
            continue
        glue = _GLUE.match(text, position)
        if not found or glue is None or glue.end() == position:
            return False
        position = glue.end()
    return found


def is_question_back(text: str, question: str) -> bool:
    """Whether the sentence asks something and carries no statement: its topics are the customer's own."""
    if not text.rstrip().endswith("?") or len(text) > 200 or not _QUESTION_START.match(text.strip()):
        return False
    if re.search(r"[.!;:()\[\]–—]", text.rstrip(" ?")):
        return False
    sentence, asked = read(text), read(question)
    if set(sentence.keys) & (_FACTIVE | NEGATIONS | CONDITIONS):
        return False
    if any(value.kind.startswith("money") for value in sentence.values):
        return False  # "Do you want the refund of €90?" offers it
    return all(key in asked.content or key in ASKING_WORDS for key in sentence.content)


def is_lead_in(text: str, topics: Set[str]) -> bool:
    """Whether a line that ends with a colon, or a heading, only names what follows."""
    bare = text.strip(" :#*_\t")
    sentence = read(bare)
    if not sentence.keys or len(sentence.keys) > 12 or sentence.values:
        return not sentence.keys
    if any(key in NEGATIONS or key in MODALS or (key in CONDITIONS and key != "if") for key in sentence.keys):
        return False
    if is_courtesy(bare):
        return True
    if not all(key in topics or key in _HEADING_WORDS for key in sentence.content):
        return False
    return (
        sentence.content <= _HEADING_WORDS
        or _LEAD_IN.fullmatch(bare) is not None
        or not set(sentence.keys) & (AUXILIARY | {"if"})
    )


@lru_cache(maxsize=4096)
def without_frame(text: str, topics: frozenset[str] = frozenset()) -> str:
    """The statement inside its frame: "According to our policy, …", "Please note that …"."""
    for _ in range(3):
        match = _FRAME.match(text)
        if match is None or match.end() >= len(text):
            return text
        named = match["source"] or match["sayer"]
        if named and not _is_source(named, topics, says=bool(match["sayer"])):
            return text
        text = text[match.end() :]
    return text


def _is_source(named: str, topics: frozenset[str], *, says: bool) -> bool:
    """Whether these words name a source of ours, and neither a customer who says it nor a case it is for."""
    sentence = read(named)
    words = _content(sentence)
    if says and not words:
        return set(sentence.keys) <= _OURSELVES
    ours = says or any(key in _SAYING_WORDS for key in words) or set(words) == topics
    turned = any(key in MODALS or key in _OTHERS for key in sentence.keys)
    return ours and not turned and all(key in _SAYING_WORDS or key in topics for key in words)


def _content(sentence: Sentence) -> list[str]:
    return [key for key in sentence.keys if is_content(key) or key in NEGATIONS or key in CONDITIONS]


def without_answer(text: str) -> str:
    """What a source says behind its "Yes," or "No,". What it calls false or wrong it does not say."""
    return text if _DENIAL.match(text) else split_answer(text, "")[1]


def is_denial(text: str) -> bool:
    """Whether a sentence only calls the next one wrong: "False!"."""
    match = _DENIAL.match(text)
    return match is not None and not re.search(r"[^\W_]", text[match.end() :])


def split_answer(text: str, question: str) -> tuple[str, str]:
    """`("yes" | "no" | "", the rest)`: a leading yes or no answers the question, and must be right too.

    "Sure" and the like are politeness where the question cannot be answered with yes.
    """
    match = _YES_NO.match(text)
    if match is None:
        return "", text
    if match["mild"] and (not question.strip() or _OPEN_QUESTION.match(question)):
        return "", text[match.end() :]
    return ("no" if match["no"] else "yes"), text[match.end() :]
