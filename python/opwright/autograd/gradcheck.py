"""gradcheck, gradgradcheck: compare analytical derivatives with finite differences."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import opwright as ow

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
        if not outputs and not (isinstance(returned, (tuple, list)) and len(returned) == 0):
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


def _warn_of_coarse_inputs(tensors: Sequence[_C.Tensor]) -> None:
    """Warn, as PyTorch does, where `gradcheck` refuses."""
    for place, tensor in enumerate(tensors):
        if tensor.requires_grad and tensor.dtype not in (ow.float64, ow.complex128):
            warnings.warn(
                f"Input #{place} requires gradient and is not a double precision floating point "
                "or complex. This check will likely fail if all the inputs are not of double "
                "precision floating point or complex.",
                stacklevel=3,
            )


def _strided_gradients(function: Callable, tensors: list[_C.Tensor]) -> list[_C.Tensor]:
    """Return random gradients of the outputs that are not contiguous."""
    outputs = [output for output in function(tensors)[0] if output.requires_grad]
    return [
        ow.rand(*output.shape, 2, dtype=output.dtype).select(-1, 0).requires_grad_()
        for output in outputs
    ]


def _check_modes(checks_forward: bool, checks_backward: bool) -> None:
    if not checks_forward and not checks_backward:
        raise AssertionError(
            "gradcheck: Expected at least one of check_forward_ad and check_backward_ad to be True"
        )


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
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
    allow_coarse_dtypes: bool = False,
) -> bool:
    """Compare the gradients of `func` with finite differences.

    Checks inputs that require grad; they should be float64 or complex128: a coarser dtype is an
    error, or a warning with `allow_coarse_dtypes`. With `fast_mode` random directions replace all
    pairs of elements. Also detects a backward that returns different results for the same input.
    Returns True, or raises `GradcheckError` with the input, the output, the elements and both
    values; returns False if `raise_exception` is False. `check_grad_dtypes` and `masked` exist for
    compatibility with PyTorch: gradients always get the dtype of their input, and tensors are
    dense.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], dtype=ow.float64).requires_grad_()
    >>> ow.gradcheck(lambda x: x * x, (x,))
    True
    """
    _check_modes(check_forward_ad, check_backward_ad)
    function, tensors = _flatten(func, inputs)
    if allow_coarse_dtypes:
        _warn_of_coarse_inputs(tensors)
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
        check_batched_forward_grad=check_batched_forward_grad,
        allows_coarse_dtypes=allow_coarse_dtypes,
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
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
    allow_coarse_dtypes: bool = False,
) -> bool:
    """Compare the second derivatives of `func` with finite differences of its gradients.

    `grad_outputs` are the gradients of the outputs to use; by default they are random, and with
    `gen_non_contig_grad_outputs` not contiguous. Otherwise it is like `gradcheck`.

    >>> import opwright as ow
    >>> x = ow.tensor([1.0, 2.0], dtype=ow.float64).requires_grad_()
    >>> ow.gradgradcheck(lambda x: x * x * x, (x,))
    True
    """
    function, tensors = _flatten(func, inputs)
    gradients: list[_C.Tensor]
    if grad_outputs is None:
        gradients = _strided_gradients(function, tensors) if gen_non_contig_grad_outputs else []
    else:
        gradients = [grad_outputs] if isinstance(grad_outputs, _C.Tensor) else list(grad_outputs)
    _check_modes(check_fwd_over_rev, check_rev_over_rev)
    if allow_coarse_dtypes:
        _warn_of_coarse_inputs(tensors)
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
        allows_coarse_dtypes=allow_coarse_dtypes,
    )
    return _report(_C.gradgradcheck(function, tensors, gradients, options), raise_exception)
