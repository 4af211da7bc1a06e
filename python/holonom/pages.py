"""Pages: one HTML file that shows a run, a certificate or a comparison, and that opens without a network."""
import html
import os
import pathlib
import tempfile
import webbrowser

from . import _core
from .arguments import warn, whole_number


class Page:
    """A page, with all its numbers in it. A notebook shows it; ``save`` writes it, ``open`` shows it in the browser."""

    def __init__(self, text):
        self.html = text

    def save(self, path, force=False):
        """Writes the page to a file, which must not exist unless force is true; returns its path."""
        path = pathlib.Path(path)
        if path.exists() and not force:
            raise _core.FileExists(f"{path}: the file exists; use force=True to overwrite it, or another name")
        try:
            path.write_text(self.html, encoding="utf-8")
        except OSError as error:
            raise _core.OutputError(f"{path}: the page cannot be written ({error.strerror})") from error
        return path

    def open(self):
        """Writes the page to a temporary file, and opens it in the browser; returns its path."""
        handle, name = tempfile.mkstemp(suffix=".html", prefix="holonom-")
        os.close(handle)
        webbrowser.open(self.save(name, force=True).as_uri())
        return pathlib.Path(name)

    def _repr_html_(self, height=640):
        # In a frame of its own, which reaches nothing of the notebook
        return (f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(self.html)}" width="100%" height="{height}" '
                'style="border: 0"></iframe>')

    def __repr__(self):
        return f"<Page of {len(self.html) / 1e6:.1f} MB: save(path) writes it, open() shows it in the browser>"


def make_page(text, out=None, force=False):
    """A page, which is written if there is a name for it."""
    page = Page(text)
    if out is not None:
        page.save(out, force)
    return page


def view(run, out=None, *, model=None, events=None, rows=20000, certify=False, force=False):
    """A page that shows a run: what moves, plots linked with the time, and where it all comes from.

    ``run`` is an HDF5 file of a run, or a trajectory (anything with ``save(path)``). ``out`` is a file to write; ``model`` a model file
    with another [view] table; ``events`` a CSV file of events, for sections; ``rows`` at most so many, evenly chosen; ``certify`` shows what
    the method keeps on this model with this step.
    Without npm when holonom was built there are no pages: an InputError says so.
    """
    rows = whole_number(rows, "rows")
    _core.require_view()
    if out is not None and pathlib.Path(out).exists() and not force:  # before the work
        raise _core.FileExists(f"{out}: the file exists; use force=True to overwrite it, or another name")
    beside = os.fspath(model or ""), os.fspath(events or ""), rows, bool(certify)
    if isinstance(run, (str, os.PathLike)):
        text, warnings = _core.run_page(os.fspath(run), *beside)
    elif callable(getattr(run, "save", None)):
        with tempfile.TemporaryDirectory(prefix="holonom-") as folder:
            file = os.path.join(folder, "run.h5")
            run.save(file)
            text, warnings = _core.run_page(file, *beside)
    else:
        raise TypeError(f"run: a file of a run or a trajectory is expected, not {type(run).__name__}")
    warn(warnings)
    return make_page(text, out, force)
