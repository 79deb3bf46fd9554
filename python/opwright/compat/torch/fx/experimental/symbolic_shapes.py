"""torch.fx.experimental.symbolic_shapes: ShapeEnv, and checks that add no guards."""

from opwright.compat._absent import absent
from opwright.symbolic import ShapeEnv, guard_or_false, guard_or_true

__all__ = ["ShapeEnv", "guard_or_false", "guard_or_true"]

__getattr__ = absent(__name__)
