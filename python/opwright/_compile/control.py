"""Which calls are compiled: stances for all functions, and functions that are never compiled."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from .. import _C

if TYPE_CHECKING:
    from collections.abc import Callable


class set_stance:  # noqa: N801
    """Choose how compiled functions are called: at once, as a context, or as a decorator.

    "default" compiles; "force_eager" calls the functions themselves; "eager_on_recompile" uses
    compiled code that is valid and calls the function otherwise; "fail_on_recompile" raises a
    RuntimeError for a call that would be compiled. The stance holds for all threads.

    >>> twice = ow.compile(lambda x: x + x)
    >>> with ow.compiler.set_stance("force_eager"):
    ...     _ = twice(ow.ones(2))
    >>> twice.num_compiles
    0
    """

    def __init__(self, stance: str = "default"):
        _refuse_inside("set_stance")
        self._stance = stance
        self._before = _C.set_stance(stance)

    def __enter__(self) -> None:
        _C.set_stance(self._stance)

    def __exit__(self, *error: object) -> None:
        _C.set_stance(self._before)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Return `fn` as a function that runs in this stance."""
        _C.set_stance(self._before)  # a decorator changes nothing by itself
        stance = self._stance

        @functools.wraps(fn)
        def run(*args: Any, **kwargs: Any) -> Any:
            before = _C.set_stance(stance)
            try:
                return fn(*args, **kwargs)
            finally:
                _C.set_stance(before)

        return run


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Return a function or module that is never compiled: a compiled caller breaks its graph there.

    Compiled functions that it calls are compiled, as in PyTorch; `recursive` changes nothing. A
    module is changed in place.

    >>> @ow.compiler.disable
    ... def log(x):
    ...     print(x.tolist())
    ...     return x
    >>> log(ow.ones(1))
    [1.0]
    tensor([1.])
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    from .. import nn

    if isinstance(fn, nn.Module):
        fn.forward = disable(fn.forward, recursive, reason=reason)
        return fn
    if isinstance(fn, type):
        fn.__call__ = disable(fn.__call__, recursive, reason=reason)
        return fn
    fn = getattr(fn, "__wrapped__", fn) if isinstance(fn, _C.CompiledFunction) else fn
    cause = f"{getattr(fn, '__qualname__', fn)} is disabled for compile"
    cause += f" ({reason})" if reason else ""

    @functools.wraps(fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        _C.end_trace(cause)
        return fn(*args, **kwargs)

    return run


def _refuse_inside(who: str) -> None:
    if _C.is_capturing():
        raise RuntimeError(f"{who}: it cannot be called in a function that is being compiled")
