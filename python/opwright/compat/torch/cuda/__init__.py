"""torch.cuda: the functions of CUDA devices."""

from opwright.compat._absent import on_first_use as _on_first_use
from opwright.cuda import *  # noqa: F403
from opwright.cuda import __all__ as __all__

__getattr__, __dir__ = _on_first_use(__name__, {".amp": ()})
