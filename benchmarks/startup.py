"""What it costs to load the package, and to answer one question on the command line."""

from benchmarks.measure import Row, in_turn, process

NUMPY = "python -c 'import numpy'"
LIBRARIES = "import numpy, scipy.special, typer, rich"


def rows(*, repeats: int = 9) -> list[Row]:
    package, numpy = in_turn(
        process("-c", "import bayeseval"), process("-c", "import numpy"), repeats=repeats
    )
    rate, libraries = in_turn(
        process("-m", "bayeseval", "rate", "194/200", "--above", "0.95"),
        process("-c", LIBRARIES),
        repeats=repeats,
    )
    return [
        Row(
            "import bayeseval, whole process",
            package,
            NUMPY,
            numpy,
            "numpy + 50 ms",
            numpy.seconds + 0.050,
        ),
        Row(
            "bayeseval rate 194/200 --above 0.95, whole process",
            rate,
            f"python -c '{LIBRARIES}'",
            libraries,
            "1.5 x",
            1.5 * libraries.seconds,
        ),
    ]
