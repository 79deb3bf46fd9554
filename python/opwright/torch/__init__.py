"""Opwright's operators in the installed PyTorch: one binary, not rebuilt, with all its rules.

>>> import opwright as ow
>>> import torch
>>> @ow.library.custom_op("docs::torch_gain", mutates_args=())
... def torch_gain(x: ow.Tensor, factor: float = 2.0) -> ow.Tensor:
...     return x * factor
>>> with ow.torch.register(torch_gain):
...     torch.ops.docs.torch_gain(torch.ones(2), factor=3.0)
tensor([3., 3.])

`load` loads all operators of a binary. They are then in `torch.ops`, for eager calls, training,
torch.compile, torch.export and torch.func. `opwright.torch.ops` has the same operators as functions
that bypass torch's dispatcher where that is safe: plain tensors and no transform.
"""

import os

try:
    import torch  # noqa: F401
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "opwright.torch needs PyTorch 2.9 or newer, which is not installed\n  pip install torch",
        name="torch",
    ) from None

from .. import _C, _torch
from .._library.registrations import operator_name
from . import _objects  # noqa: F401
from ._foreign import resolve_import
from ._ops import Ops, add, remove
from ._registration import RegisteredOperator

__all__ = ["Loaded", "load", "ops", "register"]

_torch.set_resolver(resolve_import)

ops = Ops()
_loaded: dict[str, "Loaded"] = {}


class Loaded:
    """Operators that are in torch until this is closed, or permanently if it is not.

    >>> @ow.library.custom_op("docs::halved", mutates_args=())
    ... def halved(x: ow.Tensor) -> ow.Tensor:
    ...     return x / 2
    >>> with ow.torch.register(halved) as loaded:
    ...     loaded.operators
    ('docs::halved',)
    """

    def __init__(self, names: tuple[str, ...], path: str = "") -> None:
        self.path = path
        self._operators: list[RegisteredOperator] = []
        try:
            for name in names:
                registered = RegisteredOperator(name)
                self._operators.append(registered)
                add(ops, registered)
        except BaseException:
            self.close()
            raise

    @property
    def operators(self) -> tuple[str, ...]:
        """The names of the operators, e.g. 'audio::soft_clip'."""
        return tuple(registered.name for registered in self._operators)

    def close(self) -> None:
        """Remove the operators. A compiled graph that uses one raises an error when it runs."""
        for registered in reversed(self._operators):
            remove(ops, registered)
            registered.close()
        self._operators.clear()
        _loaded.pop(self.path, None)

    def __enter__(self) -> "Loaded":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<opwright.torch.Loaded {', '.join(self.operators) or 'closed'}>"


def load(path: str | os.PathLike) -> Loaded:
    """Load an operator binary into torch, and into Opwright's own runtime.

    >>> ow.torch.load("libnot_there.so")
    Traceback (most recent call last):
        ...
    OSError: ...

    The operators stay until the result is closed. Loading the same file twice is harmless.
    """
    file = os.path.realpath(path)
    known = _loaded.get(file)
    if known is None:
        known = _loaded[file] = Loaded(tuple(_torch.open_library(file)), file)
    return known


def register(op: str | _C.Operator | _C.OperatorPacket) -> Loaded:
    """Register an operator of Opwright, defined in Python or loaded, with torch.

    >>> import torch
    >>> @ow.library.custom_op("docs::raised", mutates_args=())
    ... def raised(x: ow.Tensor, by: float) -> ow.Tensor:
    ...     return x + by
    >>> loaded = ow.torch.register(raised)
    >>> torch.ops.docs.raised(torch.zeros(2), 3.0)
    tensor([3., 3.])
    >>> loaded.close()

    Its functions get torch's tensors; calls of Opwright's functions in them run torch's operators.
    """
    return Loaded((operator_name(op),))
