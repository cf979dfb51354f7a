"""Numba, as far as the router uses it: it says that a compiled function is called as before. Numba brings no types."""

from collections.abc import Callable
from typing import TypeVar

_Function = TypeVar("_Function", bound=Callable[..., object])

def njit(*, cache: bool) -> Callable[[_Function], _Function]: ...
