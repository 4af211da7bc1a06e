"""Random calls of everything that is public: garbage gives an exception with words, never a crash and never a hang.

    PYTHONPATH=build/python python3 tests/python/fuzz_test.py [SEED] [CALLS]

runs it alone; with a seed that has failed it makes the same calls again. The test runs it in a process of its own.
"""
import faulthandler
import inspect
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

import holonom
from holonom import _core
from holonom.model import _unpickled

ALLOWED = (ValueError, TypeError, KeyError, IndexError, OSError, holonom.StepFailed, OverflowError, MemoryError, ImportError, ZeroDivisionError,
           AttributeError)
WORDS_OF_FAILURE = ("std::", "vector::", "basic_string", "map::at", "_M_", "bad_alloc", "bad_cast", "internal", "boost", "unordered_map", "stoi", "stod",
                    "cannot create std::vector")
CLOSED = ("the simulation is closed", "a callback cannot take steps")
SECONDS_OF_A_CALL = 60  # more is a hang, also on a busy machine
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def pendulum():
    model = holonom.Model("pendulum")
    x, y = model.coordinates("x y")
    model.parameter("g", 9.81)
    model.mass = [1, 1]
    model.potential = 9.81*y
    model.constrain("rod", x**2 + y**2 - 1)
    model.invariant("E", model.momentum(x)**2)
    model.event("down", x)
    model.start({"x": 1, "y": 0})
    model.step, model.method = 0.01, "rattle"
    return model


def chain():
    model = holonom.Model("chain")
    r = model.vector("r", 3, 2)
    model.mass = 1
    model.sum([0, 1, 2], lambda i: r[i][1])
    model.stack("link", [[0, 1], [1, 2]], lambda i, j: (holonom.dot(r[i] - r[j], r[i] - r[j]) - 1)/2)
    model.observable_sum("height", [0, 1, 2], lambda i: r[i][1])
    model.start({"r": lambda i: [i, 0]})
    model.step, model.method = 0.01, "rattle"
    return model


def field():
    model = holonom.Model("field")
    x, y = model.variables("x y")
    model.field([y, -x])
    model.start([1, 0])
    model.step, model.method = 0.1, "rk-4"
    return model


def spoiled(draw, data):
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 3, 20))):
        at = draw.randrange(len(data) + 1)
        what = draw.randrange(4)
        if what == 0:
            del data[at:]
        elif what == 1 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif what == 2:
            data[at:at + 8] = draw.choice((b"\xff"*8, b"\0"*8, b"\x7f" + b"\xff"*7, b"\xff"*7 + b"\x7f"))
        else:
            data[at:at] = data[:draw.randrange(30)]
    return bytes(data)


class Attack:
    def __init__(self, seed, folder):
        self.draw = random.Random(seed)
        self.folder = pathlib.Path(folder)
        sim = holonom.Simulation(pendulum())
        self.trajectory = sim.run(until=2)
        self.trajectory.save(self.folder / "good.h5")
        sim.save_checkpoint(self.folder / "good.checkpoint")
        self.memory = {"model": _unpickled_bytes(chain()), "simulation": sim._core.memory(),
                       "trajectory": self.trajectory._data.__getstate__()}
        (self.folder / "empty").write_bytes(b"")
        (self.folder / "text.toml").write_text("format = 1\n[coordinates]\nnames = 3\n")
        (self.folder / "noise.h5").write_bytes(bytes(self.draw.randrange(256) for _ in range(3000)))
        (self.folder / "short.h5").write_bytes((self.folder / "good.h5").read_bytes()[:700])
        self.models = [pendulum(), chain(), field(), holonom.Model(), holonom.Model.load(MODELS / "pendulum.toml")]
        self.others = [sim, self.trajectory, self.trajectory.events]

    # ---- values

    def number(self):
        return self.draw.choice((0, 1, 2, 3, -1, 0.5, -0.0, 1e-300, 1e300, float("nan"), float("inf"), -float("inf"), 2**31 + 1, 2**62, 2**64, 10**400, 1 + 2j, True,
                                 np.float32(2), np.int8(-3), np.uint64(2**64 - 1), np.longdouble(1)/3, np.float64("nan")))

    def array(self):
        draw = self.draw
        shape = draw.choice(((), (0,), (1,), (2,), (3,), (4,), (6,), (2, 2), (3, 2), (2, 3), (1, 2), (5, 4), (0, 2), (2, 2, 2), (1, 3, 2)))
        dtype = draw.choice((float, float, int, np.int8, np.uint64, np.float32, np.longdouble, complex, bool, object, "U3", "S2", "M8[s]"))
        try:
            values = np.full(shape, self.number()).astype(dtype) if draw.randrange(2) else np.ones(shape).astype(dtype)
        except (TypeError, ValueError, OverflowError):
            values = np.zeros(shape, dtype)
        values = values[::-1] if values.ndim and draw.randrange(4) == 0 else values
        values.flags.writeable = draw.randrange(4) > 0
        return values

    def text(self):
        return self.draw.choice(("", " ", "x", "y", "r", "p_x", "v_r", "lambda_rod", "rod", "link", "E", "down", "up", "1/0", "x +", "sin(", "9"*6000, "z"*3000, "x\0y", "é",
                                 "\ud800", "1e9999", "nan", "rattle", "gauss-2", "gauss-99999", "kahan-li-8", "0.01", "T/25", "quad", "double", "llvm", "interp", "energy",
                                 "[", "a b", "x y", "x=1", "=", "e=x", "dirac", "format = 1", "-", "\x1b[2J", "position"))

    def path(self):
        if self.draw.randrange(5) == 0:
            name = self.draw.choice(("good.checkpoint", "text.toml"))
            (self.folder / "spoiled").write_bytes(spoiled(self.draw, (self.folder / name).read_bytes()))
        name = self.draw.choice(("good.h5", "good.checkpoint", "empty", "text.toml", "noise.h5", "short.h5", "spoiled", ".", "none", "no/where.h5", "n\0ull.h5", "l" * 5000,
                                 "out.csv", "out.h5", "out.html"))
        return self.draw.choice((self.folder / name, str(self.folder) + "/" + name))

    def kernel(self):
        def fails(*_, **__):
            raise KeyError("from a kernel")
        r = self.models[1]["r"]
        return self.draw.choice((lambda i: r[i][0], lambda i, j: (r[i] - r[j])[0], lambda i: i, lambda i: "r[i].x", lambda: 1, lambda *a, **k: None, lambda *a: a, fails,
                                 lambda i: r[i + 2**40][0], lambda i: r[i/2][0], lambda i: 1/0, lambda i: r, lambda i: r[i - 1], lambda sim: setattr(sim, "q", [1, 0])))

    def value(self, depth=2):
        draw = self.draw
        what = draw.randrange(14 if depth else 8)
        if what < 2:
            return self.number()
        if what < 4:
            return self.text()
        if what == 4:
            return self.path()
        if what == 5:
            return draw.choice((None, True, False, object(), b"x", b"\xff", Ellipsis, int, range(3)))
        if what == 6:
            return draw.choice(self.models + self.others)
        if what == 7:
            return self.expression()
        if what < 10:
            return self.array()
        if what == 10:
            return self.kernel()
        if what == 11:
            return {self.text() if draw.randrange(4) else self.number(): self.value(0) for _ in range(draw.randrange(4))}
        if what == 12:
            return {name: self.value(0) for name in draw.choice((("x", "y"), ("r",), ("slow", "fast"), ("g",)))}
        return draw.choice((list, tuple))([self.value(0) for _ in range(draw.randrange(5))])

    def expression(self):
        model = self.draw.choice(self.models[:3])
        a = self.draw.choice([model[n] for n in model.coordinate_names] or [model["r"], model["r"][0][1]])
        if isinstance(a, holonom.Vector):
            return a
        return self.draw.choice((lambda: a, lambda: a*2, lambda: np.sin(a), lambda: a/1e-300, lambda: a**a, lambda: holonom.Expr.__new__(holonom.Expr)))()

    # ---- calls

    def target(self):
        """Something to call, and its name."""
        draw = self.draw
        what = draw.randrange(12)
        if what < 4:
            made = draw.choice((pendulum, chain, field, holonom.Model))()
            name = draw.choice([n for n in dir(made) if not n.startswith("_") and n not in ("load", "parse")] + ["__getitem__", "load", "parse"])
            if isinstance(inspect.getattr_static(type(made), name, None), property):
                return lambda value: setattr(made, name, value), f"Model.{name} ="
            return getattr(made, name), f"Model.{name}"
        if what < 7:
            made = holonom.Simulation(draw.choice((pendulum, chain, field))())
            names = ("step", "run", "run", "run", "set_state", "set_state", "text", "mp", "__getitem__", "load_checkpoint", "save_checkpoint", "close", "__setstate__", "q", "p")
            name = draw.choice(names)
            if name in "qp":
                return lambda value: (setattr(made, name, value), made.step()), f"Simulation.{name} ="
            return getattr(made, name), f"Simulation.{name}"
        if what == 7:
            made = draw.choice(self.others[1:])
            name = draw.choice(("__getitem__", "text", "unit", "mp", "save", "load", "of", "to_pandas", "__getattr__", "__setstate__"))
            return getattr(made, name, None) or made.__getitem__, f"{type(made).__name__}.{name}"
        if what == 8:
            system = draw.choice(self.models[:3]).compile()
            name = draw.choice([n for n in dir(system) if not n.startswith("_") and callable(getattr(system, n))])
            return getattr(system, name), f"System.{name}"
        if what == 9:
            which = draw.randrange(3)
            if which == 0:
                return lambda: _unpickled(spoiled(draw, self.memory["model"])).compile(), "spoiled model"
            if which == 1:
                return lambda: holonom.Simulation(pendulum())._core.load_memory(spoiled(draw, self.memory["simulation"])), "spoiled simulation"
            return lambda: _core.TrajectoryData.__new__(_core.TrajectoryData).__setstate__(spoiled(draw, self.memory["trajectory"])), "spoiled trajectory"
        if what == 10:
            expression = self.expression()
            name = draw.choice(("__add__", "__pow__", "__rmul__", "__truediv__", "__lt__", "__mod__", "__and__", "__float__", "__bool__", "diff", "arctan2", "sin", "__index__"))
            return getattr(expression, name, repr), f"Expr.{name}"
        name = draw.choice([n for n in holonom.__all__ if n not in ("HolonomWarning", "FileExists", "InputError", "OutputError", "StepFailed")])
        return getattr(holonom, name), name

    def arguments(self, function, name):
        """Some of them good, so that the others are looked at."""
        draw = self.draw
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return [self.value() for _ in range(draw.choice((0, 1, 1, 2, 2, 3)))], {}
        good = {"model": pendulum, "methods": lambda: "rattle", "step": lambda: 0.01, "steps": lambda: draw.choice((1, 3, [0.1])), "until": lambda: 0.2, "q": lambda: [1, 0],
                "p": lambda: [0, 0], "table": lambda: [0, 1], "kernel": self.kernel, "name": lambda: "fresh", "names": lambda: "a b", "run": lambda: self.trajectory,
                "path": self.path, "accuracy": lambda: 0.1, "starts": lambda: [[1, 0, 0, 0]], "formulation": lambda: "dirac", "method": lambda: "rattle"}
        given, named = [], {}
        for p in parameters:
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
                if draw.randrange(3) == 0 and p.kind == p.VAR_KEYWORD:
                    named[draw.choice(("every", "threads", "set", "observe", "event", "precision", "tolerance", "k", "shadow", "tangent", "alpha"))] = self.value()
                continue
            if p.default is not p.empty and draw.randrange(3):
                continue
            value = good[p.name]() if p.name in good and draw.randrange(2) else self.value()
            if p.kind == p.KEYWORD_ONLY or p.default is not p.empty:
                named[p.name] = value
            else:
                given.append(value)
        return given, named

    def call(self, log):
        function, name = self.target()
        given, named = self.arguments(function, name)
        if name == "Simulation.step" or (isinstance(named.get("steps"), int) and named["steps"] == 2**31 + 1):  # that would be a long run, and no mistake
            given, named["steps"] = [2 if isinstance(x, int) and x == 2**31 + 1 else x for x in given], 2
            if name == "Simulation.step":
                del named["steps"]
        log.seek(0)
        log.truncate()
        try:
            log.write(f"{name}: {given!r:.600} {named!r:.600}\n")
        except TypeError:  # among them is one that was never made, and it has no text
            log.write(f"{name}: {[type(x) for x in given]} {named.keys()}\n")
        log.flush()
        faulthandler.dump_traceback_later(SECONDS_OF_A_CALL, exit=True)
        try:
            repr(function(*given, **named))
        except ALLOWED as error:
            said = str(error)
            assert said or isinstance(error, (MemoryError, KeyError)), f"{type(error).__name__} without words"
            for word in WORDS_OF_FAILURE:
                assert word not in said, f"{type(error).__name__}: {said}"
        except RuntimeError as error:
            assert any(words in str(error) for words in CLOSED), f"{type(error).__name__}: {error}"
        finally:
            faulthandler.cancel_dump_traceback_later()
        return name


def _unpickled_bytes(model):
    return model.__reduce__()[1][0]


def main(seed, calls, seconds):
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # whose shadow memory is larger than any limit
        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    end = time.monotonic() + seconds
    failed, done = 0, 0
    with tempfile.TemporaryDirectory(prefix="holonom-fuzz-") as folder, open(os.path.join(folder, "call"), "w+", encoding="utf-8", errors="backslashreplace") as log:
        os.chdir(folder)
        attack = Attack(seed, folder)
        while done < calls and time.monotonic() < end:
            done += 1
            try:
                attack.call(log)
            except BaseException as error:  # noqa: B036 (all that must not be)
                failed += 1
                log.seek(0)
                print(f"call {done}: {type(error).__name__}: {str(error)[:500]}\n    {log.read()[:1500]}", flush=True)
        os.chdir("/")
    print(f"seed {seed}: {done} calls, {failed} failed")
    return 1 if failed else 0


def test_random_calls():
    done = subprocess.run([sys.executable, "-B", __file__, "1", "3000", "10"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-4000:]


if __name__ == "__main__":
    sys.exit(main(*[int(x) for x in (sys.argv[1:] + ["1", "3000", "10"][len(sys.argv) - 1:])]))
