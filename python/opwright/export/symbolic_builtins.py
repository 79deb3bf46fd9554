"""min, max and math.pow of numbers that are known only when a program runs.

Python's own functions compare or convert such a number, which needs its value. While a function is
exported, they take the symbolic ones instead, and `maximum`, `minimum` and `clamp` for tensors of
no dimensions; for all other arguments they are unchanged.
"""

import builtins
import functools
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .. import _C
from ..symbolic import sym_max, sym_min

_lock = threading.Lock()
_num_exports = 0


@contextmanager
def symbolic_builtins() -> Iterator[None]:
    """Replace the functions inside; exports on several threads share the replacement."""
    global _num_exports
    with _lock:
        _num_exports += 1
        if _num_exports == 1:
            for module, name, _, replacement in _REPLACED:
                setattr(module, name, replacement)
    try:
        yield
    finally:
        with _lock:
            _num_exports -= 1
            if _num_exports == 0:
                for module, name, original, _ in _REPLACED:
                    setattr(module, name, original)


def _choose(
    original: Callable[..., Any], symbolic: Callable[..., Any], of_tensors: Callable[..., Any]
) -> Callable[..., Any]:
    @functools.wraps(original)
    def choose(*args: Any, **kwargs: Any) -> Any:
        values = args
        if len(args) == 1 and not kwargs and isinstance(args[0], (list, tuple)):
            values = tuple(args[0])
        if not kwargs and _hold_single_numbers(values):
            return functools.reduce(of_tensors, values)
        are_numbers = len(values) > 1 and all(type(each) in (int, _C.SymInt) for each in values)
        if kwargs or not are_numbers or not any(type(each) is _C.SymInt for each in values):
            return original(*args, **kwargs)
        return functools.reduce(symbolic, values)

    return choose


def _hold_single_numbers(values: tuple[Any, ...]) -> bool:
    """Return whether these are tensors of no dimensions, with numbers among them."""
    tensors = [each for each in values if isinstance(each, _C.Tensor)]
    numbers = [each for each in values if type(each) in (int, float)]
    are_all = len(values) > 1 and len(tensors) + len(numbers) == len(values)
    return bool(tensors) and are_all and all(each.ndim == 0 for each in tensors)


def _greater(a: Any, b: Any) -> Any:
    if isinstance(a, _C.Tensor) and isinstance(b, _C.Tensor):
        return a.maximum(b)
    tensor, number = (a, b) if isinstance(a, _C.Tensor) else (b, a)
    return tensor.clamp(min=number) if isinstance(tensor, _C.Tensor) else _ORIGINAL_MAX(a, b)


def _smaller(a: Any, b: Any) -> Any:
    if isinstance(a, _C.Tensor) and isinstance(b, _C.Tensor):
        return a.minimum(b)
    tensor, number = (a, b) if isinstance(a, _C.Tensor) else (b, a)
    return tensor.clamp(max=number) if isinstance(tensor, _C.Tensor) else _ORIGINAL_MIN(a, b)


@functools.wraps(math.pow)
def _pow(base: Any, exponent: Any, /) -> Any:
    is_symbolic = type(base) is _C.SymInt and type(exponent) is int and exponent >= 0
    return base**exponent if is_symbolic else _ORIGINAL_POW(base, exponent)


_ORIGINAL_POW = math.pow
_ORIGINAL_MAX = builtins.max
_ORIGINAL_MIN = builtins.min
_REPLACED = (
    (builtins, "max", builtins.max, _choose(builtins.max, sym_max, _greater)),
    (builtins, "min", builtins.min, _choose(builtins.min, sym_min, _smaller)),
    (math, "pow", math.pow, _pow),
)
