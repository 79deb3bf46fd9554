"""torch.fx.passes.utils: finding parts of graphs."""

from opwright.compat._absent import absent

from . import matcher_utils, matcher_with_name_node_map_utils, source_matcher_utils

__all__ = ["matcher_utils", "matcher_with_name_node_map_utils", "source_matcher_utils"]

__getattr__ = absent(__name__)
