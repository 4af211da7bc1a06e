"""holonom view: what is on a page, and what is said of [view]. What a browser makes of pages is tested in tests/view."""

import json
import unittest

import h5py
import numpy

from page import Page
from support import MODELS, CliTest, pendulum

TWO_POINTS = """
points = { hook = ["0", "0"], bob = ["x", "y"] }
links = [["hook", "bob"]]
"""


class ViewTest(CliTest):
    def page(self, model, *options, run=()):
        result = self.run_program("run", model, *run, "--out", "run.h5", "--force")
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.view(*options)

    def view(self, *options):
        result = self.run_program("view", "run.h5", "--force", *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return Page(self.folder / "run.html")


class Damage(ViewTest):
    def test_bytes_that_changed(self):
        """The HDF5 library believes the lengths of texts in its heap; it must not end the program, nor take all memory."""
        self.run_program("run", MODELS / "pendulum.toml", "--steps", 60, "--out", "good.h5")
        good = (self.folder / "good.h5").read_bytes()
        heap = good.index(b"GCOL")
        texts = heap + 16  # index, references, then the length of the first one
        for at, byte in ((texts + 15, 0x90), (texts + 12, 0x40), (texts + 8, 0xFF), (texts, 0x50), (heap + 12, 0x7F)):
            (self.folder / "run.h5").write_bytes(good[:at] + bytes([byte]) + good[at + 1:])
            result = self.run_program("view", "run.h5", "--force", timeout=60)
            if result.returncode == 0:  # a text that is none of those that are read, or is longer than it was
                self.assertIn(at - heap, (16, 24))
                continue
            self.assertEqual(result.returncode, 2, at - heap)
            self.assertRegex(result.stderr, r"^holonom: run\.h5: .*(damaged|no trajectory).*make one by run --out FILE\.h5\n$")


class Stages(ViewTest):
    def names(self, page):
        return page.head["stage"]["names"]

    def test_a_pendulum_hangs_in_a_plane(self):
        page = self.page(MODELS / "pendulum.toml", run=["--steps", 60])
        stage = page.head["stage"]
        self.assertEqual((stage["dimension"], self.names(page), page.links()), (2, ["(x, y)", "fixed"], [(0, 1)]))
        self.assertEqual([g["fixed"] for g in stage["groups"]], [False, True])
        numpy.testing.assert_allclose(page.points()[:, 0, 0], page.series("x"), rtol=1e-6)
        numpy.testing.assert_allclose(page.points()[:, 0, 1], page.series("y"), rtol=1e-6, atol=1e-7)
        self.assertEqual(abs(page.points()[:, 1]).max(), 0)

    def test_links_however_they_are_written(self):
        for rod in ("x^2 + y^2 - L^2", "sqrt(x^2 + y^2) - L", "1 - L/norm([x, y])", "(x^2 + y^2)^2/L^4 - 1"):
            self.write(pendulum(constraints=f'rod = "{rod}"'))
            self.assertEqual(self.page("m.toml").links(), [(0, 1)], rod)
        # An ellipse is no distance.
        self.write(pendulum(constraints='rod = "x^2 + 2*y^2 - L^2"'))
        self.assertEqual(self.page("m.toml").links(), [])

    def test_a_linkage_has_two_fixed_points(self):
        page = self.page(MODELS / "four-bar.toml", run=["--steps", 50])
        self.assertEqual(page.links(), [(0, 1), (0, 2), (1, 3)])
        numpy.testing.assert_allclose(page.points()[0, 2:, :2], [[0, 0], [0.42, 0]], atol=1e-6)

    def test_a_chain_of_items(self):
        page = self.page(MODELS / "hanging-chain.toml", run=["--set", "N=20", "--steps", 20])
        self.assertEqual(page.links(), sorted([(0, 20)] + [(i, i + 1) for i in range(19)]))
        self.assertEqual([g["name"] for g in page.head["stage"]["groups"]], ["r", "fixed"])
        with h5py.File(self.folder / "run.h5") as file:
            numpy.testing.assert_allclose(page.points()[:, :20, :2].reshape(len(file["q"]), 40), file["q"][:], rtol=1e-6, atol=1e-6)

    def bobs(self, dimension, length, more=""):
        """Five bobs on one hook by a table of one constraint a bob"""
        down = "xyz"[dimension - 1]
        place = [f"({length})*cos(0.5*i)", "0", f"-({length})*sin(0.5*i)"]
        q = ", ".join(f'"{x}"' for x in (place if dimension == 3 else place[::2]))
        self.write(f"""format = 1
[coordinates]
r = {{ count = 5, dim = {dimension} }}
[energy]
mass = {{ r = 1 }}
[[energy.sum]]
over = {{ i = "0..4" }}
term = "r[i].{down}"
[[constraints.stack]]
name = "rod"
over = {{ i = "0..4" }}
zero = "dot(r[i], r[i]) - ({length})^2"
[initial]
q.r = [{q}]
[integrate]
step = 0.02
until = 0.1
{more}""")
        return self.page("m.toml")

    def test_each_row_of_a_table_hangs(self):
        five = [(bob, 5) for bob in range(5)]
        as_link = '[view]\nconstraints = { rod = "link" }\n'
        for length in ("1", "1 + 0.2*i"):
            for page in (self.bobs(2, length), self.bobs(3, length, as_link)):
                self.assertEqual((page.links(), page.head["stage"]["surfaces"]), (five, []), length)
                self.assertEqual(abs(page.points()[:, 5]).max(), 0)
        # Without a word, points of space are on a sphere: on one, if it is the same for all.
        page = self.bobs(3, "1")
        self.assertEqual((page.links(), page.head["stage"]["surfaces"]), ([], ["rod"]))
        page = self.bobs(3, "1 + 0.2*i")
        self.assertEqual((page.links(), page.head["stage"]["surfaces"]), ([], []))

    def test_each_row_of_a_table_hangs_where_it_says(self):
        self.bobs(2, "1")
        text = (self.folder / "m.toml").read_text()
        self.write(text.replace('"dot(r[i], r[i]) - (1)^2"', '"(r[i].x - i)^2 + r[i].y^2 - 1"').replace('"(1)*cos', '"i + (1)*cos'))
        page = self.page("m.toml")
        self.assertEqual(page.links(), [(bob, 5 + bob) for bob in range(5)])
        numpy.testing.assert_allclose(page.points()[0, 5:, 0], range(5), atol=1e-6)

    def test_a_torus_is_a_surface(self):
        page = self.page(MODELS / "geodesic-torus.toml", run=["--steps", 400])
        self.assertEqual((page.head["stage"]["dimension"], page.head["stage"]["surfaces"], page.links()), (3, ["torus"], []))
        vertices, triangles = page.surface()
        x, y, z = vertices.T.astype(float)
        numpy.testing.assert_allclose((numpy.hypot(x, y) - 2) ** 2 + z**2, 0.64, atol=1e-4)
        # All of it, in one piece: Euler's number of a torus is 0; and triangles look outward.
        edges = {tuple(sorted((int(t[i]), int(t[i - 1])))) for t in triangles for i in range(3)}
        self.assertEqual(len(vertices) - len(edges) + len(triangles), 0)
        a, b, c = (vertices[triangles[:, k]].astype(float) for k in range(3))
        volume = (a * numpy.cross(b, c)).sum() / 6
        self.assertAlmostEqual(volume, 2 * numpy.pi**2 * 2 * 0.64, delta=0.2)

    def test_a_sphere_is_a_surface_or_a_rod(self):
        page = self.page(MODELS / "charged-particle.toml", run=["--steps", 50])
        self.assertEqual((page.head["stage"]["surfaces"], page.links()), (["sphere"], []))
        self.assertAlmostEqual(abs(numpy.linalg.norm(page.surface()[0], axis=1) - 1).max(), 0, delta=1e-5)
        text = (MODELS / "charged-particle.toml").read_text()
        self.write(text + '\n[view]\nconstraints = { sphere = "link" }\n')
        page = self.page("m.toml", run=["--steps", 50])
        self.assertEqual((page.head["stage"]["surfaces"], page.links()), ([], [(0, 1)]))
        self.write(text + '\n[view]\nconstraints = { sphere = "nothing" }\n')
        page = self.page("m.toml", run=["--steps", 50])
        self.assertEqual((page.head["stage"]["surfaces"], page.links()), ([], []))

    def rotation(self, e):
        x, y, z, w = e
        return numpy.array([
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])

    def test_a_rigid_body_is_a_box_with_its_moments(self):
        page = self.page(MODELS / "rigid-body-free.toml", run=["--steps", 80])
        body, = page.head["stage"]["bodies"]
        self.assertEqual(body["name"], "Q")
        # D = (0.6, 0.4, 0.2): edges are as their roots, the longest along the first axis.
        numpy.testing.assert_allclose(numpy.array(body["size"]) ** 2, [4, 4 * 0.4 / 0.6, 4 * 0.2 / 0.6], rtol=1e-12)
        with h5py.File(self.folder / "run.h5") as file:
            for row in (0, 13, 80):
                Q = file["q"][row].reshape(3, 3)
                R = self.rotation(page.bodies()[row, 0, 3:].astype(float))
                numpy.testing.assert_allclose(R, Q, atol=1e-5)

    def test_what_view_says(self):
        self.write(pendulum(view=TWO_POINTS + 'size = "L/10"\ncolours = { bob = "#d04020" }\nplot = ["x", "energy"]\ntrails = false'))
        page = self.page("m.toml")
        stage = page.head["stage"]
        self.assertEqual((self.names(page), page.links(), stage["size"], stage["trails"]), (["hook", "bob"], [(0, 1)], 0.1, False))
        self.assertEqual([(g["fixed"], g.get("colour")) for g in stage["groups"]], [(True, None), (False, "#d04020")])
        self.assertEqual(page.head["plot"], ["x", "energy"])
        numpy.testing.assert_allclose(page.points()[:, 1, 0], page.series("x"), rtol=1e-6)

    def test_bodies_of_view(self):
        text = (MODELS / "rigid-body-free.toml").read_text()
        names = ", ".join(f'"Q{i}{j}"' for i in (1, 2, 3) for j in (1, 2, 3))
        self.write(text + f'\n[view.bodies]\ntop = {{ matrix = [{names}], at = ["Q13", "Q23", "Q33"], size = [1, 2, 3] }}\n')
        page = self.page("m.toml", run=["--steps", 30])
        self.assertEqual(page.head["stage"]["bodies"], [{"name": "top", "size": [1, 2, 3]}])
        with h5py.File(self.folder / "run.h5") as file:
            Q = file["q"][30].reshape(3, 3)
        numpy.testing.assert_allclose(page.bodies()[30, 0, :3], Q[:, 2], atol=1e-6)
        numpy.testing.assert_allclose(self.rotation(page.bodies()[30, 0, 3:].astype(float)), Q, atol=1e-5)

    def test_a_quaternion(self):
        self.write("""format = 1
[coordinates]
names = ["e0", "e1", "e2", "e3"]
[energy]
mass = [1, 1, 1, 1]
potential = "0"
[constraints]
unit = "e0^2 + e1^2 + e2^2 + e3^2 - 1"
[initial]
q = { e0 = 1, e1 = 0, e2 = 0, e3 = 0 }
v = { e1 = 1 }
[integrate]
step = 0.1
until = 1
""")
        page = self.page("m.toml")
        self.assertEqual([b["name"] for b in page.head["stage"]["bodies"]], ["e"])
        numpy.testing.assert_allclose(page.bodies()[:, 0, 3], page.series("e1"), atol=1e-6)
        numpy.testing.assert_allclose(page.bodies()[:, 0, 6], page.series("e0"), atol=1e-6)

    def test_nothing_that_can_be_guessed(self):
        self.write("""format = 1
[coordinates]
names = ["angle"]
[energy]
mass = [1]
potential = "-cos(angle)"
[initial]
q = { angle = 1 }
[integrate]
step = 0.1
until = 1
""")
        page = self.page("m.toml")
        self.assertEqual(page.head["stage"]["dimension"], 0)
        self.assertIn("[view]", page.head["notes"][0])

    def test_many_points_are_small(self):
        page = self.page(MODELS / "hanging-chain.toml", run=["--set", "N=10000", "--steps", 100, "--every", 1, "--watch", "recorded"])
        self.assertEqual(page.points().shape, (101, 10001, 3))
        self.assertEqual([a["type"] for a in page.head["arrays"] if a["name"] == "points"], ["u16"])
        self.assertLess(len(page.html), 8e6)
        with h5py.File(self.folder / "run.h5") as file:
            off = page.points()[-1, :10000, :2].ravel() - file["q"][-1]
        self.assertLess(abs(off).max(), 10000 / 65534)

    def test_smooth_motion_is_smaller(self):
        self.write("""format = 1
[parameters]
N = 1000
[coordinates]
r = { count = "N", dim = 3 }
[energy]
mass = { r = 1 }
[[energy.sum]]
over = { i = "0..N-1" }
term = "dot(r[i], r[i])/2"
[initial]
q.r = ["sin(12.9898*i)", "sin(78.233*i + 1)", "sin(37.719*i + 2)"]
v.r = ["sin(93.1*i)", "cos(11.7*i)", "sin(5.3*i)"]
[integrate]
method = "verlet-a"
step = 0.02
until = 14
""")
        page = self.page("m.toml", run=["--watch", "recorded"])
        points, = [a for a in page.head["arrays"] if a["name"] == "points"]
        self.assertEqual((points["type"], points["count"]), ("u16", 3000 * 701))
        self.assertLess(points["bytes"], 0.8 * points["count"])  # of two bytes each
        with h5py.File(self.folder / "run.h5") as file:
            off = page.points().reshape(701, 3000) - file["q"][:]
        self.assertLess(abs(off).max(), 4 / 65534)


class Numbers(ViewTest):
    def test_series_are_those_of_the_file(self):
        page = self.page(MODELS / "kepler-sphere.toml", run=["--steps", 200])
        with h5py.File(self.folder / "run.h5") as file:
            columns = {"t": file["t"], "energy": file["energy"], "|g|": file["position_residual"], "|G H_p|": file["hidden_residual"]}
            for table, names, prefix in (("q", "coordinates", ""), ("p", "coordinates", "p_"), ("lambda", "constraints", "lambda_"),
                                         ("invariants", "invariants", "")):
                for k, name in enumerate(file[f"names/{names}"].asstr()):
                    columns[prefix + name] = file[table][:, k]
            self.assertEqual({s["name"] for s in page.head["series"]}, set(columns))
            for name, values in columns.items():
                numpy.testing.assert_array_equal(page.series(name), values[:], err_msg=name)
        self.assertEqual(page.head["notes"], [])

    def test_few_of_many_rows(self):
        page = self.page(MODELS / "pendulum.toml", "--rows", 10, run=["--steps", 95])
        self.assertLessEqual(page.head["rows"], 10)
        with h5py.File(self.folder / "run.h5") as file:
            t = file["t"][:]
        self.assertTrue(set(page.series("t")) <= set(t))
        self.assertEqual((page.series("t")[0], page.series("t")[-1]), (t[0], t[-1]))
        self.assertIn(f"{page.head['rows']} of 96 rows", page.head["notes"][0])

    def test_where_it_comes_from(self):
        page = self.page(MODELS / "pendulum.toml", run=["--steps", 5, "--method", "kahan-li-8", "--set", "g=9.81"])
        self.assertEqual(page.head["model_text"], (MODELS / "pendulum.toml").read_text())
        about = dict(map(tuple, page.head["about"]))
        self.assertEqual((about["method"], about["precision"], about["rows"]), ("kahan-li-8", "double", "6"))
        self.assertEqual(page.head["parameters"]["g"], "9.81")

    def test_rows_that_are_no_numbers(self):
        self.page(MODELS / "pendulum.toml", run=["--steps", 50])
        with h5py.File(self.folder / "run.h5", "r+") as file:
            file["q"][30:] = numpy.nan
            file["energy"][30:] = numpy.nan
        page = self.view()
        self.assertIn("Row 30 (t = ", page.head["notes"][0])
        self.assertTrue(numpy.isnan(page.points()[30, 0]).any() and not numpy.isnan(page.points()[29]).any())

    def test_columns_and_places_that_are_no_numbers(self):
        self.page(MODELS / "pendulum.toml", run=["--steps", 50])
        with h5py.File(self.folder / "run.h5", "r+") as file:
            file["lambda"][20:, 0] = numpy.nan
            file["position_residual"][30] = numpy.inf
        note, = self.view().head["notes"]
        self.assertIn("Row 20 (t = ", note)
        self.assertIn("not finite in lambda_rod, |g|: plots have gaps", note)
        with h5py.File(self.folder / "run.h5", "r+") as file:
            file["p"][10, 1] = numpy.nan
        self.assertIn("Row 10 (t = ", self.view().head["notes"][0])
        self.write(pendulum(view='points = { a = ["1/(x - 1)", "y"], b = ["x", "y"] }'))
        note, = self.page("m.toml").head["notes"]
        self.assertIn("Row 0 (t = 0) is the first one in which a cannot be drawn", note)

    def test_no_rows(self):
        self.page(MODELS / "pendulum.toml", run=["--steps", 5])
        with h5py.File(self.folder / "run.h5", "r+") as file:
            for name in ("step", "t", "q", "p", "lambda", "energy", "position_residual", "hidden_residual", "invariants", "observed"):
                file[name].resize(0, axis=0)
        page = self.view()
        self.assertEqual(page.head["rows"], 0)
        self.assertIn("no rows", page.head["notes"][0])

    def test_events(self):
        result = self.run_program("run", MODELS / "henon-heiles.toml", "--until", 200, "--event", "x", "--events-out", "e.csv", "--out", "run.h5")
        self.assertEqual(result.returncode, 0, result.stderr)
        page = self.view("--events", "e.csv")
        header, rows = self.read_csv("e.csv")
        events = page.head["events"]
        self.assertEqual((events["rows"], events["names"], events["columns"]), (len(rows), ["x"], header[2:]))
        numbers = page.arrays["events"].reshape(len(header) - 1, len(rows))
        for k in range(2, len(header)):
            numpy.testing.assert_array_equal(numbers[k - 1], [float(row[k]) for row in rows])


class Reports(ViewTest):
    def test_a_certificate(self):
        result = self.run_program("certify", MODELS / "pendulum.toml", "--method", "rattle", "--no-advice", "--json", "--out", "page.html")
        self.assertEqual(result.returncode, 0, result.stderr)
        claims = json.loads(result.stdout)["claims"]
        head = Page(self.folder / "page.html").head
        verdicts = head["tables"][0]
        self.assertEqual([row[0] for row in verdicts["rows"]], [c["property"] for c in claims])
        for row, claim in zip(verdicts["rows"], claims):
            self.assertTrue(row[3].startswith(claim["verdict"]), row)
        # The plots behind them are those of a run.
        self.run_json(MODELS / "pendulum.toml", "--steps", 2000, "--out", "run.csv")
        header, rows = self.read_csv("run.csv")
        energy, residuals = head["diagrams"][:2]
        H = [float(row[header.index("energy")]) for row in rows]
        self.assertEqual(energy["curves"][0]["y"], [h - H[0] for h in H[1:]])
        self.assertEqual(energy["curves"][0]["x"], [float(row[0]) for row in rows[1:]])
        self.assertEqual(residuals["curves"][0]["y"], [float(row[header.index("position_residual")]) for row in rows[1:]])

    def test_verdicts_with_a_run(self):
        self.assertNotIn("tables", self.page(MODELS / "pendulum.toml", run=("--steps", "20")).head)
        verdicts = self.page(MODELS / "pendulum.toml", "--certify", run=("--steps", "20", "--step", "T/50", "--method", "yoshida-4")).head["tables"][0]
        made = json.loads(self.run_program("certify", MODELS / "pendulum.toml", "--method", "yoshida-4", "--step", "T/50", "--no-advice", "--json").stdout)
        self.assertEqual([row[0] for row in verdicts["rows"]], [claim["property"] for claim in made["claims"]])
        self.assertEqual([row[3] for row in verdicts["rows"] if row[0] == "symplecticity"], ["holds"])
        broken = self.page(MODELS / "pendulum.toml", "--certify", run=("--steps", "20", "--method", "rk-4")).head["tables"][0]
        self.assertEqual([row[3] for row in broken["rows"] if row[0] == "symplecticity"], ["not claimed, not kept"])

    def test_a_comparison(self):
        result = self.run_program("compare", MODELS / "pendulum.toml", "--methods", "rattle,rk-4", "--step", "T/20,T/40", "--until", "T",
                                  "--out", "all")
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = json.loads((self.folder / "all/compare.json").read_text())["rows"]
        head = Page(self.folder / "all/compare.html").head
        work, energy, order, _ = head["diagrams"]
        self.assertEqual([c["name"] for c in work["curves"]], ["rattle", "rk-4"])
        for k, method in enumerate(("rattle", "rk-4")):
            own = [row for row in rows if row["method"] == method]
            self.assertEqual(work["curves"][k]["x"], [row["cpu_seconds"] for row in own])
            self.assertEqual(work["curves"][k]["y"], [row["error"]["q"] for row in own])
            self.assertEqual(energy["curves"][k]["y"], [row["energy_max_error"] for row in own])
            self.assertEqual(order["curves"][k]["x"], [row["step"] for row in own])
        self.assertEqual(len(head["tables"][0]["rows"]), 4)
        again = self.run_program("compare", MODELS / "pendulum.toml", "--methods", "rattle", "--step", "T/20", "--until", "T", "--out", "all")
        self.assertIn("the file exists", again.stderr)

    def test_a_method_without_errors_keeps_its_colour(self):
        self.write('format = 1\nname = "free"\n[coordinates]\nnames = ["x"]\n[energy]\nmass = [1]\npotential = "0"\n'
                   '[initial]\nq = { x = 0 }\np = { x = 1 }\n[integrate]\nstep = 0.5\nuntil = 2\n', "free.toml")
        made = self.run_program("compare", "free.toml", "--methods", "rattle,rk-4", "--step", "0.5", "--out", "free")
        self.assertEqual(made.returncode, 0, made.stderr)
        diagrams = Page(self.folder / "free/compare.html").head["diagrams"]
        self.assertEqual([[c["name"] for c in d["curves"]] for d in diagrams], [["rattle", "rk-4"]]*4)
        self.assertEqual([c["y"] for c in diagrams[1]["curves"]], [[], []])


class Safety(ViewTest):
    def test_a_name_is_no_html(self):
        name = "<img src=x onerror=alert(1)></script><script>alert(2)</script><!-- & 'q'"
        self.write(pendulum(head=f'format = 1\nname = "{name}"\n# </script><script>alert(3)</script>\n'))
        page = self.page("m.toml")
        self.assertEqual(page.head["title"], name)
        self.assertIn("alert(3)", page.head["model_text"])
        self.assertNotIn("<img", page.html)
        for script in ("<script>alert", "</script><script>a"):
            self.assertNotIn(script, page.html)
        self.assertIn("<title>&lt;img src=x onerror=alert(1)>&lt;/script>", page.html)

    def test_it_asks_for_nothing(self):
        page = self.page(MODELS / "pendulum.toml", run=["--steps", 5])
        self.assertIn("default-src 'none'", page.html)
        self.assertNotRegex(page.html, r'<(?:script|img|link|iframe)[^>]* (?:src|href)="(?!data:,")')
        for licence in ("three.js authors", "Leon Sorokin"):
            self.assertIn(licence, page.html)


class Messages(ViewTest):
    def refused(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        return result.stderr

    def test_files(self):
        self.assertIn("nothing.h5: there is no such file", self.refused("view", "nothing.h5"))
        self.write("no file of numbers", "text.h5")
        self.assertIn("text.h5: the file is no trajectory of holonom", self.refused("view", "text.h5"))
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["x"] = [1, 2]
        self.assertIn("other.h5: the file is no trajectory of holonom", self.refused("view", "other.h5"))
        self.page(MODELS / "pendulum.toml", run=["--steps", 5])
        self.assertIn("run.html: the file exists; use --force", self.refused("view", "run.h5"))
        self.assertIn("run.h5", self.refused("view", "run.h5", "-o", "run.h5", "--force"))
        self.write("a,b\n1,2\n", "e.csv")
        self.assertIn("e.csv:1:1: this is no table of events", self.refused("view", "run.h5", "--force", "--events", "e.csv"))
        self.assertIn("its coordinates are not those of run.h5",
                      self.refused("view", "run.h5", "--force", "--model", MODELS / "double-pendulum.toml"))

    def test_a_constant_orientation(self):
        """As it is written, with few digits; and what a body may be described by as well, a reflection"""
        for body in ("quaternion = [0.5, 0.5, 0.5, 0.5]", "quaternion = [0, 0, 0, 2]", "matrix = [0.7071, -0.7071, 0, 0.7071, 0.7071, 0, 0, 0, 1]",
                     "matrix = [1, 0, 0, 0, 1, 0, 0, 0, -1]"):
            self.write(pendulum(view=f"bodies = {{ top = {{ {body}, at = ['x', 'y', 0] }} }}"))
            page = self.page("m.toml")
            numpy.testing.assert_allclose(numpy.linalg.norm(page.bodies()[:, 0, 3:], axis=1), 1, rtol=1e-5)

    def damaged(self, change):
        self.page(MODELS / "pendulum.toml", run=["--steps", 5])
        with h5py.File(self.folder / "run.h5", "r+") as file:
            change(file)
        return self.refused("view", "run.h5", "--force")

    def test_tables_that_do_not_fit_their_names(self):
        def cut(name, shape):
            def change(file):
                numbers, attributes = file[name][:], dict(file[name].attrs)
                del file[name]
                file[name] = numpy.resize(numbers, shape)
                file[name].attrs.update(attributes)
            return change
        for name, shape, message in (
                ("q", (6, 0), "has 0 columns of q, and 2 names of coordinates"), ("q", (6, 1), "has 1 column of q, and 2 names of coordinates"),
                ("q", (6, 3), "has 3 columns of q, and 2 names of coordinates"), ("p", (6, 1), "has 1 column of p, and 2 names of momenta"),
                ("lambda", (6, 0), "has 0 columns of lambda, and 1 names of constraints"), ("invariants", (6, 2), "has 2 columns of invariants, and 0 names of invariants"),
                ("t", (6, 0), "has 0 columns of t, and not 1"), ("energy", (6, 2), "has 2 columns of energy, and not 1"), ("q", (6, 2, 2), "could not read q, which is no table")):
            self.assertIn(message, self.damaged(cut(name, shape)))

    def test_names_and_versions_that_are_none(self):
        def integers(file):
            del file["names/coordinates"]
            file["names/coordinates"] = [1, 2]
        self.assertIn("run.h5: the file is no trajectory of holonom, or damaged (could not read names", self.damaged(integers))
        def version(file):
            file.attrs["format_version"] = 99
        self.assertIn("run.h5: the file has version 99 of the format, and this holonom reads version 1", self.damaged(version))

    def test_another_model_for_the_same_run(self):
        self.page(MODELS / "pendulum.toml", run=["--steps", 5])
        self.write((MODELS / "pendulum.toml").read_text() + '\n[view.points]\nbob = ["2*x", "y"]\n', "other.toml")
        page = self.view("--model", "other.toml")
        numpy.testing.assert_allclose(page.points()[:, 0, 0], 2 * page.series("x"), rtol=1e-6)

    def test_view_tables(self):
        for view, fragment, message in (
                ('point = { a = ["x", "y"] }', "point", "Did you mean 'points'?"),
                ('points = { a = ["x"] }', '["x"]', "the point 'a' must be a list of formulas, such as"),
                ('points = { a = ["x", "yy"] }', "yy", "unknown name 'yy'. Did you mean 'y'?"),
                ('points = { a = ["x", "v_y"] }', '"v_y"', "write it with momenta p_<name>"),
                ('points = { a = ["x", "y"], b = ["x", "y", "0"] }', '["x", "y", "0"]', "all points need the same number"),
                ('points = { hook = ["0", "0"] }\nlinks = [["hook", "hok"]]', '"hok"', "Did you mean 'hook'?"),
                ('links = "hook"', '"hook"', "must be a list of pairs of points"),
                ('bodies = { top = { size = [1, 2, 3] } }', "{ size", "needs either matrix"),
                ('bodies = { top = { matrix = ["x", "y"] } }', '["x", "y"] }', "view.bodies.top.matrix must be a list"),
                ('constraints = { rd = "link" }', "rd =", "Did you mean 'rod'?"),
                ('constraints = { rod = "line" }', '"line"', 'shown as "link", "surface" or "nothing"'),
                ('points = { a = ["x", "y"] }\ncolours = { b = "#ffffff" }', "b =", "no point or body"),
                ('points = { a = ["x", "y"] }\ncolours = { a = "red" }', '"red"', 'written as "#rrggbb"'),
                ('points = { a = ["lambda_rod", "y"] }', '"lambda_rod"', "uses a multiplier or an energy"),
                ('points = { a = ["x", "kinetic"] }', '"kinetic"', "uses a multiplier or an energy"),
                ("size = -1", "-1", "must be a positive number, and is -1"),
                ("size = 0", "0\n[", "must be a positive number, and is 0"),
                ('size = "L - 1"', '"L - 1"', "must be a positive number, and is 0"),
                ('size = "1/0"', '"1/0"', "must be a positive number"),
                ('size = "sqrt(-1)"', '"sqrt(-1)"', "must be a positive number"),
                ('bodies = { top = { quaternion = [1, 0, 0, 0], size = [1, -2, 1] } }', "-2", "an edge of view.bodies.top.size must be a positive number"),
                ('bodies = { top = { quaternion = [0, 0, 0, 0] } }', "[0, 0", "view.bodies.top.quaternion must not be zero"),
                ('bodies = { top = { matrix = [1, 0, 0, 0, 1, 0, 0, 0.5, 1] } }', "[1, 0", "no rotation: the product of its rows 2 and 3 is 0.5 and not 0"),
                ('bodies = { top = { matrix = [1, 0, 0, 0, 2, 0, 0, 0, 1] } }', "[1, 0", "rows 2 and 2 is 4 and not 1"),
                ('size = "x"', '"x"\n[', "must not depend on coordinates"),
                ("trails = 1", "1\n[initial]", "must be true or false"),
                ('plot = ["enrgy"]', '"enrgy"', "Did you mean 'energy'?")):
            # [view] before [initial], so that what follows it is known
            text = pendulum(initial=None, integrate=None) + f"[view]\n{view}\n" + "[initial]\nq = { x = 1, y = 0 }\n"
            self.write(text)
            error = self.refused("check", "m.toml")
            at = text.index("[view]") + text[text.index("[view]"):].index(fragment)
            line = text[:at].count("\n") + 1
            self.assertIn(f"m.toml:{line}:{at - text[:at].rfind(chr(10))}: ", error, view)
            self.assertIn(message, error, view)


if __name__ == "__main__":
    unittest.main()
