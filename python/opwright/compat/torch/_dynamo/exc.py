"""torch._dynamo.exc."""

from opwright import GraphBreakError as Unsupported
from opwright.compat._absent import absent

__all__ = ["Unsupported"]

__getattr__ = absent(__name__)
