"""What the host adds to a draft that has passed, so that nothing is silently left out."""

from __future__ import annotations

from collections.abc import Mapping

from agent.grader.grades import Grade
from tools.evidence import Evidence


def completed(draft: str, grade: Grade, evidence: Mapping[str, Evidence], shown: str = "") -> str:
    """The draft with what other evidence says otherwise, and with the parts of the question left open.

    The other side of a contradiction is given in its own words with its id: first when it is the newer or
    more specific one and nothing has been shown yet, else behind the draft. An open part is declared in the
    customer's words. The caller grades the result again.
    """
    before: list[str] = []
    behind: list[str] = []
    cited = {name for claim in grade.claims for name in claim.citations}
    for conflict in grade.conflicts:
        place = conflict.other
        if place.id not in cited:
            cited.add(place.id)
            quote = " ".join(evidence[place.id].text[place.start : place.end].split())
            line = f"Note: {quote} [{place.id}]"
            (before if conflict.first == place.id and not shown else behind).append(line)
    gaps = [f'I could not find an answer to "{part}".' for part in grade.open_parts]
    return "\n\n".join([*before, draft.strip(), *behind, *gaps])
