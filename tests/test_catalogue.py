"""What the reader may read, as it is told."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import workshop
from tools.stores.postgres import open_pool
from tools.stores.records import RecordStore


@pytest.fixture(scope="module")
def store(database_url: str) -> Iterator[RecordStore]:
    """The workshop's records."""
    workshop.open_workshop(database_url)
    opened = RecordStore(open_pool(database_url), schema=workshop.SCHEMA, role=workshop.ROLE)
    yield opened
    opened.close()


def test_the_catalogue_is_what_the_reader_may_read(store: RecordStore) -> None:
    """Functions, views, tables, described; without what is not granted or has no comment."""
    found = {relation.name: relation for relation in store.catalogue()}
    assert list(found) == ["bike", "bikes_like", "my_bikes", "bikes", "prices"]
    assert [found[name].kind for name in ("bike", "my_bikes", "bikes")] == ["function", "view", "table"]
    assert [(a.name, a.type, a.optional) for a in found["bike"].arguments] == [
        ("wanted", "text", False),
        ("since", "date", True),
    ]
    assert [(c.name, c.type) for c in found["bike"].columns] == [("summary", "text"), ("bike_id", "integer")]
    assert [c.name for c in found["bikes_like"].columns] == [
        "bike_id",
        "owner",
        "name",
        "bought",
        "frame_key",
    ]
    assert found["bikes"].comment == "Bicycles of whoever is asking."
    assert [(c.name, c.comment) for c in found["bikes"].columns][2:] == [
        ("name", "what it is called"),
        ("bought", ""),
    ]
    assert found["prices"].columns[1].type == "numeric(8,2)"


def test_what_belongs_to_customers_is_known(store: RecordStore) -> None:
    """Tables with policies do, and so does every view and function that reads one, however it was written."""
    owned = {relation.name: relation.owned for relation in store.catalogue()}
    assert owned == {"bike": True, "bikes_like": True, "my_bikes": True, "bikes": True, "prices": False}


def test_rows_can_be_named(store: RecordStore) -> None:
    """The primary key is known through views and functions too."""
    keys = {relation.name: relation.key for relation in store.catalogue()}
    assert keys["bikes"] == keys["my_bikes"] == keys["bike"] == ("bike_id",)
    assert keys["prices"] == ("work",)
