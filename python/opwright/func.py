"""Transforms of functions; names and meaning follow torch.func."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from . import _C

__all__ = ["functionalize"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def functionalize(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function that computes the same as `func` without writes on the way.

    In-place operators become those that make a new tensor, a write to a view makes a new whole,
    random numbers are drawn from a state that is passed along. At the end arguments and captured
    tensors that were written get their new values, once each. Tensors may stand in tuples, lists
    and dicts.

    >>> import opwright as ow
    >>> def clear_first(x):
    ...     x[0] = 0
    ...     return x + 1
    >>> x = ow.tensor([1.0, 2.0])
    >>> ow.func.functionalize(clear_first)(x).tolist(), x.tolist()
    ([1.0, 3.0], [0.0, 2.0])
    """

    @functools.wraps(func)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        level = _C.FunctionalRun()
        given: list[_C.Tensor] = []
        _map_tensors((args, kwargs), given.append)
        twins = iter(level.lift(given))
        own_args, own_kwargs = _map_tensors((args, kwargs), lambda _: next(twins))
        with level:
            returned = func(*own_args, **own_kwargs)
        outputs: list[_C.Tensor] = []
        _map_tensors(returned, outputs.append)
        values = iter(level.finish(outputs))
        return _map_tensors(returned, lambda _: next(values))

    return run


def _map_tensors(tree: object, function: Callable) -> Any:
    """Apply `function` to each tensor in nested tuples, lists and dicts."""
    if isinstance(tree, _C.Tensor):
        return function(tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_map_tensors(each, function) for each in tree))
    if isinstance(tree, tuple | list):
        return type(tree)(_map_tensors(each, function) for each in tree)
    if isinstance(tree, dict):
        return {key: _map_tensors(value, function) for key, value in tree.items()}
    return tree
