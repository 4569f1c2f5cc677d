"""`python -m evals.claims`: the corpus as JSON lines, in the form that `desk grade` reads."""

from __future__ import annotations

from evals.claims.pairs import pairs

if __name__ == "__main__":
    for pair in pairs():
        print(pair.model_dump_json())
