"""Trajectories: names, shapes, no copies, events, files."""
import copy
import importlib.util
import pickle
import sys
import types

import numpy as np
import pytest

import holonom
from holonom import InputError, Simulation, Trajectory


def test_columns_by_name(models):
    trajectory = Simulation(models / "pendulum.toml", "rattle", 0.1, observe=["kinetic", "speed=v_x^2+v_y^2"]).run(steps=20)
    assert len(trajectory) == 21
    assert trajectory.q.shape == trajectory.p.shape == (21, 2)
    assert np.array_equal(trajectory["x"], trajectory.q[:, 0]) and np.array_equal(trajectory["p_y"], trajectory.p[:, 1])
    assert np.array_equal(trajectory["lambda_rod"], trajectory.multipliers["rod"])
    assert np.array_equal(trajectory.t, 0.1 * np.arange(21))
    assert np.array_equal(trajectory["kinetic"], trajectory.observables["kinetic"])
    assert trajectory.energy == pytest.approx(trajectory["kinetic"] + trajectory["y"])
    assert trajectory["speed"] == pytest.approx(np.sum(trajectory.p**2, axis=1))
    assert trajectory.position_residual.max() < 1e-15 and trajectory.hidden_residual.shape == (21,)
    assert trajectory.names[:3] == ["t", "x", "y"] and "lambda_rod" in trajectory and "z" not in trajectory
    assert trajectory.x[0] == 1
    with pytest.raises(KeyError, match="did you mean 'lambda_rod'"):
        trajectory["lambda_rot"]
    with pytest.raises(AttributeError):
        trajectory.nothing
    with pytest.raises(TypeError, match="name"):
        trajectory[0]


def test_vectors_and_stacks(models):
    trajectory = Simulation(models / "hanging-chain.toml").run(steps=10, every=1)
    count = trajectory.r.shape[1]
    assert trajectory.r.shape == trajectory["p_r"].shape == (11, count, trajectory.q.shape[1] // count)
    assert np.array_equal(trajectory.r[3, 2], trajectory.q[3].reshape(count, -1)[2])
    assert np.shares_memory(trajectory.r, trajectory.q)
    stacks = [v for v in trajectory.multipliers.values() if v.ndim == 2]
    assert stacks and stacks[0].shape[0] == 11


def test_arrays_are_not_copied(models):
    trajectory = Simulation(models / "pendulum.toml", "rattle", 0.01).run(steps=1000)
    assert np.shares_memory(trajectory.q, trajectory["x"]) and np.shares_memory(trajectory.q, trajectory.q)
    assert not trajectory.q.flags.writeable and not trajectory.q.flags.owndata
    with pytest.raises(ValueError):
        trajectory.q[0] = 0
    q, x0 = trajectory.q, trajectory.q[:, 0].copy()
    del trajectory
    assert np.array_equal(q[:, 0], x0)  # the array keeps its memory


def test_every_and_sample(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.1)
    assert list(sim.run(steps=10, every=4).step) == [0, 4, 8, 10]
    assert list(sim.run(steps=4, every=4).step) == [10, 12, 14]
    assert sim.run(steps=5, record=False) is None
    sampled = sim.run(until=3, sample=0.25)
    assert sampled.t == pytest.approx([2, 2.25, 2.5, 2.75, 3])
    assert list(sampled.interpolated) == [False, True, False, True, False]
    assert np.max(np.abs(np.hypot(sampled["x"], sampled["y"]) - 1)) < 1e-14
    assert sampled.about["sample"] == "0.25"


def test_samples_are_those_of_the_program(models, program, tmp_path):
    program("double-pendulum.toml", "--steps", 50, "--sample", "0.05", "--out", tmp_path / "a.h5")
    expected = Trajectory.load(tmp_path / "a.h5")
    trajectory = Simulation(models / "double-pendulum.toml").run(steps=50, sample="0.05")
    for name in ("t", "q", "p", "energy", "position_residual"):
        assert np.array_equal(getattr(trajectory, name), getattr(expected, name)), name


def test_events(models, program):
    expected = program("pendulum.toml", "--steps", 100, "--event", "low=x", "--event", "p_y")["events"]
    trajectory = Simulation(models / "pendulum.toml", event=["low=x", "p_y"]).run(steps=100)
    events = trajectory.events
    assert len(events) == len(expected) > 5
    assert list(events.t) == [float(e["t"]) for e in expected]
    assert list(events.name) == [e["name"] for e in expected]
    assert list(events.direction) == [e["direction"] for e in expected]
    assert list(events["x"]) == [float(e["q"]["x"]) for e in expected]
    low = events.of("low", "up")
    assert set(low.name) == {"low"} and np.max(np.abs(low["x"])) < 1e-14 and np.all(low["p_x"] > 0)
    assert low.q.shape == (len(low), 2)
    with pytest.raises(KeyError, match="events: low, p_y"):
        events.of("high")
    assert len(Simulation(models / "pendulum.toml").run(steps=3).events) == 0


def test_events_that_stop(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.01, event="low=x", stop_at="low")
    times = []
    for _ in range(3):
        trajectory = sim.run(until=100)
        assert trajectory.stopped == "low"
        times.append(trajectory.events.t[-1])
    assert np.diff(times) == pytest.approx([7.4163 / 2] * 2, rel=1e-3)
    sim = Simulation(models / "pendulum.toml", "rattle", 0.01, event="low=x", stop_at="low")
    assert sim.run(until=1).stopped is None


@pytest.mark.parametrize("model, precision", [("pendulum.toml", "double"), ("hanging-chain.toml", "double"),
                                              ("pendulum.toml", "long"), ("rigid-body-euler.toml", "double")])
def test_files_come_back(models, tmp_path, model, precision):
    trajectory = Simulation(models / model, precision=precision).run(steps=30, every=4)
    trajectory.save(tmp_path / "a.h5")
    back = Trajectory.load(tmp_path / "a.h5")
    assert back.names == trajectory.names
    for name in ["t", "q", "p", "step", *trajectory.names]:
        assert np.array_equal(getattr(trajectory, name) if hasattr(trajectory, name) else trajectory[name],
                              getattr(back, name) if hasattr(back, name) else back[name]), name
    assert (back.method, back.model, back.about["precision"]) == (trajectory.method, trajectory.model, precision)
    assert [back.unit(n) for n in back.names] == [trajectory.unit(n) for n in trajectory.names]
    for vector, *_ in trajectory._about["vectors"]:
        assert np.array_equal(back[vector], trajectory[vector])
    with pytest.raises(holonom.FileExists):
        trajectory.save(tmp_path / "a.h5")
    trajectory.save(tmp_path / "a.h5", force=True)


def test_files_are_those_of_the_program(models, program, tmp_path):
    program("pendulum.toml", "--steps", 40, "--every", 3, "--out", tmp_path / "a.csv")
    Simulation(models / "pendulum.toml").run(steps=40, every=3).save(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize("precision", ["double", "long", "quad", "100"])
def test_digits_are_saved(models, tmp_path, precision):
    trajectory = Simulation(models / "pendulum.toml", precision=precision).run(steps=5)
    trajectory.save(tmp_path / "a.h5")
    if precision in ("quad", "100"):
        h5py = pytest.importorskip("h5py")
        with h5py.File(tmp_path / "a.h5") as f:
            assert [x.decode() for x in f["exact/q"][:, 0]] == trajectory.text("x")
    back = Trajectory.load(tmp_path / "a.h5")
    assert np.array_equal(back.q, trajectory.q)
    for name in trajectory.names:
        assert back.text(name) == trajectory.text(name), name
    back.save(tmp_path / "b.h5")
    assert Trajectory.load(tmp_path / "b.h5").text("x") == trajectory.text("x")


@pytest.mark.parametrize("model, precision", [("hanging-chain.toml", "double"), ("pendulum.toml", "100"),
                                              ("lotka-volterra.toml", "long")])
def test_pickles_are_the_same(models, model, precision):
    trajectory = Simulation(models / model, precision=precision, event="x" if model == "pendulum.toml" else ()).run(steps=50)
    for twin in (pickle.loads(pickle.dumps(trajectory)), copy.deepcopy(trajectory)):
        assert twin.names == trajectory.names and repr(twin.events) == repr(trajectory.events)
        for name in trajectory.names:
            assert twin.text(name) == trajectory.text(name)
            assert twin.events.text(name) == trajectory.events.text(name)
        assert np.array_equal(pickle.loads(pickle.dumps(twin.events)).t, trajectory.events.t)
    with pytest.raises(InputError, match="not a trajectory"):
        type(trajectory._data).__new__(type(trajectory._data)).__setstate__(b"no")


def test_bad_files(models, tmp_path):
    with pytest.raises(InputError, match="no such file"):
        Trajectory.load(tmp_path / "none.h5")
    (tmp_path / "bad.h5").write_text("no")
    with pytest.raises(InputError, match="no trajectory"):
        Trajectory.load(tmp_path / "bad.h5")
    trajectory = Simulation(models / "pendulum.toml").run(steps=1)
    with pytest.raises(InputError, match=".csv or .h5"):
        trajectory.save(tmp_path / "a.txt")
    with pytest.raises(InputError):
        trajectory.save(tmp_path / "no" / "folder" / "a.h5")


@pytest.fixture
def wide_file(models, tmp_path):
    """change(f) does something to a file that has all digits as texts, and gives its path."""
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "wide.h5"
    Simulation(models / "pendulum.toml", "rattle", 0.01, precision="quad").run(steps=2000).save(path)

    def change(f):
        with h5py.File(path, "r+") as file:
            f(file)
        return path

    return change


@pytest.mark.parametrize("rows", [3, 0])
def test_tables_of_different_lengths(models, wide_file, rows):
    """As a run that was killed leaves them: what all of them have is there."""
    def cut(file):
        texts = file["exact/q"]
        kept = texts[:rows]
        del file["exact/q"]
        file["exact"].create_dataset("q", data=kept, dtype=texts.dtype)

    trajectory = Trajectory.load(wide_file(cut))
    assert len(trajectory) == rows and trajectory.q.shape == (rows, 2) and len(trajectory.text("x")) == rows
    assert all(len(trajectory[name]) == rows for name in trajectory.names)
    same = Simulation(models / "pendulum.toml", "rattle", 0.01, precision="quad").run(steps=2)
    assert trajectory.text("x") == same.text("x")[:rows]


@pytest.mark.parametrize("text", ["banana", "infinite", "abc", "1.5x", "1 2", "1e", ""])
def test_texts_that_are_no_numbers(wide_file, text):
    def spoil(file):
        file["exact/q"][7, 1] = text

    path = wide_file(spoil)
    with pytest.raises(InputError, match=f"wide.h5: the file is damaged: '{text}' in row 7 of q is no number"):
        Trajectory.load(path)


def test_infinite_numbers_of_a_file(wide_file):
    def put(file):
        file["exact/p"][7] = "inf", "-nan"

    trajectory = Trajectory.load(wide_file(put))
    assert trajectory.p[7, 0] == np.inf and np.isnan(trajectory.p[7, 1])


@pytest.mark.parametrize("module, way", [("pandas", "to_pandas"), ("xarray", "to_xarray")])
def test_what_is_not_installed_is_named(models, monkeypatch, module, way):
    trajectory = Simulation(models / "pendulum.toml").run(steps=10)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=f"python3-{module}"):
        getattr(trajectory, way)()


# Where they are not installed, stand-ins take what they would be given.

def test_to_pandas(models, monkeypatch):
    if not importlib.util.find_spec("pandas"):
        monkeypatch.setitem(sys.modules, "pandas", types.SimpleNamespace(DataFrame=dict))
    trajectory = Simulation(models / "pendulum.toml", event="low=x").run(steps=100)
    frame = trajectory.to_pandas()
    assert list(frame) == trajectory.names
    assert all(np.array_equal(np.asarray(frame[name]), trajectory[name]) for name in trajectory.names)
    assert list(trajectory.events.to_pandas())[:3] == ["event", "direction", "t"]


def test_to_xarray(models, monkeypatch):
    class Dataset(dict):
        def __init__(self, variables, coords, attrs):
            for name, (dims, values, _) in {**variables, **coords}.items():
                assert len(dims) == values.ndim and len(set(dims)) == len(dims), name
                self[name] = values
            self.attrs = attrs

    if not importlib.util.find_spec("xarray"):
        monkeypatch.setitem(sys.modules, "xarray", types.SimpleNamespace(Dataset=Dataset))
    trajectory = Simulation(models / "hanging-chain.toml").run(steps=10, every=2)
    dataset = trajectory.to_xarray()
    assert np.array_equal(np.asarray(dataset["r"]), trajectory.r)
    assert np.array_equal(np.asarray(dataset["energy"]), trajectory.energy)
    assert dataset.attrs["method"] == trajectory.method


def test_fields_have_names_of_their_own(models):
    trajectory = Simulation(models / "lotka-volterra.toml").run(steps=10)
    for name in trajectory.names:
        assert trajectory[name].shape == (11,)


def test_a_million_rows(models):
    trajectory = Simulation(models / "pendulum.toml", "rattle", 0.01).run(steps=1_000_000)
    assert trajectory.q.shape == (1_000_001, 2) and not trajectory.q.flags.owndata
