"""How the weights of modules lie in memory: their order of elements, or no values at first."""

from __future__ import annotations

from typing import Any, TypeVar

import opwright as ow

from ..convolution import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..module import Module

__all__ = [
    "convert_conv2d_weight_memory_format",
    "convert_conv3d_weight_memory_format",
    "skip_init",
]

M = TypeVar("M", bound=Module)


def _convert(
    module: Module, kinds: tuple[type[Module], ...], memory_format: ow.memory_format
) -> None:
    for each in module.modules():
        if isinstance(each, kinds):
            weight: Any = each.weight
            weight.data = weight.detach().clone(memory_format=memory_format)


def convert_conv2d_weight_memory_format(module: M, memory_format: ow.memory_format) -> M:
    """Lay out the weights of all 2D convolutions of a module; return the module.

    >>> from opwright.nn import weights
    >>> layer = ow.nn.Conv2d(3, 4, 2)
    >>> weights.convert_conv2d_weight_memory_format(layer, ow.channels_last).weight.stride()
    (12, 1, 6, 3)
    """
    _convert(module, (Conv2d, ConvTranspose2d), memory_format)
    return module


def convert_conv3d_weight_memory_format(module: M, memory_format: ow.memory_format) -> M:
    """Lay out the weights of all 3D convolutions of a module; return the module.

    >>> from opwright.nn import weights
    >>> layer = ow.nn.Conv3d(3, 4, 2)
    >>> weights.convert_conv3d_weight_memory_format(layer, ow.channels_last_3d).weight.stride()
    (24, 1, 12, 6, 3)
    """
    _convert(module, (Conv3d, ConvTranspose3d), memory_format)
    return module


def skip_init(module_cls: type[M], *args: Any, **kwargs: Any) -> M:
    """Make a module whose parameters and buffers have undefined values.

    >>> from opwright.nn import weights
    >>> weights.skip_init(ow.nn.Linear, 3, 2)
    Linear(in_features=3, out_features=2, bias=True)
    """
    if not issubclass(module_cls, Module):
        raise RuntimeError(f"skip_init: expected a class of modules, got {module_cls!r}")
    device = kwargs.pop("device", "cpu")
    try:
        made = module_cls(*args, **kwargs, device="meta")
    except TypeError as error:
        if "device" not in str(error):
            raise
        raise RuntimeError(
            f"skip_init: {module_cls.__name__} must take a `device` argument"
        ) from error
    return made.to_empty(device=device)
