"""HDF5 output of runs that end as nobody planned, or have not ended yet: kill -9, an interrupt, a full disk.

Needs h5py (Debian: python3-h5py).
"""

import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest

from hdf5 import PENDULUM, TABLES, Hdf5CliTest, h5py, np
from support import HANGS, MODELS, PROGRAM


class Hdf5EndsTest(Hdf5CliTest):
    def start_long_run(self, out, *more):
        # It ends long after the test.
        return subprocess.Popen([PROGRAM, "run", PENDULUM, "--steps", "10000000000", "--out", out, *more], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def check_whole(self, path, least):
        with h5py.File(self.folder / path, "r") as f:
            rows = {len(f[name]) for name in TABLES}
            self.assertEqual(len(rows), 1, rows)
            steps, q = f["step"][:], f["q"][:]
            self.assertGreaterEqual(len(steps), least)
            np.testing.assert_array_equal(steps, np.arange(len(steps)))
            np.testing.assert_allclose(np.hypot(*q.T), 1, rtol=1e-12)
            np.testing.assert_allclose(f["t"][:], steps * f.attrs["step"], rtol=1e-14)
            self.assertTrue(np.isfinite(f["energy"][:]).all())
            return len(steps)

    def wait_for_rows(self, path, least):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                with h5py.File(self.folder / path, "r") as f:
                    if len(f["t"]) >= least:
                        return
            except (OSError, KeyError, RuntimeError):
                pass  # not there yet, or within a flush
            time.sleep(0.05)
        self.fail(f"no {least} rows in {path} after 30 s")

    def test_a_killed_run_leaves_its_rows(self):
        out = "killed.h5"
        for least, wait in ((1, 0), (1000, 0.1), (1000, 0.9)):  # rows reach the file once a second
            process = self.start_long_run(out, "--force")
            try:
                self.wait_for_rows(out, least)
                time.sleep(wait)
            finally:
                process.send_signal(signal.SIGKILL)
                process.communicate()
            self.check_whole(out, least)
            os.remove(self.folder / out)

    def datasets(self, name):
        """All tables, bytes of text and numbers alike."""
        found = {}
        with h5py.File(self.folder / name) as f:
            f.visititems(lambda path, item: found.update({path: item[()].tobytes()})
                         if isinstance(item, h5py.Dataset) and not item.is_virtual else None)
        return found

    def test_a_killed_run_is_resumed_with_the_same_rows(self):
        chance = random.Random(os.environ.get("HOLONOM_TEST_SEED", ""))
        wanted = 100 if os.environ.get("HOLONOM_TEST_ALL", "0") != "0" else 4
        for precision, steps, every in (("double", 2500000, 1000), ("quad", 20000, 20)):
            arguments = [MODELS / "double-pendulum.toml", "--steps", steps, "--every", every, "--precision", precision,
                         "--json", "--checkpoint", "0.05"]
            whole = self.run_holonom(*arguments, "--out", f"whole-{precision}.h5")
            out, kills = f"parts-{precision}.h5", 0
            while kills < wanted:
                printed, stopped = self.killed_until_done([*arguments, "--out", out, "--resume"], out, chance)
                kills += stopped
                results = [json.loads(text) for text in (whole.stdout, printed)]
                for result in results:
                    result.pop("wall_seconds")
                self.assertEqual(*results)
                self.assertEqual(self.datasets(f"whole-{precision}.h5"), self.datasets(out))
                for file in self.folder.glob(f"{out}*"):
                    file.unlink()

    def killed_until_done(self, arguments, out, chance):
        """What the run prints when it is done at last, and how often it was killed on the way."""
        kills = 0
        while True:
            process = subprocess.Popen([PROGRAM, "run", *map(str, arguments)], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            try:
                printed, complaints = process.communicate(timeout=chance.uniform(0.05, 0.4) * (1 + kills / 5))
                self.assertEqual(process.returncode, 0, complaints)
                return printed, kills
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
                if not (self.folder / f"{out}.checkpoint").exists():
                    (self.folder / out).unlink(missing_ok=True)  # killed before the first checkpoint

    def test_a_running_simulation_can_be_read(self):
        out = "live.h5"
        process = self.start_long_run(out)
        try:
            self.wait_for_rows(out, 1000)
            refused = self.run_holonom(PENDULUM, "--out", out, "--force", code=2)
            self.assertIn("another run is writing", refused.stderr)
        finally:
            process.kill()
            process.communicate()

    def test_an_interrupted_run_is_complete(self):
        out = "interrupted.h5"
        process = self.start_long_run(out, "--json")
        self.wait_for_rows(out, 1)
        process.send_signal(signal.SIGINT)
        result = json.loads(process.communicate(timeout=HANGS)[0])
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.check_whole(out, 1), result["steps"] + 1)

    def test_a_full_disk_keeps_what_is_there(self):
        # A limit of the size of files stands for the disk.
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))

        out = "full.h5"
        failed = self.run_holonom(PENDULUM, "--steps", "10000000", "--out", out, code=1, preexec_fn=limit, restore_signals=False)
        self.assertRegex(failed.stderr, r"full\.h5: writing failed .*rows are kept")
        self.check_whole(out, 10000)


if __name__ == "__main__":
    unittest.main()
