"""Function transforms; names and semantics follow torch.func."""

import functools
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar

from . import _C, pytree
from ._func.forward_mode import jvp, linearize
from ._func.functional_module import (
    functional_call,
    replace_all_batch_norm_modules_,
    stack_module_state,
)
from ._func.jacobian import hessian, jacfwd, jacrev
from ._func.rearrangement import rearrange
from ._func.refusal import refusal
from ._func.reverse_mode import grad, grad_and_value, value_and_grad, vjp

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "value_and_grad",
    "vjp",
    "vmap",
]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def debug_unwrap(tensor: _C.Tensor, *, recurse: bool = True) -> _C.Tensor:
    """Return the tensor inside a value of a transform, to look at it in a debugger.

    With `recurse` it is the one below all transforms. A function that computes with it is wrong.

    >>> import opwright as ow
    >>> seen = []
    >>> x = ow.ones(2, 3)
    >>> _ = ow.vmap(lambda row: (seen.append(ow.func.debug_unwrap(row)), row)[1])(x)
    >>> seen[0] is x
    True
    """
    inner = _C.inner_value(tensor)
    while recurse and inner is not tensor:
        tensor, inner = inner, _C.inner_value(inner)
    return inner


def functionalize(
    func: Callable[_P, _R],
    *,
    remove: Literal["mutations", "mutations_and_views"] = "mutations",
) -> Callable[_P, _R]:
    """Return a function that computes the same as `func` without in-place writes.

    In-place operators are replaced by functional ones, a write to a view creates a new base, and
    random numbers are drawn from a state that is passed along. At the end, arguments and captured
    tensors that were written get their new values, once each. Tensors may be in tuples, lists,
    dicts and other containers that `opwright.pytree` knows. With "mutations", views stay views:
    no operator writes to them. With "mutations_and_views", operators that return copies replace
    them (`aten::view_copy`), and so no result shares memory with another tensor.

    >>> import opwright as ow
    >>> def clear_first(x):
    ...     x[0] = 0
    ...     return x + 1
    >>> x = ow.tensor([1.0, 2.0])
    >>> ow.func.functionalize(clear_first)(x).tolist(), x.tolist()
    ([1.0, 3.0], [0.0, 2.0])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise refusal(
            "ValueError",
            "functionalize: Valid options for remove are: 'mutations' and 'mutations_and_views', "
            f"got {remove!r}",
        )

    @functools.wraps(func)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        level = _C.FunctionalRun(remove == "mutations_and_views")
        own_args, own_kwargs = _map_tensors((args, kwargs), level.lift)
        with level:
            returned = func(*own_args, **own_kwargs)
        return _map_tensors(returned, level.finish)

    return run


def vmap(
    func: Callable,
    in_dims: int | tuple | None = 0,
    out_dims: Any = 0,
    randomness: Literal["error", "same", "different"] = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """Return a function that runs `func`, written for one sample, on a batch of samples at once.

    `in_dims` is the batch dimension of each argument: an int for all, or a tuple with one entry per
    argument: an int, None (the same for all samples) or, for an argument that is a pytree, a pytree
    of these. `out_dims` is the batch dimension of the outputs. Keyword arguments are the same for
    all samples. Each operator runs once, using its vmap rule; one without a rule runs once for each
    sample, with a warning.

    `randomness` controls random operators: raise an error, draw the same numbers for every sample,
    or different ones. `chunk_size` samples are computed at a time.

    >>> import opwright as ow
    >>> def dot(x, y):
    ...     return (x * y).sum()
    >>> x = ow.arange(6.0).reshape(3, 2)
    >>> ow.vmap(dot)(x, x)
    tensor([ 1., 13., 41.])
    >>> ow.vmap(dot, in_dims=(0, None))(x, ow.ones(2))
    tensor([1., 5., 9.])
    """
    mapped = _C.VmapCall(in_dims, out_dims, randomness, chunk_size)

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        return mapped(func, args, kwargs)

    return run


def _map_tensors(tree: object, function: Callable[[list[_C.Tensor]], list[_C.Tensor]]) -> Any:
    """Replace the tensors of a pytree by those that `function` returns for the list of them."""
    leaves, spec = pytree.tree_flatten(tree)
    places = [index for index, leaf in enumerate(leaves) if isinstance(leaf, _C.Tensor)]
    for index, tensor in zip(places, function([leaves[i] for i in places]), strict=True):
        leaves[index] = tensor
    return pytree.tree_unflatten(leaves, spec)
