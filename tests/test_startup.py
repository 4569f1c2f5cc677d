"""What makes a command start sooner must change nothing else."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import sys
from agent.startup import quick_start
with quick_start():
    import agents, lancedb
    from pydantic import BaseModel
    class Order(BaseModel):
        number: int
assert "lance_namespace_urllib3_client.api" not in sys.modules, "loaded although nobody asked"
import gc
assert gc.isenabled()
import lance_namespace_urllib3_client
assert lance_namespace_urllib3_client.ApiClient, "not there when asked for"
from lance_namespace_urllib3_client import TableApi
assert Order(number="7").number == 7
class Later(BaseModel):
    number: int
assert Later.__pydantic_complete__, "the default was not put back"
db = lancedb.connect(sys.argv[1])
table = db.create_table("t", [{"vector": [0.0, 1.0], "name": "a"}, {"vector": [1.0, 0.0], "name": "b"}])
assert table.search([0.9, 0.1]).limit(1).to_list()[0]["name"] == "b"
"""


def test_what_is_put_off_is_there_when_it_is_asked_for(tmp_path: object) -> None:
    """Deferred models validate, the put-off package fills itself, and a search still works."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
