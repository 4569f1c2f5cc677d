"""`python -m evals.bench NAME ...`: one benchmark per module of this folder."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Run the benchmark that `argv` names with the rest of it; returns its exit code, 2 for a wrong name."""
    names = sorted(
        module.name
        for module in pkgutil.iter_modules([str(Path(__file__).parent)])
        if not module.name.startswith("_")
    )
    if not argv or argv[0] not in names:
        print(f"usage: python -m evals.bench NAME [--help]; NAME is {', '.join(names)}", file=sys.stderr)
        return 2
    return int(importlib.import_module(f"evals.bench.{argv[0]}").main(argv[1:]) or 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
