"""Models from Python: the same as those from files, and mistakes as exceptions."""
import copy
import decimal
import fractions
import gc
import math
import pathlib
import pickle
import threading
import time

import numpy as np
import pytest

from holonom import InputError, Model, dot, norm, pairs

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def assert_same(model, name, q=None, exactly=True, **changes):
    """Energies, forces, g, G and the start, at random states near the start."""
    read = Model.load(MODELS / f"{name}.toml", **changes)
    assert (model.n, model.m) == (read.n, read.m)
    close = np.testing.assert_array_equal if exactly else \
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
    q0, p0 = read.initial()
    for mine, theirs in zip(model.initial(), (q0, p0)):
        np.testing.assert_allclose(mine, theirs, rtol=1e-14, atol=1e-14)
    random = np.random.default_rng(1)
    for _ in range(5):
        q, p = q0 + 0.05 * random.standard_normal(read.n), random.standard_normal(read.n)
        close(model.energy(q, p), read.energy(q, p))
        close(model.forces(q, p), read.forces(q, p))
        close(model.velocities(q, p), read.velocities(q, p))
        close(model.constraints_at(q), read.constraints_at(q))
        close(model.jacobian(q), read.jacobian(q))
        close(model.invariants_at(q, p), read.invariants_at(q, p))
    return read


# ---- the models of the house

def pendulum():
    model = Model("pendulum")
    m, g, L = model.parameters(m=1, g=1, L=1)
    x, y = model.coordinates("x y")
    model.mass = [m, m]
    model.potential = m*g*y
    model.constrain("rod", np.sqrt(x**2 + y**2) - L)
    model.start({x: L, y: 0})
    return model


def test_pendulum():
    model = pendulum()
    angle, = model.chart_coordinates("angle")
    model.chart({"x": np.sin(angle), "y": -np.cos(angle)})
    read = assert_same(model, "pendulum")
    assert model.constraint_names == read.constraint_names == ["rod"]


def test_double_pendulum():
    model = Model("double pendulum")
    m1, m2, l1, l2, g = model.parameters(m1=1, m2=1, l1=1, l2=1, g=1)
    x1, z1, x2, z2 = model.coordinates("x1 z1 x2 z2")
    model.mass = [m1, m1, m2, m2]
    model.potential = m1*g*z1 + m2*g*z2
    model.constrain("rod1", np.sqrt(x1**2 + z1**2) - l1)
    model.constrain("rod2", np.sqrt((x2 - x1)**2 + (z2 - z1)**2) - l2)
    h = np.sqrt(model.parameter("three_quarters", "0.75"))
    model.start([l1/2, -l1*h, (l1 - l2)/2, -(l1 + l2)*h])
    model.observable("pull", model.multiplier("rod1"))
    read = assert_same(model, "double-pendulum")
    q, p = read.initial()
    np.testing.assert_array_equal(model.multipliers_at(q, p), read.multipliers_at(q, p))
    assert model.observables_at(q, p) == model.multipliers_at(q, p)[0]


def test_spherical_pendulum_by_kinetic_energy():
    model = Model("spherical pendulum")
    m, g, L, theta0, phi0, dtheta0, dphi0 = model.parameters(m=0.5, g=9.81, L=1.2, theta0=1.1, phi0=0.4, dtheta0=-0.6,
                                                              dphi0=1.7)
    r = model.coordinates("x y z")
    v, p = model.velocity(r), model.momentum(r)
    model.kinetic = m*(v @ v)/2
    model.potential = m*g*r[2]
    model.constrain("rod", (r @ r - L**2)/2)
    model.invariant("Lz", r[0]*p[1] - r[1]*p[0])
    sin, cos = np.sin, np.cos
    model.start({"x": L*sin(theta0)*cos(phi0), "y": L*sin(theta0)*sin(phi0), "z": -L*cos(theta0)},
                v=[L*(dtheta0*cos(theta0)*cos(phi0) - dphi0*sin(theta0)*sin(phi0)),
                   L*(dtheta0*cos(theta0)*sin(phi0) + dphi0*sin(theta0)*cos(phi0)), L*dtheta0*sin(theta0)])
    assert_same(model, "spherical-pendulum")


def test_charged_particle_by_hamiltonian():
    model = Model("charged particle")
    m, omega, R, eE = model.parameters(m=1, omega=1, R=1, eE=1)
    x, y, z = r = model.coordinates("x y z")
    px, py, pz = model.momentum(r)
    model.hamiltonian = ((px + m*omega*y)**2 + (py - m*omega*x)**2 + pz**2)/(2*m) - eE*z
    model.constrain("sphere", norm(r) - R)
    model.invariant("Lz", x*py - y*px)
    model.reverse(["y", px, "p_z"])
    model.start(["0.2", 0.2, "sqrt(R^2 - 0.08)"], p=[1, -1, 0])
    assert_same(model, "charged-particle")


def test_slider_crank_with_rates():
    model = Model("slider-crank")
    r, l, c, J_crank, m_rod, J_rod, m_slider, g = model.parameters(
        r=0.1, l=0.3, c=0.12, J_crank=0.004, m_rod=0.5, J_rod=0.004, m_slider=0.4, g=9.81)
    theta, phi, s = model.coordinates("theta phi s")
    centre = np.array([r*np.cos(theta) + c*np.cos(phi), r*np.sin(theta) + c*np.sin(phi)])
    velocity = model.rate(centre)
    model.kinetic = (J_crank*model.velocity(theta)**2/2 + (m_rod*dot(velocity, velocity)/2
                     + J_rod*model.velocity(phi)**2/2) + m_slider*model.velocity(s)**2/2)
    model.potential = m_rod*g*centre[1]
    model.constrain("pin_x", r*np.cos(theta) + l*np.cos(phi) - s)
    model.constrain("pin_y", r*np.sin(theta) + l*np.sin(phi))
    model.start({"theta": "pi/4", "phi": -0.23, "s": 0.36}, v={"theta": 20}, project=True, keep=["theta", "v_theta"])
    assert_same(model, "slider-crank", exactly=False)


def chain(N):
    model = Model("hanging chain")
    r = model.vector("r", count=N, dim=2)
    model.mass = 1
    model.sum(range(N), lambda i: r[i][1])
    model.constrain("hook", (dot(r[0], r[0]) - 1)/2)
    model.stack("link", np.arange(N - 1), lambda i: (dot(r[i + 1] - r[i], r[i + 1] - r[i]) - 1)/2)
    i = np.arange(N)
    model.start(np.stack([np.sin(np.pi/6)*(1 - np.cos(np.pi*(i + 1)))/2, -(i + 1)*np.cos(np.pi/6)], axis=1), project=True)
    return model


def test_hanging_chain_by_formulas_of_its_items():
    """Exact formulas for items: the same start and the same masses as in the file, bit for bit."""
    N = 20
    model = Model("hanging chain")
    r = model.vector("r", count=N, dim=2)
    L, m, g, tilt = model.parameters(L=1, m=1, g=1, tilt="pi/6")
    model.mass = {"r": lambda i: m + 0*i}
    model.sum(range(N), lambda i: m*g*r[i][1])
    model.constrain("hook", (dot(r[0], r[0]) - L**2)/2)
    model.stack("link", range(N - 1), lambda i: (dot(r[i + 1] - r[i], r[i + 1] - r[i]) - L**2)/2)
    model.start({"r": lambda i: [L*np.sin(tilt)*(1 - np.cos(model.pi*(i + 1)))/2, -(i + 1)*L*np.cos(tilt)]})
    read = assert_same(model, "hanging-chain", set={"N": N})
    np.testing.assert_array_equal(model.initial(), read.initial())


def test_masses_by_formulas_of_their_items():
    model = Model("beads")
    model.vector("r", count=3, dim=2)
    model.mass = {"r": lambda i: 1 + i/2}
    model.potential = 0
    p = np.arange(1.0, 7.0)
    assert model.energy(np.zeros(6), p) == pytest.approx(np.sum(p**2/np.repeat([1, 1.5, 2], 2))/2)
    with pytest.raises(InputError, match="of the number of the item"):
        model.mass = {"r": lambda i: model["r"][0][0]}


def test_hanging_chain_by_a_stack():
    model = chain(20)
    read = assert_same(model, "hanging-chain", exactly=False, set={"N": 20})
    assert model.constraint_names == read.constraint_names


def test_lennard_jones_chain_by_pairs():
    read = Model.load(MODELS / "lj-chain.toml")
    model = Model("Lennard-Jones chain")
    r = model.vector("r", count=7, dim=2)
    p = model.momentum(r)
    model.mass = {"r": 1}

    def attraction(i, j):
        s = 1/dot(r[i] - r[j], r[i] - r[j])**3
        return 0.1*s*(s - 2)
    model.sum(pairs(7), attraction)
    bonds = np.array([[k, k + 1] for k in range(6)])
    model.stack("bond", bonds, lambda i, j: (dot(r[i] - r[j], r[i] - r[j]) - 1)/2)
    model.invariant_sum("Px", range(7), lambda i: p[i][0])
    model.invariant_sum("Py", range(7), lambda i: p[i][1])
    model.invariant_sum("Lz", range(7), lambda i: r[i][0]*p[i][1] - r[i][1]*p[i][0])
    q0, p0 = read.initial()
    model.start(q0, p0, project=True)
    assert_same(model, "lj-chain", exactly=False)


def test_a_field():
    model = Model("predators")
    u, v = model.variables("u v")
    model.field({u: u*(1 - v), v: v*(u - 1)}, energy=u - np.log(u) + v - np.log(v))
    model.start({"u": 2, "v": 1})
    q, p = np.array([2.0, 3.0]), np.zeros(2)
    np.testing.assert_allclose(model.velocities(q, p), [2*(1 - 3), 3*(2 - 1)])
    assert model.energy(q, p) == pytest.approx(5 - np.log(6))
    assert model.method == "gauss-2"
    parts = Model("parts")
    x, = parts.variables("x")
    y, = parts.variables("y", part="p")
    parts.field([y, -x])
    parts.reverse(["y"])
    parts.start({"y": 1, "x": 0.5})
    assert [a.tolist() for a in parts.initial()] == [[0.5], [1.0]]


# ---- more of what a file can say

def test_many_kinds():
    model = Model("kinds")
    x = model.coordinate("x")
    R = model.matrix("R", 2, 2)
    r = model.vector("r", count=3, dim=3)
    v = model.velocity(r)
    assert R.shape == (2, 2) and repr(R[1, 0]) == "R21"
    model.mass = {"x": 2, "R11": 1, "R12": 1, "R21": 1, "R22": 1, "r": [1.5, 2.5, 3.5]}
    model.potential = {"slow": x**2, "fast": 100*dot(r[0], r[0])}
    model.sum([[0, 1], [1, 2]], lambda i, j, k, at: k*dot(r[i] - r[j] - at, r[i] - r[j] - at)/2, part="fast",
              k=[2.0, 3.0], at=np.ones((2, 3)))
    model.constrain("plane", r[2][2] - 1)
    model.constrain("x", x + R[0, 0])
    model.stack("pin", [0, 1], lambda i: r[i][0])
    model.invariant("P", model.momentum(x) + model.momentum(r[1])[0])
    model.observable("speed", norm(v[0]) + model.rate(r[0][1]))
    model.observable("force", model.multiplier("plane") + model.multiplier("pin")[1] + model.multiplier("x"))
    model.observable("L", model.kinetic_energy - model.potential_energy)
    model.observable_sum("height", range(3), lambda i: r[i][2])
    model.event("up", r[0][2], direction="up", stop=True)
    model.event("x_zero", "x")
    model.set_units(x="m", t="s", r="m")
    model.method, model.step, model.until, model.every = "kahan-li-8", "1/100", 10, 5
    positions = np.arange(9.0).reshape(3, 3)/10
    model.start({x: 1, "R11": -1, "R12": 0, "R21": 0, "R22": 0, "r": positions}, project=True, keep=["R12", "r[0].y"])
    model.reverse(["p_x", "p_r"])
    assert (model.n, model.m) == (14, 4)
    assert model.constraint_names == ["x", "plane", "pin[0]", "pin[1]"]
    assert model.units == {"x": "m", "t": "s", "r": "m"}
    assert (model.method, float(model.step), float(model.until), model.every) == ("kahan-li-8", 0.01, 10.0, 5)
    q, p = np.random.default_rng(3).standard_normal((2, 14))
    items = q[5:].reshape(3, 3)
    V = q[0]**2 + 100*items[0] @ items[0]
    for (i, j), k in zip([(0, 1), (1, 2)], [2, 3]):
        d = items[i] - items[j] - 1
        V += k*(d @ d)/2
    mass = np.array([2, 1, 1, 1, 1] + 3*[1.5] + 3*[2.5] + 3*[3.5])
    assert model.energy(q, p) == pytest.approx(V + np.sum(p**2/mass)/2, rel=1e-14)
    np.testing.assert_allclose(model.constraints_at(q), [q[0] + q[1], items[2, 2] - 1, items[0, 0], items[1, 0]])
    assert model.invariants_at(q, p)[0] == pytest.approx(p[0] + p[8])
    system = model.compile()
    slow, fast = system.split_forces(q)
    np.testing.assert_allclose(slow + fast, system.forces(q, p))
    assert slow[0] == -2*q[0] and not slow[1:].any() and not fast[:5].any()
    assert system.events(q, p).tolist() == [items[0, 2], q[0]]
    turned = np.ones(14)
    turned[[0, *range(5, 14)]] = -1
    np.testing.assert_array_equal(system.reversed(q, p), (q, turned*p))
    start, _ = model.initial()
    assert start[2] == 0 and start[6] == 0.1 and abs(start[0] + start[1]) < 1e-15


def test_phase_constraints():
    model = Model("guiding centre")
    x, y = model.coordinates("x y")
    model.hamiltonian = (x**2 + 2*y**2)/2 + x**4/4
    model.phase_constrain("along_x", model.momentum(x) + y/2)
    model.phase_constrain("along_y", model.momentum(y) - x/2)
    model.start([0.5, 0.25], p=[-0.125, 0.25])
    assert np.isfinite(model.energy([0.5, 0.25], [-0.125, 0.25]))


def test_mass_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    M = np.array([[2.0, 1.0], [1.0, 3.0]])
    energies = []
    for mass in (M, M.tolist(), sparse.csr_array(M)):
        model = Model("matrix")
        model.coordinates("x y")
        model.mass, model.potential = mass, 0
        energies.append(model.energy([0.0, 0.0], [1.0, 2.0]))
    p = np.array([1.0, 2.0])
    np.testing.assert_allclose(energies, p @ np.linalg.solve(M, p)/2)


def test_vector_parameters():
    model = Model("vectors")
    u = model.parameter("u", [0, "1/2", 2])
    r = model.coordinates("x y z")
    model.mass = 1
    model.potential = dot(u, r)
    assert model.energy([1.0, 2.0, 3.0], np.zeros(3)) == 7
    model.potential = "dot(u, [x, y, z])"
    assert model.energy([1.0, 2.0, 3.0], np.zeros(3)) == 7


def test_many_states_at_once():
    model = pendulum()
    q, p = np.random.default_rng(4).standard_normal((2, 6, 2))
    assert model.energy(q, p).shape == (6,)
    np.testing.assert_array_equal(model.energy(q, p), [model.energy(a, b) for a, b in zip(q, p)])
    np.testing.assert_array_equal(model.forces(q, p), [model.forces(a, b) for a, b in zip(q, p)])
    assert model.constraints_at(q).shape == (6, 1)


def test_text_models():
    text = (MODELS / "pendulum.toml").read_text()
    model = Model.parse(text, set={"L": 2.5, "g": "1/3"})
    assert model.initial()[0].tolist() == [2.5, 0]
    assert model.energy([0.0, 3.0], [0.0, 0.0]) == 1.0
    model.observable("tension", "lambda_rod")
    model.constrain("wall", model["x"] - 1)
    assert model.m == 2 and model.observable_names == ["tension"]
    with pytest.raises(InputError, match=r"file\.toml:1:1: unknown key 'a'"):
        Model.parse("a = 1", name="file.toml")
    with pytest.raises(InputError, match="has no parameter 'l'. Did you mean 'L'"):
        Model.load(MODELS / "pendulum.toml", set={"l": 1})
    with pytest.raises(InputError, match="missing.toml"):
        Model.load("missing.toml")


def test_a_changed_model_is_compiled_again():
    model = pendulum()
    assert model.compile() is model.compile()
    before = model.energy([0.0, 2.0], [0.0, 0.0])
    model.potential = 3*model["y"]
    assert model.energy([0.0, 2.0], [0.0, 0.0]) == 3*before


def test_copies_are_apart():
    model = pendulum()
    for twin in (model.copy(), copy.copy(model), copy.deepcopy(model)):
        twin.potential = twin["y"]*5
        assert twin.energy([0.0, 1.0], [0.0, 0.0]) == 5
        with pytest.raises(InputError, match="two different models"):
            twin.constrain("no", model["x"])
    assert model.energy([0.0, 1.0], [0.0, 0.0]) == 1
    many = chain(5).copy()
    assert many.m == 5
    many.stack("more", [0], lambda i: many["r"][i][0])
    assert many.m == 6


@pytest.mark.parametrize("file", sorted(MODELS.glob("*.toml")), ids=lambda file: file.stem)
def test_models_of_the_house(file):
    """They are read, copied and evaluated, with the same bits."""
    model = Model.load(file)
    twin, (q, p) = model.copy(), model.initial()
    assert (twin.n, twin.m, twin.constraint_names) == (model.n, model.m, model.constraint_names)
    np.testing.assert_array_equal(twin.initial(), (q, p))
    np.testing.assert_array_equal(twin.forces(q, p), model.forces(q, p))
    np.testing.assert_array_equal(twin.jacobian(q), model.jacobian(q))
    mine, theirs = model.compile(), twin.compile()
    for f in ("invariants", "observables", "events", "reversed", "velocities"):
        np.testing.assert_array_equal(getattr(mine, f)(q, p), getattr(theirs, f)(q, p))
    assert np.abs(model.constraints_at(q)).max(initial=0) < 1e-9


def test_only_what_is_there_can_be_set():
    model = pendulum()
    for name, message in [("potental", "no attribute 'potental' to be set; did you mean 'potential'"), ("untill", "did you mean 'until'"),
                          ("velocity", "'velocity' .* is called, not set"), ("n", "'n' .* can be read, not set"),
                          ("foo", "names of your own begin with _")]:
        with pytest.raises(AttributeError, match=message):
            setattr(model, name, 3)
    model._mine = 3
    assert pickle.loads(pickle.dumps(model)).n == copy.copy(model).n == 2


def test_parameters_of_mpmath_are_exact(models):
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(50):
        third = mpmath.sin(mpmath.mpf(1)/3)
    given = fractions.Fraction(int(third.man))*fractions.Fraction(2)**third.exp
    model = Model.load(models / "spherical-pendulum.toml", set={"L": third})
    assert repr(model["L"]) == f"{given.numerator}/2^{-third.exp}"
    assert float(Model.load(models / "spherical-pendulum.toml", set={"L": decimal.Decimal("0.3")})["L"]) == 0.3
    for bad in (mpmath.inf, math.nan, mpmath.mpc(1, 1), None, True, ""):
        with pytest.raises((InputError, TypeError), match="set L"):
            Model.load(models / "spherical-pendulum.toml", set={"L": bad})


def test_threads_may_share_a_model():
    model = chain(200)
    q, p = model.initial()
    expected, got = model.energy(q, p), []

    def work():
        for _ in range(20):
            got.append(model.copy().energy(q, p))
            np.sin(model["r"][0][0])
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected]*80


def test_objects_may_outlive_each_other():
    model = chain(10)
    r, system = model["r"], model.compile()
    first = r[0]
    del model, r
    gc.collect()
    assert repr(first[0] + 1) == "1 + r[0].x"
    assert system.energy(np.zeros(20), np.zeros(20)) == 0


def test_a_million_rows():
    N = 1_000_001
    model = Model("long")
    r = model.vector("r", count=N, dim=3)
    i = np.arange(N - 1)
    bonds = np.stack([i, i + 1], axis=1)
    begin = time.perf_counter()
    model.stack("link", bonds, lambda i, j: (dot(r[i] - r[j], r[i] - r[j]) - 1)/2)
    model.sum(bonds, lambda i, j, k: k*dot(r[i] - r[j], r[i] - r[j])/2, k=np.linspace(1, 2, N - 1))
    assert time.perf_counter() - begin < 2*2  # half of it for a busy machine
    assert model.m == N - 1


def test_states_of_the_wrong_shape():
    model = pendulum()
    for q, p in (([1.0], [1.0]), ([1.0, 2.0], [1.0]), (np.zeros((2, 2)), np.zeros(2)), (np.zeros((1, 1, 2)),)*2):
        with pytest.raises(InputError, match="shape"):
            model.energy(q, p)
    with pytest.raises(InputError, match="q: .*'x'"):
        model.energy("x", "y")
    with pytest.raises(InputError, match="shape"):
        model.jacobian(np.zeros(3))


def test_a_model_without_a_start():
    model = Model("still")
    x = model.coordinate("x")
    model.mass, model.potential = 1, x
    assert model.energy([2.0], [0.0]) == 2
    with pytest.raises(InputError, match="no start"):
        model.initial()


def test_the_start_is_checked():
    model = pendulum()
    model.start([1.1, 0])
    with pytest.raises(InputError, match="'rod'"):
        model.initial()
    model.start([1.1, 0], project=True)
    np.testing.assert_allclose(model.initial()[0], [1, 0])


def test_multipliers_keep_their_constraints():
    """Constraints with names of their own come before stacks, whenever they are declared."""
    model = Model("late")
    x = model.coordinate("x")
    r = model.vector("r", count=2, dim=2)
    model.mass = 1
    model.potential = 7*x
    model.sum([0, 1], lambda i: (i + 1)*r[i][0])
    model.stack("link", [0, 1], lambda i: r[i][0])
    model.observable("second", model.multiplier("link")[1])
    model.constrain("late", x - 1)
    model.observable("late_and_first", 100*model.multiplier("late") + model.multiplier("link")[0])
    model.observable_sum("all", [0, 1], lambda i: model.multiplier("link")[i])
    assert model.constraint_names == ["late", "link[0]", "link[1]"]
    q, p = [1.0, 0, 0, 0, 0], np.zeros(5)
    assert model.multipliers_at(q, p).tolist() == [-7, -1, -2]
    assert model.observable_names == ["second", "late_and_first", "all"]
    assert model.observables_at(q, p).tolist() == [-2, -701, -3]
    with pytest.raises(IndexError):
        model.multiplier("link")[2]
