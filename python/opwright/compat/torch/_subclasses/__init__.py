"""torch._subclasses: fake tensors."""

from opwright.compat._absent import absent

from . import fake_tensor
from .fake_tensor import FakeTensor, FakeTensorMode

__all__ = ["FakeTensor", "FakeTensorMode", "fake_tensor"]

__getattr__ = absent(__name__)
