"""torchair: the vendor's graph engine for PyTorch. Its converters are to come."""

from opwright.compat._absent import absent

__getattr__ = absent(__name__)
