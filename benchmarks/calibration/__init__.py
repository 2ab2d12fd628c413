"""Are the intervals right? ``make calibration``, or ``python -m benchmarks.calibration``."""
