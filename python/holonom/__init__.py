"""Long-time simulation of mechanical systems with holonomic constraints, g(q) = 0, by methods that keep the geometry."""
from ._core import Expr, FileExists, InputError, OutputError, System, __version__
from .analysis import certify, check, compare, method_info, methods, recommend, stability
from .ensemble import Ensemble, ensemble
from .formulas import cross, dot, maximum, minimum, norm, pairs, where
from .model import Model, load_model
from .pages import view
from .simulation import HolonomWarning, Simulation, StepFailed
from .trajectory import Events, Trajectory
from .vectors import Vector

__all__ = ["Ensemble", "Events", "Expr", "FileExists", "HolonomWarning", "InputError", "Model", "OutputError", "Simulation", "StepFailed",
           "System", "Trajectory", "Vector", "certify", "check", "compare", "cross", "dot", "ensemble", "load_model", "maximum", "method_info",
           "methods", "minimum", "norm", "pairs", "recommend", "stability", "view", "where"]
