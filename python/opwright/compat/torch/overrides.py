"""torch.overrides: functions that arguments with `__torch_function__` replace."""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from opwright import Tensor
from opwright.compat._absent import absent

__all__ = [
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "wrap_torch_function",
]


def has_torch_function_unary(obj: object) -> bool:
    """Return whether the type of a value has `__torch_function__`.

    >>> has_torch_function_unary(3)
    False
    """
    return getattr(type(obj), "__torch_function__", None) is not None


def has_torch_function(relevant_args: Iterable[object]) -> bool:
    """Return whether the type of one of the values has `__torch_function__`.

    >>> has_torch_function((3, "mean"))
    False
    """
    return any(map(has_torch_function_unary, relevant_args))


def has_torch_function_variadic(*args: object) -> bool:
    """Return `has_torch_function(args)`."""
    return has_torch_function(args)


def is_tensor_like(inp: object) -> bool:
    """Return whether a value is a tensor, or of a type with `__torch_function__`.

    >>> is_tensor_like([1, 2])
    False
    """
    return isinstance(inp, Tensor) or has_torch_function_unary(inp)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[object], *args: Any, **kwargs: Any
) -> Any:
    """Return what the first `__torch_function__` of the values makes of the call.

    Each type is asked once, in the order of the values but a subclass before its base class. One
    that returns NotImplemented leaves the call to the next.

    >>> class Named:
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return func.__name__
    >>> handle_torch_function(max, (Named(),), Named())
    'max'
    """
    kinds: list[type] = []
    for value in relevant_args:
        kind = type(value)
        if kind in kinds or not has_torch_function_unary(value):
            continue
        places = [index for index, other in enumerate(kinds) if issubclass(kind, other)]
        kinds.insert(places[0] if places else len(kinds), kind)
    for kind in kinds:
        result = kind.__torch_function__(public_api, tuple(kinds), args, kwargs)
        if result is not NotImplemented:
            return result
    names = ", ".join(kind.__name__ for kind in kinds)
    raise TypeError(
        f"{getattr(public_api, '__name__', public_api)}: __torch_function__ of every argument's "
        f"type returned NotImplemented, or none has one: {names or 'no type'}"
    )


def wrap_torch_function(dispatcher: Callable[..., Any]) -> Callable[[Callable], Callable]:
    """Let `__torch_function__` of the values that `dispatcher` returns replace a function.

    >>> @wrap_torch_function(lambda x: (x,))
    ... def double(x):
    ...     return x + x
    >>> double(2)
    4
    """

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(call, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return call

    return wrap


__getattr__ = absent(__name__)
