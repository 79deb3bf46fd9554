"""torch.fx.experimental."""

from opwright.compat._absent import absent

from . import const_fold, proxy_tensor, rewriter, symbolic_shapes

__all__ = ["const_fold", "proxy_tensor", "rewriter", "symbolic_shapes"]

__getattr__ = absent(__name__)
