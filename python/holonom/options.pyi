import os
from typing import Any, Callable, Iterable, Literal, Mapping, Optional, Union

from typing_extensions import TypedDict

from . import _core
from ._core import Operand

Path = Union[str, os.PathLike[str]]
AnyModel = Union[_core.Model, Path]
Formula = Operand
Parameters = Mapping[str, Any]
Engine = Literal["auto", "interp", "llvm"]
Newton = str
Precision = Union[int, str]
Shown = Union[bool, Callable[[int, int], Any]]

class RunOptions(TypedDict, total=False):
    precision: Precision
    engine: Engine
    formulation: str
    alpha: Optional[Formula]
    chart: Optional[str]
    projection: Optional[str]
    project_every: int
    tolerance: float
    newton: Newton
    compensated: Optional[bool]
    threads: int
    every: Optional[int]
    multipliers: Literal["exact", "stage"]
    watch: Literal["all", "recorded"]
    wedge: bool
    tangent: Union[str, Iterable[Union[str, Mapping[str, Formula]]]]
    shadow: int
    event: Union[str, Iterable[str]]
    observe: Union[str, Iterable[str]]
    stop_at: Union[str, Iterable[str]]
    set: Optional[Parameters]

class EnsembleOptions(TypedDict, total=False):
    precision: Precision
    engine: Engine
    formulation: str
    alpha: Optional[Formula]
    chart: Optional[str]
    projection: Optional[str]
    project_every: int
    tolerance: float
    newton: Newton
    compensated: Optional[bool]
    multipliers: Literal["exact", "stage"]
    watch: Literal["all", "recorded"]
    wedge: bool
    tangent: Union[str, Iterable[Union[str, Mapping[str, Formula]]]]
    shadow: int
    event: Union[str, Iterable[str]]
    observe: Union[str, Iterable[str]]
    stop_at: Union[str, Iterable[str]]
    set: Optional[Parameters]

def run_options(method: Optional[str] = None, step: Optional[Formula] = None, *, precision: Precision = "double", engine: Engine = "auto",
                formulation: str = "direct", alpha: Optional[Formula] = None, chart: Optional[str] = None, projection: Optional[str] = None,
                project_every: int = 1, tolerance: float = 0.0, newton: Newton = "auto", compensated: Optional[bool] = None, threads: int = 1,
                every: Optional[int] = None, multipliers: Literal["exact", "stage"] = "exact", watch: Literal["all", "recorded"] = "all",
                wedge: bool = False, tangent: Union[str, Iterable[Union[str, Mapping[str, Formula]]]] = (), shadow: int = 0,
                event: Union[str, Iterable[str]] = (), observe: Union[str, Iterable[str]] = (), stop_at: Union[str, Iterable[str]] = (),
                set: Optional[Parameters] = None) -> dict[str, Any]: ...
def refuse_unknown(options: Mapping[str, Any], caller: Callable[..., Any]) -> None: ...
def model_for(model: AnyModel, options: Mapping[str, Any]) -> _core.Model: ...
def need_mpmath() -> Any: ...

class Progress:
    bar: Any
    show: Optional[Callable[[int], Any]]
    def __init__(self, wanted: Shown, first: int, count: int) -> None: ...
    def __enter__(self) -> Optional[Callable[[int], Any]]: ...
    def __exit__(self, *_: object) -> None: ...
