from .cuda import *  # noqa: F403
from .cuda import __all__ as __all__
