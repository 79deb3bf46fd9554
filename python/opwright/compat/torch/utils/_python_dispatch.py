"""torch.utils._python_dispatch: modes that get every operator call."""

from types import TracebackType
from typing import Any

from opwright import _C
from opwright._library.torch_dispatch import find_torch_dispatch
from opwright.compat._absent import absent

__all__ = ["TorchDispatchMode"]


class TorchDispatchMode:
    """A `with` statement whose operator calls go to `__torch_dispatch__`.

    A subclass defines `__torch_dispatch__(self, func, types, args, kwargs)` and usually returns
    `func(*args, **kwargs)`, which runs outside of the mode. Operators that are composed of others
    arrive as those.

    >>> import opwright.compat.torch as torch
    >>> class Names(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func.name)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     x = torch.zeros(2).sin()
    aten::zeros
    aten::sin
    """

    def __init__(self, _dispatch_key: Any | None = None) -> None:
        self._entered: list[_C.DispatchMode] = []

    def __torch_dispatch__(
        self,
        func: _C.Operator,
        types: tuple[type, ...],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} has no __torch_dispatch__(self, func, types, args, kwargs)"
        )

    def __enter__(self) -> "TorchDispatchMode":
        mode = _C.DispatchMode(self._dispatch)
        mode.__enter__()
        self.__dict__.setdefault("_entered", []).append(mode)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._entered.pop().__exit__(kind, error, traceback)

    def _dispatch(self, func: _C.Operator, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = _without_defaults(func, args, kwargs)
        if rule := find_torch_dispatch(func, type(self)):
            result = rule(self, func, (), args, kwargs)
        else:
            result = self.__torch_dispatch__(func, (), args, kwargs)
        if result is NotImplemented:
            raise TypeError(
                f"{func.name}: {type(self).__name__}.__torch_dispatch__ returned NotImplemented"
            )
        return result


def _without_defaults(
    func: _C.Operator, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments as a caller would write them: no defaults at the end."""
    declared = {each.name: each for each in func.schema.arguments}
    count = len(args)
    names = list(declared)
    while count > 0 and _is_default(declared[names[count - 1]], args[count - 1]):
        count -= 1
    kept = {key: value for key, value in kwargs.items() if not _is_default(declared[key], value)}
    return args[:count], kept


def _is_default(declared: Any, value: Any) -> bool:
    if not declared.has_default or isinstance(value, _C.Tensor):
        return False
    return type(value) is type(declared.default) and value == declared.default


__getattr__ = absent(__name__)
