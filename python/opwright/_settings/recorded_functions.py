"""Python functions that a symbolic trace records as one call."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["recorded"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def recorded(function: _Function) -> _Function:
    """Let an argument with `__torch_function__`, a proxy of a trace, take over a call.

    >>> from opwright.compat.torch import fx
    >>> import opwright.compat.torch as torch
    >>> print(fx.symbolic_trace(lambda n: torch.sym_min(n, 3)).code.strip())
    def forward(self, n):
        sym_min = torch.sym_min(n, 3);  n = None
        return sym_min
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for each in (*args, *kwargs.values()):
            handler = getattr(type(each), "__torch_function__", None)
            if handler is not None:
                return handler(call, (type(each),), args, kwargs)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]
