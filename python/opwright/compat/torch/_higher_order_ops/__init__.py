"""torch._higher_order_ops: data-dependent control flow that a graph can represent."""

from opwright.compat._absent import absent
from opwright.control_flow import cond, while_loop

__all__ = ["cond", "while_loop"]

__getattr__ = absent(__name__)
