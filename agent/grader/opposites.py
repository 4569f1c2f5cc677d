"""Words that say the opposite of each other."""

from __future__ import annotations

from collections.abc import Collection

from agent.grader.meaning import key_of
from agent.grader.words import word_list

_PAIRS = word_list("""
    increase/decrease rise/fall grow/shrink accept/reject accept/decline allow/forbid allow/prohibit
    allow/refuse include/exclude before/after open/close open/shut free/paid enable/disable start/end
    start/stop begin/end on/off more/less more/fewer minimum/maximum least/most above/below over/under
    first/last new/old high/low higher/lower upper/lower fast/slow faster/slower buy/sell hot/cold
    valid/invalid early/late earlier/later up/down in/out left/right left/remain inside/outside win/lose
    success/failure pass/fail always/never all/none all/some every/some must/may may/cannot can/cannot
    must/should more/most public/private internal/external import/export online/offline add/remove
    keep/delete lock/unlock long/short longer/shorter large/small larger/smaller big/small heavy/light
    full/empty cheap/expensive easy/hard safe/dangerous same/different full/partial approve/reject
    send/receive give/take lend/borrow permanent/temporary mandatory/optional required/optional
    required/forbidden before/until with/without improve/worsen strong/weak good/bad better/worse
    best/worst positive/negative agree/disagree
    """)
# Each line is two sides; every word of one is against every word of the other.
_SIDES = """
increase rise grow raise boost gain climb surge soar expand jump higher improve strengthen upward
/ decrease decline fall drop reduce cut lower shrink lose plunge slump diminish worsen weaken downward lessen
accept agree approve allow permit welcome endorse support favour favor back praise
/ refuse reject decline deny forbid prohibit ban oppose condemn criticise criticize disapprove dismiss
begin start launch open introduce create establish / end stop finish close shut cease abandon cancel
succeed success achieve manage / fail failure
include contain cover / exclude omit lack
love like enjoy prefer happy glad pleased / hate dislike detest sad unhappy angry upset
attract retain keep maintain / repel lose drop discard
early earlier recent new latest modern / late later old outdated ancient
near nearby close adjacent / far distant remote
large big huge great vast massive / small little tiny minor slight
many numerous several most / few none
simple easy straightforward / complex complicated difficult hard
strong robust powerful / weak fragile feeble
good positive excellent beneficial favourable favorable / bad negative poor harmful unfavourable adverse
safe secure / dangerous unsafe risky
fast quick rapid quickly rapidly / slow slowly
add insert attach / remove delete detach
buy purchase acquire / sell
win victory / lose defeat loss
arrive enter join / leave depart exit quit
remember recall / forget
confirm affirm / deny refute
profit / loss
public / private secret
voluntary optional / mandatory compulsory obligatory
first initial / last final
above over exceed / below under
before / after
more / less fewer
increase / reduction
encourage promote help enable / discourage prevent hinder hamper
"""
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "de", "mis")


def _listed() -> frozenset[tuple[str, str]]:
    found = set()
    for pair in _PAIRS:
        one, other = (key_of(word) for word in pair.split("/"))
        found |= {(one, other), (other, one)}
    for line in _SIDES.replace("\n/", " /").strip().splitlines():
        left, right = ([key_of(word) for word in side.split()] for side in line.split("/"))
        found |= {(one, other) for one in left for other in right}
        found |= {(other, one) for one in left for other in right}
    return frozenset(pair for pair in found if pair[0] != pair[1])


_OPPOSITES: dict[str, set[str]] = {}
for _one, _other in _listed():
    _OPPOSITES.setdefault(_one, set()).add(_other)
_SHORTEST = 4
"""Letters that a word has at least for a prefix before it to negate it."""


def opposite(one: str, other: str) -> bool:
    """Whether two keys are opposites: listed, or one is the other behind a negating prefix."""
    return has_opposite(one, frozenset((other,)))


def has_opposite(key: str, others: Collection[str]) -> bool:
    """Whether the opposite of a key is among others; they are best a set."""
    if any(other in others for other in _OPPOSITES.get(key, ())):
        return True
    return any(
        (len(key) >= _SHORTEST and prefix + key in others)
        or (key.startswith(prefix) and len(key) >= _SHORTEST + len(prefix) and key[len(prefix) :] in others)
        for prefix in _PREFIXES
    )
