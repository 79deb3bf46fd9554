"""Schedulers, which change the learning rates of an optimizer from step to step.

>>> import opwright as ow
>>> optimizer = ow.optim.SGD([ow.nn.Parameter(ow.ones(1))], lr=0.1)
>>> scheduler = ow.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.5)
>>> for _ in range(3):
...     optimizer.step()
...     scheduler.step()
>>> scheduler.get_last_lr()
[0.0125]
"""

from .composite import ChainedScheduler, SequentialLR
from .cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from .cycle import CyclicLR, OneCycleLR
from .decay import (
    ConstantLR,
    ExponentialLR,
    LambdaLR,
    LinearLR,
    MultiplicativeLR,
    MultiStepLR,
    PolynomialLR,
    StepLR,
)
from .plateau import ReduceLROnPlateau
from .scheduler import LRScheduler

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]
