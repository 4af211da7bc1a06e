"""The package as it is imported."""
import pathlib

import holonom

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def test_a_model_is_read():
    model = holonom.load_model(str(MODELS / "pendulum.toml"))
    assert (model.n, model.m) == (2, 1)
