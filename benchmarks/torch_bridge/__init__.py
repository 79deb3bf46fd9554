"""Parts of torch_bridge.py: operators called through the bridge and as torch operators."""

from .cases import builtin_cases, custom_op_cases, our_cases, torch_library_cases
from .loading import seconds_to_load

__all__ = [
    "builtin_cases",
    "custom_op_cases",
    "our_cases",
    "seconds_to_load",
    "torch_library_cases",
]
