"""torch.fx.passes.dialect.common: passes for any graph."""

from opwright.compat._absent import absent

from . import cse_pass

__all__ = ["cse_pass"]

__getattr__ = absent(__name__)
