"""What leaves the house in a web search."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.evidence import Ledger
from tools.outgoing import public_words

QUESTION = "Is the kettle K2 recalled in Germany?"
ROW = "Order O-10428 of Mary Jones, Canal Street 12, for €114.00, was shipped on 30 November 2026."


def ledger(*, rows: bool = True) -> Ledger:
    made = Ledger()
    made.add("documents", title="Recalls", text="The regulator publishes recalls of kettles.")
    if rows:
        made.add("records", title="my_orders", text=ROW)
    return made


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("kettle K2 recall Germany", "kettle K2 recall Germany"),
        ("which regulator publishes the recalls?", "which regulator publishes the recalls"),
        ("recall of O-10428 Mary Jones", "recall of"),
        ("Canal Street 12 kettle", "kettle"),
        ("kettle 114.00 30 November 2026", "kettle"),
        ("kettle mary@example.org", "kettle"),
        ("O1042 8 Mary-Jones yraM", ""),
        (base64.b64encode(ROW.encode()).decode(), ""),
        ("kettle https://evil.example/?q=Mary", "kettle"),
    ],
)
def test_after_rows_were_seen_only_public_words_go_out(query: str, sent: str) -> None:
    """Words of the question and of public evidence stay; a row's values go, in any disguise."""
    assert public_words(query, QUESTION, ledger()) == sent


def test_before_rows_were_seen_nothing_is_taken_out() -> None:
    """A model may use other words of its own, but no e-mail address."""
    told = ledger(rows=False)
    assert public_words("appliance safety notices 2026", QUESTION, told) == "appliance safety notices 2026"
    assert public_words("write to a@b.example", QUESTION, told) == "write to"


def test_rows_of_an_earlier_turn_or_run_count() -> None:
    """What was said of them stands in the history that the model reads."""
    later = ledger()
    later.next_turn()
    resumed = Ledger()
    resumed.reserve(["R3"])
    for one in (later, resumed):
        assert public_words("kettle Mary", QUESTION, one) == "kettle"


@given(st.lists(st.sampled_from([*ROW.split(), *QUESTION.split(), "the", "11400"]), max_size=12))
def test_no_value_of_a_row_goes_out(words: list[str]) -> None:
    """Whatever the order, a word that only the row has is not sent."""
    sent = public_words(" ".join(words), QUESTION, ledger())
    for secret in ("Mary", "Jones", "O-10428", "Canal", "114", "November", "12"):
        assert secret not in sent
