"""torch_npu: the vendor's device for PyTorch."""

from opwright.compat._absent import absent

from . import meta

__all__ = ["meta"]

__getattr__ = absent(__name__)
