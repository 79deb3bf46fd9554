"""Whether results are the same in every run, and how precise products are.

All kernels of the CPU are deterministic, and products of float32 have full precision.
"""

from __future__ import annotations

from .. import _C

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_deterministic_debug_mode",
    "get_float32_matmul_precision",
    "is_deterministic_algorithms_warn_only_enabled",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "use_deterministic_algorithms",
]

_MODES = ("default", "warn", "error")
_PRECISIONS = ("highest", "high", "medium")


class _State:
    """The mode that was asked for, and the precision."""

    mode = 0
    precision = "highest"


_state = _State()


def _check_devices(name: str) -> None:
    others = [each for each in _C.device_names() if each not in ("cpu", "meta")]
    if any(_C.device_count(each) for each in others):
        raise NotImplementedError(
            f"{name}: operators of {', '.join(others)} devices are not checked for determinism; "
            "unset it, or run on the CPU, where all operators are deterministic"
        )


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for results that are the same in every run, which those of the CPU always are.

    It is refused on a machine with other devices, unless `warn_only`.

    >>> import opwright.compat.torch as torch
    >>> torch.use_deterministic_algorithms(True, warn_only=True)
    >>> torch.are_deterministic_algorithms_enabled()
    True
    >>> torch.use_deterministic_algorithms(False)
    """
    set_deterministic_debug_mode((1 if warn_only else 2) if mode else 0)


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether deterministic results were asked for.

    >>> are_deterministic_algorithms_enabled()
    False
    """
    return _state.mode != 0


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether deterministic results were asked for with `warn_only`.

    >>> is_deterministic_algorithms_warn_only_enabled()
    False
    """
    return _state.mode == 1


def get_deterministic_debug_mode() -> int:
    """Return 0, 1 (warn) or 2 (error).

    >>> get_deterministic_debug_mode()
    0
    """
    return _state.mode


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Set the mode: "default", "warn" or "error", or its number.

    >>> set_deterministic_debug_mode("warn")
    >>> get_deterministic_debug_mode()
    1
    >>> set_deterministic_debug_mode(0)
    """
    mode = _MODES.index(debug_mode) if debug_mode in _MODES else debug_mode
    if mode not in (0, 1, 2) or isinstance(mode, (str, bool)):
        raise RuntimeError(
            "set_deterministic_debug_mode: expected 0, 1, 2, 'default', 'warn' or 'error', got "
            f"{debug_mode!r}"
        )
    if mode == 2:
        _check_devices("use_deterministic_algorithms")
    _state.mode = mode


def get_float32_matmul_precision() -> str:
    """Return the precision that was set for products of float32.

    >>> get_float32_matmul_precision()
    'highest'
    """
    return _state.precision


def set_float32_matmul_precision(precision: str) -> None:
    """Allow products of float32 to be less precise: "highest", "high" or "medium".

    It allows, but does not demand: products have full precision in all three.

    >>> set_float32_matmul_precision("high")
    >>> get_float32_matmul_precision()
    'high'
    >>> set_float32_matmul_precision("highest")
    """
    if precision not in _PRECISIONS:
        raise RuntimeError(
            f"set_float32_matmul_precision: expected one of {', '.join(_PRECISIONS)}, got "
            f"{precision!r}"
        )
    _state.precision = precision
