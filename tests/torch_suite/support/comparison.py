"""Equality of tensors, numbers and containers as torch's tests mean it."""

import math
from collections.abc import Mapping, Sequence
from numbers import Number

import numpy as np
import opwright

# (rtol, atol) by dtype; every other dtype must be equal.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex32": (1e-3, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


class Comparison:
    """One comparison; `difference` returns what differs, or None."""

    def __init__(
        self,
        rtol: float | None = None,
        atol: float | None = None,
        equal_nan: bool = True,
        exact_dtype: bool = True,
        exact_stride: bool = False,
        exact_device: bool = False,
    ) -> None:
        self.tolerances = None if rtol is None and atol is None else (rtol or 0.0, atol or 0.0)
        self.minimum = (0.0, 0.0)
        self.equal_nan = equal_nan
        self.exact_dtype = exact_dtype
        self.exact_stride = exact_stride
        self.exact_device = exact_device

    def difference(self, actual: object, expected: object) -> str | None:
        if is_array(actual) or is_array(expected):
            return self.array_difference(actual, expected)
        if isinstance(actual, str | bytes) or isinstance(expected, str | bytes):
            return unequal(actual, expected)
        if isinstance(actual, Number) and isinstance(expected, Number):
            return self.number_difference(actual, expected)
        if isinstance(actual, Mapping) and isinstance(expected, Mapping):
            return self.mapping_difference(actual, expected)
        if isinstance(actual, Sequence) and isinstance(expected, Sequence):
            return self.sequence_difference(actual, expected)
        return unequal(actual, expected)

    def sequence_difference(self, actual: Sequence, expected: Sequence) -> str | None:
        if len(actual) != len(expected):
            return f"the lengths differ: {len(actual)} and {len(expected)}"
        for index, pair in enumerate(zip(actual, expected, strict=True)):
            if difference := self.difference(*pair):
                return f"{difference}, at [{index}]"
        return None

    def mapping_difference(self, actual: Mapping, expected: Mapping) -> str | None:
        if set(actual) != set(expected):
            return f"the keys differ: {list(actual)} and {list(expected)}"
        for key in actual:
            if difference := self.difference(actual[key], expected[key]):
                return f"{difference}, at [{key!r}]"
        return None

    def number_difference(self, actual: Number, expected: Number) -> str | None:
        if isinstance(actual, bool) or isinstance(expected, bool):
            return unequal(actual, expected)
        rtol, atol = self.tolerances or (
            TOLERANCES["float64"] if has_fraction(actual) or has_fraction(expected) else (0, 0)
        )
        return self.value_difference(np.asarray(actual), np.asarray(expected), rtol, atol)

    def array_difference(self, actual: object, expected: object) -> str | None:
        if isinstance(expected, Sequence):  # a tensor and its elements
            expected = np.asarray(expected)
        both = is_array(actual) and is_array(expected)
        if not both and not (isinstance(actual, Number) or isinstance(expected, Number)):
            return unequal(actual, expected)
        if both:
            if tuple(actual.shape) != tuple(expected.shape):
                return f"the shapes differ: {tuple(actual.shape)} and {tuple(expected.shape)}"
            tensors = isinstance(actual, opwright.Tensor) and isinstance(expected, opwright.Tensor)
            if tensors and (difference := self.attribute_difference(actual, expected)):
                return difference
        elif math.prod((actual if is_array(actual) else expected).shape) != 1:
            return f"a number and a tensor of several elements: {actual} and {expected}"
        rtol, atol = self.tolerances or widest_tolerances(actual, expected)
        rtol, atol = max(rtol, self.minimum[0]), max(atol, self.minimum[1])
        return self.value_difference(to_array(actual), to_array(expected), rtol, atol)

    def attribute_difference(self, actual: object, expected: object) -> str | None:
        if self.exact_dtype and actual.dtype != expected.dtype:
            return f"the dtypes differ: {actual.dtype} and {expected.dtype}"
        if actual.device.type != expected.device.type and (
            self.exact_device or "meta" in (actual.device.type, expected.device.type)
        ):
            return f"the devices differ: {actual.device} and {expected.device}"
        if self.exact_stride and actual.stride() != expected.stride():
            return f"the strides differ: {actual.stride()} and {expected.stride()}"
        return None

    def value_difference(
        self, actual: np.ndarray, expected: np.ndarray, rtol: float, atol: float
    ) -> str | None:
        are_whole = actual.dtype.kind in "biu" and expected.dtype.kind in "biu"
        if are_whole and rtol == atol == 0:  # isclose compares large ints as floats
            close = actual == expected
        else:
            if actual.dtype == object or expected.dtype == object:  # ints beyond 64 bits
                actual, expected = np.asarray(actual, float), np.asarray(expected, float)
            close = np.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=self.equal_nan)
        if np.all(close):
            return None
        count = close.size - np.count_nonzero(close)
        return f"{count} of {close.size} elements differ: {actual} and {expected}"


def unequal(actual: object, expected: object) -> str | None:
    return None if actual == expected else f"{actual!r} != {expected!r}"


def has_fraction(value: Number) -> bool:
    return isinstance(value, float | complex)


def is_array(value: object) -> bool:
    return isinstance(value, opwright.Tensor | np.ndarray | np.generic)


def to_array(value: object) -> np.ndarray:
    if not isinstance(value, opwright.Tensor):
        return np.asarray(value)
    value = value.detach()
    if value.device.type == "meta":
        return np.zeros(())
    if dtype_of(value) in ("bfloat16", "float16") or dtype_of(value).startswith("float8"):
        value = value.to(opwright.float32)
    return value.cpu().numpy()


def dtype_of(value: object) -> str:
    return str(getattr(value, "dtype", type(value).__name__)).rpartition(".")[2]


def widest_tolerances(actual: object, expected: object) -> tuple[float, float]:
    pairs = [TOLERANCES.get(dtype_of(value), (0.0, 0.0)) for value in (actual, expected)]
    return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)
