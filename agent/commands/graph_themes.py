"""`desk graph build --themes`: makes the themes of a graph, and has a model write their summaries."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel, ConfigDict

from agent.commands.graph_model import Budget, ModelRead, wanted
from agent.models.asking import asking
from agent.settings import Settings
from tools.evidence import Evidence
from tools.graph_text import sentences
from tools.ingest.graph_model import Ask, Estimate

if TYPE_CHECKING:
    from tools.stores.graph import GraphStore
    from tools.stores.graph_themes import GraphThemes, Theme
    from tools.stores.graph_types import Audience

_EDGES = 60  # that a model is shown of a theme
_BESIDE = 300  # tokens of instructions and schema that go with each call, about
_OUT = 200  # tokens of a summary, about
_LETTERS = 4  # of a token, about


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid")

    summary: str


@dataclass(frozen=True)
class Themed:
    """What was made.

    Attributes:
        themes, changed: See `Refreshed`.
        written: How many a model wrote about now.
        left: How many it did not come to.
        input_tokens, output_tokens: What that took.
    """

    themes: int
    changed: int
    written: int = 0
    left: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def told(self, budget: Budget) -> str:
        """The same in words."""
        text = f"{self.themes} themes, {self.changed} of them new or changed"
        if not self.input_tokens:
            return text
        cost = budget.money(self.input_tokens, self.output_tokens)
        tokens = f"{self.input_tokens} tokens in and {self.output_tokens} out, {cost}"
        return f"{text}; {self.written} written by {budget.model}, {self.left} left; {tokens}"


def made_themes(
    store: GraphStore,
    settings: Settings,
    budget: Budget,
    read: Sequence[ModelRead],
    progress: Callable[[str], None],
    asked: bool,
    model: bool,
) -> Themed | None:
    """Make the themes when that is asked, or when those that there are have become old; None when not.

    Args:
        read: What the model was paid for before.
        model: Whether a model writes about those that none has written about.

    Raises:
        ConfigurationError: The package that finds themes, or a model that is asked for, is not there.
        SourceUnavailable: The graph or the model cannot be reached; what was written before that is kept.
    """
    from tools.ingest.graph_themes import refresh
    from tools.stores.graph_themes import GraphThemes

    kept = GraphThemes(store)
    if not asked and (not kept.made() or (kept.fresh() and not model)):
        return None
    done = refresh(store, progress)
    themed = Themed(done.themes, done.changed)
    if not model:
        return themed
    shown = [(theme, _shown(kept, theme, audience)) for audience, theme in kept.unwritten()]
    sent = sum(_BESIDE + len(text) // _LETTERS for _, text in shown)
    with asking(settings, "graph_theme") as ask:
        if not wanted([Estimate(len(shown), len(shown), sent, _OUT * len(shown))], budget, "themes"):
            return replace(themed, left=len(shown))
        before = sum(one.cost or 0.0 for one in read)
        return _write(kept, shown, ask, budget, before, themed, progress)


def _write(
    kept: GraphThemes,
    shown: Sequence[tuple[Theme, str]],
    ask: Ask,
    budget: Budget,
    before: float,
    themed: Themed,
    progress: Callable[[str], None],
) -> Themed:
    room = budget.room_after(before)
    sent = got = written = tried = 0
    for place, (theme, text) in enumerate(shown, 1):
        most = room(sent + _BESIDE + len(text) // _LETTERS, got)
        if most is not None and most < _OUT:
            break
        reply = ask(f"<connections>\n{html.escape(text, quote=False)}\n</connections>", _Written, most)
        sent, got = sent + reply.input_tokens, got + reply.output_tokens
        answer = cast("_Written | None", reply.answer)
        summary = _supported(answer.summary, text) if answer else ""
        kept.write(theme.digest, summary, budget.model)
        tried, written = tried + 1, written + bool(summary)
        progress(f"{place} of {len(shown)} themes written")
    return replace(themed, written=written, left=len(shown) - tried, input_tokens=sent, output_tokens=got)


def _shown(kept: GraphThemes, theme: Theme, audience: Audience) -> str:
    return f"{theme.summary} {sentences(kept.edges(theme, audience, _EDGES))}"


def _supported(summary: str, text: str) -> str:
    """The sentences of a summary that the desk's own grader finds in what the model was shown."""
    from agent.grader import grade
    from agent.grader.text import sentences as spans

    evidence = {"G1": Evidence("G1", "graph", "theme", text)}
    said = [" ".join(summary[start:end].split()) for start, end in spans(summary)]
    return " ".join(one for one in said if grade(f"{one} [G1]", evidence).passed)
