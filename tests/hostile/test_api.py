"""Every public name, called with everything: an answer within its law, or an error of ours."""

import inspect
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

import bayeseval as be
from bayeseval import plan
from tests.hostile import table
from tests.hostile.laws import assert_lawful
from tests.hostile.table import CALLS, INTERNAL, MADE_INSIDE, METHODS, OBJECTS, Target
from tests.hostile.values import ANYTHING, HOSTILE, ITERATORS

# Seconds that one call may take; the quickest machine and a busy one differ by ten.
PATIENCE = 60
# What one random example costs; figures and models are drawn and built for real.
COSTLY = ("plot_", "build_", "errored_", "clustered_assurance", "make_record", "contamination")
# Infinite by nature: odds, evidence and quantiles of kappa.
INFINITE = (
    "plan.clustered",
    "bayes_factor",
    "kappa_quantile",
    "pdf",
    "log_prob",
    "odds",
    "e_value",
    "rare",
)
# A callable is the caller's own code, and so are its errors.
OWN_CODE = {("prior_sensitivity", "answer"), ("read", "pass_if")}


class _SamplerReached(Exception):
    """All arguments were taken for right, and sampling would begin."""


@pytest.fixture(autouse=True)
def _no_sampling(monkeypatch: pytest.MonkeyPatch) -> None:
    def reached(*_: Any, **__: Any) -> None:
        raise _SamplerReached

    for module in ("hierarchical._sample", "slices._fit", "comparison._compare"):
        monkeypatch.setattr(f"bayeseval.{module}.run_nuts", reached)


def _ring(_: int, __: FrameType | None) -> None:
    raise TimeoutError("the call hangs")


def _assert_answers_or_refuses(target: Target, parameter: str, value: Any) -> None:
    """One call; whatever it does, it must be what a caller can live with."""
    if (target.name, parameter) in OWN_CODE and callable(value):
        return
    message = "answered"
    before = signal.signal(signal.SIGALRM, _ring)
    signal.alarm(PATIENCE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", be.BayesevalWarning)
            answer = target.function(**{**target.arguments, parameter: value})
            assert_lawful(answer, infinite=any(part in target.name for part in INFINITE))
    except be.BayesevalError as refused:
        message = str(refused)
    except _SamplerReached:
        pass
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        if pyplot := sys.modules.get("matplotlib.pyplot"):
            pyplot.close("all")
    assert message
    assert len(message) < 3_000, "the message repeats all that was given"


def _ask_anything(targets: Sequence[Target], examples: int) -> None:
    listed = st.sampled_from([*HOSTILE, *ITERATORS])
    questions = [(target, name) for target in targets for name in target.parameters()]
    for target in targets:
        if not target.parameters():
            assert_lawful(target.function())
    if not questions:
        return

    @hypothesis.settings(max_examples=max(examples, 1))
    @hypothesis.given(st.sampled_from(questions), st.one_of(listed, ANYTHING))
    def ask(question: tuple[Target, str], value: Any) -> None:
        made = value() if any(value is each for each in ITERATORS) else value
        _assert_answers_or_refuses(*question, made)

    ask()


def _examples() -> int:
    return hypothesis.settings.default.max_examples


@pytest.mark.parametrize("name", CALLS)
def test_hostile_arguments_of_functions(name: str) -> None:
    if name.startswith("build_"):
        pytest.importorskip("pymc")  # sets the recursion limit, which hypothesis watches
    costly = any(part in name for part in COSTLY)
    _ask_anything([table.function(name)], _examples() // (16 if costly else 5))


@pytest.mark.parametrize("class_name", OBJECTS)
def test_hostile_arguments_of_methods(class_name: str) -> None:
    targets = list(table.methods(class_name))
    _ask_anything(targets, _examples() * (1 + len(targets) // 50))


@pytest.mark.parametrize("class_name", OBJECTS)
def test_attributes_hold_answers(class_name: str) -> None:
    for each in OBJECTS[class_name]():
        for attribute in table.attributes(each):
            assert_lawful(
                getattr(each, attribute), infinite=attribute in ("e_value", "best_rollouts")
            )
        assert repr(each)


# -- found by these tests, and mended --------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: be.simulate(tasks=10**15), "can be simulated"),
        (lambda: be.simulate(tasks=10**6, rollouts=10**6), "can be simulated"),
        (lambda: be.pass_at_k(10**30, 1, 1), "too large"),
        (lambda: be.beta_posterior(1, 2).sample(10**12), "size must be at most 100,000,000"),
        (lambda: be.fit(table.suite(), draws=10**12), "draws must be at most"),
        (lambda: be.fit(table.suite(), chains=10**9), "chains must be at most"),
        (lambda: be.cluster_bootstrap(table.suite(), n_resamples=10**12), "n_resamples must be"),
        (lambda: be.errored_sensitivity(table.errored(), imputations=10**12), "imputations must"),
        (lambda: table.exact().pass_hat_k(10**12), "k must be at most 1,000"),
        (lambda: table.exact().pass_rate(population="next_run", m=10**12), "m must be at most"),
        (lambda: be.Rollouts.from_counts([1], [10**30]), "too large"),
    ],
)
def test_what_no_machine_holds_is_refused(ask: Callable[[], Any], message: str) -> None:
    with pytest.raises(be.InputError, match=message):
        ask()


def test_a_billion_trials_of_one_task_are_refused_or_answered() -> None:
    suite = be.Rollouts.from_counts([5 * 10**8], [10**9])
    for ask in (
        lambda: be.fit(suite, engine="exact").pass_rate(),
        lambda: be.cluster_bootstrap(suite, rng=1),
        lambda: be.pass_curve(suite, k=3),
        lambda: be.clustered_se(suite),
    ):
        try:
            assert_lawful(ask())
        except be.InputError as error:
            assert "trials" in str(error)  # noqa: PT017


def test_masked_values_and_imaginary_parts_are_never_dropped() -> None:
    import numpy as np

    masked = np.ma.array([1, 2], mask=[True, False])
    with pytest.raises(be.InputError, match="passes must hold whole numbers"):
        be.Rollouts.from_counts(masked, 4)
    with pytest.raises(be.InputError, match="threshold must be a number"):
        be.beta_posterior(7, 10).prob_above(np.complex64(0.5 + 2j))
    with pytest.raises(be.InputError, match="passes must be a number"):
        be.beta_posterior(b"7", 10)  # type: ignore[arg-type]


def test_a_margin_of_an_unsigned_kind_is_not_turned_around() -> None:
    import numpy as np

    found = table.paired_exact()
    assert found.prob_worse(np.uint8(1)) == found.prob_worse(1.0) == 0  # type: ignore[arg-type]


def test_an_icc_next_to_zero_gives_rates_and_no_nan() -> None:
    assert_lawful(be.simulate(10, 2, mean=0.3, icc=5e-324, rng=1).rates)


def test_limits_do_not_cross_at_a_level_next_to_zero() -> None:
    for method in ("wilson", "wald", "agresti_coull", "clopper_pearson", "mid_p", "jeffreys"):
        assert_lawful(be.interval(7, 10, method=method, ci_prob=5e-324))


# -- the table is complete -------------------------------------------------------------


def test_every_public_name_is_called_or_made_inside() -> None:
    called = {name.split(".")[0] for name in CALLS} - {"plan"}
    assert called | MADE_INSIDE == set(be.__all__)
    functions = {name for name in be.__all__ if inspect.isroutine(getattr(be, name))}
    assert functions <= set(CALLS)
    assert {n for n in plan.__all__ if inspect.isroutine(getattr(plan, n))} == {
        name.removeprefix("plan.") for name in CALLS if name.startswith("plan.")
    }


def test_objects_of_every_class_are_asked() -> None:
    exceptions = {
        name
        for name in be.__all__
        if inspect.isclass(getattr(be, name)) and issubclass(getattr(be, name), Exception)
    }
    classes = {name for name in be.__all__ if inspect.isclass(getattr(be, name))} - exceptions
    assert set(OBJECTS) == classes
    made = {name.split(".")[0] for name in CALLS if "." in name}
    for name in classes:
        for member, function in vars(getattr(be, name)).items():
            if isinstance(function, classmethod | staticmethod) and not member.startswith("_"):
                assert f"{name}.{member}" in CALLS
    assert made <= {*classes, "plan"}


def test_methods_are_given_what_they_need_and_no_more() -> None:
    names = set()
    for class_name in OBJECTS:
        for target in table.methods(class_name):
            own = target.name.split(".")[1]
            names |= {target.name, f"{class_name}.{own}"}
            parameters = inspect.signature(target.function).parameters
            needed = {
                name
                for name, each in parameters.items()
                if each.default is each.empty and each.kind is not each.VAR_POSITIONAL
            }
            assert needed <= set(target.arguments), target.name
    assert set(METHODS) <= names
    assert not set(METHODS) & set(INTERNAL)


# -- what samples ----------------------------------------------------------------------

_REFUSED_EARLY = """
import sys
import bayeseval as be

suite = be.Rollouts.from_counts([4, 0, 2], 4, factors={"slice": ["a", "b", "b"]})
bad = [
    ("draws", 0), ("draws", 10**12), ("draws", "many"), ("tune", -1), ("chains", 0),
    ("chains", 1.5), ("cores", 0), ("target_accept", 1), ("target_accept", float("nan")),
    ("rng", -1), ("rng", "seed"), ("progress", "yes"),
]
calls = [
    lambda **bad: be.fit(suite, **bad),
    lambda **bad: be.fit(suite, by="slice", **bad),
    lambda **bad: be.compare(suite, suite, names=("x", "y"), **bad),
    lambda **bad: be.leaderboard({"x": suite, "y": suite}, **bad),
]
for call in calls:
    for name, value in bad:
        try:
            call(**{name: value})
        except be.InputError as error:
            assert name in str(error), (name, error)
        else:
            raise SystemExit(f"{name} = {value!r} was taken")
for name in ("pymc", "nutpie", "arviz", "pytensor"):
    assert name not in sys.modules, name
"""


def test_bad_options_of_samplers_are_refused_before_anything_heavy_is_loaded() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _REFUSED_EARLY], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
