"""Whether a backward may use several threads: kept for programs that ask."""

import threading
from types import TracebackType

__all__ = ["is_multithreading_enabled", "set_multithreading_enabled"]


class _Setting(threading.local):
    def __init__(self) -> None:
        self.is_on = True


_setting = _Setting()


def is_multithreading_enabled() -> bool:
    """Return what `set_multithreading_enabled` set last on this thread; True at first.

    >>> is_multithreading_enabled()
    True
    """
    return _setting.is_on


class set_multithreading_enabled:  # noqa: N801 (torch's name, called as a function)
    """Set whether a backward may use several threads; in a `with` statement, for the block.

    A backward here runs on the thread that calls it, so both settings compute the same.

    >>> with set_multithreading_enabled(False):
    ...     is_multithreading_enabled()
    False
    """

    def __init__(self, mode: bool):
        self._previous, _setting.is_on = _setting.is_on, bool(mode)

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _setting.is_on = self._previous
