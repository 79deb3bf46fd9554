"""torch.nn.modules.lazy: the base class of lazy modules."""

from opwright.compat._absent import absent
from opwright.nn.lazy import LazyModuleMixin

__all__ = ["LazyModuleMixin"]

__getattr__ = absent(__name__)
