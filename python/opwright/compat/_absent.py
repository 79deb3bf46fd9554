"""What a module of names says about a name that it does not have."""

from collections.abc import Callable
from typing import NoReturn


def absent(module: str) -> Callable[[str], NoReturn]:
    """Return the `__getattr__` of a module of names.

    >>> import opwright.compat.torch as torch
    >>> torch.jit
    Traceback (most recent call last):
    AttributeError: torch.jit is not there yet in opwright.compat
    """
    path = module.removeprefix("opwright.compat.")

    def fail(name: str) -> NoReturn:
        raise AttributeError(f"{path}.{name} is not there yet in opwright.compat")

    return fail
