"""Pages of runs, comparisons and certificates, in files and in notebooks."""
import html
import re
import shutil

import pytest
from support import MODELS, program

import holonom

PENDULUM = MODELS / "pendulum.toml"


def has_pages():
    try:
        holonom.view("no-such-file.h5")
    except holonom.InputError as error:
        return "npm" not in str(error)


pytestmark = pytest.mark.skipif(not has_pages(), reason="built without npm")


@pytest.fixture
def run(tmp_path):
    told = program("run", PENDULUM, "--steps", 50, "--out", tmp_path / "run.h5")
    assert told.returncode == 0, told.stderr
    return tmp_path / "run.h5"


class Trajectory:
    """Anything that saves itself."""

    def __init__(self, file):
        self.file = file

    def save(self, path):
        shutil.copy(self.file, path)


def test_the_page_is_the_programs(run, tmp_path):
    program("view", run, "-o", tmp_path / "told.html")
    told = (tmp_path / "told.html").read_text()
    assert holonom.view(run).html == told
    assert holonom.view(str(run), tmp_path / "made.html").html == told == (tmp_path / "made.html").read_text()
    assert holonom.view(Trajectory(run)).html == told


def test_a_notebook_shows_it_in_a_frame(run):
    page = holonom.view(run)
    text = page._repr_html_()
    shown = re.fullmatch(r'<iframe sandbox="allow-scripts" srcdoc="([^"]*)" width="100%" height="640" style="border: 0"></iframe>', text)
    assert shown and html.unescape(shown[1]) == page.html
    assert "MB" in repr(page)


def test_files_are_not_overwritten(run, tmp_path):
    out = tmp_path / "page.html"
    out.write_text("mine")
    with pytest.raises(holonom.FileExists, match="force=True"):
        holonom.view(run, out)
    with pytest.raises(holonom.FileExists):
        holonom.view(run).save(out)
    assert out.read_text() == "mine"
    holonom.view(run, out, force=True)
    assert out.read_text().startswith("<!doctype html>")
    with pytest.raises(holonom.OutputError, match="cannot be written"):
        holonom.view(run, tmp_path / "no" / "page.html")


def test_what_cannot_be_shown(tmp_path, run):
    with pytest.raises(holonom.InputError, match="no-such-file.h5"):
        holonom.view(tmp_path / "no-such-file.h5")
    (tmp_path / "text.h5").write_text("text")
    told = program("view", tmp_path / "text.h5").stderr
    with pytest.raises(holonom.InputError) as raised:
        holonom.view(tmp_path / "text.h5")
    assert told == f"holonom: {raised.value}\n"
    with pytest.raises(holonom.InputError, match="coordinates are not those"):
        holonom.view(run, model=MODELS / "double-pendulum.toml")
    with pytest.raises(holonom.InputError, match="rows 1: not a whole number, at least 2"):
        holonom.view(run, rows=1)
    with pytest.raises(TypeError):
        holonom.view(7)


def test_fewer_rows(run):
    assert "10 of 51 rows are on this page" in holonom.view(run, rows=10).html


def test_results_have_pages(tmp_path):
    made = holonom.compare(PENDULUM, ["rattle", "kahan-li-8"], ["T/50", "T/100"], "T")
    text = made.view(tmp_path / "compare.html").html
    assert "Work and precision" in text and "kahan-li-8" in text
    certificate = holonom.certify(PENDULUM)
    program("certify", PENDULUM, "--out", tmp_path / "told.html")
    assert certificate.view().html == (tmp_path / "told.html").read_text()
    with pytest.raises(holonom.FileExists):
        made.view(tmp_path / "compare.html")


def test_warnings_are_at_the_callers_line(tmp_path):
    """A table that a model reads is not in the file of its run: points are guessed then."""
    (tmp_path / "pairs.csv").write_text("i,j\n0,1\n")
    (tmp_path / "m.toml").write_text(
        'format = 1\n[coordinates]\nr = { count = 2, dim = 2 }\n[energy]\nmass = { r = 1 }\n[[energy.sum]]\nover = { file = "pairs.csv" }\n'
        'term = "dot(r[i] - r[j], r[i] - r[j])"\n[initial]\nq.r = ["i", "0"]\n[integrate]\nstep = 0.1\nuntil = 1\n')
    assert program("run", "m.toml", "--out", "run.h5", folder=tmp_path).returncode == 0
    (tmp_path / "pairs.csv").unlink()
    with pytest.warns(UserWarning, match="give model FILE") as caught:
        holonom.view(tmp_path / "run.h5")
    assert caught[0].filename == __file__
