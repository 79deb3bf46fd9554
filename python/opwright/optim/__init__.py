"""Optimizers, which update parameters from their gradients.

>>> import opwright as ow
>>> weight = ow.nn.Parameter(ow.tensor([1.0, 2.0]))
>>> optimizer = ow.optim.SGD([weight], lr=0.5)
>>> weight.grad = ow.tensor([1.0, -1.0])
>>> optimizer.step()
>>> weight.tolist()
[0.5, 2.5]

For SGD, Adam and AdamW, one call of a C++ operator (`aten::_fused_sgd_`, ...) updates an entire
group of parameters. State dicts have PyTorch's layout. `lr_scheduler` changes learning rates from
step to step.
"""

from . import lr_scheduler
from .adadelta import Adadelta
from .adafactor import Adafactor
from .adagrad import Adagrad
from .adam import Adam
from .adamax import Adamax
from .adamw import AdamW
from .asgd import ASGD
from .lbfgs import LBFGS
from .muon import Muon
from .nadam import NAdam
from .optimizer import Optimizer
from .radam import RAdam
from .rmsprop import RMSprop
from .rprop import Rprop
from .sgd import SGD
from .swapping import swap_in_optimizer_params_and_state

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
    "swap_in_optimizer_params_and_state",
]
