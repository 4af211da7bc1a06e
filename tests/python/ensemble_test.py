"""Ensembles: the bits of single runs, for any number of threads; members that fail."""
import resource
import subprocess
import sys
import threading

import numpy as np
import pytest

from holonom import InputError, Simulation, ensemble


def starts(count):
    angles = np.linspace(0.1, 3.0, count)
    q = np.column_stack([np.sin(angles), -np.cos(angles)])
    return q / np.hypot(q[:, 0], q[:, 1])[:, None]


def test_members_have_the_bits_of_single_runs(models):
    q = starts(7)
    e = ensemble(models / "pendulum.toml", q=q, steps=50, method="kahan-li-8", step=0.05, record=True, every=10)
    assert e.ok.all() and len(e) == 7
    for i in range(7):
        sim = Simulation(models / "pendulum.toml", "kahan-li-8", 0.05)
        sim.set_state(q=q[i], p=[0, 0])
        trajectory = sim.run(steps=50, every=10)
        assert np.array_equal(e.q[i], sim.q) and np.array_equal(e.p[i], sim.p)
        assert e.energy_error[i] == sim.result["energy"]["max_error"]
        assert np.array_equal(e.trajectories[i].q, trajectory.q)
        assert e.t[i] == 50 * 0.05 and e.steps[i] == 50


@pytest.mark.parametrize("method", ["rattle", "gauss-2+jay"])
def test_threads_change_nothing(models, method):
    q = starts(23)
    results = [ensemble(models / "pendulum.toml", q=q, until=3, method=method, step=0.05, threads=k) for k in (1, 2, 5)]
    for r in results[1:]:
        for name in ("q", "p", "energy_error", "position_residual", "hidden_residual", "energy_final"):
            assert np.array_equal(getattr(results[0], name), getattr(r, name))


def test_members_that_fail_lose_nobody(models):
    q = starts(5)
    q[1] *= 1.5
    q[3] = np.nan
    e = ensemble(models / "pendulum.toml", q=q, until=1, step=0.1)
    assert list(e.status) == ["done", "invalid", "done", "invalid", "done"]
    assert "g(q) = 0" in e.message[1] and "finite" in e.message[3]
    assert np.isnan(e.q[1]).all() and not np.isnan(e.q[[0, 2, 4]]).any()
    e = ensemble(models / "pendulum.toml", q=q[:3], until=1, step=0.1, project=True)
    assert e.ok.all()


def test_a_step_that_fails_is_the_members_own(models):
    sim = Simulation(models / "four-bar.toml", "rattle", 0.01)
    start = sim.q, sim.p
    e = ensemble(models / "four-bar.toml", q=[start[0]] * 2, p=[start[1], 0 * start[1]], steps=2000, method="rattle", step=0.5)
    assert e.status[0] == "failed" and "step" in e.message[0]
    assert np.isfinite(e.q[0]).all() and e.steps[0] < 2000


def test_starts_velocities_and_events(models):
    q = starts(4)
    both = np.hstack([q, np.zeros_like(q)])
    a = ensemble(models / "pendulum.toml", both, until=1, step=0.1)
    b = ensemble(models / "pendulum.toml", q=q, v=np.zeros_like(q), until=1, step=0.1)
    assert np.array_equal(a.q, b.q)
    c = ensemble(models / "pendulum.toml", q=q, until=20, step=0.01, event="low=x", stop_at="low", record=True)
    assert set(c.status) == {"stopped"} and all(len(t.events) == 1 and t.stopped == "low" for t in c.trajectories)
    wide = ensemble(models / "pendulum.toml", q=q, until=1, step=0.1, precision="quad", project=True)
    assert wide.q == pytest.approx(a.q, abs=1e-12)


def test_vectors(models):
    sim = Simulation(models / "hanging-chain.toml")
    r = np.stack([sim["r"], sim["r"]])
    e = ensemble(models / "hanging-chain.toml", q=r, steps=5)
    assert e.ok.all() and np.array_equal(e.q[0], e.q[1])


@pytest.mark.parametrize("arguments, error, message", [
    ({"q": [[1, 0]]}, TypeError, "until and steps"), ({"steps": 1}, TypeError, "starts"),
    ({"q": [[1, 0, 0]], "steps": 1}, InputError, "shape"), ({"q": [1, 0], "steps": 1}, InputError, "shape"),
    ({"q": [[1, 0]], "p": [[0, 0]] * 2, "steps": 1}, InputError, "1 positions and 2 momenta"),
    ({"q": [[1, 0]], "p": [[0, 0]], "v": [[0, 0]], "steps": 1}, TypeError, "exclude"),
    ({"starts": [[1, 0, 0]], "steps": 1}, InputError, "shape"), ({"q": "abc", "steps": 1}, ValueError, ""),
    ({"q": [[1, 0]], "steps": 1, "threads": 0}, InputError, "threads"),
    ({"q": [[1, 0]], "steps": 1, "threads": 65}, InputError, "threads: it must be a number from 1 to 64"),
    ({"q": [[1, 0]], "steps": -1}, InputError, "at least 0"),
    ({"q": [[1, 0]], "steps": 1, "wrong": 3}, TypeError, "wrong"), ({"q": [[1, 0]], "until": "x"}, InputError, "until")])
def test_bad_input(models, arguments, error, message):
    with pytest.raises(error, match=message):
        ensemble(models / "pendulum.toml", **arguments)


def test_no_members(models):
    assert len(ensemble(models / "pendulum.toml", q=np.zeros((0, 2)), steps=1)) == 0


def test_ensembles_side_by_side(models):
    q, results = starts(9), {}

    def run(k):
        results[k] = ensemble(models / "pendulum.toml", q=q, until=5, step=0.01, threads=2).q

    threads = [threading.Thread(target=run, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.array_equal(results[0], results[1]) and np.array_equal(results[0], results[2])


def test_where_the_machine_has_more_processors_than_threads_are_allowed(models, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 128)
    assert ensemble(models / "pendulum.toml", q=np.tile([1.0, 0.0], (2, 1)), p=np.zeros((2, 2)), steps=3).ok.all()


def test_where_the_machine_has_no_more_threads(models):
    """Each takes 64 MB, and first there is room for a few of them, then for none."""
    program = """
import resource, sys, threading
import numpy as np
from holonom import ensemble, load_model

model, q = load_model(sys.argv[1]), np.tile([1.0, 0.0], (64, 1))
few = ensemble(model, q=q, steps=1000, step=0.001, method="rattle", threads=2)
used = int(open("/proc/self/statm").read().split()[0])*resource.getpagesize()
for more in map(int, sys.argv[2:]):
    resource.setrlimit(resource.RLIMIT_AS, (used + more*2**20, resource.RLIM_INFINITY))
    enough = threading.Event()
    try:
        for _ in range(64):
            threading.Thread(target=enough.wait).start()
        sys.exit("there is room for all")
    except RuntimeError:
        enough.set()
    many = ensemble(model, q=q, steps=1000, step=0.001, method="rattle", threads=64)
    assert many.ok.all() and np.array_equal(few.q, many.q)
"""

    def with_large_stacks():
        resource.setrlimit(resource.RLIMIT_STACK, (2**26, resource.getrlimit(resource.RLIMIT_STACK)[1]))

    done = subprocess.run([sys.executable, "-c", program, models / "pendulum.toml", "250", "50"], capture_output=True, text=True, timeout=60,
                          preexec_fn=with_large_stacks)
    assert (done.returncode, done.stderr) == (0, "")
