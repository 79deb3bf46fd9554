"""torch.fx.experimental.symbolic_shapes: ShapeEnv, and checks that add no guards."""

from opwright.compat._absent import absent
from opwright.symbolic import ShapeEnv, guard_or_false, guard_or_true, sym_and, sym_or

# The error of a decision that needs the value of a number from data; it has no class of its own.
GuardOnDataDependentSymNode = RuntimeError
# The error of sizes that a function does not accept.
ConstraintViolationError = ValueError

__all__ = [
    "ConstraintViolationError",
    "GuardOnDataDependentSymNode",
    "ShapeEnv",
    "guard_or_false",
    "guard_or_true",
    "sym_and",
    "sym_or",
]

__getattr__ = absent(__name__)
