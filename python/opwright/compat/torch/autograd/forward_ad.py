"""torch.autograd.forward_ad: forward mode."""

from opwright.autograd.forward_ad import (
    UnpackedDualTensor,
    current_level,
    dual_level,
    enter_dual_level,
    exit_dual_level,
    make_dual,
    unpack_dual,
)
from opwright.compat._absent import absent

__all__ = [
    "UnpackedDualTensor",
    "dual_level",
    "enter_dual_level",
    "exit_dual_level",
    "make_dual",
    "unpack_dual",
]

_absent = absent(__name__)


def __getattr__(name: str) -> object:
    return current_level() if name == "_current_level" else _absent(name)
