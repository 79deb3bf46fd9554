"""Activations: functions of each element, and those along a dimension."""

import warnings
from collections.abc import Callable

import opwright as ow

from ... import Tensor, ops

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return max(x, 0).

    >>> ow.nn.functional.relu(ow.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return ops.aten.relu_(input) if inplace else ops.aten.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """Return min(max(x, 0), 6).

    >>> ow.nn.functional.relu6(ow.tensor([-1.0, 2.0, 8.0]))
    tensor([0., 2., 6.])
    """
    return ops.aten.relu6_(input) if inplace else ops.aten.relu6(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x, or negative_slope * x below zero.

    >>> ow.nn.functional.leaky_relu(ow.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    run = ops.aten.leaky_relu_ if inplace else ops.aten.leaky_relu
    return run(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x, or alpha * (exp(x) - 1) below zero.

    >>> ow.nn.functional.elu(ow.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return ops.aten.elu_(input, alpha) if inplace else ops.aten.elu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the scaled elu, which keeps mean and variance.

    >>> ow.nn.functional.selu(ow.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return ops.aten.selu_(input) if inplace else ops.aten.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x, or alpha * (exp(x / alpha) - 1) below zero.

    >>> ow.nn.functional.celu(ow.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])
    """
    return ops.aten.celu_(input, alpha) if inplace else ops.aten.celu(input, alpha)


def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    """Return x times the cumulative normal distribution at x.

    >>> ow.nn.functional.gelu(ow.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    return ops.aten.gelu(input, approximate=approximate)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * sigmoid(x).

    >>> ow.nn.functional.silu(ow.tensor([0.0, 2.0]))
    tensor([0.0000, 1.7616])
    """
    return ops.aten.silu_(input) if inplace else ops.aten.silu(input)


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * tanh(softplus(x)).

    >>> ow.nn.functional.mish(ow.tensor([0.0, 2.0]))
    tensor([0.0000, 1.9440])
    """
    return ops.aten.mish_(input) if inplace else ops.aten.mish(input)


def sigmoid(input: Tensor) -> Tensor:
    """Return 1 / (1 + exp(-x)).

    >>> ow.nn.functional.sigmoid(ow.tensor([0.0]))
    tensor([0.5000])
    """
    return ops.aten.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """Return the hyperbolic tangent.

    >>> ow.nn.functional.tanh(ow.tensor([0.0]))
    tensor([0.])
    """
    return ops.aten.tanh(input)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Return x limited to min_val and max_val.

    >>> ow.nn.functional.hardtanh(ow.tensor([-3.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if min_val > max_val:
        raise ValueError(f"hardtanh: min_val {min_val} is above max_val {max_val}")
    run = ops.aten.hardtanh_ if inplace else ops.aten.hardtanh
    return run(input, min_val, max_val)


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """Return relu6(x + 3) / 6.

    >>> ow.nn.functional.hardsigmoid(ow.tensor([-4.0, 0.0]))
    tensor([0.0000, 0.5000])
    """
    return ops.aten.hardsigmoid_(input) if inplace else ops.aten.hardsigmoid(input)


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * relu6(x + 3) / 6.

    >>> ow.nn.functional.hardswish(ow.tensor([1.0, 3.0]))
    tensor([0.6667, 3.0000])
    """
    return ops.aten.hardswish_(input) if inplace else ops.aten.hardswish(input)


def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Return log(1 + exp(beta * x)) / beta; x itself where beta * x is above the threshold.

    >>> ow.nn.functional.softplus(ow.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """
    return ops.aten.softplus(input, beta, threshold)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x shrunk towards zero by lambd.

    >>> ow.nn.functional.softshrink(ow.tensor([-2.0, 0.25]))
    tensor([-1.5000,  0.0000])
    """
    return ops.aten.softshrink(input, lambd)


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Return x, or 0 between -lambd and lambd.

    >>> ow.nn.functional.hardshrink(ow.tensor([-2.0, 0.25]))
    tensor([-2.,  0.])
    """
    return ops.aten.hardshrink(input, lambd)


def softsign(input: Tensor) -> Tensor:
    """Return x / (1 + |x|).

    >>> ow.nn.functional.softsign(ow.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """Return x - tanh(x).

    >>> ow.nn.functional.tanhshrink(ow.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])
    """
    return input - input.tanh()


def logsigmoid(input: Tensor) -> Tensor:
    """Return log(sigmoid(x)).

    >>> ow.nn.functional.logsigmoid(ow.tensor([0.0]))
    tensor([-0.6931])
    """
    return ops.aten.log_sigmoid(input)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Return x where it is above the threshold, else `value`.

    >>> ow.nn.functional.threshold(ow.tensor([0.5, 2.0]), 1.0, -7.0)
    tensor([-7.,  2.])
    """
    run = ops.aten.threshold_ if inplace else ops.aten.threshold
    return run(input, threshold, value)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Return x, or weight * x below zero; the weight may differ by channel.

    >>> ow.nn.functional.prelu(ow.tensor([-1.0, 2.0]), ow.tensor([0.25]))
    tensor([-0.2500,  2.0000])
    """
    return ops.aten.prelu(input, weight)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Return the first half times the sigmoid of the second.

    >>> ow.nn.functional.glu(ow.tensor([4.0, 0.0]))
    tensor([2.])
    """
    return ops.aten.glu(input, dim)


# ---- along a dimension ----


def _along(
    run: Callable[..., Tensor], input: Tensor, dim: int | None, dtype: ow.dtype | None
) -> Tensor:
    if dim is None:
        warnings.warn("the choice of a dimension for softmax is deprecated; give dim", stacklevel=3)
        dim = 0 if input.ndim in (0, 1, 3) else 1
    return run(input, dim, dtype)


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: ow.dtype | None = None
) -> Tensor:
    """Return softmax along a dimension: the results sum to 1.

    >>> ow.nn.functional.softmax(ow.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _along(ops.aten.softmax, input, dim, dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: ow.dtype | None = None
) -> Tensor:
    """Return softmax(-x).

    >>> ow.nn.functional.softmin(ow.zeros(2), dim=0)
    tensor([0.5000, 0.5000])
    """
    return _along(ops.aten.softmax, input.neg(), dim, dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: ow.dtype | None = None
) -> Tensor:
    """Return the logarithm of softmax.

    >>> ow.nn.functional.log_softmax(ow.zeros(2), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return _along(ops.aten.log_softmax, input, dim, dtype)


def relu_(input: Tensor) -> Tensor:
    """Write max(x, 0) into x.

    >>> ow.nn.functional.relu_(ow.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return relu(input, inplace=True)


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Write elu of x into x.

    >>> ow.nn.functional.elu_(ow.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return elu(input, alpha, inplace=True)


def selu_(input: Tensor) -> Tensor:
    """Write selu of x into x.

    >>> ow.nn.functional.selu_(ow.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return selu(input, inplace=True)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """Write celu of x into x.

    >>> ow.nn.functional.celu_(ow.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return celu(input, alpha, inplace=True)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """Write leaky_relu of x into x.

    >>> ow.nn.functional.leaky_relu_(ow.tensor([-1.0, 2.0]))
    tensor([-0.0100,  2.0000])
    """
    return leaky_relu(input, negative_slope, inplace=True)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """Write hardtanh of x into x.

    >>> ow.nn.functional.hardtanh_(ow.tensor([-1.0, 2.0]))
    tensor([-1.,  1.])
    """
    return hardtanh(input, min_val, max_val, inplace=True)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """Write threshold of x into x.

    >>> ow.nn.functional.threshold_(ow.tensor([-1.0, 2.0]), 1.0, 0.0)
    tensor([0., 2.])
    """
    return ops.aten.threshold_(input, threshold, value)
