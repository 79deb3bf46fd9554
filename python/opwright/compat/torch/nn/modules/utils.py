"""torch.nn.modules.utils: keys of a state_dict."""

from opwright.compat._absent import absent
from opwright.nn.state import (
    consume_prefix_in_state_dict_if_present,
)

__all__ = [
    "consume_prefix_in_state_dict_if_present",
]

__getattr__ = absent(__name__)
