"""The grad modes as decorators."""

import functools
import inspect
import types
from collections.abc import Callable, Generator
from typing import Any

from ._C import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)

__all__ = [
    "enable_grad",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "no_grad",
    "set_grad_enabled",
]


def _resumed(body: Any, make_mode: Callable) -> Generator:
    """Run a generator or coroutine with the mode on while its own code runs, off at its yields."""
    try:
        with make_mode():
            value = body.send(None)
        while True:
            try:
                sent = yield value
            except GeneratorExit:
                with make_mode():
                    body.close()
                raise
            except BaseException as error:
                with make_mode():
                    value = body.throw(error)
            else:
                with make_mode():
                    value = body.send(sent)
    except StopIteration as stop:
        return stop.value


def decorate(function: Callable, make_mode: Callable) -> Callable:
    """Wrap `function` to run under the context manager that `make_mode` returns for each call."""
    name = getattr(make_mode, "func", make_mode).__name__
    if isinstance(function, type) or not callable(function):
        raise TypeError(f"{name}: it decorates functions, got {function!r}; decorate the methods")
    if inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{name}: it does not decorate asynchronous generators; write `with {name}` around the "
            f"calls in {function.__qualname__}"
        )
    is_coroutine = inspect.iscoroutinefunction(function)
    if is_coroutine or inspect.isgeneratorfunction(function):

        @functools.wraps(function)
        def resume(*args: Any, **kwargs: Any) -> Generator:
            return (yield from _resumed(function(*args, **kwargs), make_mode))

        return types.coroutine(resume) if is_coroutine else resume

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with make_mode():
            return function(*args, **kwargs)

    return run
