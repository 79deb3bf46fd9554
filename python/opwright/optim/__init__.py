"""Optimizers, which update parameters from their gradients.

>>> import opwright as ow
>>> weight = ow.nn.Parameter(ow.tensor([1.0, 2.0]))
>>> optimizer = ow.optim.SGD([weight], lr=0.5)
>>> weight.grad = ow.tensor([1.0, -1.0])
>>> optimizer.step()
>>> weight.tolist()
[0.5, 2.5]

One call of a C++ operator (`aten::_fused_sgd_`, ...) updates an entire group of parameters. State
dicts have PyTorch's layout.
"""

from .adam import Adam
from .adamw import AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer"]
