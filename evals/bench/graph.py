"""`python -m evals.bench graph metaqa`, `graph scale`, `graph aliases`: the graph on other data and at size.

`metaqa` loads MetaQA's film graph (`graph_metaqa/` of the data folder) and asks its questions: with the chain
of relations given, with only the words, and through the whole desk with the extractive model. `scale` makes a
graph of a million edges and compares the store with networkx and an embedded graph database in one run.
`aliases` names the demo company's things in other words.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evals.bench._postgres import server


def main(argv: Sequence[str]) -> int:
    """Run one of the three; returns 2 when the data or a library is not there."""
    parser = argparse.ArgumentParser(prog="python -m evals.bench graph", description=__doc__)
    kinds = parser.add_subparsers(dest="what", required=True)
    metaqa = kinds.add_parser("metaqa", help="films: chains given, and read from the question's words")
    metaqa.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder of data sets")
    metaqa.add_argument("--desk", type=int, default=200, help="questions of each kind for the whole desk")
    scale = kinds.add_parser("scale", help="a million edges, beside networkx and an embedded graph database")
    scale.add_argument("--edges", type=int, default=1_000_000, help="how many")
    scale.add_argument("--queries", type=int, default=200, help="how many of each kind")
    aliases = kinds.add_parser("aliases", help="things named in other words than the graph's")
    for one in (metaqa, scale, aliases):
        one.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(argv)
    found = {"metaqa": _metaqa, "scale": _scale, "aliases": _aliases}[options.what](options)
    if found is None:
        return 2
    print(json.dumps(found, indent=2, ensure_ascii=False) if options.json else "\n".join(_lines(found)))
    return 0


def _metaqa(options: argparse.Namespace) -> dict[str, Any] | None:
    from evals.bench import _graph_metaqa

    if not (options.data / _graph_metaqa.FOLDER).is_dir():
        print(f"there is no folder {_graph_metaqa.FOLDER} in {options.data}; say --data DIR", file=sys.stderr)
        return None
    with server() as url, tempfile.TemporaryDirectory() as home:
        return _graph_metaqa.run(options.data, url, options.desk, Path(home))


def _scale(options: argparse.Namespace) -> dict[str, Any] | None:
    from evals.bench import _graph_scale

    if missing := _graph_scale.missing():
        print(f"install {missing} to compare with: pip install {missing}", file=sys.stderr)
        return None
    with server() as url, tempfile.TemporaryDirectory() as scratch:
        return _graph_scale.run(url, options.edges, options.queries, Path(scratch))


def _aliases(_: argparse.Namespace) -> dict[str, Any]:
    from evals.bench import _graph_aliases

    with server() as url, tempfile.TemporaryDirectory() as home:
        return _graph_aliases.run(url, Path(home))


def _lines(found: dict[str, Any], indent: str = "") -> list[str]:
    lines = []
    for name, value in found.items():
        told = name.replace("_", " ")
        if isinstance(value, dict):
            lines += [f"{indent}{told}", *_lines(value, indent + "  ")]
        elif isinstance(value, list):
            lines += [f"{indent}{told}:", *(f"{indent}  {one}" for one in value)]
        else:
            lines.append(f"{indent}{told:<22} {f'{value:.3f}' if isinstance(value, float) else value}")
    return lines
