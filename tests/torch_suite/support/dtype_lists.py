"""The lists of dtypes that torch's tests name, and tensors with random elements of a dtype."""

from collections.abc import Callable

import opwright

FLOATS = (opwright.float32, opwright.float64)
COMPLEX = (opwright.complex64, opwright.complex128)
INTEGERS = (opwright.uint8, opwright.int8, opwright.int16, opwright.int32, opwright.int64)
HALF = (opwright.float16,)
UNSIGNED = tuple(
    getattr(opwright, name) for name in ("uint16", "uint32", "uint64") if hasattr(opwright, name)
)
FLOAT8 = tuple(
    getattr(opwright, name)
    for name in ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
    if hasattr(opwright, name)
)


def _fixed(*dtypes: object) -> Callable:
    return lambda: tuple(dtypes)


def _with(*dtypes: object) -> Callable:
    return lambda *others: tuple(dict.fromkeys((*dtypes, *others)))


NAMES = {
    "floating_types": _fixed(*FLOATS),
    "floating_types_and": _with(*FLOATS),
    "floating_types_and_half": _fixed(*FLOATS, *HALF),
    "complex_types": _fixed(*COMPLEX),
    "complex_types_and": _with(*COMPLEX),
    "floating_and_complex_types": _fixed(*FLOATS, *COMPLEX),
    "floating_and_complex_types_and": _with(*FLOATS, *COMPLEX),
    "integral_types": _fixed(*INTEGERS),
    "integral_types_and": _with(*INTEGERS),
    "all_types": _fixed(*FLOATS, *INTEGERS),
    "all_types_and": _with(*FLOATS, *INTEGERS),
    "all_types_and_half": _fixed(*FLOATS, *INTEGERS, *HALF),
    "all_types_and_complex": _fixed(*FLOATS, *INTEGERS, *COMPLEX),
    "all_types_and_complex_and": _with(*FLOATS, *INTEGERS, *COMPLEX),
    "all_types_complex_float8_and": _with(*FLOATS, *INTEGERS, *COMPLEX, *FLOAT8),
    "all_mps_types_and": _with(opwright.float32, opwright.float16, *INTEGERS),
    "float8_types": _fixed(*FLOAT8),
    "get_all_fp_dtypes": lambda include_half=True, include_bfloat16=True: [
        *FLOATS,
        *(HALF if include_half else ()),
        *((opwright.bfloat16,) if include_bfloat16 else ()),
    ],
    "get_all_complex_dtypes": lambda include_complex32=False: list(COMPLEX),
    "get_all_int_dtypes": lambda: list(INTEGERS),
    "highest_precision_float": lambda device: opwright.float64,
}


def make_tensor(
    *shape: object,
    dtype: opwright.dtype,
    device: object = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: object = None,
) -> opwright.Tensor:
    """Return a tensor of random elements; integers and floats in [-9, 9], or [low, high)."""
    sizes = list(shape[0]) if shape and not isinstance(shape[0], int) else list(shape)
    doubled = [*sizes[:-1], 2 * sizes[-1]] if noncontiguous and sizes else sizes
    if dtype == opwright.bool:
        result = opwright.randint(0, 2, doubled).to(dtype)
    elif dtype in INTEGERS or dtype in UNSIGNED:
        lowest = 0 if dtype in (opwright.uint8, *UNSIGNED) else -9
        start = lowest if low is None else int(low)
        result = opwright.randint(start, max(10 if high is None else int(high), start + 1), doubled)
        result = result.to(dtype)
    else:
        start = -9.0 if low is None else low
        end = 9.0 if high is None else high
        real = opwright.rand(doubled, dtype=opwright.float64) * (end - start) + start
        result = real
        if dtype in COMPLEX:
            result = real + 1j * (
                opwright.rand(doubled, dtype=opwright.float64) * (end - start) + start
            )
        result = result.to(dtype)
    if noncontiguous and sizes:
        result = result[..., ::2]
    if exclude_zero:
        result = opwright.where(result == 0, opwright.ones_like(result), result)
    result = result.to(device).detach()
    return result.requires_grad_() if requires_grad else result
