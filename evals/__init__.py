"""Cases, scorers and benchmarks."""
