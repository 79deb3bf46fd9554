"""torch.nn.functional: the names of opwright.nn.functional, and when a trace records them."""

from opwright.compat._absent import absent
from opwright.nn.functional import *  # noqa: F403

# A symbolic trace of a function of this module asks has_torch_function whether to record the call
# or to run the function.
from ..overrides import (  # noqa: F401 (torch has these names here too)
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)

__getattr__ = absent(__name__)
