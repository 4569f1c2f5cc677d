"""A customer's question, made fit to be asked."""

from __future__ import annotations

import unicodedata

from tools.errors import BadInput


def clean_question(question: str, limit: int) -> str:
    """The question without control characters and outer space.

    Raises:
        BadInput: Nothing is left, or it is longer than `limit` characters.
    """
    kept = "".join(
        char if unicodedata.category(char)[0] != "C" or char == "\u200d" else " " for char in question
    )
    words = " ".join(kept.split())
    if not words:
        raise BadInput("the question is empty: write what you would like to know")
    if len(words) > limit:
        raise BadInput(f"the question has {len(words)} characters; DESK_QUESTION_LIMIT allows {limit}")
    return words
