"""check, methods, compare, certify, recommend and stability: the numbers and the words of the program."""
import copy
import decimal
import fractions
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from support import MODELS, program, program_complaint, program_json, without_times

import holonom

PENDULUM = MODELS / "pendulum.toml"
SPHERICAL = MODELS / "spherical-pendulum.toml"


@pytest.fixture(autouse=True)
def quiet_plots(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")


# ---- the numbers of the program


@pytest.mark.parametrize("model", ["pendulum", "kepler-sphere", "locomotive", "lotka-volterra", "lj-chain", "abc-flow"])
def test_check_is_the_programs(model):
    path = MODELS / f"{model}.toml"
    report = holonom.check(path)
    assert report.data == program_json("check", path)
    assert repr(report) + "\n" == program("check", path).stdout
    assert holonom.check(holonom.load_model(str(path))).data == report.data


def test_check_of_a_singular_start(tmp_path):
    path = tmp_path / "m.toml"
    path.write_text('format = 1\n[coordinates]\nnames = ["x", "y"]\n[energy]\nmass = [1, 1]\npotential = "y"\n[constraints]\n'
                    'a = "x*y"\n[initial]\nq = { x = 0, y = 0 }\n')
    complaint = program_complaint("check", path)
    with pytest.warns(UserWarning, match="singular"):
        report = holonom.check(path)
    assert report.data["message"] == complaint == report.warnings[0]
    assert report.data["singular_position"]


def test_methods_are_the_programs():
    table = holonom.methods()
    assert table.rows == program_json("methods")
    assert repr(table) + "\n" == program("methods").stdout
    assert len(table) > 60 and "rattle" in table.suitable
    assert table["order"].dtype == int and table["symplectic"].dtype == bool
    suited = holonom.methods(SPHERICAL)
    assert suited.rows == program_json("methods", "--model", SPHERICAL)
    assert set(suited.suitable) == {row["key"] for row in suited if row["suits_model"]} < set(table.suitable)
    info = holonom.method_info("kahan-li-8")
    assert repr(info) + "\n" == program("methods", "kahan-li-8").stdout
    assert (info["order"], info["symmetric"]) == (8, True)
    assert holonom.method_info("gauss-2", SPHERICAL)["reason"] == program_json("methods", "gauss-2", "--model", SPHERICAL)[0]["reason"] != ""


def test_compare_is_the_programs():
    made = holonom.compare(SPHERICAL, ["rattle", "kahan-li-8", "gauss-2"], steps=[0.02, 0.01], until=2)
    told = program_json("compare", SPHERICAL, "--methods", "rattle,kahan-li-8,gauss-2", "--step", "0.02,0.01", "--until", "2")
    assert without_times(made.data) == without_times(told)
    text = program("compare", SPHERICAL, "--methods", "rattle,kahan-li-8,gauss-2", "--step", "0.02,0.01", "--until", "2").stdout
    times = re.compile(r" +\S+$", re.M)  # CPU seconds are the last column
    cost = text.index("forces")
    assert repr(made)[:cost] == text[:cost]
    assert times.sub("", repr(made)[cost:]) == times.sub("", text[cost:].rstrip("\n"))
    assert made.methods == ["rattle", "kahan-li-8", "gauss-2"]
    assert made["error_q"].dtype == float and made["steps"].tolist() == [100, 200] * 3
    assert np.isnan(made["order_q"][0]) and abs(made["order_q"][1] - 2) < 0.1
    assert [row["invariants_Lz"] for row in made] == [row["invariants"]["Lz"] for row in told["rows"]]
    assert (made["cpu_seconds"] > 0).all()


def test_compare_with_a_reference_formulations_and_a_wide_precision():
    made = holonom.compare(PENDULUM, ["gauss-2"], "T/50", "T", reference=("kahan-li-8", "T/400"), formulations=["dirac", "h-m"], precision="quad")
    told = program_json("compare", PENDULUM, "--methods", "gauss-2", "--step", "T/50", "--until", "T", "--reference", "kahan-li-8:T/400",
                        "--formulations", "dirac,h-m", "--precision", "quad")
    assert without_times(made.data) == without_times(told)
    assert made["step"].dtype == object and made["step"][0].startswith("1.48")
    assert made.methods == ["gauss-2@dirac", "gauss-2@h-m"]


def test_rows_that_failed():
    made = holonom.compare(SPHERICAL, ["rattle", "verlet-a"], steps=[1, 0.01], until=1)
    assert made["status"].tolist() == ["failed", "done", "unsuitable", "unsuitable"]
    assert math.isnan(made["error_q"][0]) and made["error_q"][1] > 0
    assert "message" in made[0] and "failed" in made._repr_html_()
    assert len(made.plot().get_lines()) == 1
    assert "no run succeeded" in [t.get_text() for t in holonom.compare(SPHERICAL, "rattle", 1, 1).plot().texts]


@pytest.mark.parametrize("options", [{}, {"precision": "quad", "advice": False}, {"order": False}, {"projection": "jay", "advice": False},
                                     {"tolerance": 1e-4}])
def test_certify_is_the_programs(options):
    method = "gauss-1" if "projection" in options else "rattle"
    made = holonom.certify(PENDULUM, method, "T/100", **options)
    words = []
    for name, value in options.items():
        words += [f"--no-{name}"] if value is False else [f"--{name}", str(value)]
    told = program("certify", PENDULUM, "--method", method, "--step", "T/100", *words)
    assert repr(made) + "\n" == told.stdout
    assert made.data == program_json("certify", PENDULUM, "--method", method, "--step", "T/100", *words)
    assert made.holds == (told.returncode == 0) == ("tolerance" not in options)
    assert made["measured"].dtype == float
    series = made.series()
    assert len(series["t"]) == 2000 and series["position"].max() < 1e-3
    assert abs(series["t"][0] - float(made.data["step"])) < 1e-15


def test_a_certificate_whose_first_step_fails():
    made = holonom.certify(PENDULUM, "rattle", 100)
    assert not made.holds and len(made) == 0 and made.data["message"]
    made.plot()


def test_recommend_is_the_programs():
    made = holonom.recommend(PENDULUM, 1e-6, "T", quantity="energy")
    told = program_json("recommend", PENDULUM, "--accuracy", "1e-6", "--until", "T", "--quantity", "energy")
    assert without_times(made.data) == without_times(told)
    assert (made.method, made.step) == (told["methods"][0]["method"], told["methods"][0]["step_formula"])
    assert made.reached and made["work"].argmin() == 0
    assert "observe" not in made.data and holonom.recommend(PENDULUM, 1e-4, "T", quantity="s", observe="s=x+y").reached


def test_an_accuracy_that_cannot_be_reached():
    with pytest.warns(UserWarning, match="cannot be reached|was not reached"):
        made = holonom.recommend(PENDULUM, 1e-17, 5, quantity="energy")
    assert not made.reached and len(made) == 0 and made.warnings
    with pytest.raises(holonom.InputError, match="reached"):
        made.method
    assert "reached" in made._repr_html_()
    made.plot()


def test_stability_is_the_programs():
    made = holonom.stability(PENDULUM, "baumgarte", steps=100, every=10)
    assert made.data == program_json("stability", PENDULUM, "--formulation", "baumgarte", "--steps", "100", "--every", "10")
    assert repr(made) + "\n" == program("stability", PENDULUM, "--formulation", "baumgarte", "--steps", "100", "--every", "10").stdout
    assert len(made) == 11 and made["growth_expected"][-1] < 1e-9


# ---- models, numbers and formulas


def test_a_model_in_memory_is_left_alone_and_agrees_with_its_file():
    model = holonom.load_model(str(SPHERICAL))
    for _ in range(2):
        from_file = holonom.certify(SPHERICAL, step="0.01", advice=False)
        assert holonom.certify(model, step="0.01", advice=False).data == from_file.data
        assert without_times(holonom.compare(model, ["rattle"], [0.1], 1).data) == without_times(holonom.compare(SPHERICAL, ["rattle"], [0.1], 1).data)
        assert holonom.methods(model).rows == holonom.methods(SPHERICAL).rows
        assert holonom.stability(model, "dirac", steps=3).data == holonom.stability(SPHERICAL, "dirac", steps=3).data


def test_parameters_are_replaced():
    a = holonom.check(SPHERICAL, set={"L": 2}).data["start"]["energy"]
    assert a == program_json("check", SPHERICAL, "--set", "L=2")["start"]["energy"]
    model = holonom.load_model(SPHERICAL)
    assert a == holonom.check(holonom.load_model(SPHERICAL, {"L": 2})).data["start"]["energy"] == holonom.check(model, set={"L": 2}).data["start"]["energy"]
    model.observable("height", model["z"])
    with pytest.raises(holonom.InputError, match="changed in Python, or read with other parameters"):
        holonom.check(model, set={"L": 2})


@pytest.mark.parametrize("step", [0.125, np.float64(0.125), np.float32(0.125), "1/8", fractions.Fraction(1, 8), decimal.Decimal("0.125"),
                                  decimal.Decimal("1.25e-1")])
def test_a_number_in_any_form(step):
    assert holonom.certify(PENDULUM, step=step, advice=False).data["step"] == 0.125


def test_numbers_keep_their_digits():
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        step = mpmath.mpf(1) / 3
    for given in (step, fractions.Fraction(1, 3), "1/3"):
        made = holonom.compare(PENDULUM, "rattle", [given], 1, precision=100)
        assert made[0]["step"].startswith("3." + 50 * "3")
    assert holonom.compare(PENDULUM, "rattle", np.array([0.5, 0.25]), np.int64(1))["steps"].tolist() == [2, 4]


# ---- bad input


@pytest.mark.parametrize("call, options", [
    (lambda m: holonom.compare(m, ["ratle"], [0.1], 1), ["compare", "--methods", "ratle", "--step", "0.1", "--until", "1"]),
    (lambda m: holonom.compare(m, ["rattle"], [0.1], "2*TT"), ["compare", "--methods", "rattle", "--step", "0.1", "--until", "2*TT"]),
    (lambda m: holonom.compare(m, ["rattle"], [0.1], 1, reference="rattle"),
     ["compare", "--methods", "rattle", "--step", "0.1", "--until", "1", "--reference", "rattle"]),
    (lambda m: holonom.compare(m, ["rattle"], [0.1], 1, formulations=["dira"]),
     ["compare", "--methods", "rattle", "--step", "0.1", "--until", "1", "--formulations", "dira"]),
    (lambda m: holonom.certify(m, "rattle", 0), ["certify", "--method", "rattle", "--step", "0"]),
    (lambda m: holonom.certify(m, "rattle", "0.1", projection="jay"), ["certify", "--method", "rattle", "--step", "0.1", "--projection", "jay"]),
    (lambda m: holonom.certify(m, "verlet-a", 0.1), ["certify", "--method", "verlet-a", "--step", "0.1"]),
    (lambda m: holonom.recommend(m, 2.0), ["recommend", "--accuracy", "2"]),
    (lambda m: holonom.recommend(m, 1e-6, quantity="xx"), ["recommend", "--accuracy", "1e-6", "--quantity", "xx"]),
    (lambda m: holonom.stability(m, "direct"), ["stability", "--formulation", "direct"]),
    (lambda m: holonom.stability(m, "state-space"), ["stability", "--formulation", "state-space"]),
    (lambda m: holonom.check(m, set={"LL": 1}), ["check", "--set", "LL=1"]),
    (lambda m: holonom.check(f"{m}.not"), None),
])
def test_bad_input_is_refused_with_the_programs_words(call, options):
    with pytest.raises(holonom.InputError) as raised:
        call(PENDULUM)
    complaint = program_complaint("check", f"{PENDULUM}.not") if options is None else program_complaint(options[0], PENDULUM, *options[1:])
    assert str(raised.value) == complaint


@pytest.mark.parametrize("call, says", [
    (lambda: holonom.compare(PENDULUM, []), "no methods: give methods, such as rattle"),
    (lambda: holonom.compare(PENDULUM, "rattle", 0.3, 1), "steps 0.3: the step does not divide until = 1"),
    (lambda: holonom.compare(PENDULUM, "rattle", math.nan, 1), "steps = nan: it must be a finite number"),
    (lambda: holonom.compare(PENDULUM, "rattle", 0.1, 1, precision="qad"), "precision qad: there is none of this name. Did you mean 'quad'?"),
    (lambda: holonom.compare(PENDULUM, "rattle", 0.1, 1, threads=0), "threads 0: not a number from 1 to 64"),
    (lambda: holonom.compare(PENDULUM, "rattle", 0.1, 1, tolerance=2), "tolerance 2"),
    (lambda: holonom.certify(PENDULUM, project_every=0), "project_every = 0: it must be a whole number, at least 1"),
    (lambda: holonom.certify(PENDULUM, project_every=2**70), "project_every = 1180591620717411303424: this is more than can be counted"),
    (lambda: holonom.compare(PENDULUM, "rattle", 0.1, 1, threads=2.5), "threads = 2.5: it must be a whole number"),
    (lambda: holonom.view("run.h5", rows=2.5), "rows = 2.5: it must be a whole number"),
    (lambda: holonom.certify(PENDULUM, newton="fast"), "newton fast"),
    (lambda: holonom.certify(PENDULUM, engine="gpu"), "engine gpu"),
    (lambda: holonom.stability(PENDULUM, "dirac", steps=-1), "steps = -1: it must be a whole number, at least 0"),
    (lambda: holonom.stability(PENDULUM, "dirac", steps=1.5), "steps = 1.5: it must be a whole number, at least 0"),
    (lambda: holonom.stability(PENDULUM, "dirac", every=2**70), "every = 1180591620717411303424: this is more than can be counted"),
    (lambda: holonom.stability(PENDULUM, "dirac", steps=1, until=1), "leave one of them out"),
    (lambda: holonom.method_info(""), "the key of a method"),
    (lambda: holonom.check(__file__), "analysis_test.py:1:"),
])
def test_other_bad_input(call, says):
    with pytest.raises(holonom.InputError, match=re.escape(says)):
        call()


@pytest.mark.parametrize("call", [
    lambda: holonom.check(3), lambda: holonom.check(None), lambda: holonom.methods(b"x"), lambda: holonom.method_info(7),
    lambda: holonom.compare(PENDULUM, [1]), lambda: holonom.compare(PENDULUM, "rattle", [None]), lambda: holonom.compare(PENDULUM, "rattle", True, 1),
    lambda: holonom.compare(PENDULUM, "rattle", [object()]), lambda: holonom.compare(PENDULUM, "rattle", 1j),
    lambda: holonom.certify(PENDULUM, method=3), lambda: holonom.recommend(PENDULUM, "much"), lambda: holonom.recommend(PENDULUM, None),
    lambda: holonom.recommend(PENDULUM, "1e-6"), lambda: holonom.recommend(PENDULUM, 1e-3, quantity=1),
    lambda: holonom.certify(PENDULUM, formulation=1), lambda: holonom.certify(PENDULUM, tolerance="x"),
    lambda: holonom.certify(PENDULUM, engine=None), lambda: holonom.compare(PENDULUM, "rattle", reference=3),
    lambda: holonom.compare(PENDULUM, "rattle", tolerance=None), lambda: holonom.stability(PENDULUM, None)])
def test_what_is_no_input_at_all(call):
    with pytest.raises(TypeError) as raised:
        call()
    assert "incompatible function arguments" not in str(raised.value)


# ---- how results look


@pytest.mark.parametrize("make", [
    lambda: holonom.check(PENDULUM), lambda: holonom.methods(PENDULUM), lambda: holonom.method_info("rattle"),
    lambda: holonom.certify(PENDULUM, advice=False, order=False), lambda: holonom.compare(PENDULUM, "rattle", 0.5, 1),
    lambda: holonom.recommend(PENDULUM, 1e-3, 1), lambda: holonom.stability(PENDULUM, "dirac", steps=3)])
def test_results_are_pickled_and_copied(make):
    made = make()
    for twin in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):
        assert type(twin) is type(made) and repr(twin) == repr(made) and twin._repr_html_() == made._repr_html_()
        assert (twin.data, twin.warnings, getattr(twin, "rows", None)) == (made.data, made.warnings, getattr(made, "rows", None))
    if hasattr(made, "view"):
        with pytest.raises(holonom.InputError, match="was pickled or copied: .* make it again"):
            pickle.loads(pickle.dumps(made)).view()


def test_a_name_is_no_markup(tmp_path):
    text = PENDULUM.read_text()
    path = tmp_path / "m.toml"
    path.write_text(re.sub(r'(?m)^name = .*$', 'name = "<img src=x onerror=alert(1)> $x"', text))
    for result in (holonom.check(path), holonom.compare(path, "rattle", "T/50", "T"), holonom.certify(path), holonom.recommend(path, 1e-3, "T"),
                   holonom.stability(path, "dirac", steps=3), holonom.methods(path)):
        assert "<img" not in result._repr_html_()
        if hasattr(result, "plot"):
            drawn = result.plot()
            getattr(drawn, "figure", drawn).canvas.draw()


def test_html_has_every_row():
    made = holonom.compare(SPHERICAL, ["rattle", "kahan-li-8"], [0.02, 0.01], 1)
    text = made._repr_html_()
    assert text.count("<tr>") == 5 and "Lz" in text and "kahan-li-8" in text
    certificate = holonom.certify(PENDULUM, tolerance=1e-4)
    assert certificate._repr_html_().count("FAILS") == repr(certificate).count("FAILS") > 0


def test_a_column_that_is_not_there():
    with pytest.raises(KeyError, match="there is no column 'errors'; there are method, step"):
        holonom.compare(PENDULUM, "rattle", "T/50", "T")["errors"]


def test_pandas_or_how_to_get_it():
    made = holonom.compare(PENDULUM, "rattle", "T/50", "T")
    try:
        import pandas
    except ImportError:
        with pytest.raises(ImportError, match="python3-pandas"):
            made.to_pandas()
    else:
        assert isinstance(made.to_pandas(), pandas.DataFrame) and list(made.to_pandas().columns) == made.columns


def test_plots_show_the_numbers():
    made = holonom.compare(PENDULUM, ["rattle", "yoshida-4"], ["T/50", "T/100", "T/200"], "T")
    ax = made.plot(x="step", y="energy_max_error")
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert [line.get_label() for line in ax.get_lines()] == ["rattle", "yoshida-4"]
    line = ax.get_lines()[0]
    assert sorted(line.get_ydata()) == sorted(made["energy_max_error"][:3]) and sorted(line.get_xdata()) == sorted(made["step"][:3])
    assert made.plot(ax=ax) is ax
    figure = holonom.certify(SPHERICAL, step=0.01).plot()
    assert len(figure.axes) == 4
    assert len(holonom.stability(PENDULUM, "dirac", steps=10).plot().get_lines()) == 2
    assert len(holonom.recommend(PENDULUM, 1e-3, "T").plot().get_lines()) == 4  # three methods and the accuracy


def test_matplotlib_is_imported_by_plots_alone():
    code = ("import sys, holonom\n"
            f"made = holonom.compare({str(PENDULUM)!r}, 'rattle', 'T/50', 'T'); repr(made); made._repr_html_()\n"
            "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules\n")
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- threads and interrupts


def interrupted(call, wait=0.4):
    """How long a call goes on after Ctrl-C."""
    sent = []

    def send():
        time.sleep(wait)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        call()
        thread.join()
    thread.join()
    return time.monotonic() - sent[0]


@pytest.mark.parametrize("call", [
    lambda: holonom.compare(MODELS / "double-pendulum.toml", "rattle", [1e-6], 600),
    lambda: holonom.compare(MODELS / "double-pendulum.toml", "kahan-li-8", [0.001], 60, precision=100),
    lambda: holonom.certify(MODELS / "hanging-chain.toml", "kahan-li-8", 0.01, precision="quad", set={"N": 200}),
    lambda: holonom.recommend(MODELS / "hanging-chain.toml", 1e-8, 500, set={"N": 40}),
    lambda: holonom.stability(MODELS / "double-pendulum.toml", "dirac", steps=10**8, step=1e-3)])
def test_an_interrupt_is_answered(call):
    assert interrupted(call) < 5  # 0.05 s on a machine of its own


def test_python_goes_on_and_models_are_not_shared():
    model = holonom.load_model(str(SPHERICAL))
    alone = without_times(holonom.compare(model, ["rattle", "kahan-li-8"], [0.001], 10).data)
    results, ticks = [], 0
    threads = [threading.Thread(target=lambda: results.append(without_times(holonom.compare(model, ["rattle", "kahan-li-8"], [0.001], 10).data)))
               for _ in range(3)]
    threads += [threading.Thread(target=lambda: results.append(holonom.certify(model, advice=False).holds)) for _ in range(2)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        holonom.check(model)
        ticks += 1
    assert ticks > 1
    assert [r for r in results if r is not True] == [alone] * 3


def test_warnings_are_those_of_the_program_and_stay():
    path = MODELS / "locomotive.toml"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = holonom.compare(path, "rattle", 0.01, 0.1)
    told = program("compare", path, "--methods", "rattle", "--step", "0.01", "--until", "0.1").stderr
    assert [str(w.message) for w in caught] == made.warnings != []
    assert told == "".join(f"holonom: warning: {text}\n" for text in made.warnings)
    assert caught[0].filename == __file__
