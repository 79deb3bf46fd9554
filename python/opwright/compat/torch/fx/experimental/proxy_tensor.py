"""torch.fx.experimental.proxy_tensor: make_fx."""

from opwright.compat._absent import absent
from opwright.tracing import make_fx

__all__ = ["make_fx"]

__getattr__ = absent(__name__)
