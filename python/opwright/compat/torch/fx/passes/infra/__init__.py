"""torch.fx.passes.infra: passes and their manager."""

from opwright.compat._absent import absent

from . import pass_base, pass_manager

__all__ = ["pass_base", "pass_manager"]

__getattr__ = absent(__name__)
