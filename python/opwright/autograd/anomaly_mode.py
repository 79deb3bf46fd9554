"""Anomaly detection: finds errors of a backward."""

from types import TracebackType

from .. import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class set_detect_anomaly:  # noqa: N801 (torch's name, called as a function)
    """Turn anomaly detection on or off; in a `with` statement, for the block.

    When on, errors of a backward name the line of the forward call, and a nan gradient is an error
    where it arises. `check_nan` exists for compatibility with torch and must be True.

    >>> import opwright as ow
    >>> with ow.autograd.set_detect_anomaly(True):
    ...     ow._C.anomaly_mode()
    True
    """

    def __init__(self, mode: bool, check_nan: bool = True):
        if not check_nan:
            raise NotImplementedError("anomaly detection supports check_nan=True only")
        self._previous = _C.set_anomaly_mode(bool(mode))

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _C.set_anomaly_mode(self._previous)


class detect_anomaly:  # noqa: N801 (torch's name, used as `with detect_anomaly()`)
    """Detect anomalies in a `with` block.

    >>> import opwright as ow
    >>> x = ow.tensor(0.0, requires_grad=True)
    >>> with ow.autograd.detect_anomaly():
    ...     try:
    ...         (x.sqrt() * 0.0).backward()
    ...     except RuntimeError as error:
    ...         print(str(error).split(",")[0], "...", str(error).split()[-5:])
    the backward of aten::sqrt ... ['returned', 'nan', 'as', 'gradient', '0']
    """

    def __init__(self, check_nan: bool = True):
        if not check_nan:
            raise NotImplementedError("anomaly detection supports check_nan=True only")
        self._previous: list[bool] = []

    def __enter__(self) -> None:
        self._previous.append(_C.set_anomaly_mode(True))

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _C.set_anomaly_mode(self._previous.pop())
