"""Claims against evidence: what passes, what does not, and why."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from agent.answer import Verdict
from agent.grader import ClaimGrade, Grade, grade
from agent.grader.claims import CLAIM_LIMIT
from agent.grader.values import find_values
from tools.evidence import Evidence

POLICY = """# Returns

Unused goods can be returned within **30 days** of delivery. Opened machines can be returned within 14 days
if they are descaled and clean. Clearance items cannot be returned. Return shipping costs €4.95 unless the
item is faulty.
Refunds are paid within 5 working days of arrival, and are sent to the [original account](https://shop.example/pay).
Only the owner of an account can change its address. You must keep the box for at least 2 weeks.

You cannot send back:

- opened filters
- gift cards

| Plan | Seats | Price |
|---|---|---|
| Basic | 2 | €10 |
| Team | 10 | €49 |

## Never do this

- Open the lid while the water boils.

## Can I return a gift card?

No, gift cards are final.
"""

EVIDENCE = {
    item.id: item
    for item in (
        Evidence("D1", "documents", "Returns", POLICY),
        Evidence(
            "D2", "documents", "Opening hours", "Support is open from Monday to Friday, 08:00 to 20:00."
        ),
        Evidence(
            "R1",
            "records",
            "my_orders",
            "order id: O-20017; status: shipped; ordered on: 3 March 2026; delivered on: 9 March 2026; "
            "total: €39.00; gift: yes; "
            "summary: Your order left our warehouse on 4 March 2026 and was handed to the post.",
        ),
        Evidence(
            "R2", "records", "my_orders", "order id: O-20018; status: delivered; total: €59.00; gift: no"
        ),
        Evidence("R3", "records", "my_refunds", "No rows: nothing in my_refunds matches."),
        Evidence(
            "R5", "records", "products", "name: Kettle K1; price: €39.00; maker: Emberline; seller: Volt"
        ),
        Evidence("R4", "records", "orders", "No rows: nothing of yours in open orders matches O-1009."),
        Evidence(
            "G1",
            "graph",
            "depends on",
            "3 things depend on Login: Basket, Search and Stock.\nBasket depends on Login.\n"
            "Search depends on Login.\nStock depends on Login.",
        ),
        Evidence("G2", "graph", "depends on", "Login depends on Vault."),
    )
}


def _one(draft: str, question: str = "", now: datetime | None = None) -> ClaimGrade:
    (claim,) = grade(draft, EVIDENCE, question, now=now).claims
    return claim


SUPPORTED = [
    "Unused goods can be returned within 30 days of delivery. [D1]",
    "Unused goods can be returned within thirty days of delivery [D1].",
    "You can return unused goods within 30 days of delivery. [D1]",
    "Within 30 days of delivery, unused goods can be returned. [D1]",
    "According to our policy, clearance items can't be returned. [D1]",
    "Please note that clearance items cannot be returned. [D1]",
    "If they are descaled and clean, opened machines can be returned within two weeks. [D1]",
    "Return shipping costs 4.95 euros unless the item is faulty. [D1]",
    "Refunds are paid within five business days of arrival. [D1]",
    "Refunds are paid within 5 working days. [D1]",
    "Clearance items cannot be returned, and support is open from Monday to Friday, 8 am to 8 pm [D1][D2].",
    "You cannot send back opened filters. [D1]",
    "Plan: Team; Seats: 10; Price: €49. [D1]",
    "Team has 10 seats and a price of €49. [D1]",
    "Order id O-20017, status shipped. [R1]",
    "The status is shipped. [R1]",
    "Order O-20017 is shipped. [R1]",
    "Your order O-20017 was ordered on 3 March and delivered on 9 March 2026. [R1]",
    "The total of order O-20017 is €39. [R1]",
    "Your order left our warehouse on 4 March 2026 and was handed to the post. [R1]",
    "Order O-20017 is shipped and order O-20018 is delivered. [R1, R2]",
    "The price of the Kettle K1 is €39. [R5]",
    "The price of the Kettle K1 is €39, and its maker is Emberline. [R5]",
    "You have no refunds. [R3]",
    "You have no open order O-1009. [R4]",
    "No rows: nothing in my_refunds matches. [R3]",
    "Basket depends on Login. [G1]",
    "Basket, Search and Stock depend on Login. [G1]",
    "3 things depend on Login: Basket, Search and Stock. [G1]",
    "Basket depends on Login, and Login depends on Vault. [G1, G2]",
]


@pytest.mark.parametrize("draft", SUPPORTED)
def test_what_the_source_says_passes(draft: str) -> None:
    """The source's own words pass, in other clothes, order or voice; several pieces may share a sentence."""
    claim = _one(draft)
    assert (claim.verdict, claim.score, claim.stage) == ("supported", 1.0, "gate"), claim
    assert grade(draft, EVIDENCE).passed
    assert any(claim.quote in EVIDENCE[name].text for name in claim.citations)


@pytest.mark.parametrize(
    ("draft", "verdict"),
    [
        ("Unused goods can be returned within 60 days of delivery. [D1]", "contradicted"),
        ("Unused goods can be returned within 30 weeks of delivery. [D1]", "contradicted"),
        ("Clearance items can be returned. [D1]", "contradicted"),
        ("Unused goods cannot be returned within 30 days of delivery. [D1]", "contradicted"),
        ("Return shipping costs €9.95 unless the item is faulty. [D1]", "contradicted"),
        ("The status is delivered. [R1]", "contradicted"),
        ("The status is not shipped. [R1]", "contradicted"),
        ("It was ordered on 9 March 2026. [R1]", "contradicted"),
        ("The total of order O-20017 is €59. [R1][R2]", "contradicted"),
        ("Login depends on Basket. [G1]", "contradicted"),
        ("Opened machines can be returned within 14 days. [D1]", "unsupported"),
        ("Return shipping costs €4.95. [D1]", "unsupported"),
        ("The owner of an account can change its address. [D1]", "unsupported"),
        ("Robots sweep the warehouse at night. [D1]", "unsupported"),
        ("Unused goods can be returned within 30 days of delivery if you ask. [D1]", "unsupported"),
        ("Basket, Ghost and Stock depend on Login. [G1]", "unsupported"),
        ("Clearance items cannot be returned. [D2]", "unsupported"),
        ("Clearance items cannot be returned. [D9]", "unknown_id"),
        ("Clearance items cannot be returned. [D1, D9]", "unknown_id"),
        ("Clearance items cannot be returned.", "uncited"),
    ],
)
def test_why_a_claim_does_not_pass(draft: str, verdict: Verdict) -> None:
    """What is replaced or turned is contradicted; a lost condition or an invention is unsupported."""
    claim = _one(draft)
    assert claim.verdict == verdict, claim
    assert claim.reason
    assert not grade(draft, EVIDENCE).passed


@pytest.mark.parametrize(
    "draft",
    [
        "Goods can be returned within 30 days of delivery. [D1]",
        "All unused goods can be returned within 30 days of delivery. [D1]",
        "Unused goods must be returned within 30 days of delivery. [D1]",
        "Unused goods can be returned after 30 days of delivery. [D1]",
        "Unused goods can be returned within 14 days of delivery. [D1]",
        "Opened machines can be returned within 14 days if they are clean. [D1]",
        "Only unused goods can be returned within 30 days of delivery. [D1]",
        "You must keep the box for at most 2 weeks. [D1]",
        "You must keep the box for 2 weeks. [D1]",
        "Opened filters. [D1]",
        "You have no orders. [R4]",
        "The price of the Kettle K1 is Emberline. [R5]",
        "The maker is the Kettle K1. [R5]",
        "The maker of the Kettle K1 is Volt. [R5]",
        "The seller of Emberline is Volt and the maker is the Kettle K1. [R5]",
        "You have no open orders. [R4]",
        "There is no order O-1009. [R4]",
        "You can send back gift cards. [D1]",
        "Open the lid while the water boils. [D1]",
        "Can I return a gift card. [D1]",
        "The price is €49. [D1]",
        "Basic has 10 seats. [D1]",
        "Team has 2 seats and a price of €10. [D1]",
        "Order O-20017 is shipped and delivered. [R1, R2]",
        "Order O-20017 is delivered. [R1, R2]",
        "Order O-20017 is not a gift. [R1]",
        "The total is 3 March 2026. [R1]",
        "Shipped. [R1]",
        "O-20017. [R1]",
        "Refunds are not allowed. [R3]",
        "~~Unused~~ goods can be returned within 30 days of delivery. [D1]",
        "All things depend on Login. [G1]",
        "Only Basket depends on Login. [G1]",
        "Basket depends on Vault. [G1, G2]",
        "Basket does not depend on Login. [G1]",
        "Refunds are sent to the [original account](https://evil.example/pay). [D1]",
        "Clearance items cannot be returned at our cost. [D1]",
        "Clearance items cannot be returned, and robots sweep. [D1]",
        "Clearance items cannot be returned (but opened filters can). [D1]",
        "It is false that clearance items cannot be returned. [D1]",
        "According to the law of 1900, clearance items cannot be returned. [D1]",
        "" + "Clearance items cannot be returned and " * 60 + "so on. [D1]",
    ],
)
def test_what_says_more_or_else_does_not_pass(draft: str) -> None:
    """A dropped modifier, a moved condition, a stronger word, a fragment or another row never passes."""
    graded = grade(draft, EVIDENCE)
    assert graded.claims
    assert not graded.passed, graded


TRAPS = """
Annual plans can be cancelled within 30 days of purchase for a full refund. Free shipping is offered for
orders over €50 in Belgium. We ship to Norway but not to Iceland. The lid is closed until the water
boils. The pot and the pan use lid L-20 and lid L-30 respectively. Some people say that the pot explodes.
If the light is red, the tank is empty. Both keys are needed to start. Either a passport or a licence is
accepted. The price rose from €5 to €10. Emma pays Tom. Returns are free, though not for clearance items.
It is not true that refunds take 90 days. Anyone under 18 cannot order. Neither the jug nor the cup has a
filter. The warranty covers defects and excludes wear. The desk opens at 08:00 and closes at 20:00. A
leak is fixed by a new seal.
"""


@pytest.mark.parametrize(
    "claim",
    [
        "Annual plans can be cancelled for a full refund.",
        "Plans can be cancelled within 30 days of purchase for a full refund.",
        "Annual plans can be cancelled within 30 days of purchase for a full refund, as can others.",
        "Free shipping is offered for orders over €50.",
        "We ship to Norway and to Iceland.",
        "We ship to Norway.",
        "The lid is closed.",
        "The pot uses lid L-30.",
        "The pot and the pan use lid L-20.",
        "The pot explodes.",
        "The tank is empty.",
        "Keys are needed to start.",
        "A passport is accepted.",
        "The price rose from €10 to €5.",
        "The price rose to €5.",
        "Tom pays Emma.",
        "Returns are free.",
        "Refunds take 90 days.",
        "Anyone can order.",
        "Anyone over 18 can order.",
        "The jug has a filter.",
        "The warranty covers wear.",
        "The warranty covers defects and wear.",
        "The desk closes at 08:00.",
        "The desk opens at 8 pm.",
        "A leak is fixed.",
        "Free for members.",
        "Returns are paid by us.",
    ],
)
def test_a_part_of_the_truth_is_not_the_truth(claim: str) -> None:
    """What is said only with its condition, place, speaker, partner or denial does not pass bare."""
    assert not grade(f"{claim} [D1]", {"D1": Evidence("D1", "documents", "a", TRAPS)}).passed


def test_a_shared_beginning_keeps_its_negation() -> None:
    """ "Not red and new" may deny both, so two sentences that do not share the "not" do not show it."""
    evidence = {"D1": Evidence("D1", "documents", "a", "Pots are not red. Pots are new. Pots are round.")}
    assert not grade("Pots are not red and new. [D1]", evidence).passed
    assert grade("Pots are new and round. [D1]", evidence).passed


def test_one_bad_claim_makes_a_bad_draft() -> None:
    """A good sentence does not carry a bad one."""
    graded = grade("Clearance items cannot be returned. [D1] Refunds take a year. [D1]", EVIDENCE)
    assert [claim.verdict == "supported" for claim in graded.claims] == [True, False]
    assert not graded.passed


def test_small_talk_passes_and_silence_does_not() -> None:
    """A draft without claims passes when it says something."""
    assert grade("Hello! How can I help you today?", {}) == Grade((), True, False)
    assert not grade("", {}).passed
    assert not grade("   \n", EVIDENCE).passed


def test_not_found_passes_beside_a_claim() -> None:
    """An honest gap needs no id, and is told in the grade."""
    graded = grade(
        "Clearance items cannot be returned. [D1] I could not find anything about kettles.", EVIDENCE
    )
    assert graded.passed
    assert graded.not_found
    assert len(graded.claims) == 1


def test_leading_yes_and_no_must_be_right() -> None:
    """A leading yes or no passes only where the sentence is the question, affirmed or denied."""
    asked = "Can clearance items be returned?"
    assert _one("No, clearance items cannot be returned. [D1]", asked).verdict == "supported"
    assert _one("Yes, clearance items cannot be returned. [D1]", asked).verdict == "uncertain"
    assert (
        _one("Yes. Unused goods can be returned within 30 days of delivery. [D1]", asked).verdict
        == "uncertain"
    )
    late = "Can unused goods be returned after 45 days?"
    assert (
        _one("Yes, unused goods can be returned within 30 days of delivery. [D1]", late).verdict
        == "uncertain"
    )


def test_relative_days_are_read_by_the_clock() -> None:
    """ "3 days ago" is a date when the time is given."""
    now = datetime(2026, 3, 6, 9, tzinfo=UTC)
    assert _one("It was ordered on 3 days ago. [R1]", now=now).verdict == "supported"
    assert _one("It was ordered on 5 days ago. [R1]", now=now).verdict != "supported"


def test_a_pronoun_may_not_change_its_source() -> None:
    """A sentence that begins with "it" leans on the one before, so both must share a source."""
    evidence = {
        "D1": Evidence("D1", "documents", "a", "The small pot is red."),
        "D2": Evidence("D2", "documents", "b", "The big pot is new. It costs €5."),
    }
    assert not grade("The small pot is red. [D1] It costs €5. [D2]", evidence).passed
    assert grade("The big pot is new. [D2] It costs €5. [D2]", evidence).passed
    both = {"D3": Evidence("D3", "documents", "c", "The small pot is red. The big pot is new. It costs €5.")}
    assert not grade("The small pot is red. [D3] It costs €5. [D3]", both).passed


def test_possessives_may_go_but_not_change() -> None:
    """ "Your cost" is not "our cost"."""
    evidence = {"D1": Evidence("D1", "documents", "a", "Returns are at your cost.")}
    assert grade("Returns are at your cost. [D1]", evidence).passed
    assert not grade("Returns are at our cost. [D1]", evidence).passed


def test_voice_is_part_of_the_meaning() -> None:
    """Who charges whom is not lost with the verb "to be"."""
    evidence = {"D1": Evidence("D1", "documents", "a", "Customers are charged a fee.")}
    assert not grade("Customers charge a fee. [D1]", evidence).passed


def test_conditions_in_the_next_line_of_a_paragraph_are_seen() -> None:
    """A wrapped line does not end a sentence."""
    text = "Opened machines can be returned to any of our shops within 14 days\nif they are clean."
    evidence = {"D1": Evidence("D1", "documents", "a", text)}
    assert not grade(
        "Opened machines can be returned to any of our shops within 14 days. [D1]", evidence
    ).passed
    assert grade(" ".join(text.split()) + " [D1]", evidence).passed


def test_verdicts_are_the_answers_verdicts() -> None:
    """Every verdict that the grader gives is one that an answer can carry."""
    drafts = [
        *SUPPORTED,
        "It rains.",
        "It rains. [D9]",
        "It rains. [D1]",
        "Clearance items can be returned. [D1]",
    ]
    assert {claim.verdict for draft in drafts for claim in grade(draft, EVIDENCE).claims} <= set(
        get_args(Verdict)
    )


def test_import_is_light() -> None:
    """The grader loads neither the agents SDK nor a store."""
    script = "import sys, agent.grader; print({'agents', 'lancedb', 'onnxruntime'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


SENTENCES = [
    "Unused goods can be returned within 30 days of delivery.",
    "Clearance items cannot be returned.",
    "The pot holds 1.5 litres and has a power of 2,200 watts.",
    "Orders over €50 are shipped free of charge within 3 working days.",
    "The warranty of the X-200 lasts 2 years and starts on 3 March 2026.",
    "Error E4 means that the lid sensor is dirty.",
    "Support is open from 08:00 to 20:00 on weekdays.",
    "At least 10% of the price is kept when a booking is cancelled late.",
    "Refunds are paid within five working days unless the bank is closed.",
    "Firmware 4.2 is needed before the update to 5.0 is installed.",
]
_CHOSEN = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=6, unique=True)


@given(
    _CHOSEN,
    st.sampled_from(["{}", "**{}**", "- {}", "> {}", "_{}_", "1. {}"]),
    st.sampled_from(["\n\n", "\n"]),
)
def test_verbatim_passes_and_only_with_its_id(chosen: list[str], shape: str, gap: str) -> None:
    """A sentence of the evidence passes without its Markdown, and not with the id of another piece."""
    evidence = {
        "D1": Evidence("D1", "documents", "a", gap.join(shape.format(sentence) for sentence in chosen)),
        "D2": Evidence("D2", "documents", "b", "Something else is said here."),
    }
    for sentence in chosen:
        assert grade(f"{sentence} [D1]", evidence).passed, sentence
        assert not grade(f"{sentence} [D2]", evidence).passed
    assert grade(" ".join(f"{sentence} [D1]" for sentence in chosen), evidence).passed


@given(_CHOSEN, st.data())
def test_a_corrupted_value_never_passes(chosen: list[str], data: st.DataObject) -> None:
    """Another number in a supported sentence is never supported."""
    evidence = {"D1": Evidence("D1", "documents", "a", " ".join(chosen))}
    sentence = data.draw(st.sampled_from(chosen))
    numbers = list(re.finditer(r"\d+", sentence))
    if numbers:
        spot = data.draw(st.sampled_from(numbers))
        other = data.draw(st.integers(0, 99).filter(lambda number: number != int(spot[0])))
        changed = f"{sentence[: spot.start()]}{other}{sentence[spot.end() :]} [D1]"
        assume([v.key for v in find_values(changed)] != [v.key for v in find_values(sentence)])  # 1.50 is 1.5
        assert not grade(changed, evidence).passed, changed


@given(_CHOSEN, st.data())
def test_an_added_negation_never_passes(chosen: list[str], data: st.DataObject) -> None:
    """A negation put anywhere into a supported sentence is never supported."""
    evidence = {"D1": Evidence("D1", "documents", "a", " ".join(chosen))}
    words = data.draw(st.sampled_from(chosen)).split()
    place = data.draw(st.integers(0, len(words) - 1))
    word = data.draw(st.sampled_from(["not", "never", "no", "without", "hardly"]))
    assert not grade(" ".join([*words[:place], word, *words[place:]]) + " [D1]", evidence).passed


@given(_CHOSEN, st.data())
def test_a_lost_or_foreign_word_never_passes(chosen: list[str], data: st.DataObject) -> None:
    """A word that carries a topic or a condition can neither be replaced by another nor be put elsewhere."""
    evidence = {"D1": Evidence("D1", "documents", "a", " ".join(chosen))}
    words = data.draw(st.sampled_from(chosen)).rstrip(".").split()
    places = [index for index, word in enumerate(words) if word.lower() not in ("the", "a", "is", "are")]
    place = data.draw(st.sampled_from(places))
    other = data.draw(st.sampled_from(["purple", "if", "only", "before", "may", "Zed-9", "customers"]))
    if words[place].lower() != other:
        assert not grade(" ".join([*words[:place], other, *words[place + 1 :]]) + ". [D1]", evidence).passed


_NOISE = st.text(max_size=200) | st.sampled_from(
    [
        "[D1]",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "- x\n- y",
        "a: 1; b: 2",
        "€" * 50,
        "and, " * 200,
        "(" * 300,
        "not " * 99,
    ]
)


@given(st.lists(_NOISE, max_size=5), st.lists(_NOISE, max_size=4), st.text(max_size=60))
def test_never_raises(draft: list[str], evidence: list[str], question: str) -> None:
    """Any draft, evidence and question give a grade, and nothing uncited passes as a claim."""
    pieces = {f"D{n}": Evidence(f"D{n}", "documents", text[:20], text) for n, text in enumerate(evidence, 1)}
    graded = grade(" ".join(draft), pieces, question)
    assert isinstance(graded, Grade)
    assert all(claim.reason and 0 <= claim.score <= 1 for claim in graded.claims)
    assert not any(claim.reason.startswith("not graded") for claim in graded.claims)
    assert not graded.passed or all(claim.verdict == "supported" for claim in graded.claims)


_WILD = st.text(max_size=400) | st.sampled_from(
    [
        "x" * 100_000,
        "word " * 20_000,
        "pot and pan, " * 70,
        "1" * 900,
        "(" * 900,
        "a: a; b: a; a b: a b; b a: b",
        "€5 and 7 days, " * 60,
        "**" * 400,
        "a." * 400,
        "[a](b) " * 100,
        "\ud800\u202e\u0000",
        "not " * 200 + "if only unless",
    ]
)
_MANY_IDS = "".join(f"[D{n}]" for n in range(1, 1001))


@given(
    _WILD, st.lists(_WILD, min_size=1, max_size=20), st.sampled_from(["[D1]", "[D1, D2]", _MANY_IDS]), _WILD
)
def test_no_input_breaks_it(claim: str, texts: list[str], ids: str, question: str) -> None:
    """Any Unicode, sentences of 100,000 characters and 1,000 ids are graded, and never by an error."""
    evidence = {f"D{n}": Evidence(f"D{n}", "documents", text[:40], text) for n, text in enumerate(texts, 1)}
    graded = grade(f"{claim} {ids}", evidence, question)
    assert not any(one.reason.startswith("not graded") for one in graded.claims)
    assert len(graded.claims) <= CLAIM_LIMIT
    if len(texts) < 1000 and ids == _MANY_IDS:
        assert not any(one.verdict == "supported" for one in graded.claims)


_FALSE = (
    "Members pay nothing",
    "gift cards can be sent back",
    "Refunds take 90 days",
    "clearance items can be returned",
    "the fee is €3",
    "call 0800 123456",
)
_HIDES = (
    "Hello, {}!",
    "Thank you for asking, {}.",
    "Sure! {}.",
    "I hope this helps, {}.",
    "Did you know that {}?",
    "Are you aware that {}?",
    "Would you like to know that {}?",
    "I could not find anything about kettles, but {}.",
    "I could not find that {}.",
    "I could not find anything about kettles: {}.",
    "I could not find anything ({}).",
    "The web could not be reached, {}.",
    "# {}",
    "**{}**",
    "**{}:**\n\n- Support is open from Monday to Friday, 08:00 to 20:00. [D2]",
    "{}:\n\n- Clearance items cannot be returned. [D1]",
    "| {} | b |\n|---|---|\n| a [D1] | b |",
    "```{}\n```",
    "> {}",
    "- {}",
    "1. {}",
    "<!-- {} -->",
    "[{}](https://shop.example/pay)",
    "![{}](x)",
    "[^1]: {}",
    '"{}"',
    "({})",
    "Note: {}.",
    "As you said, {}.",
    "According to our policy, {}. [D1]",
    "Clearance items cannot be returned; {}. [D1]",
    "Clearance items cannot be returned, and {}. [D1]",
    "Clearance items cannot be returned [D1] ({}).",
    "Clearance items cannot be returned. [D1] {} [D1]",
    "Summary: {}",
    "P.S. {}",
    "In short, {}. Have a nice day!",
)
_HARMLESS = (
    "",
    "Hello! ",
    "Clearance items cannot be returned. [D1] ",
    "Support is open from Monday to Friday, 08:00 to 20:00. [D2]\n\n",
)


@given(
    st.sampled_from(_HARMLESS),
    st.sampled_from(_HIDES),
    st.sampled_from(_FALSE),
    st.sampled_from(_HARMLESS),
    st.sampled_from(("", "Do members pay?", "Can I get my money back?")),
)
def test_a_claim_cannot_hide(before: str, shape: str, fact: str, after: str, question: str) -> None:
    """Behind a courtesy, in a question, a gap, a heading, a table or a quote a claim is a claim."""
    draft = f"{before}{shape.format(fact)} {after}".strip()
    assert not grade(draft, EVIDENCE, question, unreached=("web",)).passed, draft
