from typing import Optional

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import Unpack

from .options import AnyModel, EnsembleOptions, Formula, Shown
from .trajectory import Trajectory

Array = NDArray[np.float64]

class Ensemble:
    q: Array
    p: Array
    t: Array
    steps: NDArray[np.int64]
    energy_initial: Array
    energy_final: Array
    energy_error: Array
    position_residual: Array
    hidden_residual: Array
    status: NDArray[np.str_]
    message: list[str]
    trajectories: Optional[list[Optional[Trajectory]]]
    @property
    def ok(self) -> NDArray[np.bool_]: ...
    def __len__(self) -> int: ...

def ensemble(model: AnyModel, starts: Optional[ArrayLike] = None, *, q: Optional[ArrayLike] = None, p: Optional[ArrayLike] = None,
             v: Optional[ArrayLike] = None, until: Optional[Formula] = None, steps: Optional[int] = None, project: bool = False,
             record: bool = False, every: Optional[int] = None, threads: Optional[int] = None, stage_threads: int = 1, progress: Shown = False,
             method: Optional[str] = None, step: Optional[Formula] = None, **options: Unpack[EnsembleOptions]) -> Ensemble: ...
