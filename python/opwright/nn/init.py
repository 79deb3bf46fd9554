"""Weight initialization; each function writes into its tensor and returns it.

>>> import opwright as ow
>>> ow.nn.init.constant_(ow.empty(2), 3.0)
tensor([3., 3.])
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any, Literal, ParamSpec, TypeVar

import opwright as ow

from .. import Tensor, ops

__all__ = [
    "calculate_gain",
    "constant",
    "constant_",
    "dirac",
    "dirac_",
    "eye",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal",
    "normal_",
    "ones_",
    "orthogonal",
    "orthogonal_",
    "sparse",
    "sparse_",
    "trunc_normal_",
    "uniform",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

T = TypeVar("T", bound=Tensor)
R = TypeVar("R")
P = ParamSpec("P")


def uniform_(tensor: T, a: float = 0.0, b: float = 1.0, generator: Any = None) -> T:
    """Fill with uniform random numbers between a and b.

    >>> values = ow.nn.init.uniform_(ow.empty(1000), 2.0, 3.0)
    >>> bool(((values >= 2) & (values < 3)).all())
    True
    """
    ops.aten.uniform_(tensor.detach(), a, b, generator=generator)
    return tensor


def normal_(tensor: T, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> T:
    """Fill with normally distributed random numbers.

    >>> values = ow.nn.init.normal_(ow.empty(1000), 5.0, 0.1)
    >>> bool((values.mean() - 5).abs() < 0.1)
    True
    """
    ops.aten.normal_(tensor.detach(), mean, std, generator=generator)
    return tensor


def trunc_normal_(
    tensor: T,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> T:
    """Fill with normally distributed random numbers between a and b.

    Limits more than two `std` from the mean give a warning.

    >>> values = ow.nn.init.trunc_normal_(ow.empty(1000))
    >>> bool((values.abs() <= 2).all())
    True
    """
    if a > b:
        raise ValueError(f"trunc_normal_: a must not be above b, got {a} and {b}")
    if not a - 2 * std <= mean <= b + 2 * std:
        warnings.warn(
            "trunc_normal_: mean is more than 2 std from [a, b]; the distribution of values may be "
            "incorrect",
            UserWarning,
            stacklevel=2,
        )
    target = tensor.detach()
    if target.is_meta:
        return tensor
    low, high = (math.erf((limit - mean) / (std * math.sqrt(2))) for limit in (a, b))
    if (high - low) / 2 > _LEAST_SHARE:
        ops.aten.normal_(target, mean, std, generator=generator)
        while bool((is_outside := (target < a) | (target > b)).any()):
            again = ops.aten.normal_(ow.empty_like(target), mean, std, generator=generator)
            target.copy_(ow.where(is_outside, again, target))
    else:
        target.copy_(_sample_in_limits(target, mean, std, a, b, generator))
    return tensor


# Of normal numbers that fall within the limits, for which drawing normal numbers is quicker.
_LEAST_SHARE = 0.3
# Numbers whose density is e ** -60 times the largest one are never drawn.
_LARGEST_FALL = 60.0


def _sample_in_limits(
    target: Tensor, mean: float, std: float, a: float, b: float, generator: Any
) -> Tensor:
    """Return uniform numbers between the limits, kept with the probability of their density."""
    dtype = ow.float64 if target.dtype == ow.float64 else ow.float32
    peak = ((min(max(mean, a), b) - mean) / std) ** 2
    reach = std * math.sqrt(peak + 2 * _LARGEST_FALL)
    low, high = max(a, mean - reach), min(b, mean + reach)

    def draw(low: float, high: float) -> Tensor:
        numbers = ow.empty_like(target, dtype=dtype)
        return ops.aten.uniform_(numbers, low, high, generator=generator)

    def is_rejected(numbers: Tensor) -> Tensor:
        density = (peak - ((numbers - mean) / std) ** 2) / 2
        return draw(0.0, 1.0).log_() > density

    numbers = draw(low, high)
    pending = is_rejected(numbers)
    while bool(pending.any()):
        again = draw(low, high)
        numbers = ow.where(pending, again, numbers)
        pending = pending & is_rejected(again)
    return numbers.clamp_(min=a, max=b)


def constant_(tensor: T, val: float) -> T:
    """Fill with one number.

    >>> ow.nn.init.constant_(ow.empty(2), 3.0)
    tensor([3., 3.])
    """
    tensor.detach().fill_(val)
    return tensor


def ones_(tensor: T) -> T:
    """Fill with 1.

    >>> ow.nn.init.ones_(ow.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: T) -> T:
    """Fill with 0.

    >>> ow.nn.init.zeros_(ow.empty(2))
    tensor([0., 0.])
    """
    return constant_(tensor, 0.0)


def eye_(tensor: T) -> T:
    """Fill a matrix with the identity.

    >>> ow.nn.init.eye_(ow.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.ndim != 2:
        raise ValueError(f"eye_: the tensor must have 2 dimensions, got {list(tensor.shape)}")
    zeros_(tensor).detach().diagonal().fill_(1.0)
    return tensor


def dirac_(tensor: T, groups: int = 1) -> T:
    """Fill the weight of a convolution so that it keeps its input.

    >>> ow.nn.init.dirac_(ow.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError(f"dirac_: the tensor must have 3 to 5 dimensions, got {tensor.ndim}")
    if tensor.shape[0] % groups:
        raise ValueError(f"dirac_: {tensor.shape[0]} channels cannot be split into {groups} groups")
    per_group = tensor.shape[0] // groups
    middle = tuple(size // 2 for size in tensor.shape[2:])
    target = zeros_(tensor).detach()
    for group in range(groups):
        for channel in range(min(per_group, tensor.shape[1])):
            target[(group * per_group + channel, channel, *middle)] = 1.0
    return tensor


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the recommended gain of an activation.

    >>> ow.nn.init.calculate_gain("tanh")
    1.6666666666666667
    """
    gains = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, int | float):
            raise ValueError(f"calculate_gain: negative_slope must be a number, got {slope!r}")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "sigmoid" or nonlinearity.startswith(("linear", "conv")):
        return 1.0
    if nonlinearity not in gains:
        raise ValueError(f"calculate_gain: there is no nonlinearity {nonlinearity!r}")
    return gains[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return the number of inputs per output and of outputs per input."""
    if tensor.ndim < 2:
        raise ValueError(
            f"the tensor must have at least 2 dimensions, got sizes {list(tensor.shape)}"
        )
    window = math.prod(tensor.shape[2:])
    return tensor.shape[1] * window, tensor.shape[0] * window


def _xavier_std(tensor: Tensor, gain: float) -> float:
    return gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))


def xavier_uniform_(tensor: T, gain: float = 1.0, generator: Any = None) -> T:
    """Fill with uniform random numbers that keep the variance in both directions.

    >>> bool((ow.nn.init.xavier_uniform_(ow.empty(3, 3)).abs() <= 1).all())
    True
    """
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: T, gain: float = 1.0, generator: Any = None) -> T:
    """Fill with normal random numbers that keep the variance in both directions.

    >>> ow.nn.init.xavier_normal_(ow.empty(3, 3)).shape
    (3, 3)
    """
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _is_empty(tensor: Tensor) -> bool:
    if 0 not in tensor.shape:
        return False
    warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return True


def _kaiming_std(
    tensor: Tensor, a: float, mode: Literal["fan_in", "fan_out"], nonlinearity: str
) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"mode must be 'fan_in' or 'fan_out', got {mode!r}")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan_in if mode == "fan_in" else fan_out)


def kaiming_uniform_(
    tensor: T,
    a: float = 0.0,
    mode: Literal["fan_in", "fan_out"] = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> T:
    """Fill with uniform random numbers that keep the variance through an activation.

    >>> bool((ow.nn.init.kaiming_uniform_(ow.empty(2, 6)).abs() <= 1).all())
    True
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: T,
    a: float = 0.0,
    mode: Literal["fan_in", "fan_out"] = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> T:
    """Fill with normal random numbers that keep the variance through an activation.

    >>> ow.nn.init.kaiming_normal_(ow.empty(2, 6)).shape
    (2, 6)
    """
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: T, gain: float = 1, generator: Any = None) -> T:
    """Fill with rows, or columns if those are fewer, that are orthogonal and of length `gain`.

    >>> w = ow.nn.init.orthogonal_(ow.empty(2, 3))
    >>> ow.allclose(w @ w.T, ow.eye(2), atol=1e-6)
    True

    Sizes after the first count as one dimension.
    """
    if tensor.ndim < 2:
        raise ValueError(
            f"orthogonal_: the tensor must have at least 2 dimensions, got {list(tensor.shape)}"
        )
    if tensor.numel() == 0 or tensor.is_meta:
        return tensor
    target = tensor.detach()
    numbers = ow.empty(target.shape, dtype=target.dtype, device=target.device)
    rows = normal_(numbers, generator=generator).flatten(1)
    is_wide = rows.shape[0] < rows.shape[1]
    columns = _orthonormal_columns(rows.t() if is_wide else rows)
    result = columns.t() if is_wide else columns
    target.copy_((result * gain).reshape(target.shape))
    return tensor


def _orthonormal_columns(matrix: Tensor) -> Tensor:
    """Return the orthogonal factor of a QR decomposition whose R has a positive diagonal.

    Each column is made orthogonal to those before it twice, which suffices for full precision.
    """
    columns: list[Tensor] = []
    for column in matrix.to(ow.float64).unbind(1):
        if columns:
            basis = ow.stack(columns, 1)
            for _ in range(2):
                column = column - basis @ (basis.t() @ column)
        columns.append(column / column.norm())
    return ow.stack(columns, 1).to(matrix.dtype)


def sparse_(tensor: T, sparsity: float, std: float = 0.01, generator: Any = None) -> T:
    """Fill a matrix with normal random numbers; a share of each column, `sparsity`, is zero.

    >>> w = ow.nn.init.sparse_(ow.empty(4, 5), sparsity=0.5)
    >>> (w == 0).sum(0).tolist()
    [2, 2, 2, 2, 2]
    """
    if tensor.ndim != 2:
        raise ValueError(f"sparse_: the tensor must have 2 dimensions, got {list(tensor.shape)}")
    if tensor.is_meta:
        return tensor
    rows, columns = tensor.shape
    num_zeros = math.ceil(sparsity * rows)
    target = normal_(tensor, 0.0, std, generator).detach()
    for column in range(columns):
        target[ow.randperm(rows)[:num_zeros], column] = 0.0
    return tensor


def _deprecated(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function under its old name, without the underscore; it warns."""
    name = function.__name__
    old = name[:-1]

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{name}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    run.__name__ = run.__qualname__ = old
    del run.__wrapped__  # type: ignore[attr-defined]
    return run


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
