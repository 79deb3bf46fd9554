"""Settings of PyTorch's engine, for programs that use them; they change no result here."""

import threading

__all__ = [
    "enforce_grad_layout_policy",
    "force_original_view_tracking",
    "is_multithreading_enabled",
    "is_view_replay_enabled",
    "set_multithreading_enabled",
]


class _Settings(threading.local):
    def __init__(self) -> None:
        self.uses_threads = True
        self.replays_views = False
        self.enforces_grad_layout = True


_settings = _Settings()


class _Setting:
    """Sets one setting; in a `with` statement, for the block."""

    name: str

    def __init__(self, mode: bool):
        self._previous = getattr(_settings, self.name)
        setattr(_settings, self.name, bool(mode))

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        setattr(_settings, self.name, self._previous)


def is_multithreading_enabled() -> bool:
    """Return what `set_multithreading_enabled` set last on this thread; True at first.

    >>> is_multithreading_enabled()
    True
    """
    return _settings.uses_threads


class set_multithreading_enabled(_Setting):  # noqa: N801 (torch's name, called as a function)
    """Set whether a backward may use several threads; in a `with` statement, for the block.

    A backward here runs on the thread that calls it, so both settings compute the same.

    >>> with set_multithreading_enabled(False):
    ...     is_multithreading_enabled()
    False
    """

    name = "uses_threads"


def is_view_replay_enabled() -> bool:
    """Return what `force_original_view_tracking` set last on this thread; False at first.

    >>> is_view_replay_enabled()
    False
    """
    return _settings.replays_views


class force_original_view_tracking(_Setting):  # noqa: N801 (torch's name, called as a function)
    """Set whether the history of a view is replayed; in a `with` statement, for the block.

    It always is here, so both settings compute the same.

    >>> with force_original_view_tracking(True):
    ...     is_view_replay_enabled()
    True
    """

    name = "replays_views"


class enforce_grad_layout_policy(_Setting):  # noqa: N801 (torch's name, called as a function)
    """Set whether a gradient must have the strides of its tensor; in a `with` statement, for the
    block.

    The strides of gradients do not depend on the setting here, so both compute the same.

    >>> with enforce_grad_layout_policy(False):
    ...     x = ow.ones(2, requires_grad=True)
    ...     (x * 2).sum().backward()
    >>> x.grad
    tensor([2., 2.])
    """

    name = "enforces_grad_layout"

    def __init__(self, enable: bool = True):
        super().__init__(enable)
