"""What this thread has set for autocast, outside of `with` statements."""

import threading

from .. import _C

__all__ = ["setting"]


class _Choice:
    """Whether autocast is on for a type of device, and its lower dtype; None is the default."""

    def __init__(self) -> None:
        self.is_enabled = False
        self.dtype: _C.dtype | None = None


class _Setting(threading.local):
    """The choices by type of device, and the modes that they have entered."""

    def __init__(self) -> None:
        self.choices: dict[str, _Choice] = {}
        self.keeps_casts = True
        self.nesting = 0
        self._entered: list[_C.AutocastContext] = []

    def change(
        self,
        who: str,
        device_type: str,
        is_enabled: bool | None = None,
        dtype: _C.dtype | None = None,
    ) -> None:
        """Set what is not None for a type of device."""
        chosen = self.choices.get(device_type, _Choice())
        changed = _Choice()
        changed.is_enabled = chosen.is_enabled if is_enabled is None else is_enabled
        changed.dtype = chosen.dtype if dtype is None else dtype
        _C.AutocastContext(device_type, changed.dtype, changed.is_enabled, True)  # checks them
        self._leave(who)
        self.choices[device_type] = changed
        self._enter()

    def refresh(self, who: str) -> None:
        """Apply `keeps_casts` to the modes that are entered."""
        self._leave(who)
        self._enter()

    def _leave(self, who: str) -> None:
        while self._entered:
            try:
                self._entered[-1].leave()
            except RuntimeError:
                raise RuntimeError(
                    f"{who}: a `with` statement of autocast or of another mode was entered since "
                    "autocast was set; leave it first"
                ) from None
            self._entered.pop()

    def _enter(self) -> None:
        for device_type, choice in self.choices.items():
            is_changed = choice.is_enabled != _C.is_autocast_enabled(device_type)
            has_other_dtype = choice.dtype not in (None, _C.get_autocast_dtype(device_type))
            # A mode that changes nothing would be state that compiled functions guard.
            if is_changed or has_other_dtype:
                mode = _C.AutocastContext(
                    device_type, choice.dtype, choice.is_enabled, self.keeps_casts
                )
                mode.enter()
                self._entered.append(mode)


setting = _Setting()
