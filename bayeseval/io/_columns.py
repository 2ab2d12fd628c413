"""Columns of a table by the names that people give them."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["matching", "names"]


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Lower case without spaces or signs, in order of preference: ``Task ID`` is ``taskid``.
TASK = _words(
    "task taskid taskname instanceid instance itemid item problemid problem questionid question "
    "testcaseid testcase caseid case exampleid example docid sampleid sample"
)
# Such a column names the task only where no other one does.
WEAK_TASK = _words("id")
OUTCOME = _words(
    "passed pass ispassed success successful issuccess correct iscorrect resolved isresolved solved"
)
# These often hold something else as well, so they serve only where none of the above is there.
WEAK_OUTCOME = _words("outcome result verdict status score reward")
ROLLOUT = _words(
    "rollout rolloutid rolloutindex trial trialid trialindex run runid runindex attempt attemptid "
    "epoch repeat repetition replicate"
)
SYSTEM = _words(
    "system systemid systemname agent agentid agentname agentversion model modelid modelname "
    "modelversion llm"
)
ERRORED = _words("errored iserrored nerrored numerrored")
MISSING = _words("missing nmissing nummissing")
PASSES = _words(
    "passes npasses numpasses npassed numpassed passcount passedcount successes nsuccesses "
    "numsuccesses ncorrect numcorrect nresolved numresolved c"
)
TRIALS = _words(
    "trials ntrials numtrials runs nruns numruns rollouts nrollouts numrollouts attempts nattempts "
    "numattempts nsamples numsamples samples total n"
)
# Beside these, ``passed`` may be a count.
CLEAR_TRIALS = _words(
    "trials ntrials numtrials runs nruns numruns rollouts nrollouts numrollouts total"
)


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def matching(columns: Iterable[str], known: tuple[str, ...]) -> list[str]:
    """Return the columns whose name is one of `known`, the preferred ones first."""
    found = [name for name in columns if _plain(name) in known]
    return sorted(found, key=lambda name: known.index(_plain(name)))


def names(known: tuple[str, ...], most: int = 6) -> str:
    """List the first names, for a message."""
    return ", ".join(known[:most])
