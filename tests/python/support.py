"""What the tests of the package share: the program, to compare with."""
import json
import os
import pathlib
import subprocess

PROGRAM = os.environ["HOLONOM_PROGRAM"]
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def program(*arguments, folder=None):
    return subprocess.run([PROGRAM, *map(str, arguments)], cwd=folder, capture_output=True, text=True, timeout=600)


def program_json(*arguments):
    return json.loads(program(*arguments, "--json").stdout)


def program_complaint(*arguments, folder=None):
    """What the program says of bad input, without its name, and with names of arguments instead of options."""
    result = program(*arguments, folder=folder)
    assert result.returncode == 2, result
    return result.stderr.strip().removeprefix("holonom: ").replace("--", "")


def without_times(data):
    """JSON without what differs from run to run."""
    if isinstance(data, dict):
        return {key: without_times(value) for key, value in data.items() if key != "cpu_seconds"}
    return [without_times(item) for item in data] if isinstance(data, list) else data
