"""The error for a name that a compatibility module does not have."""

from collections.abc import Callable
from typing import NoReturn


def absent(module: str) -> Callable[[str], NoReturn]:
    """Return the `__getattr__` of a compatibility module.

    >>> import opwright.compat.torch as torch
    >>> torch.jit
    Traceback (most recent call last):
    AttributeError: torch.jit is not available yet in opwright.compat
    """
    path = module.removeprefix("opwright.compat.")

    def fail(name: str) -> NoReturn:
        raise AttributeError(f"{path}.{name} is not available yet in opwright.compat")

    return fail
