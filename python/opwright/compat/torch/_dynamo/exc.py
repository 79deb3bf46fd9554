"""torch._dynamo.exc: the errors of capture and export under PyTorch's names."""

from opwright import GraphBreakError as Unsupported
from opwright.compat._absent import absent

# The error of sizes or arguments that an exported function does not accept.
UserError = ValueError

__all__ = ["Unsupported", "UserError"]

__getattr__ = absent(__name__)
