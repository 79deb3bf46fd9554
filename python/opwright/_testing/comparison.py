"""assert_close: PyTorch's comparison of tensors, numbers and containers, with its texts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Number

import numpy as np

from .. import _C
from .._C import Tensor

_NUMPY_FLOATS = ("float16", "float32", "float64")
# (rtol, atol) by the name of the dtype; values of any other dtype must be equal.
_TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}


@dataclass
class _Options:
    allow_subclasses: bool
    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool

    def tolerances(self, *dtypes: str) -> tuple[float, float]:
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        pairs = [_TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
        return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


# Becomes an AssertionError with the place of the item.
class _Mismatch(Exception):  # noqa: N818
    def __init__(self, kind: type[Exception], text: str, place: tuple[object, ...] = ()) -> None:
        super().__init__(text)
        self.kind, self.text, self.place = kind, text, place

    def message(self) -> str:
        if not self.place:
            return self.text
        item = "".join(f"[{key!r}]" for key in self.place)
        return f"{self.text}\n\nThe failure occurred for item {item}"


def _fail(text: str) -> None:
    raise _Mismatch(AssertionError, text)


def _dtype_of_number(number: object) -> str:
    if isinstance(number, complex):
        return "complex128"
    return "float64" if isinstance(number, float) else "int64"


def _compare_numbers(actual: complex, expected: complex, options: _Options) -> None:
    if options.check_dtype and type(actual) is not type(expected):
        _fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.")
    rtol, atol = options.tolerances(_dtype_of_number(actual), _dtype_of_number(expected))
    both_nan = actual != actual and expected != expected
    if actual != expected and not (both_nan and options.equal_nan):
        _compare_unequal(actual, expected, rtol, atol)


def _compare_unequal(actual: complex, expected: complex, rtol: float, atol: float) -> None:
    difference = abs(actual - expected)
    if difference <= atol + rtol * abs(expected) < float("inf"):
        return
    relative = float("inf") if expected == 0 else difference / abs(expected)
    if rtol == atol == 0:
        lines = [
            "Scalars are not equal!",
            "",
            f"Expected {expected} but got {actual}.",
            f"Absolute difference: {difference}",
            f"Relative difference: {relative}",
        ]
    else:
        lines = [
            "Scalars are not close!",
            "",
            f"Expected {expected} but got {actual}.",
            f"Absolute difference: {difference} (up to {atol} allowed)",
            f"Relative difference: {relative} (up to {rtol} allowed)",
        ]
    _fail("\n".join(lines))


def _array(tensor: Tensor) -> np.ndarray:
    tensor = tensor.detach().cpu()
    is_unknown_to_numpy = tensor.is_floating_point() and tensor.dtype.name not in _NUMPY_FLOATS
    return tensor.float().numpy() if is_unknown_to_numpy else tensor.numpy()


def _absolute_difference(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    if first.dtype == np.bool_ or second.dtype == np.bool_:
        first, second = first.astype(np.int64), second.astype(np.int64)
    return np.abs(np.maximum(first, second) - np.minimum(first, second))


def _relative_dtype(difference: np.ndarray) -> type:
    return np.float32 if difference.dtype.kind in "iu" else difference.dtype.type


def _greatest(name: str, values: np.ndarray, allowed: float, is_exact: bool) -> str:
    index = np.unravel_index(int(np.argmax(values)), values.shape)
    place = tuple(int(i) for i in index)
    text = f"Greatest {name} difference: {values[index].item()} at index {place}"
    return text if is_exact else f"{text} (up to {allowed} allowed)"


def _compare_values(actual: Tensor, expected: Tensor, options: _Options) -> None:
    rtol, atol = options.tolerances(actual.dtype.name, expected.dtype.name)
    first, second = _array(actual), _array(expected)
    with np.errstate(all="ignore"):
        matches = np.equal(first, second)
        difference = _absolute_difference(first, second)
        bound = atol + rtol * np.abs(second)
        matches |= np.isfinite(bound) & (difference <= bound)
        if options.equal_nan:
            matches |= np.isnan(first) & np.isnan(second)
        relative = np.divide(difference, np.abs(second), dtype=_relative_dtype(difference))
    if matches.all():
        return
    count, total = int(np.count_nonzero(~matches)), matches.size
    is_exact = rtol == atol == 0
    title = "equal" if is_exact else "close"
    if matches.ndim == 0:
        _compare_unequal(actual.item(), expected.item(), rtol, atol)
        return
    difference = np.where(matches, difference.dtype.type(0), difference)
    relative = np.where(matches, relative.dtype.type(0), relative)
    lines = [
        f"Tensor-likes are not {title}!",
        "",
        f"Mismatched elements: {count} / {total} ({count / total:.1%})",
        _greatest("absolute", difference, atol, is_exact),
        _greatest("relative", relative, rtol, is_exact),
    ]
    _fail("\n".join(lines))


def _check_attribute(name: str, actual: object, expected: object) -> None:
    if actual != expected:
        _fail(f"The values for attribute '{name}' do not match: {actual} != {expected}.")


def _compare_tensors(actual: Tensor, expected: Tensor, options: _Options) -> None:
    _check_attribute("shape", actual.shape, expected.shape)
    if options.check_layout:
        _check_attribute("layout", actual.layout, expected.layout)
    if options.check_device:
        _check_attribute("device", actual.device, expected.device)
    if options.check_dtype:
        _check_attribute("dtype", actual.dtype, expected.dtype)
    if options.check_stride:
        _check_attribute("stride()", actual.stride(), expected.stride())
    if "meta" not in (actual.device.type, expected.device.type):
        _compare_values(actual, expected, options)


def _is_number(value: object) -> bool:
    return isinstance(value, Number | np.number) and not isinstance(value, bool | np.bool_)


def _is_tensor_like(value: object) -> bool:
    return isinstance(value, Tensor | np.ndarray)


def _compare_mappings(actual: Mapping, expected: Mapping, options: _Options) -> None:
    if actual.keys() != expected.keys():
        missing = sorted(expected.keys() - actual.keys(), key=str)
        added = sorted(actual.keys() - expected.keys(), key=str)
        _fail(
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {missing}\n"
            f"Additional keys in the actual mapping: {added}"
        )
    for key in expected:
        _compare_item(actual[key], expected[key], options, key)


def _compare_sequences(actual: Sequence, expected: Sequence, options: _Options) -> None:
    if len(actual) != len(expected):
        _fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}")
    for index, (first, second) in enumerate(zip(actual, expected, strict=True)):
        _compare_item(first, second, options, index)


def _compare_item(actual: object, expected: object, options: _Options, key: object) -> None:
    try:
        _compare(actual, expected, options)
    except _Mismatch as mismatch:
        raise _Mismatch(mismatch.kind, mismatch.text, (key, *mismatch.place)) from None


def _compare(actual: object, expected: object, options: _Options) -> None:
    are_texts = isinstance(actual, str) or isinstance(expected, str)
    if isinstance(actual, Sequence) and isinstance(expected, Sequence) and not are_texts:
        return _compare_sequences(actual, expected, options)
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        return _compare_mappings(actual, expected, options)
    if actual is None or expected is None:
        if actual is not expected:
            _fail(f"None mismatch: {actual} is not {expected}")
        return None
    if isinstance(actual, bool | np.bool_) and isinstance(expected, bool | np.bool_):
        if bool(actual) is not bool(expected):
            _fail(f"Booleans mismatch: {bool(actual)} is not {bool(expected)}")
        return None
    if _is_number(actual) and _is_number(expected):
        return _compare_numbers(_plain(actual), _plain(expected), options)
    if _is_tensor_like(actual) and _is_tensor_like(expected):
        related = isinstance(actual, type(expected)) or isinstance(expected, type(actual))
        if related and (options.allow_subclasses or type(actual) is type(expected)):
            return _compare_tensors(_C.as_tensor(actual), _C.as_tensor(expected), options)
    raise _Mismatch(
        TypeError,
        "No comparison pair was able to handle inputs of type "
        f"{type(actual)} and {type(expected)}.",
    )


def _plain(number: object) -> complex:
    return number.item() if isinstance(number, np.number) else number


def assert_close(
    actual: object,
    expected: object,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Raise AssertionError unless `actual` is close to `expected`, as torch.testing does.

    Tensors, arrays and numbers are close if `|actual - expected| <= atol + rtol * |expected|`;
    the default tolerances depend on the dtype. Sequences and mappings are compared by element.
    `msg` replaces the text, or is called with it.

    >>> import opwright as ow
    >>> ow.testing.assert_close(ow.tensor([1.0, 2.0]), ow.tensor([1.0, 2.0 + 1e-6]))
    >>> ow.testing.assert_close([1, 2], [1])
    Traceback (most recent call last):
        ...
    AssertionError: The length of the sequences mismatch: 2 != 1
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(
            f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}."
        )
    options = _Options(
        allow_subclasses,
        rtol,
        atol,
        equal_nan,
        check_device,
        check_dtype,
        check_layout,
        check_stride,
    )
    try:
        _compare(actual, expected, options)
    except _Mismatch as mismatch:
        text = mismatch.message()
        if mismatch.kind is AssertionError and msg is not None:
            text = msg(text) if callable(msg) else msg
        raise mismatch.kind(text) from None
