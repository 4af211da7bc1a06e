"""holonom reproduce: every quick item holds, and falls with its mutations. Needs numpy.

One mutation of each item has its turn, by the commit (HOLONOM_TEST_SEED); HOLONOM_TEST_ALL=1 tries all of them."""

import concurrent.futures
import importlib.util
import os
import signal
import subprocess
import sys
import time
import unittest
import zlib

from support import HANGS, SOURCE, CliTest, PROGRAM

FOLDER = SOURCE / "reproduce"


def load_main():
    spec = importlib.util.spec_from_file_location("reproduce_main", FOLDER / "__main__.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MAIN = load_main()
ITEMS = MAIN.load()
program = MAIN.cli.Program(PROGRAM)


def in_turn(one):
    """The mutations of an item that are tried this time."""
    if os.environ.get("HOLONOM_TEST_ALL", "0") != "0" or not one.mutations:
        return one.mutations
    seed = zlib.crc32((os.environ.get("HOLONOM_TEST_SEED", "") + one.key).encode())
    return [one.mutations[seed % len(one.mutations)]]


def on_both_cores(work, jobs):
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        return list(pool.map(work, jobs))


class Items(unittest.TestCase):
    def test_are_as_many_as_the_papers_have(self):
        self.assertGreaterEqual(len(ITEMS), 45)
        self.assertEqual(len({one.key for one in ITEMS}), len(ITEMS), "two items have one name")
        self.assertEqual({one.paper for one in ITEMS}, set(MAIN.PAPERS))
        for one in ITEMS:
            with self.subTest(one.key):
                self.assertTrue(MAIN.items.is_name(one.name))
                self.assertTrue(one.claim, "an item says what is claimed")
                self.assertTrue(one.mutations, "an item says what would make it fail")

    def test_hold_and_fall_with_mutations(self):
        quick = [one for one in ITEMS if one.quick]

        def work(job):
            one, mutation = job
            return job, MAIN.measure(one, program, True, mutation)

        jobs = [(one, mutation) for one in quick for mutation in [None, *in_turn(one)]]
        for (one, mutation), (result, lab) in on_both_cores(work, jobs):
            with self.subTest(one.key, mutation=mutation.name if mutation else None):
                wrong = [f"{c.what}: {c.measured}, expected {c.expected or c.printed}" for c in result.checks if not c.holds]
                if mutation is None:
                    self.assertEqual(result.error, "")
                    self.assertEqual(wrong, [])
                    self.assertTrue(result.checks)
                else:
                    self.assertTrue(lab.was_mutated, "the mutation changes nothing")
                    # (A command that refuses, or breaks off, says nothing of the comparisons.)
                    self.assertTrue(wrong, f"no comparison notices the mutation: {result.error}")


class Framework(unittest.TestCase):
    def test_numbers_are_compared_as_they_are_printed(self):
        agrees = MAIN.items.agrees
        self.assertTrue(agrees(0.0774456, ".77e-1"))
        self.assertFalse(agrees(0.0764, ".77e-1"))
        self.assertFalse(agrees(0.0776, ".77e-1"))
        self.assertTrue(agrees(0.3149, ".31"))
        self.assertFalse(agrees(0.3151, ".31"))
        self.assertTrue(agrees(-2.59808, "-2.59808"))
        self.assertFalse(agrees(float("nan"), "1"))
        self.assertTrue(agrees(55.7, "56"))

    def test_verdicts(self):
        items = MAIN.items
        one = items.Item("reich", "x", "x", lambda lab: None, [], True, False)

        def verdict(*calls):
            result = items.Result(one)
            lab = items.Lab(program, result)
            for call in calls:
                call(lab)
            return result.verdict

        good = lambda lab: lab.printed("a", 1.0, "1.0")  # noqa: E731
        bad = lambda lab: lab.printed("b", 2.0, "1.0")  # noqa: E731
        other = lambda lab: lab.differs("c", 2.0, "1.0", "of a reason")  # noqa: E731
        not_other = lambda lab: lab.differs("c", 1.0, "1.0", "of a reason")  # noqa: E731
        self.assertEqual(verdict(good), "reproduced")
        self.assertEqual(verdict(), "FAILS")
        self.assertEqual(verdict(good, bad), "FAILS")
        self.assertEqual(verdict(other), "not reproduced")
        self.assertEqual(verdict(good, other), "reproduced in part")
        self.assertEqual(verdict(not_other), "FAILS")
        self.assertEqual(verdict(lambda lab: lab.at_most("d", float("nan"), 1)), "FAILS")


class Figures(CliTest):
    @unittest.skipUnless(MAIN.style.available(), "needs matplotlib")
    def test_have_the_colours_that_are_drawn(self):
        """Also those of a few dots on a grid with thousands of shades of gray"""
        import numpy
        import PIL.Image

        def draw(figure):
            axes = figure.add_subplot(projection="3d")
            u, v = numpy.meshgrid(numpy.linspace(0, numpy.pi, 13), numpy.linspace(0, 2 * numpy.pi, 25))
            axes.plot_wireframe(numpy.sin(u) * numpy.cos(v), numpy.sin(u) * numpy.sin(v), numpy.cos(u), color="0.85", linewidth=0.4)
            axes.plot(numpy.cos(7 * v[:, 0]), numpy.sin(7 * v[:, 0]), 0 * v[:, 0], linewidth=0.5)
            for k in range(len(MAIN.style.COLOURS)):
                axes.plot([k / 5], [0], [1], "*", color=f"C{k}", markersize=5, markeredgewidth=0)

        MAIN.style.save(draw, self.folder / "figure.png")
        shown = numpy.asarray(PIL.Image.open(self.folder / "figure.png").convert("RGB")).reshape(-1, 3).astype(int)
        for colour in MAIN.style.COLOURS:
            wanted = [int(colour[k:k + 2], 16) for k in (1, 3, 5)]
            self.assertLess(abs(shown - wanted).max(axis=1).min(), 3, colour)


class Command(CliTest):
    def reproduce(self, *arguments, code=0):
        done = self.run_program("reproduce", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def test_one_item_shows_its_numbers(self):
        text = self.reproduce("reich/table-1", "--quick").stdout
        self.assertIn(".77e-1", text)
        self.assertIn("7.74456e-2", text)
        self.assertIn("\n1 item: 1 reproduced", text)
        self.assertIn("$ holonom run models/pendulum.toml", text)

    def test_a_page_has_data_and_figures(self):
        self.reproduce("jay/figure-5.2", "reich/table-1", "--quick", "--out", "page")
        page = (self.folder / "page" / "index.html").read_text(encoding="utf-8")
        self.assertIn("Table 1", page)
        self.assertIn("jay/figure-5.2", page)
        self.assertTrue((self.folder / "page" / "README.md").exists())
        self.assertTrue(list((self.folder / "page" / "jay").glob("*.csv")))
        figures = list((self.folder / "page" / "jay").glob("*.png"))
        for figure in figures:
            self.assertGreater(figure.stat().st_size, 5000)
        self.assertEqual(bool(figures), MAIN.style.available())
        # What is on the page is said at its head, and tables that are wider than a phone scroll by themselves.
        self.assertIn("2 items of five papers", page)
        self.assertEqual(page.count("<table>"), page.count("<div class=wide><table>"))
        self.assertEqual(page.count("</table>"), page.count("</table></div>"))
        again = self.reproduce("reich/table-1", "--quick", "--out", "page", code=2)
        self.assertIn("--force", again.stderr)

    def test_mistakes(self):
        self.assertIn("Did you mean 'reich/table-1'?", self.reproduce("reich/tabel-1", code=2).stderr)
        self.assertIn("--quick", self.reproduce("--quik", code=2).stderr)
        self.assertIn("no quick form of jay/section-5-orders; leave out --quick",
                      self.reproduce("jay/section-5-orders", "--quick", code=2).stderr)
        listed = self.reproduce("--list").stdout
        self.assertEqual(len(listed.splitlines()), len(ITEMS))

    def test_interrupted_it_says_so_alone(self):
        for delay in (0.3, 0.6, None):
            process = subprocess.Popen([PROGRAM, "reproduce", "--quick", "--threads", "2"], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True)
            self.addCleanup(process.kill)
            if delay is None:  # at work
                self.assertIn("items", process.stdout.readline())
                process.stdout.readline()
            time.sleep(delay or 0.1)
            os.killpg(process.pid, signal.SIGINT)
            _, said = process.communicate(timeout=HANGS)
            self.assertEqual((process.returncode, set(said.splitlines())), (130, {"holonom: interrupted"}), delay)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_device(self):
        for arguments in (("--list",), ("--quick", "--threads", "2"), ("--quick", "jay/figure-5.2")):
            with open("/dev/full", "w") as full:
                result = subprocess.run([PROGRAM, "reproduce", *arguments], cwd=self.folder, timeout=HANGS, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual((result.returncode, result.stderr), (1, "holonom: standard output: writing failed (No space left on device)\n"))

    def test_a_python_without_numpy_is_told(self):
        os.environ["HOLONOM_PYTHON"] = "/bin/false"
        try:
            self.assertIn("HOLONOM_PYTHON=/bin/false is no Python that has numpy", self.reproduce("--list", code=2).stderr)
        finally:
            del os.environ["HOLONOM_PYTHON"]


if __name__ == "__main__":
    sys.exit(unittest.main())
