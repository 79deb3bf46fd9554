"""torch._subclasses.fake_tensor: FakeTensor, FakeTensorMode."""

from opwright.compat._absent import absent
from opwright.fake import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode"]

__getattr__ = absent(__name__)
