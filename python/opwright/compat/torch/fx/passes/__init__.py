"""torch.fx.passes: analyses and transforms of graphs."""

from opwright.compat._absent import absent

from . import dialect, fake_tensor_prop, infra, shape_prop, tools_common, utils

__all__ = ["dialect", "fake_tensor_prop", "infra", "shape_prop", "tools_common", "utils"]

__getattr__ = absent(__name__)
