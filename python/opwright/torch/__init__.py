"""Opwright's operators in PyTorch: one binary, in the torch that is installed, with all its rules.

>>> import opwright.torch  # doctest: +SKIP
>>> opwright.torch.load("libaudio.so")  # doctest: +SKIP
>>> torch.ops.audio.soft_clip(torch.ones(3), limit=0.5)  # doctest: +SKIP

The operators are then in `torch.ops`, for eager calls, training, torch.compile, torch.export and
torch.func. `opwright.torch.ops` has the same as callables that go past torch's dispatcher where
that is safe: plain tensors, nothing to record, no transform.
"""

import os

try:
    import torch  # noqa: F401
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "opwright.torch needs PyTorch 2.10 or newer, which is not installed\n  pip install torch",
        name="torch",
    ) from None

from .. import _C, _torch
from .._registrations import operator_name
from . import _objects  # noqa: F401
from ._foreign import resolve_import
from ._ops import Ops, add, remove
from ._registration import RegisteredOperator

__all__ = ["Loaded", "load", "ops", "register"]

_torch.set_resolver(resolve_import)

ops = Ops()
_registered: dict[str, RegisteredOperator] = {}
_loaded: dict[str, "Loaded"] = {}


class Loaded:
    """Operators that are in torch until this is closed, or for ever when it is not.

    >>> with opwright.torch.load("libaudio.so") as audio:  # doctest: +SKIP
    ...     audio.operators
    ('audio::soft_clip',)
    """

    def __init__(self, names: tuple[str, ...], path: str = "") -> None:
        self.path = path
        self._operators: list[RegisteredOperator] = []
        try:
            for name in names:
                registered = RegisteredOperator(name)
                self._operators.append(registered)
                _registered[registered.name] = registered
                add(ops, registered)
        except BaseException:
            self.close()
            raise

    @property
    def operators(self) -> tuple[str, ...]:
        """The names of the operators, e.g. 'audio::soft_clip'."""
        return tuple(registered.name for registered in self._operators)

    def close(self) -> None:
        """Take the operators back. A compiled graph that holds one gets an error when it runs."""
        for registered in reversed(self._operators):
            remove(ops, registered)
            _registered.pop(registered.name, None)
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

    >>> opwright.torch.load("libaudio.so").operators  # doctest: +SKIP
    ('audio::soft_clip',)

    The operators stay until the result is closed. The same file twice is harmless.
    """
    file = os.path.realpath(path)
    known = _loaded.get(file)
    if known is None:
        known = _loaded[file] = Loaded(tuple(_torch.open_library(file)), file)
    return known


def register(op: str | _C.Operator | _C.OperatorPacket) -> Loaded:
    """Bring an operator of Opwright's into torch: one that was made in Python, or loaded.

    >>> @opwright.library.custom_op("audio::gain", mutates_args=())  # doctest: +SKIP
    ... def gain(x: opwright.Tensor, factor: float) -> opwright.Tensor:
    ...     return x * factor
    >>> opwright.torch.register(gain)  # doctest: +SKIP
    >>> torch.ops.audio.gain(torch.ones(2), 3.0)  # doctest: +SKIP
    tensor([3., 3.])

    Its functions get torch's tensors; Opwright's functions in them call torch's operators.
    """
    return Loaded((operator_name(op),))
