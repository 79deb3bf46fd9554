"""Kernels of a binary under torch's key Autograd: they wrap the autograd of their operator."""

import threading
from collections.abc import Callable
from functools import cache

import torch

from .. import _torch
from ._autograd import make_autograd_kernel
from ._foreign import overload_of
from ._functions import WRAPS_AUTOGRAD, Functions, calling_by_position

_any_requires_grad = torch._C._any_requires_grad
_below = torch._C._AutoDispatchBelowAutograd
_level = torch._C._functorch.maybe_current_level


class _Running(threading.local):
    """The levels of this thread at which the kernel runs."""

    levels: tuple = ()


def make_wrapping_kernel(functions: Functions) -> Callable:
    """Return what the key Autograd runs; it takes all arguments by position.

    A call of the same operator inside the kernel, at the same level, goes on below autograd. A call
    on a device without such a kernel is recorded as that of other operators.
    """
    overload = calling_by_position(overload_of(functions.name), functions.operator)
    running = _Running()

    @cache
    def recording() -> Callable:
        return make_autograd_kernel(functions, functions.tags)[0]

    def kernel(*args: object) -> object:
        needs_gradient = torch.is_grad_enabled() and _any_requires_grad(*args)
        level = _level()
        if not needs_gradient or level in running.levels:
            with _below():
                return overload(*args)
        function = calling_by_position(functions.find(WRAPS_AUTOGRAD), functions.operator)
        running.levels = (*running.levels, level)
        try:
            given = function(*args)
        except _torch.Declined:
            given = NotImplemented
        finally:
            running.levels = running.levels[:-1]
        return recording()(*args) if given is NotImplemented else given

    return kernel
