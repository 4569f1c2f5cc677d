"""`desk doctor`: what is set up, what is not, and the setting to change."""

from __future__ import annotations

import contextlib
import platform
import socket
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal
from urllib.parse import urlsplit

from rich.text import Text

from agent.commands.screen import out, plain, print_json, working
from agent.settings import EXTRACTIVE, Settings
from agent.sources import open_documents, open_embedder, open_graph, open_records, open_web, prepared_home
from tools.errors import DeskError

Status = Literal["ok", "warn", "fail"]
_STYLES: dict[Status, str] = {"ok": "green", "warn": "yellow", "fail": "red"}
_WEB_SECONDS = 3.0


@dataclass(frozen=True)
class Check:
    """One line of the doctor's report.

    Attributes:
        name: What was looked at.
        status: `ok`; `warn` for what the desk can do without; `fail` for what stops it.
        detail: What was seen, or what is wrong and which setting to change.
    """

    name: str
    status: Status
    detail: str


def doctor(*, as_json: bool) -> int:
    """Print one line for each check. Returns 1 when one of them fails."""
    settings = Settings.load()
    checks: list[Check] = []
    for name, look in _CHECKS.items():
        with working(f"looking at the {name}"):
            checks.append(_checked(name, look, settings))
        if not as_json:
            _print(checks[-1])
    if as_json:
        print_json([asdict(check) for check in checks])
    return int(any(check.status == "fail" for check in checks))


Finding = tuple[Status, str]


def _checked(name: str, look: Callable[[Settings], Finding], settings: Settings) -> Check:
    try:
        status, detail = look(settings)
    except DeskError as error:
        status, detail = "fail", str(error)
    except Exception as error:  # a doctor reports what is broken; it does not fall over it
        status, detail = "fail", f"{type(error).__name__}: {error}"
    return Check(name, status, " ".join(detail.split()))


def _print(check: Check) -> None:
    style = _STYLES[check.status]
    out().print(Text.assemble((f"{check.status:<5}", style), f"{check.name:<10} ", plain(check.detail)))


def _python(_: Settings) -> Finding:
    return "ok", platform.python_version()


def _home(settings: Settings) -> Finding:
    return "ok", f"{prepared_home(settings)} (DESK_HOME)"


def _embedder(settings: Settings) -> Finding:
    embedder = open_embedder(settings)
    return "ok", f"{embedder.name}, {embedder.dimensions} dimensions (DESK_EMBEDDER={settings.embedder})"


def _documents(settings: Settings) -> Finding:
    store = open_documents(settings)
    collections = store.collections("internal")
    if not collections:
        return "warn", "none yet; run `desk demo` or `desk ingest PATH`"
    number = sum(collection.count for collection in collections)
    return "ok", f"{number} documents in {len(collections)} categories, {store.count()} passages"


def _records(settings: Settings) -> Finding:
    store = open_records(settings)
    if store is None:
        return (
            "warn",
            "none yet; set DESK_DATABASE_URL to your own database, or run `desk demo` for the demo's",
        )
    with contextlib.closing(store):
        kinds = [relation.kind for relation in store.catalogue()]
    if not kinds:
        return (
            "fail",
            f"{settings.reader_role} may read nothing in schema {settings.records_schema}; grant it",
        )
    counts = ", ".join(f"{kinds.count(kind)} {kind}s" for kind in dict.fromkeys(kinds))
    where = "DESK_DATABASE_URL" if settings.database_url else "embedded"
    return (
        "ok",
        f"{counts} in schema {settings.records_schema} ({where} PostgreSQL, as {settings.reader_role})",
    )


def _graph(settings: Settings) -> Finding:
    store = open_graph(settings)
    if store is None:
        return "warn", "none yet; run `desk graph build FILE`, or `desk demo` for the demo company"
    with contextlib.closing(store):
        things, relations = sum(store.kinds(audience="internal").values()), store.relations()
    return "ok", f"{things} things, {len(relations)} relations: {', '.join(one.name for one in relations)}"


def _web(settings: Settings) -> Finding:
    if open_web(settings) is None:
        return "warn", "off; set TAVILY_API_KEY, or DESK_WEB_URL to a server that speaks its search API"
    address = urlsplit(settings.web_url or "https://api.tavily.com")
    port = address.port or (443 if address.scheme == "https" else 80)
    try:
        socket.create_connection((str(address.hostname), port), timeout=_WEB_SECONDS).close()
    except OSError:
        return "fail", f"{address.hostname} cannot be reached; check the network or DESK_WEB_URL"
    return "ok", f"{address.hostname} (no search was spent on trying it)"


def _model(settings: Settings) -> Finding:
    model = settings.chosen_model
    if model == EXTRACTIVE:
        return "ok", "extractive, which needs no key; OPENAI_API_KEY or DESK_MODEL choose a language model"
    if not settings.reaches_a_model:
        return "fail", f"{model} needs OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own"
    server = urlsplit(settings.openai_base_url or "https://api.openai.com").hostname
    return "ok", f"{model} at {server}, {settings.api} API (no call was spent on trying it)"


_CHECKS: dict[str, Callable[[Settings], Finding]] = {
    "Python": _python,
    "home": _home,
    "embedder": _embedder,
    "documents": _documents,
    "records": _records,
    "graph": _graph,
    "web": _web,
    "model": _model,
}
