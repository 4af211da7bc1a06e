"""Ctrl-C: it answers at once, and leaves the simulation at its last good state."""
import os
import signal
import threading
import time

import numpy as np
import pytest

from holonom import Simulation, ensemble


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
