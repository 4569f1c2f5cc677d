"""Claims with evidence over the demo company: written by hand, and made from its sources by rules.

`python -m evals.claims` prints them as JSON lines; `python -m evals.bench grounding --corpus` grades them.
"""
