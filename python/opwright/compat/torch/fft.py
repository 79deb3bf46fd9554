"""torch.fft: discrete Fourier transforms."""

from opwright.compat._absent import absent
from opwright.fft import *  # noqa: F403
from opwright.fft import __all__ as __all__

__getattr__ = absent(__name__)
