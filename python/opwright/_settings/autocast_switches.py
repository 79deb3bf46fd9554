"""Switches of autocast that last until they are set again, as in torch.

They set what `with opwright.autocast(...)` sets for its block. Inside of such a block that was
entered after a switch, the switch cannot change: leave the block first.
"""

from __future__ import annotations

from .. import _C
from .autocast_setting import setting

__all__ = [
    "autocast_decrement_nesting",
    "autocast_increment_nesting",
    "clear_autocast_cache",
    "is_autocast_cache_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
]


def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Turn autocast on or off for a type of device, on this thread; without one, for CUDA.

    >>> import opwright.compat.torch as torch
    >>> torch.set_autocast_enabled("cpu", True)
    >>> (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    opwright.bfloat16
    >>> torch.set_autocast_enabled("cpu", False)
    """
    if isinstance(device_type, bool) and enabled is None:
        device_type, enabled = "cuda", device_type
    if not isinstance(device_type, str) or not isinstance(enabled, bool):
        raise TypeError(
            "set_autocast_enabled: expected a type of device and a bool, such as ('cpu', True), "
            f"got ({device_type!r}, {enabled!r})"
        )
    setting.change("set_autocast_enabled", device_type, is_enabled=enabled)


def set_autocast_dtype(device_type: str, dtype: _C.dtype) -> None:
    """Set the lower dtype of autocast for a type of device, on this thread.

    >>> import opwright.compat.torch as torch
    >>> torch.set_autocast_dtype("cpu", torch.float16)
    >>> torch.get_autocast_dtype("cpu")
    opwright.float16
    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    setting.change("set_autocast_dtype", device_type, dtype=dtype)


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Turn autocast on or off for the CPU, on this thread.

    >>> import opwright.compat.torch as torch
    >>> torch.set_autocast_cpu_enabled(False)
    >>> torch.is_autocast_cpu_enabled()
    False
    """
    set_autocast_enabled("cpu", enabled)


def set_autocast_cpu_dtype(dtype: _C.dtype) -> None:
    """Set the lower dtype of autocast for the CPU, on this thread.

    >>> import opwright.compat.torch as torch
    >>> torch.set_autocast_cpu_dtype(torch.bfloat16)
    >>> torch.get_autocast_cpu_dtype()
    opwright.bfloat16
    """
    set_autocast_dtype("cpu", dtype)


def autocast_increment_nesting() -> int:
    """Count one more nested region of autocast; return the count.

    Programs that set autocast themselves clear the cache when the count returns to 0.

    >>> import opwright.compat.torch as torch
    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    setting.nesting += 1
    return setting.nesting


def autocast_decrement_nesting() -> int:
    """Count one nested region of autocast less; return the count.

    >>> import opwright.compat.torch as torch
    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    setting.nesting -= 1
    return setting.nesting


def clear_autocast_cache() -> None:
    """Drop the casts of parameters that autocast keeps on this thread.

    >>> import opwright.compat.torch as torch
    >>> torch.clear_autocast_cache()
    """
    _C.clear_autocast_cache()


def is_autocast_cache_enabled() -> bool:
    """Return whether autocast keeps casts of parameters, where a `with` statement does not say.

    >>> import opwright.compat.torch as torch
    >>> torch.is_autocast_cache_enabled()
    True
    """
    return setting.keeps_casts


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Set whether autocast keeps casts of parameters, where a `with` statement does not say.

    >>> import opwright.compat.torch as torch
    >>> torch.set_autocast_cache_enabled(True)
    """
    if not isinstance(enabled, bool):
        raise TypeError(
            f"set_autocast_cache_enabled: expected a bool, got {type(enabled).__name__}"
        )
    setting.keeps_casts = enabled
    setting.refresh("set_autocast_cache_enabled")
