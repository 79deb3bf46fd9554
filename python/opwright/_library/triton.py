"""Operators that launch Triton kernels, under torch.library's names."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Literal

from .. import _C


class WrappedKernel:
    """A Triton kernel that is not launched for tensors without memory."""

    def __init__(self, kernel: Any, grid: Any = None) -> None:
        self.kernel = kernel
        self.grid = grid

    def __getitem__(self, grid: Any) -> "WrappedKernel":
        return WrappedKernel(self.kernel, grid)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        tensors = [each for each in (*args, *keywords.values()) if isinstance(each, _C.Tensor)]
        if any(each.device.type == "meta" or each.is_fake for each in tensors):
            return None
        return self.kernel[self.grid](*args, **keywords)


def wrap_triton(kernel: Any, /) -> WrappedKernel:
    """Return a Triton kernel that can be launched, `kernel[grid](...)`, in a `triton_op`."""
    return WrappedKernel(kernel)


def triton_op(
    name: str,
    fn: Callable | None = None,
    /,
    *,
    mutates_args: Iterable[str] | Literal["unknown"],
    schema: str | None = None,
) -> _C.Operator | Callable[[Callable], _C.Operator]:
    """Turn a function that launches Triton kernels through `wrap_triton` into an operator.

    The function is also the fake kernel: there it computes shapes and launches nothing.
    """
    from ..library import custom_op

    if fn is None:
        return partial(triton_op, name, mutates_args=mutates_args, schema=schema)
    operator = custom_op(name, fn, mutates_args=mutates_args, schema=schema)
    operator.register_fake(fn)
    return operator
