"""Bad options and bad calls: an exception that says what was expected, and a simulation that stays usable."""
import pytest

from holonom import InputError, Simulation


@pytest.mark.parametrize("arguments, error, message", [
    ({"model": "nowhere.toml"}, InputError, "nowhere.toml"), ({"model": 3}, TypeError, "Model or the path"),
    ({"method": "ratle"}, InputError, "rattle"), ({"step": 0}, InputError, "other than zero"),
    ({"step": float("nan")}, InputError, "finite"), ({"step": "1/"}, InputError, "step"),
    ({"step": [1]}, TypeError, "number or a formula"), ({"step": ""}, InputError, "empty"), ({"step": True}, TypeError, "number"),
    ({"precision": "half"}, InputError, "quad"), ({"engine": "fast"}, InputError, "llvm"),
    ({"newton": "x"}, InputError, "stages"), ({"watch": "none"}, InputError, "recorded"),
    ({"tolerance": 2}, InputError, "tolerance"), ({"threads": 0}, InputError, "threads"), ({"every": 0}, InputError, "every"),
    ({"every": 1.5}, InputError, "every"), ({"event": "q1+"}, InputError, "event"), ({"stop_at": "x"}, InputError, "no event"),
    ({"observe": "nothing"}, InputError, "nothing"), ({"chart": "own"}, InputError, "state-space"),
    ({"shadow": 99}, InputError, "shadow"), ({"tangent": ["x=1"]}, InputError, "two"), ({"out": "a.txt"}, InputError, ".csv"),
    ({"sample": 1}, InputError, "out"), ({"resume": True}, InputError, "out"), ({"wrong": 1}, TypeError, "wrong"),
    ({"method": "verlet-a"}, InputError, "verlet-a")])
def test_bad_options(models, arguments, error, message):
    with pytest.raises(error, match=message):
        Simulation(**{"model": models / "pendulum.toml", **arguments})


@pytest.mark.parametrize("arguments, error, message", [
    ({}, TypeError, "one of until and steps"), ({"until": 1, "steps": 1}, TypeError, "one of"),
    ({"until": "T+"}, InputError, "until"), ({"until": -1}, InputError, "behind"), ({"until": float("inf")}, InputError, "finite"),
    ({"until": 1e300}, InputError, "counted"), ({"until": "x"}, InputError, "until"), ({"steps": -1}, InputError, "at least 0"),
    ({"steps": 1.5}, InputError, "whole number"), ({"steps": 1, "every": 0}, InputError, "every"),
    ({"steps": 1, "sample": 0}, InputError, "positive"), ({"steps": 1, "sample": "1/0"}, InputError, "positive"),
    ({"steps": 1, "every": 1, "sample": 1}, TypeError, "exclude"), ({"steps": 1, "callback": 3}, TypeError, "function"),
    ({"steps": 1, "progress": 3}, TypeError, "progress"), ({"steps": 10**12}, InputError, "rows")])
def test_bad_runs(models, arguments, error, message):
    sim = Simulation(models / "pendulum.toml")
    with pytest.raises(error, match=message):
        sim.run(**arguments)
    sim.step(2)
    assert sim.steps == 2


def test_more_steps_than_can_be_counted(models):
    sim = Simulation(models / "pendulum.toml")
    for n in (2**62, 2**63 - 1):
        with pytest.raises(InputError, match="counted"):
            sim.step(n)
    with pytest.raises((InputError, TypeError, OverflowError)):
        sim.step(2**80)
    sim.step()
