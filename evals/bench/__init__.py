"""Benchmarks on data made elsewhere, one module each; `python -m evals.bench NAME --help` tells how."""
