"""torch.utils.deterministic: settings of deterministic mode."""

from opwright.compat._absent import absent

__all__ = ["fill_uninitialized_memory"]

# Memory of `empty` is not filled: it is not a result of a computation.
fill_uninitialized_memory = False

__getattr__ = absent(__name__)
