"""torch.optim: optimizers."""

from opwright.compat._absent import absent
from opwright.optim import SGD, Adam, AdamW, Optimizer

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]

__getattr__ = absent(__name__)
