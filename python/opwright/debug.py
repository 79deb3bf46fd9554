"""Checks that cost time and are off unless asked for."""

from types import TracebackType

from . import _C


class _Previous:
    """A setting that was changed; leaving a `with` takes the change back."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _C.check_mutation(self._enabled)


def check_mutation(enabled: bool = True) -> _Previous:
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
    return _Previous(_C.check_mutation(enabled))
