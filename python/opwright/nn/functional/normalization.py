"""Normalization, and dropout."""

import math
from collections.abc import Sequence

from ... import Tensor, ops

__all__ = [
    "alpha_dropout",
    "batch_norm",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
    "group_norm",
    "instance_norm",
    "layer_norm",
    "local_response_norm",
    "normalize",
    "rms_norm",
]


def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize x to mean 0 and variance 1 over the last dimensions, then scale and shift.

    >>> ow.nn.functional.layer_norm(ow.tensor([[1.0, 3.0]]), [2])
    tensor([[-1.0000,  1.0000]])
    """
    return ops.aten.layer_norm(input, normalized_shape, weight, bias, eps, False)


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Return x divided by its root mean square over the last dimensions.

    >>> ow.nn.functional.rms_norm(ow.tensor([[3.0, 4.0]]), [2])
    tensor([[0.8485, 1.1314]])
    """
    return ops.aten.rms_norm(input, normalized_shape, weight, eps)


def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize x to mean 0 and variance 1 over each group of channels, then scale and shift.

    >>> ow.nn.functional.group_norm(ow.tensor([[1.0, 3.0]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    if input.ndim < 2:
        raise RuntimeError(
            f"group_norm: Expected at least 2 dimensions for input tensor but received {input.ndim}"
        )
    if math.prod(input.shape[1:]) == num_groups and input.shape[0] == 1:
        raise ValueError(
            "group_norm: Expected more than 1 value per channel when training, got input size "
            f"{list(input.shape)} and {num_groups} groups"
        )
    return ops.aten.group_norm(input, num_groups, weight, bias, eps, False)


def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of x by batch or running statistics to mean 0 and variance 1.

    >>> F = ow.nn.functional
    >>> F.batch_norm(ow.tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    if training and input.numel() == input.shape[1]:
        raise ValueError(
            "batch_norm: training needs more than one value per channel, got input of sizes "
            f"{list(input.shape)}"
        )
    return ops.aten.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps, False
    )


def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Normalize each channel of each sample of x to mean 0 and variance 1.

    >>> ow.nn.functional.instance_norm(ow.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    if use_input_stats and math.prod(input.shape[2:]) == 1:
        raise ValueError(
            "instance_norm: Expected more than 1 spatial element when training, got input size "
            f"{list(input.shape)}"
        )
    return ops.aten.instance_norm(
        input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, False
    )


def normalize(
    input: Tensor,
    p: float = 2.0,
    dim: int = 1,
    eps: float = 1e-12,
    out: Tensor | None = None,
) -> Tensor:
    """Return x divided by its p-norm along a dimension.

    >>> ow.nn.functional.normalize(ow.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    norm = ops.aten.linalg_vector_norm(input, p, [dim], True)
    result = input / norm.clamp(min=eps)
    return result if out is None else out.copy_(result)


# ---- dropout ----


def _check_probability(name: str, p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"{name}: p must be between 0 and 1, got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Set elements to zero with probability p and scale the others by 1 / (1 - p).

    >>> ow.nn.functional.dropout(ow.ones(2), training=False)
    tensor([1., 1.])
    """
    _check_probability("dropout", p)
    result = ops.aten.dropout(input, p, training)
    return input.copy_(result) if inplace and training else result


def _drop_channels(
    name: str, input: Tensor, batched_ndim: int, p: float, training: bool, inplace: bool
) -> Tensor:
    _check_probability(name, p)
    if input.ndim not in (batched_ndim - 1, batched_ndim):
        raise RuntimeError(
            f"{name}: input must have {batched_ndim - 1} or {batched_ndim} dimensions, "
            f"got sizes {list(input.shape)}"
        )
    if not training:
        return input
    is_batched = input.ndim == batched_ndim
    result = ops.aten.feature_dropout(input if is_batched else input.unsqueeze(0), p, True)
    result = result if is_batched else result.squeeze(0)
    return input.copy_(result) if inplace else result


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set entire channels of (N, C, L) to zero.

    >>> ow.nn.functional.dropout1d(ow.ones(1, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    return _drop_channels("dropout1d", input, 3, p, training, inplace)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set entire channels of (N, C, H, W) to zero.

    >>> ow.nn.functional.dropout2d(ow.ones(1, 2, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    return _drop_channels("dropout2d", input, 4, p, training, inplace)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Set entire channels of (N, C, D, H, W) to zero.

    >>> ow.nn.functional.dropout3d(ow.ones(1, 2, 2, 2, 2), p=1.0).sum()
    tensor(0.)
    """
    return _drop_channels("dropout3d", input, 5, p, training, inplace)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Drop elements while keeping mean and variance, for selu networks.

    >>> ow.nn.functional.alpha_dropout(ow.ones(2))
    tensor([1., 1.])
    """
    _check_probability("alpha_dropout", p)
    result = ops.aten.alpha_dropout(input, p, training)
    return input.copy_(result) if inplace and training else result


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Like alpha_dropout, with entire channels.

    >>> ow.nn.functional.feature_alpha_dropout(ow.ones(1, 2))
    tensor([[1., 1.]])
    """
    _check_probability("feature_alpha_dropout", p)
    result = ops.aten.feature_alpha_dropout(input, p, training)
    return input.copy_(result) if inplace and training else result


def local_response_norm(
    input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0
) -> Tensor:
    """Divide by (k + alpha * mean of squares of `size` neighboring channels) ** beta.

    >>> ow.nn.functional.local_response_norm(ow.ones(1, 1, 2), 1, alpha=3.0, beta=0.5)
    tensor([[[0.5000, 0.5000]]])
    """
    if input.ndim < 3:
        raise ValueError(
            f"local_response_norm: input must have at least 3 dimensions, got {list(input.shape)}"
        )
    if input.numel() == 0:
        return input
    squares = (input * input).flatten(2).unsqueeze(1)
    padded = ops.aten.constant_pad_nd(squares, (0, 0, size // 2, (size - 1) // 2), 0)
    means = ops.aten.avg_pool2d(padded, (size, 1), 1).squeeze(1).reshape(input.shape)
    return input / means.mul(alpha).add(k).pow(beta)
