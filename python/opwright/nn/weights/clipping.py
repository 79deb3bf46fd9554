"""Gradients that are too large are scaled or cut off."""

from __future__ import annotations

import types
import warnings
from collections.abc import Iterable

import opwright as ow

from ... import Tensor

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]

Tensors = Tensor | Iterable[Tensor]


def _gradients(parameters: Tensors) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    return [each.grad.detach() for each in given if each.grad is not None]


def get_total_norm(
    tensors: Tensors,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all tensors together, as if they were one vector.

    >>> from opwright.nn import weights
    >>> weights.get_total_norm([ow.tensor([3.0]), ow.tensor([4.0])])
    tensor(5.)

    `foreach` selects a kernel in PyTorch, here nothing.
    """
    given = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    if not given:
        return ow.tensor(0.0)
    order = float(norm_type)
    with ow.no_grad():
        norms = [ow.linalg_vector_norm(each, order).to(given[0].device) for each in given]
        total = ow.linalg_vector_norm(ow.stack(norms), order)
    if error_if_nonfinite and bool(total.isnan() | total.isinf()):
        raise RuntimeError(
            f"get_total_norm: The total norm of order {order} for gradients from `parameters` is "
            "non-finite, so it cannot be clipped; pass error_if_nonfinite=False to scale by it "
            "anyway"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients so that their total norm, which is given, is at most `max_norm`.

    >>> from opwright.nn import weights
    >>> weight = ow.nn.Parameter(ow.ones(1))
    >>> weight.grad = ow.tensor([5.0])
    >>> weights.clip_grads_with_norm_(weight, 1.0, ow.tensor(5.0))
    >>> weight.grad
    tensor([1.0000])
    """
    given = _gradients(parameters)
    with ow.no_grad():
        factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
        for gradient in given:
            gradient.mul_(factor.to(gradient.device))


def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale the gradients so that their total norm is at most `max_norm`; return the norm before.

    >>> from opwright.nn import weights
    >>> weight = ow.nn.Parameter(ow.ones(2))
    >>> weight.grad = ow.tensor([3.0, 4.0])
    >>> weights.clip_grad_norm_(weight, max_norm=1.0), weight.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not given and isinstance(parameters, types.GeneratorType):
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2
        )
    total = get_total_norm(_gradients(given), norm_type, error_if_nonfinite, foreach)
    clip_grads_with_norm_(given, max_norm, total, foreach)
    return total


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Same as `clip_grad_norm_`, under its old name; it warns.

    >>> import warnings
    >>> from opwright.nn import weights
    >>> with warnings.catch_warnings(action="ignore"):
    ...     weights.clip_grad_norm([], 1.0)
    tensor(0.)
    """
    warnings.warn(
        "`torch.nn.utils.clip_grad_norm` is now deprecated in favor of "
        "`torch.nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Limit each element of the gradients to `clip_value`, in both directions.

    >>> from opwright.nn import weights
    >>> weight = ow.nn.Parameter(ow.ones(2))
    >>> weight.grad = ow.tensor([-3.0, 0.5])
    >>> weights.clip_grad_value_(weight, 1.0)
    >>> weight.grad
    tensor([-1.0000,  0.5000])
    """
    limit = float(clip_value)
    with ow.no_grad():
        for gradient in _gradients(parameters):
            gradient.clamp_(-limit, limit)
