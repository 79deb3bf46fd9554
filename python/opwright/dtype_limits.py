"""The limits of dtypes: finfo and iinfo."""

import math

from . import _C

# Bits of the mantissa, least and greatest exponent; float8_e4m3fn has no infinity.
_FLOATS = {
    "float16": (10, -14, 15),
    "bfloat16": (7, -126, 127),
    "float32": (23, -126, 127),
    "float64": (52, -1022, 1023),
    "float8_e4m3fn": (3, -6, 8),
    "float8_e5m2": (2, -14, 15),
}
_PARTS = {"complex64": "float32", "complex128": "float64"}


class finfo:  # noqa: N801
    """The limits of a floating-point dtype.

    >>> import opwright as ow
    >>> ow.finfo(ow.float32).eps
    1.1920928955078125e-07
    >>> ow.finfo(ow.float16)
    finfo(resolution=0.001, min=-65504, max=65504, eps=0.000976562, ..., dtype=float16)
    """

    bits: int
    eps: float
    max: float
    min: float
    tiny: float
    smallest_normal: float
    resolution: float
    dtype: str

    def __init__(self, dtype: _C.dtype | None = None) -> None:
        dtype = _C.float32 if dtype is None else dtype
        name = _PARTS.get(dtype.name, dtype.name)
        if name not in _FLOATS:
            raise TypeError(
                f"finfo: the dtype must be floating-point, got {dtype.name}; "
                "iinfo has the limits of integers"
            )
        mantissa, least, greatest = _FLOATS[name]
        self.dtype = name
        self.bits = getattr(_C, name).itemsize * 8
        self.eps = math.ldexp(1.0, -mantissa)
        self.tiny = self.smallest_normal = math.ldexp(1.0, least)
        # The greatest mantissa of float8_e4m3fn is a NaN.
        spare = 2 if name == "float8_e4m3fn" else 1
        self.max = math.ldexp(2.0 - spare * self.eps, greatest)
        self.min = -self.max
        self.resolution = 10.0 ** -math.floor(mantissa * math.log10(2))

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((finfo, self.dtype))


class iinfo:  # noqa: N801
    """The limits of an integer dtype.

    >>> import opwright as ow
    >>> ow.iinfo(ow.int8)
    iinfo(min=-128, max=127, dtype=int8)
    """

    bits: int
    max: int
    min: int
    dtype: str

    def __init__(self, dtype: _C.dtype) -> None:
        if dtype.is_floating_point or dtype.is_complex or dtype is _C.bool:
            raise TypeError(
                f"iinfo: the dtype must be an integer, got {dtype.name}; "
                "finfo has the limits of floating-point dtypes"
            )
        self.dtype = dtype.name
        self.bits = dtype.itemsize * 8
        self.min = -(2 ** (self.bits - 1)) if dtype.is_signed else 0
        self.max = 2 ** (self.bits - 1 if dtype.is_signed else self.bits) - 1

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((iinfo, self.dtype))
