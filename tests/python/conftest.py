"""What the tests share: the models, and runs of the program to compare with."""
import json
import os
import pathlib
import subprocess

import pytest

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


@pytest.fixture
def models():
    return MODELS


@pytest.fixture
def program():
    """program(model, "--steps", 10): the JSON of `holonom run`."""

    def run(model, *options):
        command = [os.environ["HOLONOM_PROGRAM"], "run", str(MODELS / model), "--json", *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    return run
