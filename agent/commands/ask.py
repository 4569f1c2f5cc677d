"""`desk ask` and `desk chat`."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent.answer import Answer, Searching, Sentence, StepRecord
from agent.commands.answers import Numbers, show_sources, step_line, where
from agent.commands.screen import RunningText, complain, print_json, say, working
from agent.question import clean_question
from agent.settings import Settings
from agent.startup import quick_start
from tools.errors import DeskError

if TYPE_CHECKING:
    from agent.conversation import Conversation
    from agent.desk import SupportDesk

REFUSED = 3
_CHAT_HELP = """\
/sources  everything that was found for the last question
/new      start a new conversation
/quit     leave (or Ctrl-D)
Ctrl-C    stop an answer that is on its way"""


def ask(question: str, *, customer: str | None, staff: bool, as_json: bool) -> int:
    """Answer one question. Returns the exit code: 0 answered, 3 refused."""
    settings = Settings.load()
    words = clean_question(question, settings.question_limit)
    desk = open_desk(settings)
    with desk, asyncio.Runner() as runner:
        if as_json:
            answer = answer_one(runner, desk, words, customer=customer, staff=staff)
            print_json(answer.model_dump(mode="json"))
        else:
            answer = runner.run(_show_live(desk, words, customer, staff, None))
    return exit_code(answer)


def chat(*, customer: str | None, staff: bool, name: str | None) -> int:
    """Hold a conversation over standard input, a line for each question; one with a name is kept."""
    settings = Settings.load()
    desk = open_desk(settings)
    with desk, asyncio.Runner() as runner:
        desk.context(
            customer_id=customer, staff=staff
        )  # an unknown customer is told before the first question
        talk = desk.conversation(name, customer)
        if sys.stdin.isatty():
            say("Ask in your own words. /help lists the commands.", style="dim")
        for line in _lines():
            if line in ("/quit", "/exit"):
                break
            if line == "/new":
                talk = desk.conversation()
                say("A new conversation.", style="dim")
            elif line == "/sources":
                _show_found(talk)
            elif line.startswith("/"):
                say(_CHAT_HELP, style="dim")
            elif line:
                _turn(runner, desk, line, customer, staff, talk)
    return 0


def exit_code(answer: Answer) -> int:
    """0 for an answer or small talk, 3 for a refusal."""
    return REFUSED if answer.status == "refused" else 0


def open_desk(settings: Settings) -> SupportDesk:
    """The desk, with a sign of life while it opens."""
    with quick_start(), working("opening the sources"):
        from agent.desk import SupportDesk

        return SupportDesk.open(settings)


def answer_one(
    runner: asyncio.Runner,
    desk: SupportDesk,
    question: str,
    *,
    customer: str | None,
    staff: bool = False,
    talk: Conversation | None = None,
) -> Answer:
    """One answer, with each use of a tool shown while it runs."""
    with working("reading the question") as tell:

        def on_step(step: StepRecord) -> None:
            tell(step_line(step))

        return runner.run(
            desk.ask(question, customer_id=customer, staff=staff, conversation=talk, on_step=on_step)
        )


async def _show_live(
    desk: SupportDesk, question: str, customer: str | None, staff: bool, talk: Conversation | None
) -> Answer:
    """Print an answer while it is made: the uses of tools, each verified sentence, and the sources."""
    numbers, text = Numbers(), RunningText()
    stream = desk.stream(question, customer_id=customer, staff=staff, conversation=talk)
    with contextlib.ExitStack() as waiting:
        tell = waiting.enter_context(working("reading the question"))
        async with contextlib.aclosing(stream):
            async for event in stream:
                match event:
                    case Searching():
                        tell(f"searching the {event.source}")
                    case StepRecord():
                        tell(step_line(event))
                    case Sentence():
                        waiting.close()
                        text.write(numbers.shown(event.text))
                    case Answer():
                        answer = event
    text.end()
    show_sources(answer, numbers)
    return answer


def _turn(
    runner: asyncio.Runner,
    desk: SupportDesk,
    line: str,
    customer: str | None,
    staff: bool,
    talk: Conversation,
) -> None:
    try:
        runner.run(_show_live(desk, line, customer, staff, talk))
    except DeskError as error:
        complain(str(error))
        return
    except KeyboardInterrupt:
        if not sys.stdin.isatty():
            raise
        say("Stopped.", style="dim")
    say()


def _lines() -> Iterator[str]:
    """The lines that are typed or piped in, without outer space, until the end of input."""
    prompt = "› " if sys.stdin.isatty() else ""
    if prompt:
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401 - gives the prompt its line editing
    while True:
        try:
            yield input(prompt).strip()
        except EOFError:
            return


def _show_found(talk: Conversation) -> None:
    found = talk.ledger.citable()
    if not found:
        say("Nothing has been found in this conversation yet.", style="dim")
    for item in found.values():
        say(f"{item.title}  ({item.source})", first=f"{item.id:>4} ", indent="     ", style="cyan")
        for line in where(item.source, item.locator):
            say(line, indent="     ", style="dim")
