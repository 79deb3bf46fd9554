"""torch.return_types: the tuples that functions with several named results return."""

from opwright.compat._absent import absent
from opwright.return_types import *  # noqa: F403
from opwright.return_types import __all__ as __all__

__getattr__ = absent(__name__)
