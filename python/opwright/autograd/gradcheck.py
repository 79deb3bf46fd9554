"""gradcheck, gradgradcheck: compare analytical derivatives with finite differences."""

from collections.abc import Callable, Sequence
from typing import Any

from .. import _C, pytree


class GradcheckError(RuntimeError):
    """Raised when the derivatives of a function are wrong.

    >>> issubclass(GradcheckError, RuntimeError)
    True
    """


def _flatten(func: Callable, inputs: object) -> tuple[Callable, list[_C.Tensor]]:
    """Return the function as one of a list of tensors, and that list."""
    args = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    leaves, spec = pytree.tree_flatten(tuple(args))
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, _C.Tensor)]

    def list_function(tensors: list[_C.Tensor]) -> tuple[list[_C.Tensor], list]:
        own = list(leaves)
        for place, tensor in zip(places, tensors, strict=True):
            own[place] = tensor
        returned = func(*pytree.tree_unflatten(own, spec))
        outputs = [o for o in pytree.tree_leaves(returned) if isinstance(o, _C.Tensor)]
        if not outputs:
            raise TypeError(
                f"gradcheck: the function must return tensors, got {type(returned).__name__}"
            )
        return outputs, []

    return list_function, [leaves[place] for place in places]


def _options(**given: Any) -> _C.GradcheckOptions:
    options = _C.GradcheckOptions()
    for name, value in given.items():
        setattr(options, name, value)
    return options


def _report(problem: str | None, raise_exception: bool) -> bool:
    if problem is not None and raise_exception:
        raise GradcheckError(problem)
    return problem is None


def gradcheck(
    func: Callable,
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_batched_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Compare the gradients of `func` with finite differences.

    Checks inputs that require grad; they should be float64 or complex128. With `fast_mode` random
    directions replace all pairs of elements. Also detects a backward that returns different results
    for the same input. Returns True, or raises `GradcheckError` with the input, the output, the
    elements and both values; returns False if `raise_exception` is False.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], dtype=ow.float64).requires_grad_()
    >>> ow.gradcheck(lambda x: x * x, (x,))
    True
    """
    function, tensors = _flatten(func, inputs)
    options = _options(
        eps=eps,
        atol=atol,
        rtol=rtol,
        nondet_tol=nondet_tol,
        fast_mode=fast_mode,
        check_undefined_grad=check_undefined_grad,
        check_backward_ad=check_backward_ad,
        check_forward_ad=check_forward_ad,
        check_batched_grad=check_batched_grad,
    )
    return _report(_C.gradcheck(function, tensors, options), raise_exception)


def gradgradcheck(
    func: Callable,
    inputs: Any,
    grad_outputs: Sequence[_C.Tensor] | _C.Tensor | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
) -> bool:
    """Compare the second derivatives of `func` with finite differences of its gradients.

    `grad_outputs` are the gradients of the outputs to use; by default they are random. Otherwise it
    is like `gradcheck`.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], dtype=ow.float64).requires_grad_()
    >>> ow.gradgradcheck(lambda x: x * x * x, (x,))
    True
    """
    function, tensors = _flatten(func, inputs)
    if grad_outputs is None:
        gradients = []
    else:
        gradients = [grad_outputs] if isinstance(grad_outputs, _C.Tensor) else list(grad_outputs)
    options = _options(
        eps=eps,
        atol=atol,
        rtol=rtol,
        nondet_tol=nondet_tol,
        fast_mode=fast_mode,
        check_undefined_grad=check_undefined_grad,
        check_backward_ad=check_rev_over_rev,
        check_forward_ad=check_fwd_over_rev,
        check_batched_grad=check_batched_grad,
    )
    return _report(_C.gradgradcheck(function, tensors, gradients, options), raise_exception)
