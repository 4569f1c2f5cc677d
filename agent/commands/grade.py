"""`desk grade`: the grader on its own, over lines of JSON."""

from __future__ import annotations
