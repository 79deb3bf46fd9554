"""torch.__future__: how modules replace their tensors."""

from opwright.compat._absent import absent
from opwright.nn.swapping import (
    set_swaps_tensors as set_swap_module_params_on_conversion,
)
from opwright.nn.swapping import (
    swaps_tensors as get_swap_module_params_on_conversion,
)

__all__ = ["get_swap_module_params_on_conversion", "set_swap_module_params_on_conversion"]

__getattr__ = absent(__name__)
