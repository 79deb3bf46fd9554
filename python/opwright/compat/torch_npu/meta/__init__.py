"""torch_npu.meta: fake kernels of the vendor's operators."""

from opwright.compat._absent import absent

from . import _meta_registrations as _meta_registrations

__getattr__ = absent(__name__)
