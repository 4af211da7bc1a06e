"""Plots: what they show, and that matplotlib is imported for them alone."""
import subprocess
import sys

import numpy as np
import pytest

from holonom import InputError, Simulation

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")


def test_matplotlib_is_not_imported_without_need():
    code = "import sys, holonom; print(any(m in sys.modules for m in ('matplotlib', 'pandas', 'tqdm', 'mpmath')))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.fixture
def pendulum(models):
    return Simulation(models / "pendulum.toml", event="low=x").run(steps=200)


def test_columns(pendulum):
    ax = pendulum.plot()
    assert [line.get_label() for line in ax.lines] == ["x", "y"]
    assert np.array_equal(ax.lines[0].get_ydata(), pendulum["x"])
    assert ax.get_xlabel() == "t" and ax.get_ylabel() == "x, y"
    other = pendulum.plot("y", against="x", color="red")
    assert other is not ax and other.get_aspect() == 1
    assert pendulum.plot("p_x", ax=ax) is ax
    with pytest.raises(KeyError):
        pendulum.plot("z")


def test_units(models):
    trajectory = Simulation(models / "spherical-pendulum.toml").run(steps=10)
    assert trajectory.unit("x") == "m"
    ax = trajectory.plot("x")
    assert ax.get_ylabel() == "x [m]"


def test_energy(pendulum):
    ax = pendulum.plot_energy()
    assert np.array_equal(ax.lines[0].get_ydata(), pendulum.energy - pendulum.energy[0])
    with pytest.raises(InputError, match="zero"):
        pendulum.plot_energy(relative=True)


def test_section(pendulum):
    ax = pendulum.plot_section("y", "p_x", event="low", direction="up")
    assert len(ax.lines[0].get_xdata()) == len(pendulum.events.of("low", "up"))
    assert ax.get_xlabel() == "y" and ax.get_ylabel() == "p_x"
    assert len(pendulum.plot_section().lines[0].get_xdata()) == len(pendulum.events)
    with pytest.raises(KeyError):
        pendulum.plot_section(event="high")


def test_section_without_events(models):
    trajectory = Simulation(models / "pendulum.toml").run(steps=20)
    assert len(trajectory.plot_section("x", "y").lines[0].get_xdata()) == 21


def test_vectors_want_a_column(models):
    trajectory = Simulation(models / "hanging-chain.toml").run(steps=3)
    with pytest.raises(InputError, match=r"r\[0\]"):
        trajectory.plot("r")
    assert len(trajectory.plot().lines) == 6
