"""Questions about the present state: autocast, anomaly detection, repeated warnings."""

from __future__ import annotations

from .. import _C

__all__ = [
    "get_autocast_cpu_dtype",
    "get_autocast_gpu_dtype",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_autocast_cpu_enabled",
    "is_warn_always_enabled",
    "set_anomaly_enabled",
    "set_warn_always",
    "thread_safe_generator",
]


def is_autocast_cpu_enabled() -> bool:
    """Return whether autocast is active for the CPU.

    >>> with ow.autocast("cpu"):
    ...     is_autocast_cpu_enabled()
    True
    """
    return _C.is_autocast_enabled("cpu")


def get_autocast_cpu_dtype() -> _C.dtype:
    """Return the lower dtype of autocast on the CPU.

    >>> get_autocast_cpu_dtype()
    opwright.bfloat16
    """
    return _C.get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> _C.dtype:
    """Return the lower dtype of autocast on CUDA devices.

    >>> get_autocast_gpu_dtype()
    opwright.float16
    """
    return _C.get_autocast_dtype("cuda")


def is_anomaly_enabled() -> bool:
    """Return whether anomaly detection is on.

    >>> with ow.autograd.detect_anomaly():
    ...     is_anomaly_enabled()
    True
    """
    return _C.anomaly_mode()


def is_anomaly_check_nan_enabled() -> bool:
    """Return whether anomaly detection also looks for NaN in gradients.

    >>> is_anomaly_check_nan_enabled()
    True
    """
    return _C.anomaly_mode_checks_nan()


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Turn anomaly detection on or off.

    >>> set_anomaly_enabled(True)
    >>> is_anomaly_enabled()
    True
    >>> set_anomaly_enabled(False)
    """
    _C.set_anomaly_mode(enabled)
    _C.set_anomaly_mode_checks_nan(check_nan)


class _State:
    """Whether warnings are wanted each time."""

    warns_always = False


_state = _State()


def is_warn_always_enabled() -> bool:
    """Return what `set_warn_always` set.

    >>> is_warn_always_enabled()
    False
    """
    return _state.warns_always


def set_warn_always(b: bool) -> None:
    """Set whether each warning is given every time.

    Warnings of Opwright always are, and Python's filters decide which are shown, so it changes
    nothing else.

    >>> set_warn_always(True)
    >>> is_warn_always_enabled()
    True
    >>> set_warn_always(False)
    """
    if not isinstance(b, bool):
        raise TypeError(f"set_warn_always: expected a bool, got {type(b).__name__}")
    _state.warns_always = b


def thread_safe_generator() -> None:
    """Return None, which stands for the default generator: threads may draw from it.

    In PyTorch it is the generator of a thread of a data loader, which Opwright does not have.

    >>> import opwright.compat.torch as torch
    >>> torch.rand(2, generator=torch.thread_safe_generator()).shape
    (2,)
    """
