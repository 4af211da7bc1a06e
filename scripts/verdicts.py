#!/usr/bin/env python3
"""The table of verdicts: `holonom certify` of every method on every model that it suits, at the model's own step and at a
quarter of it, where orders are left out. Each cell has a sign for each of these two steps:

  +  all that is claimed holds
  ~  the same; symplecticity is not claimed, and not kept (on a field: energy)
  ?  some of it could not be measured, the rest holds
  F  a claim fails
  x  a step fails
     nothing: the method is not for this model

Below the table stand the steps and claims that fail, and those that were not measured, with the reason. What contradicts
theory (`theory`, `EXPECTED`) is marked with !, and makes the exit code 1.

    scripts/verdicts.py [--methods a,b] [--models a,b] [--seed TEXT] [--jobs 2] [--keep results.jsonl] [--program build/bin/holonom]
"""
import argparse
import functools
import json
import pathlib
import random
import re
import subprocess
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Those of tests/ are for methods that need two parts of a potential (models_for), which few of models/ have.
FILES = {path.stem: path for path in (*sorted(ROOT.glob("models/*.toml")), *sorted(ROOT.glob("tests/models/split-*.toml")))}
PARTS = (1, 4)  # the model's own step, divided by
# A certificate takes seconds to minutes on these: they have no turn in a rotation.
SLOW = ("hanging-chain", "lj-chain", "slider-crank", "stiff-pendulum-chain")

# What happens although theory does not say so: method, model (patterns), divisors of the step, what (a pattern), and why.
# docs/known-deficits.md says more of most of them.
LEAVES = "a step fails|energy drift is not measured"
EXPECTED = (
    # Steps that are too long for the method, where a quarter of them is not
    (r"triple-jump-(6|8|10)|rk-2", r"pendulum(-quadratic)?", (1,), LEAVES, "T/25, and substeps of up to 3.3 times that, are too long"),
    (r"bdf-1", r"kepler", (1,), LEAVES, "too long: the motion falls into the centre"),
    (r"radau-2a-2(\+jay)?|bdf-[26]", r"kepler-sphere", (1,), LEAVES, "too long: the motion falls into the centre"),
    (r"(yoshida-4|kahan-li-8)/midpoint", r"two-body-sphere", (1,), LEAVES, "too long for a close encounter, after thousands of steps"),
    # Deficits
    (r"bdf-1", r"kepler-sphere", PARTS, LEAVES, "the motion falls into the centre"),
    (r"symplectic-euler(-adjoint)?", r"guiding-centre", PARTS, LEAVES, "energies of symplectic Euler on the guiding centre"),
    (r"shake.*", r"(hanging|spring)-chain|two-body-sphere", PARTS, "symplecticity is not measured", "impulses from positions have larger rounding errors"),
    (r"mclachlan-4/geodesic-2", r"hanging-chain", (4,), "symplecticity is not measured", "rounding errors of 100 links in twenty substeps"),
    (r"kahan-li-10", r"elastic-double-pendulum", (1,), "energy drift fails", "rounding errors of 31 substeps are biased: 2e-19 each"),
    (r".*", r"(hanging|lj|spring)-chain|rigid-body-heavy|two-body-sphere|two-tops", PARTS, "energy drift is not measured", "the energy of chaotic motions"),
    (r"(?!(verlet-)?midpoint$).*", r"stiff-pendulum-chain", PARTS, LEAVES + "|symplecticity is not measured",
     "neither step resolves the springs: it is for the midpoint rules"),
)


# ---- Measuring

def run(program, *arguments):
    ended = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    return ended.returncode, ended.stdout, ended.stderr


@functools.cache
def all_methods(program):
    """Their keys, with what `holonom methods` says of them."""
    return {m["key"]: m for m in json.loads(run(program, "methods", "--json")[1])}


@functools.cache
def tables_of(model):
    return tomllib.loads(FILES[model].read_text())


def models_for(program, method, models):
    split = all_methods(program)[method]["needs"] == "split"
    return [m for m in models or FILES if split or not m.startswith("split-")]


def setting_of(method, model):
    """Of 100 links, 25 for compositions and for members of families, which differ from others in coefficients alone."""
    return ["--set", "N=25"] if model == "hanging-chain" and re.search(r"\d", method) else []


def step_of(model, part):
    """The model's own step, or a part of it, as a formula."""
    return f"({tables_of(model)['integrate']['step']})/{part}"


UNSUITABLE = "does not suit this system|is for systems without constraints|is for Hamiltonian systems|treats q and p differently"


def certify(program, method, model, part):
    """A record of one certificate. Its status: done, fails (a claim), failed (a step), unsuitable, or error."""
    code, out, err = run(program, "certify", FILES[model], "--method", method, "--step", step_of(model, part), *setting_of(method, model),
                         "--json", "--no-advice",
                         *(["--no-order"] if part != 1 else []))
    record = {"method": method, "model": model, "part": part, "claims": [], "message": err.strip()}
    if code == 2 and re.search(UNSUITABLE, err):
        return {**record, "status": "unsuitable"}
    if code not in (0, 1, 3):
        return {**record, "status": "error"}
    made = json.loads(out)
    return {**record, "status": {0: "done", 1: "failed", 3: "fails"}[code], "claims": made["claims"], "message": made.get("message", "")}


def measure_all(program, methods=None, models=None, jobs=2, keep=None):
    """All records. What is in the file to keep them in is not measured again."""
    done, lock = {}, threading.Lock()
    if keep and keep.exists():
        done = {(r["method"], r["model"], r["part"]): r for r in map(json.loads, keep.read_text().splitlines())}

    def one(key):
        if key in done:
            return done[key]
        record = certify(program, *key)
        if keep:
            with lock, open(keep, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")
        return record

    wanted = [(method, model, part) for method in methods or all_methods(program) for model in models_for(program, method, models)
              for part in PARTS]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, wanted))


def measure_rotation(program, seed, methods=None, models=None, jobs=1):
    """Each method on one model with one step, by the seed: all have their turn. Of the models in the order of the seed, the first
    that it suits."""

    def one(method):
        chance = random.Random(f"{seed} {method}")
        part = chance.choice(PARTS)
        quick = [m for m in models_for(program, method, models) if m not in SLOW]
        tried = (certify(program, method, model, part) for model in chance.sample(quick, len(quick)))
        return next(r for r in tried if r["status"] != "unsuitable")

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, methods or all_methods(program)))


# ---- What is to be expected

def theory(method, model):
    """What a method keeps on a model, for each property that certify names. Those that depend on more than this are left out."""
    constrained, field = "constraints" in tables_of(model), "field" in tables_of(model)
    projected_gauss = bool(re.fullmatch(r"gauss-\d\+jay", method))
    bare_gauss = bool(re.fullmatch(r"gauss-\d", method))  # with constraints it keeps nothing
    symplectic = not (method.startswith(("rk-", "rkf-", "radau-", "bdf-")) or projected_gauss or (bare_gauss and constrained))
    symmetric = symplectic and not re.fullmatch("shake.*|symplectic-euler(-adjoint)?", method)
    kept = {"symmetry": symmetric, "reversibility": symmetric}
    if field:
        kept["volume"] = method.endswith("volume-splitting")
    else:
        kept |= {"symplecticity": symplectic, "energy drift": symplectic}
    if constrained:
        leaves_hidden = re.fullmatch(r"shake.*|bdf-\d|radau-2a-\d", method)
        kept |= {"position constraint": not bare_gauss, "hidden constraint": not (bare_gauss or leaves_hidden), "order": not bare_gauss}
    return kept


# A claim about something that the model does not have, or that was not asked for
NOT_THERE = ("the model has none", "nothing moves", "the model is not reversible: see [reversal]", "the exact flow does not conserve it",
             "the exact flow does not preserve it", "left out")


def events(record):
    """(what, detail) of steps and claims that fail, and of claims that were not measured."""
    if record["status"] in ("error", "failed"):
        yield "a step fails", record["message"]
    for claim in record["claims"]:
        if claim["verdict"] == "fails":
            bound = claim.get("at_most", claim.get("at_least"))
            yield f"{claim['property']} fails", f"{claim['measured']:.3g} ({bound:.3g}), {claim['remark']}"
        elif claim["verdict"] == "not measured" and claim["claimed"] and claim["remark"] not in NOT_THERE:
            yield f"{claim['property']} is not measured", claim["remark"]


def reason(record, what):
    """Why this was to be expected; empty if it was not."""
    if not theory(record["method"], record["model"]).get("position constraint", True):
        return "with constraints the method claims nothing, and in general diverges"
    if what in ("order is not measured", "shadow energy is not measured"):
        return "a limit of the measurement"  # `lacks` wants orders to be measured often enough
    for method, model, parts, pattern, why in EXPECTED:
        if (re.fullmatch(method, record["method"]) and re.fullmatch(model, record["model"]) and record["part"] in parts
                and re.fullmatch(pattern, what)):
            return why
    return ""


def place(record):
    return f"{record['method']} on {record['model']} with h" + (f"/{record['part']}" if record["part"] > 1 else "")


def contradictions(records):
    """Where certificates do not agree with theory, in words."""
    for record in records:
        for what, detail in events(record):
            if not reason(record, what):
                yield f"{place(record)}: {what}: {detail}"
        claims = {c["property"]: c for c in record["claims"]}
        for name, kept in theory(record["method"], record["model"]).items():
            if claims and claims[name]["claimed"] != kept:
                yield f"{place(record)}: {name}: theory says {kept}, the method claims {claims[name]['claimed']}"


def breaks_symplecticity(record):
    """Whether this was seen; on a field, whether it changes the energy."""
    for claim in record["claims"]:
        if claim["property"] in ("symplecticity", "energy drift") and claim["verdict"] != "not measured":
            return not claim["claimed"] and not claim["within_bound"]
    return False


def lacks(records, info, wanted=4):
    """Of a whole table: what was seen on fewer models than wanted. Orders above 10 need more digits than quad has."""
    for method in info:
        mine = [r for r in records if r["method"] == method and r["status"] != "unsuitable"]
        seen = {"any": {r["model"] for r in mine}}
        for name in ("symplecticity", "symmetry", "order"):
            seen[name] = {r["model"] for r in mine for c in r["claims"] if c["property"] == name and c["verdict"] == "holds"}
        broken = {r["model"] for r in mine if "field" not in tables_of(r["model"]) and breaks_symplecticity(r)}
        free = theory(method, "kepler")
        needed = {"any", *(name for name in ("symplecticity", "symmetry") if free[name]), *(["order"] if info[method]["order"] <= 10 else [])}
        enough = {"shears": 2, "rigid-bodies": 3}.get(info[method]["needs"], wanted)  # there are no more such models
        if info[method]["needs"] == "shears":
            needed -= {"symplecticity"}
        for name in sorted(needed):
            if len(seen[name]) < enough:
                yield f"{method}: {name}: seen on {sorted(seen[name])} only"
        if not theory(method, "pendulum")["symplecticity"] and not free["symplecticity"] and len(broken) < wanted:
            yield f"{method}: that it is not symplectic was seen on {sorted(broken)} only"


# ---- Printing

def sign(record):
    if record["status"] == "unsuitable":
        return " "
    if record["status"] in ("failed", "error"):
        return "x"
    if record["status"] == "fails":
        return "F"
    if any(True for _ in events(record)):
        return "?"
    return "~" if breaks_symplecticity(record) else "+"


def table(records):
    methods = list(dict.fromkeys(r["method"] for r in records))
    models = [m for m in FILES if any(r["model"] == m for r in records)]
    cells = {(r["method"], r["model"], r["part"]): sign(r) for r in records}
    lines = [f"{k + 1:3} {model}" for k, model in enumerate(models)] + [""]
    lines.append(" " * 36 + "".join(f"{k + 1:4}" for k in range(len(models))))
    for method in methods:
        row = "".join("  " + "".join(cells.get((method, model, part), " ") for part in PARTS) for model in models)
        lines.append(f"{method:36}{row}".rstrip())
    lines.append("")
    for record in records:
        for what, detail in events(record):
            why = reason(record, what)
            lines.append(f"{' ' if why else '!'} {place(record)}: {what}: {detail}{why and f' [{why}]'}")
    count = {s: sum(sign(r) == s for r in records) for s in "+~?Fx"}
    lines.append(f"{sum(count.values())} certificates: " + ", ".join(f"{n} {s}" for s, n in count.items()))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/bin/holonom", type=pathlib.Path)
    parser.add_argument("--methods", type=lambda text: text.split(","))
    parser.add_argument("--models", type=lambda text: text.split(","))
    parser.add_argument("--seed", help="each method on one model only, chosen by this text")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=pathlib.Path, help="a file of all results, to go on from")
    o = parser.parse_args()
    if o.seed is not None:
        records = measure_rotation(o.program, o.seed, o.methods, o.models, o.jobs)
    else:
        records = measure_all(o.program, o.methods, o.models, o.jobs, o.keep)
    print(table(records))
    wrong = list(contradictions(records))
    print(*(f"! {text}" for text in wrong), sep="\n", end="")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
