"""Functions of torch on numbers that may be symbolic: conversions, sums, choices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import _C
from .._number_from_data import SymFloat
from .recorded_functions import recorded

__all__ = ["sym_float", "sym_int", "sym_ite", "sym_sqrt", "sym_sum"]


@recorded
def sym_int(a: Any) -> Any:
    """Return a number as an int; a symbolic int stays as it is.

    >>> import opwright.compat.torch as torch
    >>> torch.sym_int(-1.5)
    -1
    """
    if isinstance(a, _C.SymInt):
        return a
    if isinstance(a, SymFloat):
        raise NotImplementedError(
            "sym_int: a float that is read from a tensor cannot become a size; use item() of an "
            "int tensor"
        )
    return int(a)


@recorded
def sym_float(a: Any) -> Any:
    """Return a number as a float; a symbolic float stays as it is.

    >>> import opwright.compat.torch as torch
    >>> torch.sym_float(3)
    3.0
    """
    return a if isinstance(a, SymFloat) else float(a)


def sym_sum(args: Sequence[Any]) -> Any:
    """Return the sum of numbers.

    >>> import opwright.compat.torch as torch
    >>> torch.sym_sum([1, 2, 3])
    6
    """
    total: Any = 0
    for each in args:
        total = total + each
    return total


@recorded
def sym_sqrt(a: Any) -> Any:
    """Return the square root of a number; that of a symbolic float is symbolic.

    >>> import opwright.compat.torch as torch
    >>> torch.sym_sqrt(4)
    2.0
    """
    return SymFloat(a.tensor.sqrt()) if isinstance(a, SymFloat) else math.sqrt(a)


@recorded
def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """Return `t` if the condition holds and else `f`; a symbolic condition is decided now.

    >>> import opwright.compat.torch as torch
    >>> torch.sym_ite(3 > 2, 10, 20)
    10
    """
    return t if bool(b) else f
