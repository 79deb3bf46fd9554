"""Checks that cost time and are off unless asked for."""

from . import _C
from ._undo import Undo


def check_mutation(enabled: bool = True) -> Undo:
    """Find, at each call, arguments that an operator wrote to though its schema does not say so.

    >>> import opwright as ow
    >>> @ow.library.custom_op("audio::silence", mutates_args=())  # it should say mutates_args="x"
    ... def silence(x: ow.Tensor) -> None:
    ...     x.zero_()
    >>> with check_mutation():
    ...     silence(ow.tensor([1.0]))
    Traceback (most recent call last):
    RuntimeError: ...

    Under `with` it holds for its length, else until it is changed.
    """
    previous = _C.check_mutation(enabled)
    return Undo(lambda: _C.check_mutation(previous))


def synchronize_calls(enabled: bool = True) -> Undo:
    """Wait after each call on a device, so that a fault of a kernel names its operator.

    Devices queue their work: without this a fault shows at some later call. The same as the
    environment variable OPWRIGHT_SYNCHRONIZE=1.

    >>> with synchronize_calls():
    ...     y = ow.ones(2) + 1

    Under `with` it holds for its length, else until it is changed.
    """
    previous = _C.set_synchronizes_calls(enabled)
    return Undo(lambda: _C.set_synchronizes_calls(previous))
