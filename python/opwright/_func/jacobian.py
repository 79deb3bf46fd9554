"""Jacobians and Hessians: derivatives of all elements of the outputs."""

import functools
from collections.abc import Callable
from typing import Any, Literal

from .. import _C
from .differentiated import Argnums, Differentiated
from .refusal import refusal


def _jacobian(
    who: str,
    compute: Callable,
    func: Callable,
    argnums: Argnums,
    has_aux: bool,
    chunk_size: int | None,
    options: tuple = (),
) -> Callable:
    if chunk_size is not None and chunk_size <= 0:
        raise refusal(
            "ValueError", f"{who}: `chunk_size` should be greater than 0, got {chunk_size}"
        )

    @functools.wraps(func)
    def run(*args: Any, **kwargs: Any) -> Any:
        call = Differentiated(
            who, func, args, kwargs, argnums, has_aux, is_reverse=compute is _C.jacrev
        )
        rows, aux = compute(call, call.inputs, chunk_size or 0, *options)
        jacobian = call.as_outputs([call.as_inputs(row) for row in rows])
        return (jacobian, call.as_aux(aux)) if has_aux else jacobian

    return run


def jacrev(
    func: Callable,
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
) -> Callable:
    """Return a function that computes the Jacobian of `func` in reverse mode.

    The derivatives of an output of shape `o` with respect to an input of shape `i` have shape `o +
    i`. Use it for few outputs and many inputs: the cost grows with the number of output elements.
    `chunk_size` rows are computed at a time.

    >>> import opwright as ow
    >>> ow.func.jacrev(lambda x: x * x)(ow.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian("jacrev", _C.jacrev, func, argnums, has_aux, chunk_size)


def jacfwd(
    func: Callable,
    argnums: Argnums = 0,
    has_aux: bool = False,
    *,
    randomness: Literal["error", "same", "different"] = "error",
    chunk_size: int | None = None,
) -> Callable:
    """Return a function that computes the Jacobian of `func` in forward mode.

    Like `jacrev`, but the cost grows with the number of input elements. `randomness` is that of
    `vmap`, which runs the columns.

    >>> import opwright as ow
    >>> ow.func.jacfwd(lambda x: x * x)(ow.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    return _jacobian("jacfwd", _C.jacfwd, func, argnums, has_aux, chunk_size, (randomness,))


def hessian(func: Callable, argnums: Argnums = 0) -> Callable:
    """Return a function that computes the Hessian of `func`: forward over reverse mode.

    >>> import opwright as ow
    >>> ow.func.hessian(lambda x: (x * x * x).sum())(ow.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacfwd(jacrev(func, argnums), argnums)
