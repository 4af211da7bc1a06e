"""What must not end in a crash or in a silent wrong result: dead objects, spoiled bytes, texts that are no longer the model."""
import pickle

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
