"""Anomaly detection: finds errors of a backward."""

from types import TracebackType

from .. import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


def _set_mode(mode: bool, checks_nan: bool) -> tuple[bool, bool]:
    """Set both settings; return the previous ones."""
    return _C.set_anomaly_mode(mode), _C.set_anomaly_mode_checks_nan(checks_nan)


class set_detect_anomaly:  # noqa: N801 (torch's name, called as a function)
    """Turn anomaly detection on or off; in a `with` statement, for the block.

    When on, errors of a backward name the line of the forward call, and a nan gradient is an error
    where it arises, unless `check_nan` is False.

    >>> import opwright as ow
    >>> with ow.autograd.set_detect_anomaly(True):
    ...     ow._C.anomaly_mode()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        self._previous = _set_mode(bool(mode), bool(check_nan))

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _set_mode(*self._previous)


class detect_anomaly:  # noqa: N801 (torch's name, used as `with detect_anomaly()`)
    """Detect anomalies in a `with` block.

    >>> import opwright as ow
    >>> x = ow.tensor(0.0, requires_grad=True)
    >>> with ow.autograd.detect_anomaly():
    ...     try:
    ...         (x.sqrt() * 0.0).backward()
    ...     except RuntimeError as error:
    ...         print(str(error).split(":")[0])
    Function 'SqrtBackward0' returned nan values in its 0th output
    """

    def __init__(self, check_nan: bool = True):
        self._checks_nan = bool(check_nan)
        self._previous: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._previous.append(_set_mode(True, self._checks_nan))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _set_mode(*self._previous.pop())
