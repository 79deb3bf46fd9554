"""torch.utils: its modules are loaded on first use."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from opwright.compat._absent import on_first_use as _on_first_use

if _TYPE_CHECKING:
    from opwright.nn.swapping import swap_tensors

    from . import (
        _python_dispatch,
        _pytree,
        checkpoint,
        cpp_extension,
        deterministic,
        dlpack,
        hooks,
        module_tracker,
        weak,
    )

__all__ = [
    "_python_dispatch",
    "_pytree",
    "checkpoint",
    "cpp_extension",
    "deterministic",
    "dlpack",
    "hooks",
    "module_tracker",
    "swap_tensors",
    "weak",
]

__getattr__, __dir__ = _on_first_use(
    __name__,
    {
        "._python_dispatch": (),
        "._pytree": (),
        ".checkpoint": (),
        ".cpp_extension": (),
        ".deterministic": (),
        ".dlpack": (),
        ".hooks": (),
        ".module_tracker": (),
        ".weak": (),
        "opwright.nn.swapping": ("swap_tensors",),
    },
)
