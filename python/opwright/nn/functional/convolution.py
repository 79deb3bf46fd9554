"""Convolutions."""

from ... import Tensor, ops
from ..types import SizeLike

__all__ = [
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
]


def conv1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: SizeLike = 1,
    padding: SizeLike | str = 0,
    dilation: SizeLike = 1,
    groups: int = 1,
) -> Tensor:
    """Return the 1D convolution of (N, C, L).

    >>> ow.nn.functional.conv1d(ow.ones(1, 1, 3), ow.ones(1, 1, 2))
    tensor([[[2., 2.]]])
    """
    return ops.aten.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: SizeLike = 1,
    padding: SizeLike | str = 0,
    dilation: SizeLike = 1,
    groups: int = 1,
) -> Tensor:
    """Return the 2D convolution of (N, C, H, W).

    >>> ow.nn.functional.conv2d(ow.ones(1, 1, 2, 2), ow.ones(1, 1, 2, 2))
    tensor([[[[4.]]]])
    """
    return ops.aten.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: SizeLike = 1,
    padding: SizeLike | str = 0,
    dilation: SizeLike = 1,
    groups: int = 1,
) -> Tensor:
    """Return the 3D convolution of (N, C, D, H, W).

    >>> ow.nn.functional.conv3d(ow.ones(1, 1, 2, 2, 2), ow.ones(1, 1, 2, 2, 2))
    tensor([[[[[8.]]]]])
    """
    return ops.aten.conv3d(input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: SizeLike = 1,
    padding: SizeLike = 0,
    output_padding: SizeLike = 0,
    groups: int = 1,
    dilation: SizeLike = 1,
) -> Tensor:
    """Return the transposed convolution: the gradient of conv1d with respect to its input.

    >>> ow.nn.functional.conv_transpose1d(ow.ones(1, 1, 2), ow.ones(1, 1, 2))
    tensor([[[1., 2., 1.]]])
    """
    return ops.aten.conv_transpose1d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose2d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: SizeLike = 1,
    padding: SizeLike = 0,
    output_padding: SizeLike = 0,
    groups: int = 1,
    dilation: SizeLike = 1,
) -> Tensor:
    """Return the transposed convolution: the gradient of conv2d with respect to its input.

    >>> ow.nn.functional.conv_transpose2d(ow.ones(1, 1, 1, 2), ow.ones(1, 1, 1, 2))
    tensor([[[[1., 2., 1.]]]])
    """
    return ops.aten.conv_transpose2d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_transpose3d(
    input: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: SizeLike = 1,
    padding: SizeLike = 0,
    output_padding: SizeLike = 0,
    groups: int = 1,
    dilation: SizeLike = 1,
) -> Tensor:
    """Return the transposed convolution: the gradient of conv3d with respect to its input.

    >>> ow.nn.functional.conv_transpose3d(ow.ones(1, 1, 1, 1, 2), ow.ones(1, 1, 1, 1, 2))
    tensor([[[[[1., 2., 1.]]]]])
    """
    return ops.aten.conv_transpose3d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Return the 1D convolution of (L, N, C); the weight is (kernel, C, output channels).

    >>> ow.nn.functional.conv_tbc(ow.ones(3, 1, 1), ow.ones(2, 1, 1), ow.zeros(1)).flatten()
    tensor([2., 2.])
    """
    return ops.aten.conv_tbc(input, weight, bias, pad)
