"""Kernels that touch memory which is not theirs, or leave theirs as it was.

In torch the same memory is reached by as_strided and by ctypes.
"""

import ctypes
from collections.abc import Callable

from ..host import Example, Host, binary_operator, dense, number, same_form
from .fault import fault

OUTSIDE = ("memory/reads-outside",)


def _in_torch(name: str, kernel: Callable, fake: Callable = dense) -> Callable[[Host], Example]:
    def define(host: Host) -> Example:
        op = host.define(f"{name}(Tensor x) -> Tensor", kernel, fake=fake)
        return Example(op, (host.matrix(),))

    return define


def _of(name: str, host: Host) -> Example:
    return Example(binary_operator("faulty", name), (host.matrix(),))


def _floats(x: object, count: int) -> ctypes.Array:
    return (ctypes.c_float * count).from_address(x.data_ptr())


def _dense_strides(x: object) -> tuple[int, ...]:
    return x.new_empty(x.shape).stride()


def _as_contiguous(x: object) -> object:
    return x.as_strided(x.shape, _dense_strides(x)).clone() * 2


@fault(
    *OUTSIDE,
    "gradients/wrong-gradient",
    words=r"\bx\b",
    twin=_in_torch("ignore_strides", _as_contiguous),
)
def ignore_strides(host: Host) -> Example:
    """Takes the memory of its input as contiguous."""
    return _of("ignore_strides", host)


@fault(
    *OUTSIDE,
    words=r"\bx\b",
    twin=_in_torch("ignore_offset", lambda x: x.as_strided(x.shape, x.stride(), 0) * 2, same_form),
)
def ignore_offset(host: Host) -> Example:
    """Begins at the start of the storage."""
    return _of("ignore_offset", host)


@fault(
    *OUTSIDE,
    words=r"\bx\b",
    twin=_in_torch(
        "ignore_expansion",
        lambda x: _as_contiguous(x) if 0 in x.stride() else x.contiguous() * 2,
    ),
)
def ignore_expansion(host: Host) -> Example:
    """Takes a stride of 0 for another."""
    return _of("ignore_expansion", host)


def _next_element(x: object) -> object:
    result = x.contiguous().clone()
    following = _floats(x.contiguous(), x.numel() + 1)
    for place in range(x.numel()):
        result.view(-1)[place] += following[place + 1]
    return result


@fault(*OUTSIDE, words=r"\bx\b", twin=_in_torch("read_past_the_end", _next_element))
def read_past_the_end(host: Host) -> Example:
    """Reads the element behind the last."""
    return _of("read_past_the_end", host)


@fault(*OUTSIDE, words=r"\bx\b", twin=False)
def read_before_the_start(host: Host) -> Example:
    """Reads the element before the first."""
    return _of("read_before_the_start", host)


@fault(*OUTSIDE, "memory/crash", words=r"\bx\b", twin=False)
def read_far_past_the_end(host: Host) -> Example:
    """Reads far behind its input, without a change of the result."""
    return _of("read_far_past_the_end", host)


@fault("memory/writes-outside", words=r"\bx\b", twin=False)
def write_past_the_end_(host: Host) -> Example:
    """Writes the element behind the last of the argument that it declares."""
    return _of("write_past_the_end_", host)


@fault("memory/writes-outside", words=r"\bx\b", twin=False)
def write_before_the_start_(host: Host) -> Example:
    """Writes the element before the first of the argument that it declares."""
    return _of("write_before_the_start_", host)


def _without_tail(x: object) -> object:
    result = x.new_empty(x.shape)
    count = x.numel() // 4 * 4
    result.view(-1)[:count] = x.reshape(-1)[:count] * 2
    return result


@fault(
    "memory/unwritten-result",
    words=r"result",
    twin=_in_torch("leave_the_tail", _without_tail),
)
def leave_the_tail(host: Host) -> Example:
    """Leaves the elements beyond a multiple of 4 unwritten."""
    return _of("leave_the_tail", host)


@fault("memory/unwritten-result", words=r"result")
def leaves_padding(host: Host) -> Example:
    """Pads its input by a column that it never writes."""

    def kernel(x):
        result = x.new_empty((x.shape[0], x.shape[1] + 1))
        result[:, : x.shape[1]] = x
        return result

    op = host.define(
        "leaves_padding(Tensor x) -> Tensor",
        kernel,
        fake=lambda x: x.new_empty((x.shape[0], x.shape[1] + 1)),
    )
    return Example(op, (host.matrix(),))


def _sum_of_scratch(x: object) -> object:
    scratch = x.new_empty((x.numel() + 1,))
    scratch[: x.numel()] = x.reshape(-1)
    return scratch.sum()


@fault(
    "memory/unwritten-result",
    *OUTSIDE,
    "determinism/differs-between-runs",
    twin=_in_torch("read_scratch", _sum_of_scratch, number),
)
def read_scratch(host: Host) -> Example:
    """Sums a scratch buffer of which one element was never set."""
    return _of("read_scratch", host)


def _null_at_size_0(x: object) -> object:
    if x.numel() == 0:
        ctypes.string_at(0)
    return x - x.flatten()[0]


@fault("memory/crash", words=r"0", twin=_in_torch("end_at_size_0", _null_at_size_0, same_form))
def end_at_size_0(host: Host) -> Example:
    """Ends the process at size 0."""
    return _of("end_at_size_0", host)


@fault("memory/crash", words=r"0", twin=False)
def divide_by_size_0(host: Host) -> Example:
    """Divides integers by a size of 0, which ends the process."""
    op = binary_operator("faulty", "divide_by_size_0")
    return Example(op, (host.tensors.arange(12).reshape(3, 4),))
