"""Answers of servers that speak OpenAI's APIs almost: put right on the wire, before the client reads them.

Tool calls without an id or with one that was used before get one of ours; without a type, `function`; with
arguments that are an object, its JSON. How an answer ended is noted, since the SDK does not tell.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
Ended = Literal["whole", "cut", "filtered", "broken"]

_ENDINGS: dict[str, Ended] = {
    "length": "cut",
    "max_output_tokens": "cut",
    "content_filter": "filtered",
}


@dataclass
class Reply:
    """What is known of one answer while it is read.

    Attributes:
        taken: Ids that may not be used again: those in the request, and those given out.
        ended: How the answer ended; `broken` until its end was seen.
        begun: Whether anything of the API was recognised in it.
    """

    taken: set[str] = field(default_factory=set)
    ended: Ended = "broken"
    begun: bool = False
    _places: dict[int, _Place] = field(default_factory=dict)
    _ids: dict[int, str] = field(default_factory=dict)
    _count: int = 0

    def whole(self, body: Any) -> Any:
        """Put an answer right that came in one piece."""
        if not isinstance(body, dict):
            return body
        self._recognise(body)
        if body.get("choices") or body.get("output"):
            self.ended = "whole"  # it came in one piece, so that only its own word can make it less
        if isinstance(body.get("output"), list):
            self._response(body)
        for choice in _dicts(body.get("choices")):
            message = choice.get("message")
            for call in _dicts(message.get("tool_calls")) if isinstance(message, dict) else ():
                self._call(call, self._fresh(call.get("id")))
            self._end(choice.get("finish_reason"))
        return body

    def event(self, body: Any) -> Any:
        """Put one event of a streamed answer right."""
        if not isinstance(body, dict):
            return body
        self._recognise(body)
        for choice in _dicts(body.get("choices")):
            delta = choice.get("delta")
            if isinstance(delta, dict) and isinstance(delta.get("tool_calls"), list):
                for call in _dicts(delta["tool_calls"]):
                    self._piece(call)
            self._end(choice.get("finish_reason"))
        if isinstance(body.get("item"), dict):
            self._item(body["item"], body.get("output_index", 0))
        if isinstance(body.get("response"), dict):
            self._response(body["response"])
        return body

    def done(self) -> None:
        """The stream has come to its end in good order."""
        if self.ended == "broken":
            self.ended = "whole"

    def _recognise(self, body: Json) -> None:
        names = ("choices", "output", "response", "item")
        self.begun = self.begun or any(isinstance(body.get(name), list | dict) for name in names)

    def _response(self, response: Json) -> None:
        output = response.get("output")
        for place, item in enumerate(output if isinstance(output, list) else ()):
            if isinstance(item, dict):
                self._item(item, place)
        if response.get("status") == "completed":
            self.ended = "whole"
        elif response.get("status") == "incomplete":
            details = response.get("incomplete_details")
            reason = details.get("reason") if isinstance(details, dict) else None
            self.ended = _ENDINGS.get(str(reason), "cut")

    def _item(self, item: Json, place: int) -> None:
        """An item of the Responses API; the same place is told of several times."""
        if item.get("type") != "function_call":
            return
        if place not in self._ids:
            self._ids[place] = self._fresh(item.get("call_id"))
        item["call_id"] = self._ids[place]
        item.setdefault("id", f"fc_{uuid.uuid4().hex}")
        item["arguments"] = _text(item.get("arguments"))

    def _call(self, call: Json, call_id: str) -> None:
        call["id"] = call_id
        call["type"] = "function"
        function = call.get("function")
        if isinstance(function, dict):
            function["arguments"] = _text(function.get("arguments"))

    def _piece(self, call: Json) -> None:
        """A piece of a tool call: the first one names the tool, those that follow go on with arguments."""
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        named = int(call["index"]) if isinstance(call.get("index"), int) else 0
        place = self._places.get(named)
        name = function.get("name")
        # Some servers name the tool in every piece, and some give all calls the same index.
        if place is None or (name and (name != place.name or _is_json(place.arguments))):
            place = self._places[named] = _Place(self._count, str(name or ""))
            self._count += 1
            self._call(call, self._fresh(call.get("id")))
        else:
            call.pop("id", None)
            call["function"] = {"arguments": _text(function.get("arguments"), default="")}
        call["index"] = place.number
        place.arguments += call["function"]["arguments"] if isinstance(call.get("function"), dict) else ""

    def _end(self, reason: Any) -> None:
        if reason:
            self.ended = _ENDINGS.get(str(reason), "whole")

    def _fresh(self, given: Any) -> str:
        call_id = given if isinstance(given, str) and given else ""
        if not call_id or call_id in self.taken:
            call_id = f"call_{uuid.uuid4().hex}"
        self.taken.add(call_id)
        return call_id


@dataclass
class _Place:
    number: int
    name: str
    arguments: str = ""


def ids_in(request: Any) -> set[str]:
    """The ids of the tool calls that a request already holds."""
    if not isinstance(request, dict):
        return set()
    items = list(_dicts(request.get("input")))
    calls = [
        call for message in _dicts(request.get("messages")) for call in _dicts(message.get("tool_calls"))
    ]
    found = [item.get("call_id") for item in items] + [call.get("id") for call in calls]
    return {one for one in found if isinstance(one, str)}


def without(request: Any, fields: Iterable[str]) -> Any:
    """The request without these fields, however deep they stand."""
    dropped = frozenset(fields)
    if isinstance(request, dict):
        return {
            name: value if name in ("parameters", "schema") else without(value, dropped)
            for name, value in request.items()
            if name not in dropped
        }
    return [without(one, dropped) for one in request] if isinstance(request, list) else request


def _dicts(value: Any) -> list[Json]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _text(arguments: Any, default: str = "{}") -> str:
    if arguments is None:
        return default
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
