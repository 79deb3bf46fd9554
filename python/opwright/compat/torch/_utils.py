"""torch._utils: the size of an element, which tests and loaders ask for."""

from opwright._tensor_functions import element_size as _element_size
from opwright.compat._absent import absent

__all__ = ["_element_size"]

__getattr__ = absent(__name__)
