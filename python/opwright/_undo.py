"""A change that is already made and is undone at the end of a `with`."""

from collections.abc import Callable
from types import TracebackType


class Undo:
    """Call `undo` at the end of a `with`; without one, nothing happens.

    >>> from opwright._undo import Undo
    >>> with Undo(lambda: print("taken back")):
    ...     print("changed")
    changed
    taken back
    """

    def __init__(self, undo: Callable[[], object]) -> None:
        self._undo = undo

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._undo()
