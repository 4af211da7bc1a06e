from typing import Any, Union

from ._core import Expr

class Vector:
    name: str
    count: int
    dim: int
    def __len__(self) -> int: ...
    def __getitem__(self, index: Union[int, Expr]) -> Any: ...
