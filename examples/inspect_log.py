"""From the log of an evaluation harness to a decision: Inspect AI, four epochs of 12 samples.

The log is written here, as small as one can be; `be.read` takes those that Inspect writes, `.json`
and `.eval`, in the same way. Samples that ran into an error have no score and are not failures.
"""

import json
import tempfile
from pathlib import Path

import bayeseval as be


def write_log(path: Path) -> None:
    samples = []
    for number in range(48):
        task, epoch = number // 4 + 1, number % 4 + 1
        sample = {"id": f"refund-{task:02d}", "epoch": epoch, "scores": {}}
        if number % 17 == 16:
            sample["error"] = {"message": "the sandbox went away"}
        else:
            value = "I" if task > 10 or number % 13 == 0 else "C"
            sample["scores"] = {"match": {"value": value}}
        samples.append(sample)
    head = {"version": 2, "status": "success", "eval": {"task": "refunds", "model": "open/one"}}
    path.write_text(json.dumps(head | {"samples": samples}), encoding="utf-8")


def main(bar: float = 0.7) -> be.Verdict:
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.json"
        write_log(log)
        rollouts = be.read(log)
    print(repr(rollouts))
    verdict = be.evaluate(f"pass_rate > {bar}", be.fit(rollouts, engine="exact"))
    print(verdict)
    return verdict


if __name__ == "__main__":
    main()
