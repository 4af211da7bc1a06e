"""Section 2.3: volume preservation, for partitioned equations (2.19), and by method (2.22) for the ABC flow."""

import mutations
import numpy as np
from hairer_lubich_wanner.neighbours import ROUNDING, determinant_defect, jacobian
from item import item

@item("equation-2.19", "Equation (2.19): Störmer/Verlet preserves volume for q' = g(v), v' = f(q)",
      [mutations.method("verlet-a", "rk-2"), mutations.text("v0 = \"0.5\"\n\n[field]\nq.x = \"v\"",
                                                            "v0 = \"0.5\"\n\n[field]\nq.x = \"v + x/50\"")])
def equation_2_19(lab):
    """For Hamiltonian systems, and for partitioned equations (2.19), the derivative of a step by the start has the
    determinant 1. Two variables in q and one in v, so that there is no symplectic form (proposed data, h = 0.1), and
    Kepler's problem, h = 0.05: ten steps of verlet-a and verlet-b, with derivatives from neighbouring runs in quad
    precision. The explicit midpoint rule does not pass."""
    cases = (("partitioned-flow", "(2.19), three variables", {"x0": "0.4", "y0": "-0.7", "v0": "0.5"}, "0.1"),
             ("kepler-mirrored", "Kepler", {"x0": "0.3", "y0": "0.4", "u0": "-1.2", "w0": "0.8"}, "0.05"))
    for model, name, start, step in cases[:1] if lab.quick else cases:
        for method in ("verlet-a", "verlet-b"):
            matrix = jacobian(lab, model, start, method=method, step=step, steps=10)
            lab.at_most(f"{name}, {method}: |det - 1| after ten steps", abs(determinant_defect(matrix)), 1e-18,
                        ROUNDING, printed="1")
        matrix = jacobian(lab, model, start, method="rk-2", step=step, steps=10)
        lab.at_least(f"{name}, rk-2: |det - 1| after ten steps", abs(determinant_defect(matrix)), 1e-6,
                     "far above what the differences can miss")


def sphere(rings, around):
    """Directions on a grid: polar angles between the poles, and longitudes."""
    polar = (np.arange(rings) + 0.5) * np.pi / rings
    longitude = np.arange(around) * 2 * np.pi / around
    return np.array([[[np.sin(t) * np.cos(f), np.sin(t) * np.sin(f), np.cos(t)] for f in longitude] for t in polar])


def doubled(surface):
    """Over the pole the image goes on, with the longitude turned by pi: so it is periodic in both angles."""
    return np.concatenate([surface, np.roll(surface[::-1], surface.shape[1] // 2, axis=1)])


def volume(surface):
    """The volume inside of the image of a sphere, the integral of r.(r_theta x r_phi)/3, by Fourier series."""
    rings = len(surface)
    whole = doubled(surface)

    def rate(values, axis):
        n = values.shape[axis]
        shape = [1] * values.ndim
        shape[axis] = n
        return np.fft.ifft(1j * np.fft.fftfreq(n, 1 / n).reshape(shape) * np.fft.fft(values, axis=axis), axis=axis).real

    density = np.mean(np.sum(whole * np.cross(rate(whole, 0), rate(whole, 1)), axis=2), axis=1)[:rings] * 2 * np.pi / 3
    # It is odd across the poles: a sine series, whose odd terms have the integral 2/k.
    polar = (np.arange(rings) + 0.5) * np.pi / rings
    return sum(2 / rings * np.sum(density * np.sin(k * polar)) * 2 / k for k in range(1, rings, 2))


def refined(surface, times=4):
    """The surface through the points, from pole to pole, by the same Fourier series: for the eye only."""
    whole = doubled(surface)
    for axis in (0, 1):
        n = whole.shape[axis]
        series = np.moveaxis(np.fft.fft(whole, axis=axis), axis, 0)
        padded = np.zeros((times * n, *series.shape[1:]), dtype=complex)
        padded[:n // 2], padded[-(n // 2):] = series[:n // 2], series[-(n // 2):]
        whole = np.moveaxis(np.fft.ifft(padded, axis=0).real * times, 0, axis)
    whole = np.roll(whole, times // 2, axis=0)[:times * len(surface) + 1]
    return np.concatenate([whole, whole[:, :1]], axis=1)


@item("figure-2.3", "Figure 2.3: a ball deformed by the ABC flow and by method (2.22)",
      [mutations.method("volume-splitting", "gauss-2"), mutations.text('A = "1/2"', 'A = "0.501"'),
       mutations.datum("radius", lambda _: 0.91, "a radius of 0.91")])
def figure_2_3(lab):
    """Method (2.22) splits the ABC flow with A = 1/2, B = C = 1 into three flows, each of which preserves volume, and
    so does the method. States are compared with those of an independent program from (0.1, 0.2, 0.3) with h = 0.1,
    the order with that of the exact flow (rkf-78), and the determinant of the derivative, from neighbouring runs in
    quad precision, must be 1. The ball of radius 0.9 is transported by its surface (full form; h = 0.1 to t = 2 is
    proposed data): its volume is a surface integral, and must be kept by flow and method. Methods that do not split
    change it."""
    begin = {"x0": "0.1", "y0": "0.2", "z0": "0.3"}
    digits = {1: (".21491526710130", ".26226832383819", ".42174001198916"),
              100: ("1.1611635712053", ".43404120789235", "10.584887154644")}
    for steps, texts in digits.items():
        reached = lab.run("abc-ball", method="volume-splitting", step="0.1", steps=steps)["q"]
        for name, text in zip("xyz", texts):
            lab.reference(f"step {steps}, {name}", reached[name], text, units=0.5 if steps == 1 else 50,
                          remark="" if steps == 1 else "the last digits depend on rounding errors")

    exact = np.array(list(lab.run("abc-ball", method="rkf-78", step="0.05", until=5)["q"].values()))
    errors = [np.linalg.norm(np.array(list(
        lab.run("abc-ball", method="volume-splitting", step=step, until=5)["q"].values())) - exact)
        for step in ("0.1", "0.05")]
    lab.between("order at t = 5, h = 0.1 and 0.05", np.log2(errors[0] / errors[1]), 1.95, 2.05,
                "symmetric, so of order 2; the independent program has 2.00")
    for steps in (1, 100):
        matrix = jacobian(lab, "abc-ball", begin, method="volume-splitting", step="0.1", steps=steps)
        lab.at_most(f"(2.22): |det - 1| after {steps} steps", abs(determinant_defect(matrix)), 1e-18,
                    f"{ROUNDING}; the independent program has 5e-15 in double precision", printed="1")
    for method in ("rk-2", "gauss-2"):
        matrix = jacobian(lab, "abc-ball", begin, method=method, step="0.1", steps=100)
        lab.at_least(f"{method}: |det - 1| after 100 steps", abs(determinant_defect(matrix)), 1e-9,
                     "far above what the differences can miss")

    radius = lab.datum("radius", 0.9)
    rings, around = (4, 8) if lab.quick else (6, 12)
    ball = radius * sphere(rings, around)
    every = 10
    times = ("0", "1", "2")

    def images(method, step, every):
        shown = np.zeros((3, rings, around, 3))
        for place in np.ndindex(rings, around):
            point = dict(zip(("x0", "y0", "z0"), (repr(float(value)) for value in ball[place])))
            run = lab.run("abc-ball", record=True, method=method, step=step, until=2, every=every, set=point)
            shown[(slice(None), *place)] = np.array([run["x"], run["y"], run["z"]]).T
        return shown

    moved = images("volume-splitting", "0.1", every)
    lab.at_most("the image at t = 0 is on the sphere of radius 0.9",
                np.max(np.abs(np.linalg.norm(moved[0], axis=2) - 0.9)), 1e-15, "the data of the figure", printed="0.9")
    columns = {f"{name} at {t}, (2.22)": moved[k, ..., i].ravel()
               for k, t in enumerate(times) for i, name in enumerate("xyz")}
    if lab.quick:
        lab.table("figure-2.3", columns)
        return
    flowed = images("rkf-78", "0.1", every)
    ideal = 4 * np.pi / 3 * 0.9**3
    for name, of in (("flow", flowed), ("(2.22)", moved)):
        for k in (1, 2):
            lab.at_most(f"{name}: relative change of the volume at t = {k}", abs(volume(of[k]) / ideal - 1), 1e-3,
                        "6 x 12 points resolve the surface to about 1e-4", printed="vol")
    lab.table("figure-2.3", {**columns, **{f"{name} at {t}, flow": flowed[k, ..., i].ravel()
                                           for k, t in enumerate(times) for i, name in enumerate("xyz")}})

    def draw(figure):
        for number, (title, of) in enumerate((("ABC flow", flowed), ("method (2.22), h = 0.1", moved)), 1):
            axes = figure.add_subplot(1, 2, number, projection="3d")
            for k, colour in enumerate(("0.6", "C0", "C1")):
                axes.plot_wireframe(*np.moveaxis(refined(of[k]), 2, 0), color=colour, linewidth=0.4,
                                    label=f"t = {times[k]}")
            axes.set_box_aspect((3.6, 3.6, 4.2), zoom=0.9)
            axes.set(title=title, xlabel="x", ylabel="y", zlabel="z", xticks=range(-1, 3), yticks=range(-1, 3),
                     zticks=range(4))
            axes.view_init(20, -60)
            if number == 1:
                axes.legend(loc="upper left")

    lab.figure("figure-2.3", draw)
