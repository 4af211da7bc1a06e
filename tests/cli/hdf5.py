"""What the tests of HDF5 output share: h5py, and runs that write such files.

Needs h5py (Debian: python3-h5py).
"""

import subprocess
import unittest

from support import HANGS, MODELS, PROGRAM, CliTest

try:
    import h5py
    import numpy as np
except ImportError as missing:
    raise unittest.SkipTest(f"{missing}: install python3-h5py") from missing

TABLES = ("step", "t", "q", "p", "lambda", "energy", "position_residual", "hidden_residual", "invariants", "observed")
PENDULUM, CHAIN = MODELS / "pendulum.toml", MODELS / "hanging-chain.toml"


class Hdf5CliTest(CliTest):
    def run_holonom(self, *arguments, code=0, **options):
        done = subprocess.run([PROGRAM, "run", *map(str, arguments)], cwd=self.folder, capture_output=True, text=True,
                              timeout=HANGS, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done
