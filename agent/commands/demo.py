"""`desk demo`: the demo company, built when needed, and a question to each of its sources."""

from __future__ import annotations

import asyncio
import shutil
import sys
from typing import TYPE_CHECKING

from agent.commands.answers import near, show_answer
from agent.commands.ask import answer_one, open_desk
from agent.commands.screen import print_json, say, working
from agent.settings import Settings

if TYPE_CHECKING:
    from demo.build import DemoQuestion


def demo(*, as_json: bool) -> int:
    """Build the demo company, ask its questions, and show the answers with their sources."""
    from demo.build import build, demo_settings, read_questions
    from demo.web_server import serve

    settings = demo_settings(Settings.load())
    questions = read_questions()
    with working("building the demo company") as tell:
        build(settings, progress=tell)
    shown = []
    with (
        serve() as web_url,
        open_desk(settings.model_copy(update={"web_url": web_url})) as desk,
        asyncio.Runner() as runner,
    ):
        for number, item in enumerate(questions, 1):
            if not as_json:
                _announce(number, item)
            answer = answer_one(runner, desk, item.question, customer=item.customer)
            shown.append({**item.model_dump(), "answer": answer.model_dump(mode="json")})
            if not as_json:
                show_answer(answer)
                say()
    if as_json:
        print_json(shown)
    else:
        _try_next(questions)
    return 0


def _announce(number: int, item: DemoQuestion) -> None:
    who = f", asked by {item.customer}" if item.customer else ""
    say(item.question, first=f"{number}. ", indent="   ", style="bold green")
    say(f"{item.about}{who}", indent="   ", style="dim")
    say()


def _try_next(questions: list[DemoQuestion]) -> None:
    desk = "desk" if shutil.which("desk") else near(sys.argv[0])
    customer = next((item.customer for item in questions if item.customer), None)
    say("Try next", style="bold")
    say(f'  {desk} ask "{questions[0].question}"')
    if customer:
        say(f"  {desk} chat --customer {customer}")
    say(f"  DESK_HOME=.desk-mine {desk} ingest ./your-documents")
    say(f"  {desk} doctor")
