#!/usr/bin/env python3
"""Every symplectic method on every model at its own step, for many steps. Printed are the largest energy errors: of the
first tenth, of all steps, and of the first tenth with half the step.

A line is marked where the numbers are not those of a symplectic method of its order on a regular motion:
  grows    all steps have more than 10 times the error of a tenth: a drift, or a jump to another branch
  order    half the step does not gain half of what the order promises: the step is too long for the motion, or saturated
  failed   with the message
Errors below 1e-11 of the energy (or of 1, if that is larger) may be rounding errors, and are not marked.

    scripts/long_runs.py [--steps 100000] [--models a,b] [--methods a,b] [--jobs 2] [--program build/bin/holonom]
"""
import argparse
import json
import pathlib
import subprocess
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDING = 1e-11


def run(program, model, method, steps, step=None):
    command = [program, "run", model, "--method", method, "--steps", str(steps), "--every", str(steps), "--json"]
    ended = subprocess.run([str(x) for x in command + (["--step", repr(step)] if step else [])], capture_output=True, text=True)
    if ended.returncode == 2:
        return None  # not for this model
    message = ended.stderr.strip().splitlines()[-1].removeprefix("holonom: ") if ended.returncode else ""
    return json.loads(ended.stdout), message


def line(program, model, method, order, steps):
    tenth = run(program, model, method, steps // 10)
    if tenth is None:
        return None
    every = run(program, model, method, steps)
    half = run(program, model, method, steps // 5, tenth[0]["step"] / 2)
    for result, message in (tenth, every, half):
        if message:
            return f"{'':32} failed: {message[:120]}"
    errors = [result["energy"]["max_error"] for result, _ in (tenth, every, half)]
    rounding = ROUNDING * max(1, abs(tenth[0]["energy"]["initial"]))
    marks = []
    if errors[1] > max(10 * errors[0], rounding):
        marks.append("grows")
    if errors[2] > max(errors[0] / 2 ** (order / 2), rounding):
        marks.append("order")
    return "  ".join(f"{e:9.2e}" for e in errors) + "  " + " ".join(marks)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--models", default="")
    parser.add_argument("--methods", default="")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--program", type=pathlib.Path, default=ROOT / "build/bin/holonom")
    given = parser.parse_args()
    listed = json.loads(subprocess.run([given.program, "methods", "--json"], capture_output=True, text=True, check=True).stdout)
    methods = [m for m in listed if m["symplectic"] and m["constrained"] and (not given.methods or m["key"] in given.methods.split(","))]
    models = [m for m in sorted((ROOT / "models").glob("*.toml")) if not given.models or m.stem in given.models.split(",")]
    print(f"{'model':24} {'method':36} {'a tenth':>9}  {'all':>9}  {'h/2':>9}")
    with ThreadPoolExecutor(given.jobs) as pool:
        pairs = [(model, method) for model in models for method in methods]
        lines = pool.map(lambda pair: line(given.program, pair[0], pair[1]["key"], pair[1]["order"], given.steps), pairs)
        for (model, method), text in zip(pairs, lines):
            if text is not None:
                print(f"{model.stem:24} {method['key']:36} {text}", flush=True)


if __name__ == "__main__":
    main()
