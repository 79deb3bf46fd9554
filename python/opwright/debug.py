"""Debugging checks that cost time and are off by default."""

from . import _C
from ._undo import Undo


def check_mutation(enabled: bool = True) -> Undo:
    """Check every call for arguments that an operator writes without declaring it in its schema.

    >>> import opwright as ow
    >>> @ow.library.custom_op("audio::silence", mutates_args=())  # it should say mutates_args="x"
    ... def silence(x: ow.Tensor) -> None:
    ...     x.zero_()
    >>> with check_mutation():
    ...     silence(ow.tensor([1.0]))
    Traceback (most recent call last):
    RuntimeError: ...

    In a `with` statement it applies to the block, otherwise until it is changed.
    """
    previous = _C.check_mutation(enabled)
    return Undo(lambda: _C.check_mutation(previous))


def synchronize_calls(enabled: bool = True) -> Undo:
    """Wait after each call on a device, so that a kernel fault names its operator.

    Devices queue their work: without this a fault appears at some later call. The same as the
    environment variable OPWRIGHT_SYNCHRONIZE=1.

    >>> with synchronize_calls():
    ...     y = ow.ones(2) + 1

    In a `with` statement it applies to the block, otherwise until it is changed.
    """
    previous = _C.set_synchronizes_calls(enabled)
    return Undo(lambda: _C.set_synchronizes_calls(previous))
