"""Forward mode: tensors that carry a tangent, the derivative along a direction.

>>> import opwright as ow
>>> with dual_level():
...     dual = make_dual(ow.tensor(3.0), ow.tensor(1.0))
...     unpack_dual(dual * dual)
UnpackedDualTensor(primal=tensor(9.), tangent=tensor(6.))
"""

import threading
from types import TracebackType
from typing import NamedTuple

from .. import _C

__all__ = [
    "UnpackedDualTensor",
    "current_level",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]


class _Levels(threading.local):
    def __init__(self) -> None:
        self.entered: list[_C.DualLevel] = []


_levels = _Levels()


class UnpackedDualTensor(NamedTuple):
    """A tensor without its tangent, and the tangent, or None.

    >>> import opwright as ow
    >>> with dual_level():
    ...     unpack_dual(ow.ones(2)).tangent is None
    True
    """

    primal: _C.Tensor
    tangent: _C.Tensor | None


def current_level() -> int:
    """Return the number of the active level; -1 if there is none.

    >>> current_level()
    -1
    """
    return len(_levels.entered) - 1


def enter_dual_level() -> int:
    """Begin a level of forward mode; return its number, which is 0. Prefer `dual_level`.

    >>> level = enter_dual_level()
    >>> exit_dual_level(level=level)
    """
    if _levels.entered:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment; nest opwright.func.jvp instead"
        )
    level = _C.DualLevel()
    level.enter()
    _levels.entered.append(level)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """End the level of forward mode: its dual tensors cannot be used any more.

    >>> level = enter_dual_level()
    >>> exit_dual_level()
    """
    if not _levels.entered:
        raise RuntimeError(
            "Trying to exit a forward AD level, but none is active; call enter_dual_level first"
        )
    if level not in (None, 0):
        raise RuntimeError(
            f"Trying to exit forward AD level {level} that was not the last one entered, 0"
        )
    _levels.entered.pop().leave()


class dual_level:  # noqa: N801 (torch's name, used as `with dual_level()`)
    """Begin a level of forward mode for a `with` block.

    >>> import opwright as ow
    >>> with dual_level():
    ...     dual = make_dual(ow.tensor([1.0, 2.0]), ow.tensor([1.0, 0.0]))
    ...     print(unpack_dual((dual * dual).sum()).tangent)
    tensor(2.)

    Only one level at a time. A dual tensor belongs to its level: `requires_grad` and `backward` are
    those of the primal and the tangent that `unpack_dual` returns.
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        exit_dual_level()


def make_dual(tensor: _C.Tensor, tangent: _C.Tensor, *, level: int | None = None) -> _C.Tensor:
    """Return a tensor that shows `tensor` and carries `tangent`.

    >>> import opwright as ow
    >>> with dual_level():
    ...     unpack_dual(make_dual(ow.zeros(2), ow.ones(2)).exp()).tangent
    tensor([1., 1.])
    """
    if not _levels.entered:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
            "enter_dual_level() first"
        )
    if level not in (None, 0):
        raise RuntimeError(f"make_dual: there is no level {level}")
    return _levels.entered[-1].make(tensor, tangent)


def unpack_dual(tensor: _C.Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the primal of a tensor, and its tangent, or None if it has none.

    >>> import opwright as ow
    >>> with dual_level():
    ...     primal, tangent = unpack_dual(make_dual(ow.zeros(2), ow.ones(2)))
    >>> primal, tangent
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    tensor = _C.value_of_ended_dual(tensor)
    if not _levels.entered or (level is not None and level < 0):
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(*_levels.entered[-1].unpack(tensor))
