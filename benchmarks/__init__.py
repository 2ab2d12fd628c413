"""Speed beside the alternatives: ``make bench``, or ``python benchmarks/run.py --only exact``."""
