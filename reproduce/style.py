"""How figures look: lines and points as in the papers, legible in black and white, small as files."""

import threading

import numpy as np

COLOURS = ["#1b3a5c", "#b5402a", "#3c7a4b", "#8a6d1c", "#6a4c93"]

_drawing = threading.Lock()  # matplotlib draws one figure at a time


def available():
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        return False
    return True


def save(draw, path, size=(6.4, 3.6)):
    """Draws into an empty figure, and writes it as PNG with few colours: a tenth of the bytes."""
    import matplotlib
    import PIL.Image  # (matplotlib needs it itself)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    settings = {
        "font.size": 8,
        "axes.titlesize": 8,
        "axes.linewidth": 0.6,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.formatter.useoffset": False,
        "axes.prop_cycle": matplotlib.cycler(color=COLOURS),
        "lines.linewidth": 0.9,
        "lines.markersize": 3.5,
        "legend.frameon": False,
        "legend.fontsize": 7.5,
        "figure.constrained_layout.use": True,
    }
    with _drawing, matplotlib.rc_context(settings):
        figure = Figure(figsize=size, dpi=130)
        canvas = FigureCanvasAgg(figure)
        draw(figure)
        canvas.draw()
        image = PIL.Image.fromarray(np.asarray(canvas.buffer_rgba())[:, :, :3])
        # By the median, colours of few points would become those of their neighbours.
        image.quantize(256, method=PIL.Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
