"""What is known of a document beside its text: stated in its head, beside it, or by its file format."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from tools.errors import BadInput

Stated = Mapping[str, str]

_AUDIENCES = ("public", "internal")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]+)*")
_CORE = "docProps/core.xml"
_CORE_LIMIT = 1_000_000  # bytes; a real one has a few hundred


@dataclass(frozen=True)
class Metadata:
    """See `tools.stores.passage.Passage`; None where nothing is known."""

    title: str | None
    category: str | None
    version: str | None
    audience: str
    updated: date | None
    language: str | None


def metadata(stated: Stated) -> Metadata:
    """The metadata of a document from what is stated of it, names in small letters.

    Raises:
        BadInput: The audience or the date of update has a value that means nothing.
    """
    return Metadata(
        title=stated.get("title") or None,
        category=stated.get("category") or None,
        version=stated.get("version") or None,
        audience=_audience(stated),
        updated=_updated(stated),
        language=language(stated.get("language") or stated.get("lang")),
    )


def front_matter(text: str) -> tuple[Stated, int]:
    """The metadata at the head of a text, and where the text goes on.

    Raises:
        BadInput: The head is not a mapping in YAML.
    """
    handler = YAMLHandler()
    if not handler.detect(text):
        return {}, 0
    try:
        head, body = handler.split(text)
    except ValueError:  # a rule at the top, and no second one
        return {}, 0
    return yaml_mapping(head), len(text) - len(body)


def yaml_mapping(text: str) -> Stated:
    """Lines of `name: value` as strings.

    Raises:
        BadInput: They are something else.
    """
    try:
        # Every value as it is written: a version of 1.10 is not the number 1.1.
        values = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - makes strings, lists and dicts only
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        raise BadInput(f"its metadata are not valid YAML{where}") from None
    if values is None or values == "":
        return {}
    if not isinstance(values, dict):
        raise BadInput("its metadata must be lines of `name: value`")
    return strings(values)


def strings(values: Mapping[Any, Any]) -> Stated:
    """Those of the values that are text or numbers, as text, by their names in small letters."""
    kept = {name: value for name, value in values.items() if isinstance(value, str | int | float)}
    return {str(name).lower(): str(value).strip() for name, value in kept.items()}


def language(value: str | None) -> str | None:
    """A language tag in one form, `de` or `pt-br`; None for what is no tag."""
    tag = (value or "").strip()
    return tag.replace("_", "-").lower() if _LANGUAGE.fullmatch(tag) else None


def office_properties(content: bytes) -> Stated:
    """What an Office Open XML file (DOCX, PPTX, XLSX) states of itself: title, updated, language, version.

    The names are of the package's core properties (ECMA-376, part 2). A file without them states nothing, nor
    does the date of one that was never changed: it can be that of the template.
    """
    from defusedxml import ElementTree

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            if package.getinfo(_CORE).file_size > _CORE_LIMIT:
                return {}
            root = ElementTree.fromstring(package.read(_CORE))
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError):
        return {}
    found = {element.tag.rpartition("}")[2]: (element.text or "").strip() for element in root}
    stated = {name: found[name] for name in ("title", "language", "version") if found.get(name)}
    changed = found.get("modified", "")
    if re.match(r"\d{4}-\d\d-\d\d", changed) and changed != found.get("created"):
        stated["updated"] = changed
    return stated


def _audience(stated: Stated) -> str:
    value = stated.get("audience", "public").lower()
    if value not in _AUDIENCES:
        # Guessing could show customers what is for staff.
        raise BadInput(f"its audience is {value!r}; write public or internal")
    return value


def _updated(stated: Stated) -> date | None:
    value = stated.get("updated")
    if not value:
        return None
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        raise BadInput(f"its date of update is {value!r}; write it as 2026-03-01") from None
