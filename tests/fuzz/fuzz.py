"""Attacks the program with input that nobody would write, and looks at how it behaves.

    HOLONOM_PROGRAM=build/bin/holonom python3 tests/fuzz/fuzz.py [--seconds 20] [--seed 1] [--kind NAME] [--case K]

Case K of a seed is the same on every machine; time only decides how many of them are tried. A case that fails is written
to the folder fuzz-failures (see --failures), with its files, its command and what the program said, and can be tried
again with --case K. The exit code is 1 if there was one. What is asked of every case is in `verdict`.
"""

import argparse
import json
import os
import pathlib
import random
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import generate  # noqa: E402

PROGRAM = os.environ.get("HOLONOM_PROGRAM", "build/bin/holonom")
TIMEOUT = 30 * float(os.environ.get("HOLONOM_FUZZ_PATIENCE", "1"))  # seconds; a machine may be slow, or the program instrumented
MEMORY = int(os.environ.get("HOLONOM_FUZZ_MEMORY_MB", "2000")) << 20  # 0: no limit, which sanitizers need
WORDS_OF_FAILURE = ("internal error", "Sanitizer", "runtime error:", "terminate called", "Assertion", "infinite loop")
LONGEST_MESSAGE = 5000
ROUND_OFF = 1e-12


class Outcome:
    def __init__(self, code, out, err, signalled=False):
        self.code, self.out, self.err, self.signalled = code, out, err, signalled


def limits():
    os.setpgid(0, 0)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it is ignored, and the program leaves it so
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def wait_until_caught(process, number):
    """Before main() a signal ends a process, and no program can help it."""
    end = time.monotonic() + TIMEOUT
    while process.poll() is None and time.monotonic() < end:
        try:
            caught = pathlib.Path(f"/proc/{process.pid}/status").read_text().split("SigCgt:")[1].split()[0]
        except (OSError, IndexError):
            return
        if int(caught, 16) >> (number - 1) & 1:
            return
        time.sleep(0.0005)


def execute(case, folder):
    """Runs a case in its folder. None: it did not end."""
    process = subprocess.Popen([os.path.abspath(PROGRAM), *case.arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, preexec_fn=limits)
    signalled = False
    try:
        if case.signal is not None:
            wait_until_caught(process, case.signal)
            try:
                out, err = process.communicate(timeout=case.delay)
                return Outcome(process.returncode, out, err)
            except subprocess.TimeoutExpired:
                process.send_signal(case.signal)
                signalled = True
        out, err = process.communicate(timeout=TIMEOUT)
        return Outcome(process.returncode, out, err, signalled)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def not_finite(value):
    """Whether a number of a result is missing: those that are not finite are null, in wide precisions as well."""
    if isinstance(value, dict):
        return any(not_finite(x) for x in value.values())
    if isinstance(value, list):
        return any(not_finite(x) for x in value)
    return value is None


def verdict_of_run(case, r, said):
    """What is wrong with the JSON object of a run that says it is done."""
    for key in ("t", "q", "p", "energy", "constraint"):
        has_none = key == "energy" and r[key] is None  # a field need not have an energy
        if not has_none and not_finite(r[key]):
            return f"done, but {key} is not finite"
    if not_finite(r["invariants"]) and "is not finite" not in said:
        return "an invariant is not finite, without a word"
    method = case.claims.get(r["method"])
    if case.exact and method:
        size = {key: float(value) for key, value in r["constraint"].items()}
        if method["keeps_position_constraint"] and not size["position_relative_max"] <= ROUND_OFF:
            return f"done, but position_relative_max is {size['position_relative_max']}"
        # Where nothing moves and nothing pushes, rounding errors of positions are all the motion that there is; and where forces
        # push hard against constraints that hardly move, rounding errors of their impulses are.
        small = min(size["hidden_relative_max"], 100 * size["hidden_max"])
        if method["keeps_hidden_constraint"] and not (small <= ROUND_OFF or size["hidden_max"] <= impulse_rounding(r)):
            return f"done, but hidden_relative_max is {size['hidden_relative_max']}"
    return ""


def impulse_rounding(r):
    """Rounding errors of the impulses of a step, h times the forces of constraints, in the precision of the run."""
    unit = {"double": 2.0**-52, "long": 2.0**-63, "quad": 2.0**-112, "100": 1e-100}[r["precision"]]
    forces = [abs(float(x)) for value in r["lambda"].values() for x in (value if isinstance(value, list) else [value])]
    return 4 * unit * abs(float(r["step"])) * max(forces, default=0.0)


def verdict(case, result):
    """What is wrong with the way in which a case ended, or nothing."""
    if result is None:
        return f"no end after {TIMEOUT:g} s"
    said = result.err.decode("utf-8", "replace")
    printed = result.out.decode("utf-8", "replace")
    if result.code < 0:
        return f"killed by {signal.Signals(-result.code).name}"
    if result.code not in (0, 1, 2, 3, 130):
        return f"exit code {result.code}"
    if result.code == 130 and not result.signalled:
        return "interrupted by nobody"
    for word in WORDS_OF_FAILURE:
        if word in said:
            return f"it says '{word}'"
    if len(said) > LONGEST_MESSAGE:
        return f"a message of {len(said)} characters"
    if result.code != 0 and not said.startswith("holonom: "):
        return "it fails without a message"
    if result.code in (2,) and case.arguments[:1] == ["run"] and printed:
        return "bad input, and a result"
    if "--json" in case.arguments and case.arguments[0] == "check" and printed:
        try:
            json.loads(printed)
        except ValueError:
            return "the JSON object cannot be read"
    if "--json" in case.arguments and case.arguments[0] == "run" and printed:
        try:
            r = json.loads(printed)
        except ValueError:
            return "the JSON object cannot be read"
        expected = {0: "done", 1: "failed", 130: "interrupted"}[result.code]
        if r["status"] != expected and "standard output" not in said:
            return f"status {r['status']} with exit code {result.code}"
        if result.code == 0:
            return verdict_of_run(case, r, said)
    return ""


def show(case, result, what, folder, failures, name):
    """Keeps a failure where somebody finds it."""
    place = failures / name
    if place.exists():
        shutil.rmtree(place)
    shutil.copytree(folder, place, symlinks=True)
    command = shlex.join([PROGRAM, *case.arguments])
    (place / "COMMAND").write_text(command + "\n")
    (place / "WHAT").write_text(what + "\n")
    if result is not None:
        (place / "STDOUT").write_bytes(result.out)
        (place / "STDERR").write_bytes(result.err)
    print(f"FAILED {name}: {what}\n  {command[:300]}\n  in {place}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("HOLONOM_FUZZ_SECONDS", "20")))
    parser.add_argument("--seed", type=int, default=int(os.environ.get("HOLONOM_FUZZ_SEED", "1")))
    parser.add_argument("--kind", choices=sorted(generate.KINDS))
    parser.add_argument("--case", type=int, help="this one alone")
    parser.add_argument("--most", type=int, default=10, help="stop after so many failures")
    parser.add_argument("--failures", type=pathlib.Path, default=pathlib.Path(os.environ.get("HOLONOM_FUZZ_FAILURES", "fuzz-failures")))
    o = parser.parse_args()
    claims = {m["key"]: m for m in json.loads(subprocess.run([PROGRAM, "methods", "--json"], capture_output=True, check=True).stdout)}
    end = time.monotonic() + o.seconds
    tried, codes, failed = {}, {}, 0
    k = o.case if o.case is not None else 0
    while failed < o.most and (k == o.case if o.case is not None else time.monotonic() < end):
        draw = random.Random(f"{o.seed}:{o.kind or ''}:{k}")
        with tempfile.TemporaryDirectory(prefix="holonom-fuzz-") as folder:
            folder = pathlib.Path(folder)
            kind = o.kind or draw.choices(list(generate.KINDS), [weight for weight, _ in generate.KINDS.values()])[0]
            case = generate.Case(claims)
            generate.KINDS[kind][1](draw, folder, case)
            result = execute(case, folder)
            what = verdict(case, result)
            if what:
                failed += 1
                show(case, result, f"{kind}: {what}", folder, o.failures, f"seed-{o.seed}{'-' + o.kind if o.kind else ''}-case-{k}")
            elif o.case is not None:
                print(shlex.join([PROGRAM, *case.arguments]), f"\nexit code {result.code}\n{result.err.decode('utf-8', 'replace')}")
        tried[kind] = tried.get(kind, 0) + 1
        codes[result.code if result else None] = codes.get(result.code if result else None, 0) + 1
        k += 1
    print(f"seed {o.seed}: {sum(tried.values())} cases, {failed} failed; "
          + ", ".join(f"{n} {kind}" for kind, n in sorted(tried.items()))
          + "; exit codes " + ", ".join(f"{code}: {n}" for code, n in sorted(codes.items(), key=str)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
