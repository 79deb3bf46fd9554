"""torch.optim: optimizers."""

from typing import TYPE_CHECKING as _TYPE_CHECKING

from opwright.compat._absent import on_first_use as _on_first_use
from opwright.optim import (
    ASGD,
    LBFGS,
    SGD,
    Adadelta,
    Adafactor,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Muon,
    NAdam,
    Optimizer,
    RAdam,
    RMSprop,
    Rprop,
    swap_in_optimizer_params_and_state,
)

from . import lr_scheduler

if _TYPE_CHECKING:
    from . import swa_utils

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
    "swa_utils",
    "swap_in_optimizer_params_and_state",
]

# It needs modules, which are slow to import.
__getattr__, __dir__ = _on_first_use(__name__, {".swa_utils": ()})
