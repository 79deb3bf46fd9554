"""make_tensor: tensors of random numbers of any dtype, for tests."""

import math
from collections.abc import Sequence

import numpy as np

from .. import _C
from .._C import Tensor
from ..dtype_limits import finfo, iinfo


def _bounds(dtype: _C.dtype, low: float | None, high: float | None) -> tuple[float, float]:
    if dtype is _C.bool:
        default, least, most = (0, 2), 0, 2
    elif dtype.is_floating_point or dtype.is_complex:
        limits = finfo(dtype)
        default, least, most = (-9, 9), limits.min, limits.max
    else:
        limits = iinfo(dtype)
        default, least, most = (0 if not dtype.is_signed else -9, 10), limits.min, limits.max + 1
    low = default[0] if low is None else low
    high = default[1] if high is None else high
    if math.isnan(low) or math.isnan(high):
        raise ValueError(f"make_tensor: low and high must not be NaN, got {low=} and {high=}")
    if low > high:
        raise ValueError(f"make_tensor: low must not be greater than high, got {low} and {high}")
    low, high = max(low, least), min(high, most)
    if low >= high and not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(f"make_tensor: there is no {dtype.name} from {low} to below {high}")
    return low, high


def _seed() -> int:
    functions = _C.make_function("randint")
    return int(functions(0, 2**31 - 1, (1,)).item())


def make_tensor(
    *shape: int | Sequence[int],
    dtype: _C.dtype,
    device: str | _C.device,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: _C.memory_format | None = None,
) -> Tensor:
    """Return a tensor of random numbers from `low` to below `high`, as torch.testing does.

    The default range is from -9 to 9, for unsigned integers from 0 to 9.

    >>> import opwright as ow
    >>> x = ow.testing.make_tensor(2, 3, dtype=ow.int64, device="cpu", low=1, high=4)
    >>> x.shape, bool((x >= 1).all() and (x < 4).all())
    ((2, 3), True)
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "make_tensor: noncontiguous and memory_format cannot both be given, since the memory "
            "format decides the strides"
        )
    low, high = _bounds(dtype, low, high)
    generator = np.random.default_rng(_seed())
    is_doubled = noncontiguous and math.prod(sizes) > 1
    drawn = (*sizes[:-1], 2 * sizes[-1]) if is_doubled else sizes
    if dtype.is_complex:
        parts = generator.uniform(low, high, (2, *drawn))
        values = parts[0] + 1j * parts[1]
    elif dtype.is_floating_point:
        values = generator.uniform(low, high, drawn)
    else:
        values = generator.integers(math.ceil(low), math.ceil(high), drawn, dtype=_widest(dtype))
    tensor = _C.tensor(np.asarray(values), dtype=dtype, device=device)
    if is_doubled:
        tensor = tensor[..., ::2]
    if exclude_zero:
        small = finfo(dtype).tiny if dtype.is_floating_point or dtype.is_complex else 1
        tensor[tensor == 0] = small
    if memory_format is not None:
        tensor = tensor.clone(memory_format=memory_format)
    if requires_grad and (dtype.is_floating_point or dtype.is_complex):
        tensor.requires_grad_()
    return tensor


def _widest(dtype: _C.dtype) -> type:
    return np.uint64 if dtype is getattr(_C, "uint64", None) else np.int64
