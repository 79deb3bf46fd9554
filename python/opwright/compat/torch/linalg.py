"""torch.linalg: linear algebra."""

from opwright.compat._absent import absent
from opwright.linalg import *  # noqa: F403
from opwright.linalg import __all__ as __all__

__getattr__ = absent(__name__)
