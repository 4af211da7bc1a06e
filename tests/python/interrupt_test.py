"""Ctrl-C: it answers at once, and leaves the simulation at its last good state. Exit: also with threads at work."""
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from holonom import Simulation, ensemble, load_model


class CtrlC:
    """Sends the signal after a while, and says how long it took to be answered."""

    def __init__(self, after):
        self.after = after

    def __enter__(self):
        def send():
            time.sleep(self.after)
            self.sent = time.perf_counter()
            os.kill(os.getpid(), signal.SIGINT)

        self.thread = threading.Thread(target=send)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.answered = time.perf_counter() - self.sent
        self.thread.join()


@pytest.mark.parametrize("options", [{}, {"every": 1000}, {"sample": 10.0}, {"record": False}])
def test_it_answers_and_the_simulation_goes_on(models, options):
    sim = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.001)
    with CtrlC(0.5) as c, pytest.raises(KeyboardInterrupt):
        sim.run(until=1e6, **{"every": 1000, **options} if "sample" not in options else options)
    assert c.answered < 0.2
    steps = sim.steps
    assert steps > 0 and sim.t == pytest.approx(steps * 0.001)
    if options.get("record", True):
        assert sim.trajectory.t[-1] <= sim.t and len(sim.trajectory) > 0
    sim.step(5)
    fresh = Simulation(models / "double-pendulum.toml", "kahan-li-8", 0.001)
    fresh.step(steps + 5)
    assert np.array_equal(sim.q, fresh.q)


def test_within_a_callback(models):
    sim = Simulation(models / "pendulum.toml", "rattle", 0.01)
    with CtrlC(0.3) as c, pytest.raises(KeyboardInterrupt):
        sim.run(until=1e9, every=10**9, callback=lambda s: time.sleep(0.01))
    assert c.answered < 0.2
    sim.step()


def test_an_ensemble(models):
    q = np.tile([1.0, 0.0], (4, 1))
    with CtrlC(0.5) as c, pytest.raises(KeyboardInterrupt):
        ensemble(models / "pendulum.toml", q=q, until=1e6, step=0.001)
    assert c.answered < 0.2


def test_many_states(models):
    """Other threads have to wait here, so that the signal comes from the system."""
    model = load_model(models / "pendulum.toml")
    q, p = np.tile([1.0, 0.0], (4_000_000, 1)), np.zeros((4_000_000, 2))
    model.multipliers_at(q[:1], p[:1])

    def stop(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    start = time.perf_counter()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            model.multipliers_at(q, p)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - start < 0.5


AT_EXIT = """
import sys, threading, time
import numpy as np, holonom
from holonom import Simulation

model = holonom.load_model(sys.argv[1])
sim = Simulation(model, "rattle", 0.001)
far = {"until": 1e9, "record": False}

def again(work):
    while True:
        work()

works = {
    "run": lambda: sim.run(**far),
    "step": lambda: again(lambda: sim.step(100)),
    "sample": lambda: sim.run(until=1e4, sample=0.5),
    "progress": lambda: sim.run(**far, progress=lambda *_: time.sleep(0.01)),
    "callback": lambda: sim.run(**far, callback=lambda s: time.sleep(0.01)),
    "ensemble": lambda: holonom.ensemble(model, q=np.tile([1.0, 0.0], (4, 1)), steps=10**9, step=0.001, threads=2),
    "recommend": lambda: again(lambda: holonom.recommend(model, 1e-12, 1e5)),
    "read": lambda: again(lambda: holonom.load_model(sys.argv[1])),
    "compile": lambda: again(lambda: model.copy().compile()),
}
work = works[sys.argv[2]]
thread = threading.Thread(target=work, daemon=True)
thread.start()
time.sleep(0.3)
sys.exit(3 if thread.is_alive() else "it has ended")
"""


@pytest.mark.parametrize("work", ["run", "step", "sample", "progress", "callback", "ensemble", "recommend", "read", "compile"])
def test_exit_with_a_thread_at_work(models, work):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", AT_EXIT, models / "pendulum.toml", work], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (3, "")


def test_exit_handlers_may_still_work(models):
    """Those that are called after ours, which were registered before it."""
    program = """
import atexit, sys
sims = []
atexit.register(lambda: (sims[0].step(10), sims[0].run(steps=10), print(sims[0].steps)))
import holonom
sims.append(holonom.Simulation(sys.argv[1]))
"""
    done = subprocess.run([sys.executable, "-c", program, models / "pendulum.toml"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "20\n", "")


def test_exit_does_not_wait_for_a_callback_for_ever(models):
    program = """
import sys, threading, time
import holonom
sim = holonom.Simulation(sys.argv[1])
threading.Thread(target=sim.run, kwargs={"steps": 10, "callback": lambda s: threading.Event().wait()}, daemon=True).start()
time.sleep(0.3)
sys.exit(3)
"""
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", program, models / "pendulum.toml"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (3, "")
    assert time.monotonic() - begun < 20
