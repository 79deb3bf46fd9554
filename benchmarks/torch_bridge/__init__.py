"""The parts of torch_bridge.py: operators through the bridge and through torch's ways."""

from .cases import builtin_cases, custom_op_cases, our_cases, torch_library_cases
from .loading import seconds_to_load

__all__ = [
    "builtin_cases",
    "custom_op_cases",
    "our_cases",
    "seconds_to_load",
    "torch_library_cases",
]
