"""torch.testing: assert_close and make_tensor."""

from opwright.compat._absent import absent
from opwright.testing import assert_close, make_tensor

__all__ = ["assert_close", "make_tensor"]

__getattr__ = absent(__name__)
