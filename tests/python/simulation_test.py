"""Simulations: the bits of the program, states in reach, copies, files, and bad input."""
import copy
import decimal
import fractions
import pickle
import threading
import time

import numpy as np
import pytest

import holonom
from holonom import InputError, Simulation, StepFailed


def flat(tree):
    """The numbers of q or p in the JSON of a run, in order."""
    values = []
    for x in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(x, (dict, list)):
            values += flat(x)
        else:
            values.append(float(x))
    return values


CASES = [("pendulum.toml", "rattle", "T/25", {}), ("pendulum.toml", "kahan-li-8", "0.05", {}),
         ("double-pendulum.toml", "yoshida-4", "0.01", {}), ("four-bar.toml", "lobatto-3", "0.01", {}),
         ("hanging-chain.toml", "rattle", None, {}), ("rigid-body-euler.toml", None, None, {}),
         ("henon-heiles.toml", "yoshida-6", "0.1", {}), ("kepler-sphere.toml", "gauss-2", "0.01", {"projection": "jay"}),
         ("pendulum.toml", "rattle", "T/25", {"watch": "recorded", "every": 10}),
         ("pendulum.toml", "gauss-4", "0.05", {"formulation": "state-space", "chart": "own"})]


@pytest.mark.parametrize("model, method, step, options", CASES)
def test_bits_are_those_of_the_program(models, program, model, method, step, options):
    words = ["--steps", 300]
    for name, value in {"method": method, "step": step, **options}.items():
        words += [] if value is None else [f"--{name}", value]
    expected = program(model, *words)
    sim = Simulation(models / model, method, step, **options)
    trajectory = sim.run(steps=300)
    assert list(sim.q) == flat(expected["q"])
    assert list(sim.p) == flat(expected["p"])
    assert list(sim.multipliers.values()) == flat(expected["lambda"])
    assert list(trajectory.q[-1]) == flat(expected["q"])
    assert sim.t == float(expected["t"]) and sim.steps == 300
    if expected["energy"]:
        assert sim.result["energy"]["max_error"] == float(expected["energy"]["max_error"])
        assert trajectory.energy[-1] == sim.energy == float(expected["energy"]["final"])
    assert sim.result["constraint"]["position_max"] == float(expected["constraint"]["position_max"])
    for name, values in expected["invariants"].items():
        assert sim.result["invariants"][name]["max_error"] == float(values["max_error"])


def test_until_is_not_passed_and_goes_on(models, program):
    sim = Simulation(models / "pendulum.toml", "rattle", "T/25")
    first = sim.run(until="T")
    assert (first.step[0], first.step[-1], sim.steps) == (0, 25, 25)
    second = sim.run(until="4*T")
    assert (second.step[0], second.step[-1]) == (25, 100)
    assert list(sim.q) == flat(program("pendulum.toml")["q"])
    assert list(sim.run(until=sim.t).step) == [100]
    sim.run(until=sim.t + 1.5 * sim.h)
    assert sim.steps == 101
    assert sim.t == pytest.approx(101 * sim.h, rel=1e-15)


def test_parts_have_the_bits_of_the_whole(models):
    whole = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.02)
    whole.step(100)
    parts = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.02)
    for n in (1, 0, 9, 40):
        parts.step(n)
    parts.run(steps=30, every=7)
    parts.run(until=2)
    assert np.array_equal(whole.q, parts.q) and np.array_equal(whole.p, parts.p)
    assert whole.result["energy"] == parts.result["energy"]


def test_numbers_and_formulas(models):
    steps = [0.1, "1/10", fractions.Fraction(1, 10), decimal.Decimal("0.1"), np.float64(0.1), "0.1*L"]
    assert {Simulation(models / "pendulum.toml", "rattle", h).h for h in steps} == {0.1}
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1, set={"L": 2, "g": "9.81"})
    sim.run(until=fractions.Fraction(1, 2))
    assert sim.steps == 5
    assert sim.trajectory.parameters["L"] == 2 and sim.trajectory.parameters["g"] == 9.81
    with pytest.raises(InputError, match="no parameter 'LL'"):
        Simulation(models / "pendulum.toml", set={"LL": 2})


def test_numbers_of_mpmath_are_exact(models):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(50):
        third = mpmath.sin(mpmath.mpf(1) / 3)
        digits = mpmath.nstr(third, 30)
    sim = Simulation(models / "pendulum.toml", "rattle", third, precision="quad")
    with mpmath.workdps(34):
        assert mpmath.nstr(mpmath.mpf(sim.text("step")), 30) == digits
    for bad in (mpmath.inf, -mpmath.inf, mpmath.nan, mpmath.mpf("nan"), decimal.Decimal("inf"), decimal.Decimal("nan")):
        with pytest.raises(InputError, match="step = .*finite"):
            Simulation(models / "pendulum.toml", "rattle", bad)
    with pytest.raises(TypeError, match="mpc"):
        Simulation(models / "pendulum.toml", "rattle", mpmath.mpc(1, 1))


def test_backwards(models):
    sim = Simulation(models / "pendulum.toml", "rattle", -0.1)
    assert sim.run(until=-1).t[-1] == pytest.approx(-1)
    with pytest.raises(InputError, match="behind"):
        sim.run(until=0)


# ---- the state

def test_the_state_can_be_read(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1)
    sim.step(3)
    with pytest.raises(ValueError, match="read-only"):  # a copy
        sim.q[0] = 7
    assert sim["x"] == sim.q[0] and sim["p_y"] == sim.p[1] and sim["lambda_rod"] == sim.multipliers["rod"]
    assert sim.energy == pytest.approx(0, abs=1e-2)
    assert sim.residuals["position"] < 1e-15
    x, y = sim.q
    tension = sim.p @ sim.p - y  # λ of this model: (p.p/m - m g y)/L
    assert sim.multipliers["rod"] == pytest.approx(tension, rel=1e-12)
    with pytest.raises(KeyError):
        sim["z"]


def test_a_state_that_is_put_in_begins_anew(models):
    sim = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.02)
    q0, p0 = sim.q, sim.p
    sim.step(50)
    sim.set_state(q=q0, p=p0)
    assert (sim.steps, sim.result["energy"]["max_error"]) == (50, 0)
    sim.step(20)
    fresh = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.02)
    fresh.step(20)
    assert np.array_equal(sim.q, fresh.q) and np.array_equal(sim.p, fresh.p)
    assert sim.t == 70 * 0.02
    sim.p = -sim.p
    sim.step(20)
    assert sim.q == pytest.approx(q0, abs=1e-12)


def test_states_must_be_consistent(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1)
    sim.step(3)
    before = sim.q, sim.p
    for wrong, message in [({"q": [1.0, 0.5]}, "does not satisfy"), ({"p": [1, 0]}, "not tangent"), ({"q": [1.0]}, "2 numbers"),
                           ({"q": [[1.0, 0.0]]}, "shape"), ({"q": [np.nan, 0]}, "finite"), ({"q": ["x", "0"]}, "not a number")]:
        with pytest.raises(InputError, match=message):
            sim.set_state(**wrong)
    with pytest.raises(TypeError):
        sim.set_state(q=object())
    with pytest.raises(TypeError):
        sim.q = [None, None]
    with pytest.raises(TypeError):
        sim.set_state(p=[0, 0], v=[0, 0])
    assert np.array_equal(sim.q, before[0]) and np.array_equal(sim.p, before[1])
    sim.set_state(q=[2, 0], p=[1, 1], project=True)
    assert sim.q == pytest.approx([1, 0]) and sim.p == pytest.approx([0, 1])
    sim.set_state(q=[0, -1], v=[0.5, 0])
    assert sim.p == pytest.approx([0.5, 0])


@pytest.mark.parametrize("precision", ["double", "quad"])
def test_states_of_exact_numbers(models, precision):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1, precision=precision)
    F = fractions.Fraction
    sim.set_state(q=[F(3, 5), F(-4, 5)], p=[F(4, 30), F(1, 10)])
    fresh = Simulation(models / "pendulum.toml", "rattle", 0.1, precision=precision)
    fresh.set_state(q=["0.6", "-0.8"], p=["0.1" + 60*"3", "0.1"])
    assert (sim.text("q"), sim.text("p")) == (fresh.text("q"), fresh.text("p"))
    for p in ([2**53 + 1, 0], np.array([2**53 + 1, 0])):
        sim.set_state(q=[0, -1], p=p)
        assert sim.text("p")[0].replace(".", "").startswith("900719925474099" + ("3" if precision == "quad" else "2"))


@pytest.mark.parametrize("precision", ["double", "quad"])
def test_states_of_numbers_of_mpmath(models, precision):
    mpmath = pytest.importorskip("mpmath")
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1, precision=precision)
    sim.set_state(q=[0, -1], p=[1, 0])
    with mpmath.workdps(50):
        p = mpmath.mpf(1) / 3
    sim.p = [p, mpmath.mpf(0)]
    assert sim.text("p")[0].startswith("3." + 30*"3" if precision == "quad" else "0.333333333333333")


@pytest.mark.parametrize("bad, error, message", [
    ([10**400, 0], InputError, "not finite|beyond"), (np.ma.array([1.0, 0], mask=[0, 1]), InputError, "q: some entries are masked"),
    ([1.0, np.ma.masked], InputError, "masked"), (np.array([1, 0j]), TypeError, "q: numbers were expected, not complex128"),
    ([1, 0j], TypeError, "not complex"), (np.array([0, 1], "datetime64[s]"), TypeError, "not datetime64"),
    (np.array([0, 1], "timedelta64[s]"), TypeError, "not timedelta64"),
    ([np.timedelta64(1, "s"), 0], TypeError, "not timedelta64"), ([None, 0], TypeError, "not NoneType"), ([[1], [0, 1]], TypeError, "numbers"),
    ([fractions.Fraction(1, 3), float("nan")], InputError, "finite")])
def test_states_of_what_is_no_number(models, bad, error, message):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1)
    with pytest.raises(error, match=message):
        sim.q = bad
    assert sim.q.tolist() == [1, 0]
    if error is TypeError or "masked" in message:
        with pytest.raises(error):
            holonom.ensemble(models / "pendulum.toml", q=[bad] if isinstance(bad, list) else bad.reshape(1, 2), steps=1)


def test_a_mask_that_hides_nothing_is_no_mask(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1)
    sim.q = np.ma.array([0.0, -1.0])
    assert sim.q.tolist() == [0, -1]


@pytest.mark.parametrize("steps", [2.7, "3", True, -1, 2**80])
def test_steps_are_counted_by_whole_numbers(models, steps):
    def ensemble(**options):
        return holonom.ensemble(models / "pendulum.toml", q=[[1, 0]], **options)

    sim = Simulation(models / "pendulum.toml")
    for call in (lambda: sim.step(steps), lambda: sim.run(steps=steps), lambda: ensemble(steps=steps), lambda: sim.run(steps=1, every=steps),
                 lambda: Simulation(models / "pendulum.toml", shadow=steps), lambda: Simulation(models / "pendulum.toml", every=steps),
                 lambda: Simulation(models / "pendulum.toml", threads=steps), lambda: Simulation(models / "pendulum.toml", project_every=steps)):
        with pytest.raises(InputError, match="whole number|more than can be counted"):
            call()
    assert sim.steps == 0


def test_rows_of_an_ensemble_that_nobody_can_keep(models):
    with pytest.raises(InputError, match="rows, more than anyone can keep"):
        holonom.ensemble(models / "pendulum.toml", q=[[1, 0]], steps=10**16, record=True)
    with pytest.raises(InputError, match="rows, more than anyone can keep"):
        holonom.ensemble(models / "pendulum.toml", q=[[1, 0]], until=1e15, record=True)


def test_constant_expressions_are_formulas(models):
    model = holonom.Model.load(models / "pendulum.toml")
    model.until = 3
    sim = Simulation(model, "rattle", step=model.pi / 100, precision="quad")
    assert sim.text("step").startswith("3.14159265358979323846264338327950")
    assert sim.run(until=model.until).t[-1] <= 3 < sim.t + sim.h
    assert Simulation(model, "rattle", np.sqrt(model.parameter("a", 2)), set=None).h == 2**0.5
    table = holonom.compare(model, "rattle", model.pi / 10, model.pi)
    assert table["steps"].tolist() == [10]
    for bad in (model["x"], model["p_x"] + 1):
        with pytest.raises(InputError, match="step = .*: it must not depend on variables"):
            Simulation(model, "rattle", bad)


def test_vectors_are_put_in_by_items(models):
    sim = Simulation(models / "hanging-chain.toml")
    r = sim["r"]
    assert r.ndim == 2
    sim.set_state(q=r)
    assert np.array_equal(sim["r"], r)
    with pytest.raises(InputError, match="shape"):
        sim.set_state(q=r.T)


# ---- wide precisions

def test_wide_precisions_have_all_digits(models, program):
    expected = program("pendulum.toml", "--precision", "quad", "--step", "0.1", "--steps", 20)
    sim = Simulation(models / "pendulum.toml", step=0.1, precision="quad")
    trajectory = sim.run(steps=20)
    assert decimal.Decimal(sim.text("q")[0]) == decimal.Decimal(expected["q"]["x"])
    assert trajectory.text("x")[-1] == sim.text("q")[0]
    assert sim.q[0] == float(sim.text("q")[0]) and sim.text("x") == sim.text("q")[0]
    assert len(sim.text("energy")) > 30
    texts = sim.text("q"), sim.text("p")
    sim.step(5)
    sim.set_state(q=texts[0], p=texts[1])
    assert (sim.text("q"), sim.text("p")) == texts
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(40):
        assert sim.mp("q")[0] == mpmath.mpf(texts[0][0])
        sim.set_state(q=sim.mp("q"), p=sim.mp("p"))
        assert (sim.text("q"), sim.text("p")) == texts


@pytest.mark.parametrize("precision", ["long", "quad", "100"])
def test_wide_runs_are_copied_bit_for_bit(models, precision):
    sim = Simulation(models / "pendulum.toml", "kahan-li-8", "T/25", precision=precision)
    sim.step(7)
    twin = pickle.loads(pickle.dumps(sim))
    sim.step(8)
    twin.step(8)
    assert sim.text("q") == twin.text("q")


# ---- copies

@pytest.mark.parametrize("method", ["rattle", "kahan-li-8", "gauss-3+jay", "lobatto-4"])
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_go_on_bit_for_bit(models, method, way):
    sim = Simulation(models / "double-pendulum.toml", method, 0.02, event="x1", observe="a=x1*x2")
    sim.step(31)
    twin = way(sim)
    assert twin.steps == 31 and np.array_equal(sim.q, twin.q)
    sim.step(40)
    assert twin.steps == 31  # nobody else's
    twin.run(steps=40)
    assert np.array_equal(sim.q, twin.q) and np.array_equal(sim.p, twin.p)
    a, b = sim.result, twin.result
    a.pop("wall_seconds"), b.pop("wall_seconds")
    assert a == b


def test_a_model_that_was_changed_is_pickled_as_it_is(models):
    model = holonom.load_model(models / "pendulum.toml", {"L": 2})
    sim = Simulation(model, "rattle", 0.1)
    sim.step(5)
    twin = pickle.loads(pickle.dumps(sim))
    sim.step(5)
    twin.step(5)
    assert np.array_equal(sim.q, twin.q) and np.hypot(*twin.q) == pytest.approx(2)


def test_bytes_that_are_no_simulation(models):
    sim = Simulation(models / "pendulum.toml")
    state = sim.__getstate__()
    for spoiled in (b"", b"x", state["memory"][:-5], state["memory"][10:]):
        with pytest.raises(InputError):
            Simulation.__new__(Simulation).__setstate__({**state, "memory": spoiled})
    rebuild, (data,) = state["model"].__reduce__()
    with pytest.raises(InputError, match="not a model, or they were spoiled"):
        rebuild(data[:-5])


# Files and checkpoints say which model they are of.
def test_a_checkpoint_of_another_model_is_refused(tmp_path):
    def simulation(mass):
        model = holonom.Model("oscillator")
        x = model.coordinate("x")
        model.mass = [mass]
        model.potential = x**2/2
        model.start({"x": 1})
        return Simulation(model, "rattle", 0.1)

    one = simulation(1)
    one.step(3)
    one.save_checkpoint(tmp_path / "checkpoint")
    again = simulation(1)
    again.load_checkpoint(tmp_path / "checkpoint")
    assert np.array_equal(again.q, one.q)
    with pytest.raises(InputError, match="model"):
        simulation(2).load_checkpoint(tmp_path / "checkpoint")


# ---- files

def test_checkpoints(models, tmp_path):
    sim = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.02)
    sim.step(30)
    sim.save_checkpoint(tmp_path / "a.checkpoint")
    sim.step(10)
    other = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.02)
    other.load_checkpoint(tmp_path / "a.checkpoint")
    other.step(10)
    assert np.array_equal(sim.q, other.q)
    with pytest.raises(InputError, match="its method was"):
        Simulation(models / "double-pendulum.toml", "rattle", 0.02).load_checkpoint(tmp_path / "a.checkpoint")
    with pytest.raises(InputError, match="no checkpoint"):
        sim.load_checkpoint(tmp_path / "none")


def test_output_files_are_those_of_the_program(models, program, tmp_path):
    program("pendulum.toml", "--steps", 60, "--every", 5, "--out", tmp_path / "program.csv")
    with Simulation(models / "pendulum.toml", out=tmp_path / "python.csv", every=5) as sim:
        sim.run(steps=30)
        sim.run(steps=30)
    assert (tmp_path / "python.csv").read_text() == (tmp_path / "program.csv").read_text()
    with pytest.raises(RuntimeError, match="closed"):
        sim.step()
    with pytest.raises(holonom.FileExists):
        Simulation(models / "pendulum.toml", out=tmp_path / "python.csv")
    with pytest.raises(InputError, match="cannot be pickled"):
        pickle.dumps(sim)
    with pytest.raises(InputError, match="cannot be copied"):
        copy.copy(sim)


def test_a_run_with_a_file_is_resumed(models, tmp_path):
    def options(name):
        return {"method": "kahan-li-8", "step": 0.02, "out": tmp_path / name, "every": 3}

    sim = Simulation(models / "double-pendulum.toml", **options("a.h5"))
    sim.run(steps=100)
    sim.close()
    part = Simulation(models / "double-pendulum.toml", **options("b.h5"))
    part.run(steps=40)
    part.close()
    del part
    part = Simulation(models / "double-pendulum.toml", **options("b.h5"), resume=True)
    assert part.steps == 40
    part.run(steps=60)
    part.close()
    a, b = holonom.Trajectory.load(tmp_path / "a.h5"), holonom.Trajectory.load(tmp_path / "b.h5")
    assert np.array_equal(a.t, b.t) and np.array_equal(a.q, b.q)


# ---- failures, callbacks, threads

def failing(models):
    """Steps that are too long: the twelfth finds no position."""
    return Simulation(models / "double-pendulum.toml", "rattle", 0.5)


def test_a_step_that_fails(models):
    sim = failing(models)
    with pytest.raises(StepFailed) as raised:
        sim.run(until=1000)
    e = raised.value
    assert isinstance(e, RuntimeError) and "failed" in e.message and "step" in str(e)
    assert np.array_equal(e.q, sim.q) and e.t == sim.t and e.steps == sim.steps
    assert np.array_equal(e.trajectory.q[-1], sim.q) and len(e.trajectory) == sim.steps + 1
    with pytest.raises(StepFailed):
        sim.step()
    q, p = e.trajectory.q[0], e.trajectory.p[0]
    sim.set_state(q=q, p=p)
    sim.step()
    assert np.array_equal(sim.q, e.trajectory.q[1])
    assert "failed" in pickle.loads(pickle.dumps(e)).message


def test_callbacks(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1)
    seen = []
    sim.run(steps=10, callback=lambda s: seen.append((s.steps, s.q[0])), callback_every=3)
    assert [k for k, _ in seen] == [3, 6, 9]
    fresh = Simulation(models / "pendulum.toml", "rattle", 0.1)
    fresh.step(10)
    assert np.array_equal(sim.q, fresh.q)

    def broken(s):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        sim.run(steps=10, callback=broken, callback_every=4)
    assert sim.steps == 12 and list(sim.trajectory.step) == [10, 11, 12]
    sim.step(3)
    fresh.step(5)
    assert np.array_equal(sim.q, fresh.q)

    def nested(s):
        s.step()

    with pytest.raises(RuntimeError, match="callback cannot take steps"):
        sim.run(steps=10, callback=nested)

    def enough(s):
        raise StopIteration

    assert len(sim.run(steps=10, callback=enough, callback_every=1)) == 2
    with pytest.raises(StopIteration):  # it ends a run without an error in a callback alone
        sim.run(steps=10**9, record=False, progress=lambda done, steps: next(iter(())))
    sim.run(steps=4, callback=lambda s: s.set_state(q=[0, -1], p=[0, 0]), callback_every=2)
    assert sim.q == pytest.approx([0, -1])


def test_one_thread_at_a_time(models):
    sim = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.001)
    started, errors = threading.Event(), []

    def first():
        sim.run(steps=400_000, every=1000, progress=lambda done, steps: started.set())

    thread = threading.Thread(target=first)
    thread.start()
    assert started.wait(20)
    for use in (lambda: sim.step(), lambda: sim.q, lambda: sim.run(until=1), lambda: sim.set_state(p=[0] * 4),
                lambda: copy.copy(sim), lambda: pickle.dumps(sim), lambda: sim.residuals, lambda: sim.close()):
        try:
            use()
        except RuntimeError as e:
            errors.append(str(e))
    assert "taking steps" in repr(sim)
    thread.join()
    assert len(errors) == 8
    assert sim.steps == 400_000


def test_simulations_run_side_by_side(models):
    def run(result, k):
        sim = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.001 * (k + 1))
        sim.run(steps=3000, sample=0.05)
        result[k] = sim.q

    alone, together = {}, {}
    for k in range(4):
        run(alone, k)
    threads = [threading.Thread(target=run, args=(together, k)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(alone[k], together[k]) for k in range(4))


# ---- around it

@pytest.mark.parametrize("options, error, message", [
    ({"precission": "quad"}, TypeError, "no option 'precission'; did you mean 'precision'"), ({"wrong": 1}, TypeError, "no option 'wrong'$"),
    ({"engine": 1}, TypeError, "engine: a name was expected, not int"), ({"formulation": 1}, TypeError, "formulation: a name"),
    ({"newton": 1}, TypeError, "newton: a name"),
    ({"multipliers": 1}, TypeError, "multipliers: a name"), ({"watch": 1}, TypeError, "watch: a name"), ({"method": 5}, TypeError, "method: a name"),
    ({"chart": 5}, TypeError, "chart: a name"), ({"projection": 5}, TypeError, "projection: a name"),
    ({"tolerance": "x"}, TypeError, "tolerance: a number was expected"),
    ({"tolerance": None}, TypeError, "tolerance: a number was expected"), ({"event": 3}, TypeError, "event: names were expected"),
    ({"stpe": 1}, TypeError, "no option 'stpe'; did you mean 'step'"), ({"checkpoint": "x"}, TypeError, "checkpoint: a number"),
    ({"threads": 2**40}, InputError, "threads")])
def test_options_that_are_not_there(models, options, error, message):
    calls = [lambda: Simulation(models / "pendulum.toml", **options)]
    if not {"threads", "checkpoint"} & options.keys():
        calls.append(lambda: holonom.ensemble(models / "pendulum.toml", q=[[1, 0]], steps=1, **options))
    for call in calls:
        with pytest.raises(error, match=message) as raised:
            call()
        assert "incompatible function arguments" not in str(raised.value)


def test_what_should_be_known_is_a_warning(models):
    with pytest.warns(holonom.HolonomWarning, match="makes no use of it"):
        Simulation(models / "pendulum.toml", "rattle", newton="full")


def test_progress(models):
    calls = []
    sim = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.001)
    sim.run(steps=300_000, every=1000, progress=lambda done, steps: calls.append((done, steps)))
    assert calls and all(0 < done <= 300_000 == steps for done, steps in calls)
    pytest.importorskip("tqdm")
    sim.run(steps=1000, progress=True)

    def broken(done, steps):
        raise KeyError("mine")

    before = sim.steps
    with pytest.raises(KeyError, match="mine"):
        sim.run(steps=10_000_000, every=1000, progress=broken)
    assert before < sim.steps < before + 10_000_000
    sim.step()


def test_only_what_is_there_can_be_set(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1)
    with pytest.raises(AttributeError, match="the step of a simulation is fixed: make another Simulation"):
        sim.step = 0.001
    for name, message in [("precission", "no attribute 'precission' to be set"), ("Q", "did you mean 'q'"), ("t", "'t' .* can be read, not set"),
                          ("run", "'run' .* is called, not set")]:
        with pytest.raises(AttributeError, match=message):
            setattr(sim, name, 3)
    trajectory = sim.run(steps=3)
    for name in ("q", "x", "label"):
        with pytest.raises(AttributeError, match="set"):
            setattr(trajectory, name, 3)
    runs = holonom.ensemble(models / "pendulum.toml", q=[[1, 0]], steps=1)
    with pytest.raises(AttributeError, match="set"):
        runs.tt = 3
    sim.p, sim._mine = [0, 0], 7
    assert sim._mine == 7


def test_a_simulation_that_is_gone(models):
    sim = Simulation(models / "pendulum.toml")
    q = sim.run(steps=100).q
    del sim
    assert len(q) == 101 and q[0, 0] == 1


def test_single_steps_cost_little(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.01)
    begin = time.perf_counter()
    for _ in range(1000):
        sim.step()
    assert time.perf_counter() - begin < 2
