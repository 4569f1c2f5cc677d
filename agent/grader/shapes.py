"""Lines of JSON as answers with their passages: the desk's own form, and those that others write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FORMS = """\
{"id", "claim", "evidence": [text]}                          a claim and its texts
{"question", "answer", "passages": [{"id", "text"} or text]}  an answer with ids in brackets
{"user_input", "response", "retrieved_contexts": [text]}      RAGAS (also question, answer, contexts)
{"task_id", "input": [{"speaker", "text"}], "contexts": [{"document_id", "text"}],
 "predictions": [{"text"}]}                                   MTRAG (without predictions its targets)"""


@dataclass(frozen=True)
class Item:
    """One answer to be graded.

    Attributes:
        id: As the line gives it; None when it gives none.
        answer: What is graded, with or without ids.
        passages: The texts, each under the name that the line gives it, or an empty string.
        question: What was asked, or an empty string.
        one_claim: Whether the line is of the form that has one verdict and takes every text as cited.
    """

    id: Any
    answer: str
    passages: tuple[tuple[str, str], ...]
    question: str
    one_claim: bool


def read_item(line: str) -> Item:
    """Read a line of any of the forms.

    Raises:
        ValueError: It is of none of them; the message says what is wrong.
    """
    data = json.loads(line)
    if not isinstance(data, dict):
        raise ValueError("it must be an object")
    if "claim" in data or "evidence" in data:
        return _claim(data)
    if isinstance(data.get("input"), list) and ("predictions" in data or "targets" in data):
        return _mtrag(data)
    answer, contexts = _first(data, "response", "answer"), _first(data, "retrieved_contexts", "contexts")
    if contexts is None:
        contexts = data.get("passages")
    if answer is None or contexts is None:
        raise ValueError('it must have "claim" and "evidence", or an answer and its passages')
    question = _first(data, "user_input", "question")
    return Item(
        data.get("id"),
        _text(answer, "the answer"),
        _passages(contexts, "the passages"),
        _question(question),
        one_claim=False,
    )


def _claim(data: Mapping[str, Any]) -> Item:
    claim, evidence = data.get("claim"), data.get("evidence")
    if not isinstance(claim, str) or not claim.strip():
        raise ValueError('"claim" must be a text')
    if not isinstance(evidence, list) or not all(isinstance(text, str) for text in evidence):
        raise ValueError('"evidence" must be a list of texts')
    passages = tuple(("", text) for text in evidence)
    return Item(data.get("id"), claim, passages, _question(data.get("question")), one_claim=True)


def _mtrag(data: Mapping[str, Any]) -> Item:
    turns = [turn for turn in data["input"] if isinstance(turn, dict) and turn.get("speaker") == "user"]
    answers = data.get("predictions") or data.get("targets")
    if not isinstance(answers, list) or not answers or not isinstance(answers[0], dict):
        raise ValueError('"predictions" must be a list of objects with "text"')
    return Item(
        data.get("task_id"),
        _text(answers[0].get("text"), "the prediction"),
        _passages(data.get("contexts"), '"contexts"'),
        _question(turns[-1].get("text") if turns else None),
        one_claim=False,
    )


def _first(data: Mapping[str, Any], *names: str) -> Any:
    return next((data[name] for name in names if data.get(name) is not None), None)


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} must be a text")
    return value


def _question(value: Any) -> str:
    if isinstance(value, list):  # a conversation, as RAGAS writes those of several turns
        value = next((turn.get("content") for turn in reversed(value) if isinstance(turn, dict)), "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError('"question" must be a text')
    return value


def _passages(value: Any, what: str) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ValueError(f"{what} must be a list")
    found: list[tuple[str, str]] = []
    for one in value:
        text = one.get("text") if isinstance(one, dict) else one
        if not isinstance(text, str):
            raise ValueError(f'{what} must hold texts, or objects with "text"')
        name = _first(one, "id", "document_id") if isinstance(one, dict) else ""
        found.append((str(name or ""), text))
    return tuple(found)
