"""How Module.to and related methods convert the tensors of a module tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import opwright as ow

from .. import Tensor
from .parameter import Parameter, UninitializedBuffer, UninitializedParameter
from .types import DeviceLike

if TYPE_CHECKING:
    from .module import Module

Convert = Callable[[Tensor], Tensor]


def is_inexact(tensor: Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def cast_to(dtype: ow.dtype, *, only_floating: bool = True) -> Convert:
    """Return a function that casts a tensor; by default ints and bools are kept."""

    def cast(tensor: Tensor) -> Tensor:
        is_kept = only_floating and not tensor.is_floating_point()
        return tensor if is_kept else tensor.to(dtype)

    return cast


def read_to_arguments(
    *args: Any,
    device: DeviceLike | None = None,
    dtype: ow.dtype | None = None,
    non_blocking: bool = False,
    memory_format: ow.memory_format | None = None,
) -> Convert:
    """Return the conversion for the arguments of `Module.to`.

    Positional arguments are a tensor, or a device, a dtype and `non_blocking` in this order; the
    first of these may be omitted.
    """
    given = list(args)
    if given and isinstance(given[0], Tensor):
        other = given.pop(0)
        device, dtype = other.device, other.dtype
    elif given and not isinstance(given[0], ow.dtype):
        device = given.pop(0)
    if given and (given[0] is None or isinstance(given[0], ow.dtype)):
        dtype = given.pop(0)
    if given:
        non_blocking = given.pop(0)
    if given:
        raise TypeError(f"Module.to: {len(args)} positional arguments are too many")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise TypeError(f"Module.to: parameters can be of a floating or complex dtype, got {dtype}")

    def convert(tensor: Tensor) -> Tensor:
        wanted = dtype if is_inexact(tensor) else None
        shape_format = memory_format if tensor.ndim in (4, 5) else None
        return tensor.to(device, wanted, non_blocking, memory_format=shape_format)

    return convert


def convert_tensors(module: Module, convert: Convert) -> None:
    """Replace the tensors by the converted ones; shared ones stay shared."""
    converted: dict[int, Tensor] = {}

    def replace(tensor: Tensor) -> Tensor:
        if isinstance(tensor, (UninitializedParameter, UninitializedBuffer)):
            converted.setdefault(id(tensor), tensor.with_values(convert(tensor.data)))
        if id(tensor) not in converted:
            detached = tensor.detach()
            new = convert(detached)
            if new is detached:
                converted[id(tensor)] = tensor
            elif isinstance(tensor, Parameter):
                converted[id(tensor)] = Parameter(new, requires_grad=tensor.requires_grad)
            else:
                converted[id(tensor)] = new
        return converted[id(tensor)]

    old = list(module.parameters()) + list(module.buffers())  # alive: an id is not used twice
    for each in module.modules():
        for tensors in (each._parameters, each._buffers):
            for name, tensor in tensors.items():
                if tensor is not None:
                    tensors[name] = replace(tensor)  # type: ignore[assignment]
        each._raise_attribute_epoch()
    del old
