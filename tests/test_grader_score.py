"""The score: it orders claims by how much of them the evidence holds, and decides nothing."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.grader.files import grade_claim
from agent.grader.meaning import read
from agent.grader.passages import read_passage
from agent.grader.score import FEATURES, features, score

EVIDENCE = (
    "Maria Olsen joined the museum on 2 November 2018 as a curator. "
    "She wants to keep the old library open. The board did not close the garden in spring."
)


def _features(*claims: str, evidence: str = EVIDENCE) -> dict[str, float]:
    found = features([read(claim) for claim in claims], [read_passage(evidence)])
    assert found is not None
    assert tuple(found) == FEATURES
    return found


def _score(*claims: str) -> float:
    return score([read(claim) for claim in claims], [read_passage(EVIDENCE)])


@pytest.mark.parametrize(
    ("feature", "bad", "good"),
    [
        ("values_missing", "She came in 2017.", "She came in 2018."),
        ("values_rival", "She came on 3 November 2018.", "She came on 2 November."),
        ("names_missing", "Yesterday Paula joined.", "Yesterday Maria joined."),
        ("persons_missing", "The lawyer joined the museum.", "The curator joined the museum."),
        ("thoughts_missing", "She considered the library.", "She kept the library."),
        ("turns_missing", "Only the library is open.", "The library is open."),
        ("negations_missing", "The library was never open.", "The library is open."),
        ("denied", "Maria Olsen did not join the museum as a curator.", "Maria Olsen joined the museum."),
        ("opposites", "She wants to close the new library.", "She wants to keep the old library."),
    ],
)
def test_each_feature_counts_what_it_is_named_for(feature: str, bad: str, good: str) -> None:
    """What one sentence has that the evidence has not is counted, and not in its counterpart."""
    assert _features(bad)[feature] > _features(good)[feature]


def test_what_is_denied_at_its_place_is_not_counted() -> None:
    """The claim that denies what the evidence denies adds no denial."""
    assert _features("The board did not close the garden.")["denied"] == 0


def test_sentences_of_one_claim_count_together() -> None:
    """Two sentences have the counts of both, and the nearness of the worse."""
    one, other = "She came in 2017.", "Yesterday Paula joined the circus."
    both = _features(one, other)
    assert both["names_missing"] == _features(other)["names_missing"]
    assert both["values_missing"] == _features(one)["values_missing"]
    assert both["near"] == min(_features(one)["near"], _features(other)["near"])


def test_more_of_the_evidence_scores_higher() -> None:
    """A claim scores lower with each thing that the evidence has not."""
    claims = (
        "Maria Olsen joined as a curator in 2018.",
        "Maria Olsen joined as a curator in 2017.",
        "Paula Berg and Maria Olsen joined as a curator in 2017.",
    )
    for better, worse in pairwise(claims):
        assert _score(better) > _score(worse)


def test_a_score_does_not_release() -> None:
    """What the veto found is not released, however high its score."""
    graded = grade_claim("Maria Olsen did join the museum as a curator on 3 November 2018.", [EVIDENCE])
    assert graded.stage == "veto"
    assert graded.verdict != "supported"


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_have_a_score(claim: str, evidence: str) -> None:
    """Whatever is held against whatever, the score is in [0, 1]."""
    assert 0 <= score([read(claim)], [read_passage(evidence)]) <= 1
