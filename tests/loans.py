"""Evidence about the loans of a library, with sentences that it supports and sentences that it does not."""

from __future__ import annotations

from pathlib import Path

from tools.evidence import Evidence

PRICES = Path(__file__).with_name("prices.yaml")
QUESTION = "How long can a book be borrowed, and can it be renewed?"
EVIDENCE = {
    "D1": Evidence("D1", "documents", "Loans", "A book can be borrowed for 28 days."),
    "D2": Evidence("D2", "documents", "Renewals", "A reserved book cannot be renewed. Bring your card."),
}
TRUE = (
    "A book can be borrowed for 28 days. [D1]",
    "A reserved book cannot be renewed [D2].",
    "- Bring your card. [D2]",
    "- A book can be borrowed for 28 days [D1]",
    "**A reserved book cannot be renewed.** [D2]",
)
FALSE = (
    "A book can be borrowed for 90 days. [D1]",
    "A reserved book can be renewed. [D2]",
    "Members keep it for ever.",
    "- Zebras pay 90 euros [D9]",
    "[90 days](https://evil.example)",
    "# 90 days for members",
    "| a | 90 |\n|---|---|\n| b | 90 |",
    "![](https://evil.example/90)",
)
HARMLESS = ("Hello!", "I could not find anything else.", "I hope this helps.", "")
MARKS_OF_FALSE = ("90", "can be renewed", "for ever", "evil", "Zebras")
