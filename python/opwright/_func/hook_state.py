"""Where saved-tensor hooks are active, and where they are refused."""

import threading


class HookState(threading.local):
    """Of a thread: how many blocks with hooks it is in, and why it may not enter one."""

    def __init__(self) -> None:
        self.num_active = 0
        self.reason: str | None = None


hook_state = HookState()


class HooksRefused:
    """A `with` block in which saved-tensor hooks are an error with this message."""

    def __init__(self, reason: str) -> None:
        self._reason = reason
        self._before: str | None = None

    def __enter__(self) -> None:
        if hook_state.num_active > 0:
            raise RuntimeError(self._reason)
        self._before, hook_state.reason = hook_state.reason, self._reason

    def __exit__(self, *error: object) -> None:
        hook_state.reason = self._before


def enter_hooks() -> None:
    """Note that a block with hooks begins; an error where they are refused."""
    if hook_state.reason is not None:
        raise RuntimeError(hook_state.reason)
    hook_state.num_active += 1


def leave_hooks() -> None:
    """Note that a block with hooks ends."""
    hook_state.num_active -= 1
