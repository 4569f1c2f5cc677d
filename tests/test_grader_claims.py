"""From a draft to claims."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader.claims import read_draft
from agent.grader.meaning import read


def _claims(draft: str, question: str = "") -> list[tuple[str, tuple[str, ...]]]:
    return [
        (claim.text, claim.citations) for claim in read_draft(draft, question, read(question).content).claims
    ]


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        ("Refunds take 5 days. [D1]", [("Refunds take 5 days.", ("D1",))]),
        ("Refunds take 5 days [D1].", [("Refunds take 5 days.", ("D1",))]),
        ("Refunds take 5 days.[D1]", [("Refunds take 5 days.", ("D1",))]),
        ("[D1] Refunds take 5 days.", [("Refunds take 5 days.", ("D1",))]),
        ("Refunds take 5 days. [D1, R2]", [("Refunds take 5 days.", ("D1", "R2"))]),
        ("Refunds take 5 days [D1][R2].", [("Refunds take 5 days.", ("D1", "R2"))]),
        ("Refunds take 5 days [D1; D2 and W1].", [("Refunds take 5 days.", ("D1", "D2", "W1"))]),
        ("It costs €4.95. [D1] It is red. [D2]", [("It costs €4.95.", ("D1",)), ("It is red.", ("D2",))]),
        ("It is red. It is big. [D2]", [("It is red.", ("D2",)), ("It is big.", ("D2",))]),
        ("It is red.\n\nIt is big. [D2]", [("It is red.", ()), ("It is big.", ("D2",))]),
        ("Use e.g. vinegar. [D1]", [("Use e.g. vinegar.", ("D1",))]),
        ("See www.shop.example/a.b for it. [D1]", [("See www.shop.example/a.b for it.", ("D1",))]),
        ("Refunds take 5 days.", [("Refunds take 5 days.", ())]),
        ("Refunds take 5 days. [1]", [("Refunds take 5 days.", ("1",))]),
    ],
)
def test_ids_belong_to_their_sentence(draft: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    """Ids around full stops go to the right sentence; at a paragraph's end they serve all of it."""
    assert _claims(draft) == expected


def test_list_items_are_read_with_their_lead_in() -> None:
    """An item is a claim together with the unfinished sentence above it; a mere announcement is left out."""
    draft = "You can return it if it is:\n- unused [D1]\n- clean [D2]"
    assert _claims(draft) == [
        ("You can return it if it is unused", ("D1",)),
        ("You can return it if it is clean", ("D2",)),
    ]
    assert _claims("Here is what I found:\n\n1. The lid is red. [D1]\n2. It is new. [D1]") == [
        ("The lid is red.", ("D1",)),
        ("It is new.", ("D1",)),
    ]


def test_items_without_ids_take_those_of_their_lead_in() -> None:
    """Ids behind the line that leads into a list serve its items."""
    assert _claims("You may bring: [D1]\n- tea\n- coffee [D2]") == [
        ("You may bring tea", ("D1",)),
        ("You may bring coffee", ("D2",)),
    ]


def test_table_rows_are_claims() -> None:
    """Each row of a table is a claim that names its columns."""
    draft = "| Model | Price |\n|---|---|\n| K2 | €59 [R1] |\n| K3 | €119 [R2] |"
    assert [ids for _, ids in _claims(draft)] == [("R1",), ("R2",)]
    assert all("Model" in text and "Price" in text for text, _ in _claims(draft))


@pytest.mark.parametrize(
    "draft",
    [
        "Hello!",
        "Hi there, thank you for your question.",
        "You're welcome! Is there anything else I can help you with?",
        "I am happy to help. Let me know if you have any other questions.",
        "I could not find anything about kettles.",
        "Sorry, I couldn't find any information about kettles in our documents or records.",
        "I was unable to find whether kettles are sold in Norway.",
        'I could not find an answer to "Are kettles sold in Norway".',
        "Which order do you mean?",
        "Could you tell me the order number?",
        "# Kettles",
    ],
)
def test_what_states_nothing_is_no_claim(draft: str) -> None:
    """Greetings, thanks, offers, questions back and honest gaps need no evidence."""
    assert _claims(draft, "Are kettles sold in Norway?") == []


@pytest.mark.parametrize(
    "draft",
    [
        "Thanks! Refunds take 90 days",
        "Hello, refunds take 90 days.",
        "I could not find it, but refunds take 90 days.",
        "I could not find it; refunds are free.",
        "I could not find it, clearance items can be returned.",
        "I could not find it and refunds are never paid.",
        "I could not find a refund that takes less than 90 days.",
        "I could not find it because kettles are not sold any more.",
        "I could not find why kettles explode.",
        "I could not find it. Refunds take 90 days.",
        "Did you know that refunds take 90 days?",
        "Would you like your refund of €90?",
        "Refunds take 90 days, right?",
        "Is it fine that clearance items can be returned?",
        "# Refunds take 90 days",
        "**Free returns for ever**",
        "Here is why kettles explode:",
        "Let me know if you need anything else, refunds take 90 days.",
        "Of course.",
        "Yes.",
        "No!",
        "Happy to help: refunds are free.",
        "```\nRefunds take 90 days\n```",
        "> Refunds take 90 days",
        "<b>Refunds take 90 days</b>",
        "Re\u200bfunds take 90 days",
        "~~~Refunds take 90 days~~~",
        "```refunds are free\n```",
        "![](https://evil.example/?kettle)",
        "[Thanks!](https://evil.example)",
        "# [Return](https://evil.example)",
        "| Refunds are free |\n|---|\n| |",
        "Refunds \u202eeerf era\u202c.",
        "Hello!\x1b[8m",
        "I could not find the lawsuit against your neighbour.",
        "I could not find the murder of your colleague.",
        "I did not see any problem with your money.",
        "I could not find that refunds are free.",
        'I could not find an answer to "may clearance items be returned for ever".',
        'I could not find an answer to "kettles", but refunds are free.',
        'I could not find an answer to "kettles" refunds are free "kettles".',
        "The web could not be reached, so refunds are free.",
        "The web could not be reached because of a strike.",
        "The bank could not be reached.",
        "I could not reach your bank.",
        "The records could not be reached: refunds are free.",
        "The web is down. Refunds are free.",
        "When should I send your refund?",
        "Shall I send you your refund?",
        "Would you like the return of €90?",
    ],
)
def test_a_claim_cannot_ride_along(draft: str) -> None:
    """A statement in or behind a courtesy, a gap, a question or a heading is a claim, and cites nothing."""
    claims = _claims(draft, "Can I return a kettle?")
    assert claims
    assert all(ids == () for _, ids in claims)


@pytest.mark.parametrize(
    "gap",
    [
        "The web could not be reached.",
        "Our records could not be searched just now.",
        "Unfortunately, I could not reach the web.",
        "The graph is unavailable at the moment.",
        "I could not find that.",
        "I could not find an answer to that.",
        "I could not find that in our records.",
        "I could not find the price of the kettle.",
    ],
)
def test_a_gap_beside_a_claim_is_no_claim(gap: str) -> None:
    """What was not found or not reached needs no evidence, and is told beside what was."""
    read_back = read_draft(f"The lid is red. [D1] {gap}", "What is the price of the kettle?")
    assert [claim.text for claim in read_back.claims] == ["The lid is red."]
    assert read_back.not_found


def test_only_what_was_not_reached_may_be_called_so() -> None:
    """With the sources known that were not reached, another one's being out of reach is a claim."""
    draft = "The web could not be reached."
    assert read_draft(draft, unreached={"web"}).claims == ()
    assert read_draft(draft, unreached=set()).claims != ()
    assert read_draft(draft, unreached={"records"}).claims != ()


@pytest.mark.parametrize("above", ["Free parts:", "# Free parts", "**Free parts**\n", "## Free parts\n"])
def test_a_fragment_is_read_with_what_stands_above(above: str) -> None:
    """A heading of the question's words says something of the fragments below it."""
    assert _claims(f"{above}\n- lid [D1]", "Which parts are free?") == [("Free parts lid", ("D1",))]


def test_each_cell_and_column_of_a_table_is_read() -> None:
    """A cell beyond the header is part of its row, and a header over empty cells is a claim."""
    ((text, _),) = _claims("| Part |\n|---|\n| Lid | it is free [D1] |")
    assert "it is free" in text
    claims = _claims("| Part | All is free |\n|---|---|\n| Lid [D1] | |")
    assert ("| Part | All is free |", ()) in claims


def test_not_found_is_told() -> None:
    """A draft that says it could not find something is marked as such."""
    assert read_draft("I could not find anything about kettles.", "Is a kettle here?").not_found
    assert not read_draft("Hello!").not_found


def test_bare_answers_are_read_with_the_next_sentence() -> None:
    """ "Yes." is no claim of its own but part of what follows."""
    assert _claims("Yes. It can be returned. [D1]", "Can it be returned?") == [
        ("Yes. It can be returned.", ("D1",))
    ]


def test_politeness_is_an_answer_where_yes_would_be() -> None:
    """ "Sure" is courtesy before a statement, and a claim where it alone agrees to what was asked."""
    assert _claims("Sure! The lid is red. [D1]", "What is the lid's colour?") == [
        ("The lid is red.", ("D1",))
    ]
    assert _claims("Sure!", "Can I return it?") != []
    for draft in ("Certainly.", "OK.", "Great!", "Absolutely! [D1]"):
        assert _claims(draft, "Please confirm that I get €90.") != []


def test_spans_point_into_the_draft() -> None:
    """A claim's span holds the words of its sentence."""
    draft = "Hello! The lid is red. [D1]"
    (claim,) = read_draft(draft).claims
    assert draft[claim.start : claim.end] == "The lid is red."


@given(st.text(max_size=400))
def test_never_raises(draft: str) -> None:
    """Any draft can be cut into claims whose spans lie in it."""
    for claim in read_draft(draft, "a question?").claims:
        assert 0 <= claim.start <= claim.end <= len(draft)


@given(
    st.lists(st.sampled_from(["[D1]", "[", "]", "D1", "- ", "|", "\n", "# ", "**", "a b.", ":", "> ", " "]))
)
def test_never_raises_on_marks(parts: list[str]) -> None:
    """Any order of marks can be read."""
    read_draft("".join(parts), "a question?")
