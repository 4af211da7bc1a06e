"""What must not end in a crash or in a silent wrong result: dead objects, spoiled bytes, texts that are no longer the model."""
import copy
import decimal
import fractions
import os
import pickle
import sys
import time

import numpy as np
import pytest

from holonom import Expr, InputError, Model, Simulation, Trajectory, _core, check, ensemble, recommend
from holonom.model import _unpickled


@pytest.fixture
def sim(models):
    return Simulation(models / "pendulum.toml")


@pytest.mark.parametrize("kind", [k for k in vars(_core).values() if isinstance(k, type) and not issubclass(k, Exception)])
def test_objects_that_were_never_made(kind):
    dead = kind.__new__(kind)
    names = [name for name in dir(kind) if callable(getattr(kind, name)) and (not name.startswith("__") or name in ("__repr__", "__add__"))]
    refused = 0
    for name in names:
        try:
            getattr(dead, name)(*[1]*(name == "__add__"))
        except TypeError:
            refused += 1
    for name in (n for n in dir(kind) if isinstance(getattr(kind, n), property)):
        with pytest.raises(TypeError, match="never made"):
            getattr(dead, name)
        refused += 1
    assert refused > 0


def test_dead_objects_as_arguments(models):
    with pytest.raises(TypeError, match="never made"):
        check(Model.__new__(Model))
    with pytest.raises(TypeError, match="never made"):
        Simulation(Model.__new__(Model))
    model = Model.load(models / "pendulum.toml")
    with pytest.raises(TypeError):
        model.invariant("dead", Expr.__new__(Expr))
    with pytest.raises(TypeError, match="never made"):
        model["x"] + Expr.__new__(Expr)


def spoil_each(data):
    """Bytes cut off, added, and with a bit of one in a hundred places changed."""
    yield from (b"", data[:7], data[:-1], data[:len(data)//2], data + b"\0", b"\xff"*100)
    for at in range(0, len(data), max(1, len(data)//100)):
        yield data[:at] + bytes([data[at] ^ 0x40]) + data[at + 1:]


def test_spoiled_bytes_are_refused(sim):
    trajectory = sim.run(steps=3)
    for what, data, read in (("a model", sim.model.__reduce__()[1][0], _unpickled),
                             ("a simulation", sim._core.memory(), sim._core.load_memory),
                             ("a trajectory", trajectory._data.__getstate__(), _core.TrajectoryData.__new__(_core.TrajectoryData).__setstate__)):
        for bad in spoil_each(data):
            with pytest.raises(InputError, match=f"not {what}, or they were spoiled"):
                read(bad)
    assert np.array_equal(pickle.loads(pickle.dumps(trajectory)).q, trajectory.q)


@pytest.mark.parametrize("name, message", [(".", "no checkpoint of holonom"), ("none", "no checkpoint to go on"), (b"\xff", r"\\xff: there is no checkpoint")])
def test_files_that_are_no_checkpoints(sim, tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=message):
        sim.load_checkpoint(name)
    sim.step()


def test_names_that_are_too_long(models, tmp_path):
    name = str(tmp_path / ("l"*5000 + ".h5"))
    for call in (Trajectory.load, Model.load, lambda path: Simulation(models / "pendulum.toml", out=path, resume=True)):
        with pytest.raises((InputError, OSError), match="lll"):
            call(name)


def test_text_that_is_no_unicode(models):
    model = Model.load(models / "pendulum.toml")
    for call in (model.formula, lambda text: model.observable("o", text), lambda text: Simulation(model, observe=text), Model.parse, Model.load):
        with pytest.raises((TypeError, ValueError), match="Unicode|incompatible|not allowed|utf-8"):
            call("\ud800")


def test_a_callback_cannot_go_back(sim, tmp_path):
    sim.step(3)
    sim.save_checkpoint(tmp_path / "there")
    with pytest.raises(RuntimeError, match="set_state"):
        sim.run(steps=20, callback=lambda s: s.load_checkpoint(tmp_path / "there"), callback_every=5)
    assert sim.steps == 5
    sim.load_checkpoint(tmp_path / "there")
    assert sim.steps == 3


def test_other_parameters_are_not_forgotten(models):
    """A text that was read with other parameters is not the model: reading it again would give those of the file."""
    expected = Simulation(models / "pendulum.toml", set={"g": 2}).run(steps=20)
    heavy = Model.load(models / "pendulum.toml", set={"g": 2})
    for model in (heavy, heavy.copy(), pickle.loads(pickle.dumps(heavy)), Simulation(models / "pendulum.toml", set={"g": 2}).model):
        for more in ({"observe": "weight=g*y"}, {"event": "low=x"}):
            run = Simulation(model, **more).run(steps=20)
            assert run.parameters["g"] == 2
            np.testing.assert_allclose(run.q, expected.q, rtol=0, atol=1e-12)
        with pytest.raises(InputError, match="with all values"):
            Simulation(model, set={"L": 2})
        with pytest.raises(InputError, match="with all values"):
            ensemble(model, q=[[1, 0]], steps=1, set={"L": 2})
    assert recommend(heavy, 1e-2, 1, quantity="w", observe="w=g*y").data["t"] == 1


def test_formulas_of_options_are_not_forgotten(models):
    model = Simulation(models / "pendulum.toml", observe="a=2*x").model
    assert list(Simulation(model, observe="b=3*x").observables) == ["a", "b"]
    with pytest.raises(InputError, match="with all values"):
        Simulation(model, set={"g": 2})
    plain = Model.load(models / "pendulum.toml")
    assert Simulation(plain, set={"g": 2}).run(steps=0).parameters["g"] == 2


def test_views_outlive_their_trajectory(sim):
    q = sim.run(steps=1000).q
    then = q.copy()
    del sim
    garbage = [np.ones(4000) for _ in range(50)]
    assert np.array_equal(q, then) and not q.flags.writeable and len(garbage) == 50
    with pytest.raises(ValueError):
        q.setflags(write=True)


def test_arrays_are_read_when_they_are_given():
    model = Model("pair")
    r = model.vector("r", 2, 1)
    table, stiffness, mass, start = np.array([[0, 1]]), np.array([2.0]), np.array([1.0, 4.0]), np.array([[0.0], [1.0]])
    model.mass = {"r": mass}
    model.sum(table, lambda i, j, k: k*(r[i][0] - r[j][0])**2, k=stiffness)
    model.start({"r": start})
    before = model.to_toml(), model.energy([0, 1], [1, 2])
    for array in (table, stiffness, mass, start):
        array[...] = 7
    assert (model.to_toml(), model.energy([0, 1], [1, 2])) == before == (before[0], 3.0)


def with_items():
    model = Model("items")
    x = model.coordinate("x")
    r = model.vector("r", 2, 1)
    model.mass = 1
    return model, x, r


def energy(model, q=(2, 3, 5)):
    return model.energy(q, [0]*len(q))


def again(model):
    """The same model, by all ways to make it again."""
    model.start([0]*model.n)
    return model, model.copy(), pickle.loads(pickle.dumps(model)), Model.parse(model.to_toml())


def test_a_potential_of_single_items_is_not_lost():
    model, x, r = with_items()
    model.potential = r[0][0]*x + r[1][0]
    for same in again(model):
        assert str(same.potential) in ("x*r[0].x + r[1].x", "r[1].x + x*r[0].x")
        same.potential = 2*same.potential + same["x"]
        assert energy(same) == 2*(2*3 + 5) + 2
        same.potential += same["r"][1][0]
        assert energy(same) == 2*(2*3 + 5) + 2 + 5
    model.potential = {"slow": r[1][0]**2, "fast": "x*r[0].x"}
    for same in again(model):
        assert energy(same) == 25 + 6
        same.potential += 1
        assert energy(same) == 25 + 6 + 1


@pytest.mark.parametrize("first", ["100*x", "r[0].x*100", {"slow": "x", "fast": "r[0].x"}])
@pytest.mark.parametrize("bad", ["100*x + typo", "p_x", "r[7].x", {"slow": "x", "fast": "typo"}, {"slow": "r[7].x", "fast": "r[0].x"}])
def test_a_refused_potential_leaves_the_one_before(first, bad):
    model, _, r = with_items()
    model.potential = first
    model.sum([0, 1], lambda i: r[i][0]**2)
    before = str(model.potential), energy(model), model.copy()
    with pytest.raises(InputError):
        model.potential = bad
    assert str(model.potential) == before[0]
    model.observable("one", 1)  # the model is compiled anew
    assert energy(model) == before[1] == energy(before[2])


def test_a_copy_without_a_start():
    """It is as far as the first one: there is no start yet, and coordinates may come."""
    model = Model("early")
    x, y = model.coordinates("x y")
    model.potential = y
    for same in (model.copy(), pickle.loads(pickle.dumps(model))):
        assert same.coordinate("z") is not None and same.n == 3
    vectors, _, r = with_items()
    vectors.potential = r[0][0]
    for same in (vectors, vectors.copy(), pickle.loads(pickle.dumps(vectors))):
        assert energy(same) == 3
        with pytest.raises(InputError, match="no start yet"):
            same.initial()
    model.mass = 1
    model.constrain("rod", x**2 + y**2 - 1)
    a, = model.chart_coordinates("a")
    for same in (model.copy(), pickle.loads(pickle.dumps(model))):
        assert str(same["a"]) == str(a) == "a"
        c, s = np.cos(same["a"]), np.sin(same["a"])
        with pytest.raises(InputError, match="it takes a"):
            same.chart({"x": c, "y": s}, near={"b": 1})
        same.chart({"x": c, "y": s}, near={"a": 1})
        same.chart({"x": c, "y": s})
    with pytest.raises(InputError, match="used twice"):
        same.parameter("a", 1)
    model.start([1, 0])
    with pytest.raises(InputError, match="before the mass"):
        model.copy().coordinate("z")
    only = Model("only")
    only.vector("r", 2, 1)
    only.copy().vector("s", 2, 1)
    only.start({"r": [[0], [0]]})
    with pytest.raises(InputError, match="before the start"):
        only.copy().vector("s", 2, 1)


@pytest.mark.parametrize("bad", [[[1], ["typo"]], [[1, 2]], lambda i: [1, 2], lambda i: ["x"]])
def test_a_refused_start_leaves_the_one_before(bad):
    model, x, _ = with_items()
    model.potential = x*x
    model.start({"x": 1, "r": [[2], [3]]}, {"x": 4})
    before = model.to_toml(), [a.tolist() for a in model.initial()]
    for given in ({"q": {"x": 9, "r": bad}}, {"q": {"x": 9, "r": [[8], [8]]}, "p": {"r": bad}}):
        with pytest.raises(InputError):
            model.start(**given, project=True)
        assert (model.to_toml(), [a.tolist() for a in model.initial()]) == before
    fresh, x, _ = with_items()
    fresh.potential = x*x
    with pytest.raises(InputError):
        fresh.start({"x": 9, "r": bad})
    assert "no start yet" in str(pytest.raises(InputError, fresh.initial).value)


@pytest.mark.parametrize("bad", [np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), [1.0, np.ma.masked, 3.0], {"x": np.ma.masked, "r": [[2], [3]]},
                                 {"x": 1, "r": np.ma.array([[2.0], [3.0]], mask=[[0], [1]])}])
def test_what_is_masked_is_no_start(bad):
    model, _, _ = with_items()
    with pytest.raises(InputError, match="masked"):
        model.start(bad)


def test_what_is_masked_is_no_start_of_a_field():
    model = Model("field")
    x, y = model.variables("x y")
    model.field([y, -x])
    with pytest.raises(InputError, match="masked"):
        model.start(np.ma.array([1.0, 2.0], mask=[0, 1]))


def test_times_are_no_numbers():
    model, x, _ = with_items()
    for bad in (np.array([1, 2, 3], "timedelta64[ns]"), {"x": np.timedelta64(1, "ns"), "r": [[2], [3]]}):
        with pytest.raises((InputError, TypeError)):
            model.start(bad)
    with pytest.raises(TypeError):
        x * np.timedelta64(1, "ns")


def test_whole_numbers_of_arrays_keep_their_digits():
    model, _, _ = with_items()
    many = 2**62 + 1
    model.potential = model["x"]
    for r in (np.array([[many], [1]]), [[many], [1]]):
        model.start({"x": 0, "r": r})
        assert str(many) in model.to_toml()


def test_numbers_of_more_digits_than_python_writes(models):
    large = 10**5000
    model, x, _ = with_items()
    for refused in (lambda: Simulation(models / "pendulum.toml", step=large), lambda: model.parameter("a", large),
                    lambda: Simulation(models / "pendulum.toml", tolerance=large), lambda: x * large):
        with pytest.raises(InputError):
            refused()


def third(scale=1):
    """The digits of scale/3 in quad"""
    with decimal.localcontext(decimal.Context(prec=60)):
        return decimal.Decimal(scale)/3


@pytest.mark.parametrize("value, digits, expected", [
    (fractions.Fraction(1, 3), 33, third()), (decimal.Decimal("0.1"), 33, decimal.Decimal("0.1")), ("1/3", 33, third()),
    ("0.1", 33, decimal.Decimal("0.1")), ("sqrt(2)", 33, decimal.Decimal("1.41421356237309504880168872420969807856967")),
    (np.longdouble(1)/3, 18, third()), (2**70 + 1, 33, decimal.Decimal(2**70 + 1)), (0.1, 33, decimal.Decimal("0.1"))])
def test_starts_of_vectors_keep_their_digits(value, digits, expected):
    model, x, r = with_items()
    model.potential = x*x
    for given in ([[1], [value]], np.array([[1], [value]], dtype=object)):
        model.start({"x": value, "r": given}, p={"r": given})
        for same in (model, model.copy(), Model.parse(model.to_toml())):
            sim = Simulation(same, "rattle", 0.1, precision="quad")
            for text in (sim.text("q")[0], sim.text("q")[2], sim.text("p")[2]):
                assert abs(decimal.Decimal(text)/expected - 1) < decimal.Decimal(10)**-digits
    model.start([0, 1, value])
    assert Simulation(model, "rattle", 0.1, precision="quad").text("q")[2] == text


def test_starts_of_vectors_may_use_parameters():
    model, x, r = with_items()
    g = model.parameter("g", "1/3")
    model.potential = x*x
    model.start({"x": g, "r": [[1.5], [g/2]]})
    q = Simulation(model, "rattle", 0.1, precision="quad").text("q")
    assert float(q[1]) == 1.5 and decimal.Decimal(q[0])/decimal.Decimal(q[2]) == pytest.approx(2, rel=decimal.Decimal("1e-27"))
    for bad, message in ((x, "must not depend"), ("typo", r"start of 'r\[1\]'.*unknown name"), ("1/0", "not finite"), (np.nan, "finite")):
        with pytest.raises(InputError, match=message):
            model.start({"x": 0, "r": [[1], [bad]]})


def test_numbers_of_mpmath_are_exact():
    mpmath = pytest.importorskip("mpmath")
    model = Model("mp")
    x = model.coordinate("x")
    model.mass = 1
    with mpmath.workdps(50):
        tenth = mpmath.mpf("0.1")
        assert str(-mpmath.mpf("1.5")*x) == str(x*mpmath.mpf("-1.5")) == "-3*x/2"
        assert str(x + mpmath.mpf(0)) == "x" and str(x*mpmath.ldexp(3, 100)) == f"{3*2**100}*x"
        assert str(model.parameter("g", mpmath.mpf("9.75"))) == "39/4"
        model.potential = mpmath.pi*x
        model.start({"x": tenth})
        sim = Simulation(model, "rattle", 0.1, precision="quad")
        assert abs(mpmath.mpf(sim.text("x")) - tenth) < mpmath.mpf(10)**-33
        assert abs(mpmath.mpf(sim.text("energy")) - mpmath.pi*tenth) < mpmath.mpf(10)**-33
        for bad in (mpmath.inf, -mpmath.inf, mpmath.nan):
            with pytest.raises(InputError, match="finite"):
                x*bad
        with pytest.raises(InputError, match="out of range"):
            x*mpmath.mpf("1e100000")


def test_what_is_written_to_a_copy_is_not_lost_silently(sim):
    def change(z):
        z.q[:] = 0

    for what in ("q", "p"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(sim, what)[0] = 0.5
    with pytest.raises(ValueError, match="read-only"):
        sim.run(steps=1, callback=change)
    q, p = sim.q, sim.p
    sim.p = -sim.p
    assert np.array_equal(sim.p, -p) and np.array_equal(sim.q, q)


def in_child(work):
    """Whether work() is done in a child of this process, in some seconds."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(7)
        except BaseException as e:
            print(e, file=sys.stderr, flush=True)
            os._exit(1)
    for _ in range(400):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status) == 7
        time.sleep(0.05)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return False


def test_threads_of_a_simulation_stay_in_their_process(models):
    def make():
        return Simulation(models / "pendulum.toml", "gauss-2+jay", 0.01, threads=2)

    sims = [make()]
    sims[0].step(10)

    def work():
        for call in (lambda: sims[0].step(), lambda: sims[0].set_state(q=sims[0].q)):
            with pytest.raises(RuntimeError, match="os.fork.*copy.copy"):
                call()
        same, other = copy.copy(sims[0]), make()
        assert np.array_equal(same.q, sims[0].q)
        del sims[0]
        same.step(5)
        other.step(15)
        assert np.array_equal(same.q, other.q)

    assert in_child(work)
    sims[0].step(5)
    assert sims[0].steps == 15
