"""The command `desk`. Each command imports what it does only when it runs, so that `--help` comes at once."""

from __future__ import annotations

import os
import sys
import warnings
from datetime import datetime
from typing import Annotated, Literal

import typer

from agent.commands.graph_app import graph
from tools.errors import BadInput, DeskError, QueryRejected

EPILOG = "Settings are DESK_* variables or lines of a .env file; `desk doctor` tells what to change."

app = typer.Typer(
    name="desk",
    help="A support desk that answers from documents, records, a graph and the web, "
    "and never says what it cannot show.",
    epilog=EPILOG,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

database = typer.Typer(
    name="database",
    help="A PostgreSQL of your own: make it ready for the desk.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
app.add_typer(database)
app.add_typer(graph)

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Customer = Annotated[str | None, typer.Option("--customer", "-c", metavar="ID", help="Who is asking.")]
Staff = Annotated[bool, typer.Option("--staff", help="See what is internal, too.")]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"citedesk {version('citedesk')}")
        raise typer.Exit


@app.callback()
def _desk(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks; works anywhere on the line.")
    ] = False,
) -> None: ...


@app.command()
def ask(
    question: Annotated[list[str], typer.Argument(help="The question; quotes are optional.")],
    customer: Customer = None,
    staff: Staff = False,
    as_json: Json = False,
) -> int:
    """Answer one question, with its sources.

    Exit code 0: answered. 3: refused, with what was looked at. 2: the input cannot be used. 1: a failure.

    Example: `desk ask "Where is my order?" --customer C-1042`
    """
    from agent.commands.ask import ask

    return ask(" ".join(question), customer=customer, staff=staff, as_json=as_json)


@app.command()
def chat(
    customer: Customer = None,
    staff: Staff = False,
    conversation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Keep it under this name, and go on with it next time.")
    ] = None,
) -> int:
    """Hold a conversation; also reads questions from a pipe, one a line.

    `/sources` shows all that was found for the last question, `/new` starts afresh, `/quit` leaves.

    Example: `desk chat --customer C-1042`
    """
    from agent.commands.ask import chat

    return chat(customer=customer, staff=staff, name=conversation)


@app.command()
def ingest(
    paths: Annotated[list[str] | None, typer.Argument(metavar="PATH", help="Files and folders.")] = None,
    graph: Annotated[
        str | None, typer.Option(metavar="FILE", help="A YAML file of relations, entities and edges.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would change.")] = False,
    as_json: Json = False,
) -> int:
    """Take in documents of your own, of many formats; only what changed is done.

    Markdown, text, HTML, PDF, DOCX, PPTX, XLSX, CSV, JSONL (a document a line), a help centre's JSON.
    Front matter, or NAME.ext.yaml beside a file, may say `title`, `category` (else the folder), `version`,
    `audience` (public, internal), `updated`, `language`. What is gone from a folder given is removed.

    Exit code 1: a file could not be read and was left out. 2: nothing was done, a path cannot be used.

    Example: `desk ingest ./our-docs --dry-run`
    """
    from agent.commands.ingest import ingest

    return ingest(paths or [], graph=graph, dry_run=dry_run, as_json=as_json)


@database.command("prepare")
def database_prepare(
    login: Annotated[
        str | None, typer.Option(metavar="ROLE", help="The role that the desk will log in as, if another.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; tell whether it is safe to serve.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Make a database of your own ready: roles, grants and row-level security, or --check them.

    DESK_DATABASE_URL names a login that may create roles and owns the tables; no superuser is needed.
    DESK_READABLE lists what the desk may read, DESK_CUSTOMER_COLUMNS the columns that say whose a row is.
    Run it again whenever these change. Exit code 1: it is not safe to serve.

    Example: `desk database prepare --login desk_app`
    """
    from agent.commands.database import prepare

    return prepare(login=login, check=check, as_json=as_json)


@app.command()
def search(
    query: Annotated[list[str], typer.Argument(help="What to look for, in any words; quotes are optional.")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many passages.")] = 5,
    mode: Annotated[
        Literal["hybrid", "dense", "sparse"], typer.Option(help="By meaning and words, meaning, or words.")
    ] = "hybrid",
    category: Annotated[str | None, typer.Option(help="Only this category, such as a folder.")] = None,
    version: Annotated[str | None, typer.Option(help="Only this version, even if outdated.")] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Only what was updated since this day.")
    ] = None,
    staff: Staff = False,
    as_json: Json = False,
) -> int:
    """Search the documents alone, best passage first, with its scores.

    `cosine` compares meaning, `bm25` shared words. Nothing is graded yet: the last may be beside the point.

    Example: `desk search "descale a kettle" -k 3 --mode dense`
    """
    from agent.commands.look import search

    return search(
        " ".join(query),
        k=k,
        mode=mode,
        category=category,
        version=version,
        updated_since=since.date() if since else None,
        staff=staff,
        as_json=as_json,
    )


@app.command()
def sql(
    statement: Annotated[str, typer.Argument(help="One SELECT, in quotes.")],
    customer: Customer = None,
    staff: Annotated[
        bool, typer.Option("--staff", help="See all customers' rows, where DESK_STAFF_RECORDS allows it.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Run one SELECT over the records, as the desk would: read-only, for one customer, within limits.

    Example: `desk sql "SELECT * FROM my_orders" --customer C-1042`
    """
    from agent.commands.sql import sql

    return sql(statement, customer=customer, staff=staff, as_json=as_json)


@app.command()
def grade(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file of JSON lines, or - for standard input.")
    ],
    html: Annotated[
        str | None, typer.Option(metavar="PAGE", help="Write a page with each claim beside its evidence.")
    ] = None,
    summary: Annotated[bool, typer.Option("--summary", help="Tell only how many there are of each.")] = False,
    as_json: Json = False,
) -> int:
    """Check anybody's answers against their evidence, without asking any model.

    Each line is `{"id": …, "claim": "…", "evidence": ["…"], "question": "…"}` (the question may be left out),
    or an answer with ids: `{"question": …, "answer": "… [D1]", "passages": [{"id": "D1", "text": "…"}]}`, or
    what RAGAS or MTRAG write. An answer without ids is held against all of its texts.

    The exit code is 0 whatever the verdicts are; `--summary --json` counts them for a script.

    Example: `desk grade answers.jsonl --html graded.html`
    """
    from agent.commands.grade import grade

    return grade(file, page=html, summary=summary, as_json=as_json)


@app.command()
def trace(
    trace_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="The id of an answer, its beginning, or `last`.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Show what a question did, as a tree; without an id the last questions and what all add up to.

    Example: `desk trace last`
    """
    from agent.commands.trace import trace

    return trace(trace_id, as_json=as_json)


@app.command()
def doctor(as_json: Json = False) -> int:
    """Check the set-up, one line each, with the setting to change."""
    from agent.commands.doctor import doctor

    return doctor(as_json=as_json)


@app.command()
def demo(as_json: Json = False) -> int:
    """Build a demo company and answer six questions about it, with sources.

    It is built once, under DESK_HOME; databases and documents of your own are not touched.
    """
    from agent.commands.demo import demo

    return demo(as_json=as_json)


def main(arguments: list[str] | None = None) -> int:
    """Run `desk` and return its exit code: 0 done, 3 refused, 2 unusable input, 1 failed, 130 interrupted."""
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    if not debug:
        warnings.simplefilter("ignore")  # other packages' remarks are not for whoever asks a question
    try:
        code = app([one for one in given if one != "--debug"], prog_name="desk", standalone_mode=False)
        sys.stdout.flush()
        return int(code or 0)
    except BrokenPipeError:  # the reader, such as `head`, has left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if debug:
            raise
        line, code = _failure(error)
        from agent.commands.screen import complain

        complain(line)
        return code


def _failure(error: Exception) -> tuple[str, int]:
    """The one line to show for an error, and the exit code."""
    if isinstance(error, BadInput | QueryRejected):
        return str(error), 2
    if isinstance(error, DeskError):
        return str(error), 1
    usage = getattr(error, "format_message", None)  # how typer says that the line cannot be used
    if usage is not None:
        context = getattr(error, "ctx", None)
        what = usage().replace("Value error, ", "").rstrip(".") or "say what to do"
        return f"{what}; see `{context.command_path if context else 'desk'} --help`", 2
    # An error of another package can quote anything: a key, an address, a customer's data.
    reason = error.strerror if isinstance(error, OSError) else None
    kind = f"{type(error).__name__}: {reason}" if reason else type(error).__name__
    return f"unexpected failure: {kind}; run it again with --debug for the traceback", 1
