"""torch.utils.hooks: handles of hooks."""

from opwright.compat._absent import absent
from opwright.nn.hooks import (
    RemovableHandle,
)

__all__ = [
    "RemovableHandle",
]

__getattr__ = absent(__name__)
