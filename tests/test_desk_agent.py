"""The agent over a database with more tables than a prompt takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from agents import FunctionTool, Runner
from agents.testing import ScriptedModel, assistant_message, function_call

from agent.desk import SupportDesk
from agent.settings import Settings
from tools.context import Sources
from tools.sql_catalogue import LONGEST
from tools.stores.caller import prepare
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore

QUESTION = "Which tides are there at noon?"
ASKED = "SELECT * FROM citedesk.catalogue('berths in the north')"
_TABLES = 250


@pytest.fixture(scope="module")
def records(database_url: str) -> Iterator[RecordStore]:
    """A harbour with 252 tables."""
    names = [f"crane_{number}_log_of_movements" for number in range(_TABLES)]
    with psycopg.connect(database_url, autocommit=True) as connection:
        prepare(connection, "harbour_reader")
        connection.execute("DROP SCHEMA IF EXISTS harbour CASCADE; CREATE SCHEMA harbour")
        made = [f"CREATE TABLE harbour.{name} (moved_at date, tons int)" for name in names]
        made += [
            "CREATE TABLE harbour.tides AS SELECT '4.1 m' AS high_water, 'noon' AS at",
            "CREATE TABLE harbour.berths AS SELECT 'N-12' AS berth, 'north' AS side",
            "GRANT USAGE ON SCHEMA harbour TO harbour_reader",
            "GRANT SELECT ON ALL TABLES IN SCHEMA harbour TO harbour_reader",
        ]
        connection.execute("; ".join(made))  # type: ignore[call-overload]
    opened = RecordStore(open_pool(database_url), schema="harbour", role="harbour_reader")
    yield opened
    opened.close()


def _lookup(sql: str, call_id: str) -> list[Any]:
    return [function_call("sql_lookup", {"sql": sql}, call_id=call_id)]


def _described(model: ScriptedModel, turn: int) -> str:
    (tool,) = [one for one in model.calls[turn].tools if isinstance(one, FunctionTool)]
    return tool.description


def test_a_model_can_ask_for_what_it_is_not_shown(records: RecordStore) -> None:
    """It sees what is near the question, asks the catalogue for something else, and reads from that."""
    model = ScriptedModel(
        [
            _lookup(ASKED, "harbour-1"),
            _lookup("SELECT berth, side FROM berths", "harbour-2"),
            [assistant_message("Berth: N-12; side: north. [R1]")],
        ]
    )
    desk = SupportDesk(Settings(model="extractive"), Sources(records=records), model)
    answer = desk.ask_sync(QUESTION)
    told = _described(model, 0)
    catalogue = told.partition("\n\n")[2]
    assert "* tides -> high_water, at" in told
    assert "* crane_249_log_of_movements " not in told
    assert len(catalogue) <= LONGEST
    given = str(model.calls[1].input)
    assert "* berths -> berth, side" in given
    assert [step.found for step in answer.steps] == [_TABLES + 2, 1]
    assert [citation.quote for citation in answer.citations] == ["berth: N-12; side: north"]


def test_a_plain_run_is_described_by_its_own_question(records: RecordStore) -> None:
    """Under the SDK's own runner the run's input is what counts."""
    model = ScriptedModel([[assistant_message("Hello! What would you like to know?")]])
    desk = SupportDesk(Settings(model="extractive"), Sources(records=records), model)
    Runner.run_sync(
        desk.agent, "Where are the berths?", context=desk.context(), run_config=desk.run_config, max_turns=2
    )
    assert "* berths -> berth, side" in _described(model, 0)


def test_a_follow_up_is_described_by_what_it_follows(records: RecordStore) -> None:
    """What a question leaves out was said in the message before it."""
    model = ScriptedModel([[assistant_message("Hello!")], [assistant_message("Hello!")]])
    desk = SupportDesk(Settings(model="extractive"), Sources(records=records), model)
    talk = desk.conversation()
    desk.ask_sync(QUESTION, conversation=talk)
    desk.ask_sync("And what about those?", conversation=talk)
    assert "* tides -> high_water, at" in _described(model, 1)
