"""Transforms of functions; names and meaning follow torch.func."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from . import _C, pytree

__all__ = ["functionalize"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def functionalize(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function that computes the same as `func` without writes on the way.

    In-place operators become those that make a new tensor, a write to a view makes a new whole,
    random numbers are drawn from a state that is passed along. At the end arguments and captured
    tensors that were written get their new values, once each. Tensors may stand in tuples, lists,
    dicts and what else `opwright.pytree` knows.

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
        own_args, own_kwargs = _map_tensors((args, kwargs), level.lift)
        with level:
            returned = func(*own_args, **own_kwargs)
        return _map_tensors(returned, level.finish)

    return run


def _map_tensors(tree: object, function: Callable[[list[_C.Tensor]], list[_C.Tensor]]) -> Any:
    """Replace the tensors of a tree by those that `function` gives for the list of them."""
    leaves, spec = pytree.tree_flatten(tree)
    places = [index for index, leaf in enumerate(leaves) if isinstance(leaf, _C.Tensor)]
    for index, tensor in zip(places, function([leaves[i] for i in places]), strict=True):
        leaves[index] = tensor
    return pytree.tree_unflatten(leaves, spec)
