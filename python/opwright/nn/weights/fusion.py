"""A batch norm merged into the convolution or linear layer before it, for evaluation."""

from __future__ import annotations

import copy
from typing import Any, TypeVar

import opwright as ow

from ... import Tensor
from ..module import Module
from ..parameter import Parameter

__all__ = [
    "fuse_conv_bn_eval",
    "fuse_conv_bn_weights",
    "fuse_linear_bn_eval",
    "fuse_linear_bn_weights",
]

M = TypeVar("M", bound=Module)


def _check_fusable(name: str, layer: Module, bn: Any) -> None:
    if layer.training or bn.training:
        raise AssertionError(f"{name}: both modules must be in evaluation mode; call eval() first")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError(f"{name}: the batch norm has no running mean and variance")


def _fuse(
    weight: Tensor,
    bias: Tensor | None,
    mean: Tensor,
    variance: Tensor,
    eps: float,
    bn_weight: Tensor | None,
    bn_bias: Tensor | None,
    shape: list[int],
) -> tuple[Parameter, Parameter]:
    bias_dtype = weight.dtype if bias is None else bias.dtype
    bias = ow.zeros_like(mean) if bias is None else bias
    scale = (variance + eps).rsqrt()
    if bn_weight is not None:
        scale = scale * bn_weight
    shift = ow.zeros_like(mean) if bn_bias is None else bn_bias
    fused_weight = (weight * scale.reshape(shape)).to(weight.dtype)
    fused_bias = ((bias - mean) * scale + shift).to(bias_dtype)
    return (
        Parameter(fused_weight, weight.requires_grad),
        Parameter(fused_bias, bias.requires_grad),
    )


def fuse_conv_bn_weights(
    conv_w: Tensor,
    conv_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Return the weight and the bias of a convolution that includes the batch norm after it.

    >>> from opwright.nn import weights
    >>> one = ow.ones(1)
    >>> weights.fuse_conv_bn_weights(ow.ones(1, 1, 1), None, one, one, 0.0, 2 * one, one)[1]
    Parameter containing:
    tensor([-1.])
    """
    shape = [1] * conv_w.ndim
    shape[1 if transpose else 0] = -1
    return _fuse(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_conv_bn_eval(conv: M, bn: Module, transpose: bool = False) -> M:
    """Return a convolution that computes what `bn(conv(x))` does in evaluation.

    >>> from opwright.nn import weights
    >>> conv, bn = ow.nn.Conv1d(1, 2, 3).eval(), ow.nn.BatchNorm1d(2).eval()
    >>> weights.fuse_conv_bn_eval(conv, bn)
    Conv1d(1, 2, kernel_size=(3,), stride=(1,))
    """
    _check_fusable("fuse_conv_bn_eval", conv, bn)
    fused: Any = copy.deepcopy(conv)
    norm: Any = bn
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight,
        fused.bias,
        norm.running_mean,
        norm.running_var,
        norm.eps,
        norm.weight,
        norm.bias,
        transpose,
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: Tensor,
    linear_b: Tensor | None,
    bn_rm: Tensor,
    bn_rv: Tensor,
    bn_eps: float,
    bn_w: Tensor | None,
    bn_b: Tensor | None,
) -> tuple[Parameter, Parameter]:
    """Return the weight and the bias of a linear layer that includes the batch norm after it.

    >>> from opwright.nn import weights
    >>> one = ow.ones(1)
    >>> weights.fuse_linear_bn_weights(ow.ones(1, 1), None, one, one, 0.0, 2 * one, one)[0].tolist()
    [[2.0]]
    """
    return _fuse(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, [-1, 1])


def fuse_linear_bn_eval(linear: M, bn: Module) -> M:
    """Return a linear layer that computes what `bn(linear(x))` does in evaluation.

    >>> from opwright.nn import weights
    >>> linear, bn = ow.nn.Linear(3, 2).eval(), ow.nn.BatchNorm1d(2).eval()
    >>> weights.fuse_linear_bn_eval(linear, bn)
    Linear(in_features=3, out_features=2, bias=True)
    """
    _check_fusable("fuse_linear_bn_eval", linear, bn)
    fused: Any = copy.deepcopy(linear)
    norm: Any = bn
    if norm.num_features not in (1, fused.out_features):
        raise AssertionError(
            "fuse_linear_bn_eval: the batch norm must have 1 feature, or as many as the layer has "
            f"outputs, got {norm.num_features} and {fused.out_features}"
        )
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight,
        fused.bias,
        norm.running_mean,
        norm.running_var,
        norm.eps,
        norm.weight,
        norm.bias,
    )
    return fused
